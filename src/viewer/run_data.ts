// Rows, slices and instants of one run as typed arrays. Times are ns of the run.

import { Columns, Numbers, unzigzag } from "./columns";
import { RunFacts } from "./facts";

/** Narrow when every time of the run fits. */
export type Times = Int32Array | Float64Array;

export interface Instants {
  /** By row: those of row r are [first[r], first[r + 1]), in order of time. */
  first: Uint32Array;
  time: Float64Array;
  scope: Uint32Array;
  mask: Uint32Array;
}

export interface RunData {
  rowCount: number;
  block: Float64Array;
  warp: Numbers;
  sm: Numbers;
  enter: Float64Array;
  /** Infinity when no exit was recorded. */
  exit: Float64Array;
  /** Slices of row r are [firstSlice[r], firstSlice[r + 1]). */
  firstSlice: Uint32Array;
  start: Times;
  end: Times;
  scope: Numbers;
  depth: Numbers;
  mask: Numbers;
  marks: Instants;
  orphanStarts: Instants;
  orphanEnds: Instants;
}

export function decodeRun(facts: RunFacts, bytes: Uint8Array): RunData {
  const columns = new Columns(bytes, facts.columns);
  const block = sums(columns.read("row.block"));
  const enter = sums(columns.read("row.enter"));
  const firstSlice = offsets(columns.read("row.slices"));
  const start = sliceStarts(columns.read("slice.start"), firstSlice, enter, facts);
  const rowCount = block.length;
  return {
    rowCount,
    block,
    warp: columns.read("row.warp"),
    sm: columns.read("row.sm"),
    enter,
    exit: exits(enter, columns.read("row.life")),
    firstSlice,
    start,
    end: sliceEnds(start, columns.read("slice.duration")),
    scope: columns.read("slice.scope"),
    depth: columns.read("slice.depth"),
    mask: columns.read("slice.mask"),
    marks: instants(columns, "mark", rowCount),
    orphanStarts: instants(columns, "orphan_start", rowCount),
    orphanEnds: instants(columns, "orphan_end", rowCount),
  };
}

/** The time at which a row's picture ends: its exit, or its last slice's end when no exit was recorded. */
export function rowEnd(data: RunData, row: number): number {
  if (data.exit[row] !== Infinity) return data.exit[row];
  let end = data.enter[row];
  for (let slice = data.firstSlice[row]; slice < data.firstSlice[row + 1]; slice++) end = Math.max(end, data.end[slice]);
  return end;
}

/** The first of `values` in [from, to) that is past `limit`; they ascend. */
export function firstPast(values: ArrayLike<number>, from: number, to: number, limit: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] > limit) to = middle;
    else from = middle + 1;
  }
  return from;
}

function sums(differences: Numbers): Float64Array {
  const values = new Float64Array(differences.length);
  let value = 0;
  for (let i = 0; i < values.length; i++) values[i] = value += unzigzag(differences[i]);
  return values;
}

function offsets(counts: Numbers): Uint32Array {
  const first = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) first[i + 1] = first[i] + counts[i];
  return first;
}

function timesFor(count: number, facts: RunFacts): Times {
  const narrow = facts.first_ns >= -(2 ** 31) && facts.last_ns < 2 ** 31;
  return narrow ? new Int32Array(count) : new Float64Array(count);
}

function sliceStarts(differences: Numbers, firstSlice: Uint32Array, enter: Float64Array, facts: RunFacts): Times {
  const start = timesFor(differences.length, facts);
  for (let row = 0; row < enter.length; row++) {
    let time = enter[row];
    for (let slice = firstSlice[row]; slice < firstSlice[row + 1]; slice++) start[slice] = time += unzigzag(differences[slice]);
  }
  return start;
}

function sliceEnds(start: Times, duration: Numbers): Times {
  const end = start.slice();
  for (let slice = 0; slice < end.length; slice++) end[slice] += duration[slice];
  return end;
}

function exits(enter: Float64Array, lifePlusOne: Numbers): Float64Array {
  return enter.map((time, row) => (lifePlusOne[row] === 0 ? Infinity : time + lifePlusOne[row] - 1));
}

function instants(columns: Columns, prefix: string, rowCount: number): Instants {
  const row = sums(columns.read(`${prefix}.row`));
  const time = sums(columns.read(`${prefix}.time`));
  const scope = columns.read(`${prefix}.scope`);
  const mask = columns.read(`${prefix}.mask`);
  const order = Uint32Array.from(row, (_, index) => index);
  if (!ascend(row, time)) order.sort((a, b) => row[a] - row[b] || time[a] - time[b]);
  const first = new Uint32Array(rowCount + 1);
  for (const r of row) first[r + 1]++;
  for (let r = 0; r < rowCount; r++) first[r + 1] += first[r];
  return {
    first,
    time: Float64Array.from(order, (index) => time[index]),
    scope: Uint32Array.from(order, (index) => scope[index]),
    mask: Uint32Array.from(order, (index) => mask[index]),
  };
}

/** Whether entries are in order of row, then time; sorting millions of them takes seconds. */
function ascend(row: Float64Array, time: Float64Array): boolean {
  for (let i = 1; i < row.length; i++) if (row[i] < row[i - 1] || (row[i] === row[i - 1] && time[i] < time[i - 1])) return false;
  return true;
}
