// Rows, slices and instants of one run as typed arrays. Times are ns of the run.

import { Columns, Numbers, unzigzag } from "./columns";
import { RunFacts } from "./facts";
import { Payloads, readPayloads, reordered } from "./payloads";

/** Narrow when every time of the run fits. */
export type Times = Int32Array | Float64Array;

export interface Instants {
  /** By row: those of row r are [first[r], first[r + 1]), in order of time. */
  first: Uint32Array;
  time: Float64Array;
  scope: Uint32Array;
  mask: Uint32Array;
  payloads: Payloads | undefined;
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
  /** What slices have in common besides their scope: see depthOf and maskOf. */
  kind: Numbers;
  kindDepth: Numbers;
  kindMask: Numbers;
  /** What slices' starts carried along. */
  payloads: Payloads | undefined;
  marks: Instants;
  orphanStarts: Instants;
  orphanEnds: Instants;
}

export function decodeRun(facts: RunFacts, bytes: Uint8Array): RunData {
  const columns = new Columns(bytes, facts.columns);
  const block = sums(columns.read("row.block"));
  const enter = sums(columns.read("row.enter"));
  const firstSlice = offsets(columns.read("row.slices"));
  const kind = columns.read("slice.kind");
  const kindDepth = columns.read("kind.depth");
  const rowCount = block.length;
  return {
    rowCount,
    block,
    warp: columns.read("row.warp"),
    sm: columns.read("row.sm"),
    enter,
    exit: exits(enter, columns.read("row.life")),
    firstSlice,
    ...sliceTimes(columns, kind, kindDepth, firstSlice, enter, facts),
    scope: looked(kind, columns.read("kind.scope")),
    kind,
    kindDepth,
    kindMask: columns.read("kind.mask"),
    payloads: readPayloads(columns, "slice"),
    marks: instants(columns, "mark", rowCount),
    orphanStarts: instants(columns, "orphan_start", rowCount),
    orphanEnds: instants(columns, "orphan_end", rowCount),
  };
}

/** The threads of a slice, a bit each. */
export function maskOf(data: RunData, slice: number): number {
  return data.kindMask[data.kind[slice]];
}

/** How many slices around it were open when it started. */
export function depthOf(data: RunData, slice: number): number {
  return data.kindDepth[data.kind[slice]];
}

/** The row that holds a slice. */
export function rowOfSlice(data: RunData, slice: number): number {
  return firstPast(data.firstSlice, 0, data.firstSlice.length, slice) - 1;
}

/** Room for times of the run. */
export function timesFor(count: number, facts: RunFacts): Times {
  const narrow = facts.first_ns >= -(2 ** 31) && facts.last_ns < 2 ** 31;
  return narrow ? new Int32Array(count) : new Float64Array(count);
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

/** Undoes StartPrediction of src/report/html_columns.cpp; there it says how a start is foretold. */
function sliceTimes(
  columns: Columns,
  kind: Numbers,
  kindDepth: Numbers,
  firstSlice: Uint32Array,
  enter: Float64Array,
  facts: RunFacts,
): { start: Times; end: Times } {
  const residual = columns.read("slice.start");
  const duration = columns.read("slice.duration");
  const start = timesFor(residual.length, facts);
  const end = timesFor(residual.length, facts);
  const deepest = largest(kindDepth);
  const lastEnd = new Float64Array(deepest + 1);
  // By depth + 1; at 0 the warp's own start.
  const lastStart = new Float64Array(deepest + 2);
  for (let row = 0, used = deepest; row < enter.length; row++) {
    lastEnd.fill(enter[row], 0, used + 1);
    lastStart.fill(enter[row], 0, used + 2);
    used = 0;
    for (let slice = firstSlice[row]; slice < firstSlice[row + 1]; slice++) {
      const level = kindDepth[kind[slice]];
      const around = lastStart[level];
      const before = lastEnd[level];
      const begin = (before > around ? before : around) + unzigzag(residual[slice]);
      start[slice] = begin;
      lastStart[level + 1] = begin;
      end[slice] = lastEnd[level] = begin + duration[slice];
      if (level > used) used = level;
    }
  }
  return { start, end };
}

/** The values of a short table at each index, in the narrowest array. */
function looked(index: Numbers, table: Numbers): Numbers {
  const values = largest(table) < 256 ? new Uint8Array(index.length) : new Uint16Array(index.length);
  for (let i = 0; i < values.length; i++) values[i] = table[index[i]];
  return values;
}

function largest(values: Numbers): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
  return most;
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
  let payloads = readPayloads(columns, prefix);
  if (!ascend(row, time)) {
    order.sort((a, b) => row[a] - row[b] || time[a] - time[b]);
    payloads &&= reordered(payloads, order);
  }
  const first = new Uint32Array(rowCount + 1);
  for (const r of row) first[r + 1]++;
  for (let r = 0; r < rowCount; r++) first[r + 1] += first[r];
  return {
    first,
    time: Float64Array.from(order, (index) => time[index]),
    scope: Uint32Array.from(order, (index) => scope[index]),
    mask: Uint32Array.from(order, (index) => mask[index]),
    payloads,
  };
}

/** Whether entries are in order of row, then time; sorting millions of them takes seconds. */
function ascend(row: Float64Array, time: Float64Array): boolean {
  for (let i = 1; i < row.length; i++) if (row[i] < row[i - 1] || (row[i] === row[i - 1] && time[i] < time[i - 1])) return false;
  return true;
}
