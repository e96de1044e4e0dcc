// Which rows the timeline shows, in which order: warps, blocks with their warps in one row, threads of opened warps.

import { Ranges } from "../ranges";
import { RunData } from "../run_data";

/** `part` of a view row: all threads of a warp, or all warps of a block; a thread is its number. */
export const WHOLE_WARP = -1;
export const WHOLE_BLOCK = -2;

/** View row i shows the members [first[i], first[i + 1]): numbers of warps, or of places on SMs. */
export interface ViewRows {
  count: number;
  first: Uint32Array;
  members: Uint32Array;
  part: Int8Array;
  /** The view row of each warp; -1 where it is filtered out. */
  viewRowOf: Int32Array;
}

export type Level = "warps" | "blocks" | "sms";
export type SortKey = "block" | "start" | "sm" | "scope";

export interface OrderChoice {
  level: Level;
  sort: SortKey;
  /** The scope whose time sorts. */
  sortScope: number;
  blocks: Ranges | undefined;
  warps: Ranges | undefined;
  sms: Ranges | undefined;
  /** Block ids whose warps show below the block's row. */
  openBlocks: Set<number>;
  /** Rows of warps whose threads show below. */
  openWarps: Set<number>;
}

/** `threads` is how many a block has. */
export function orderRows(data: RunData, choice: OrderChoice, threads: number): ViewRows {
  const blocks = keptBlocks(data, choice);
  if (choice.sort !== "block") sortBlocks(data, choice, blocks);
  const writer = new RowWriter(data, threads);
  for (const rows of blocks) {
    if (choice.level === "blocks") {
      writer.block(rows);
      if (!choice.openBlocks.has(data.block[rows[0]])) continue;
    }
    for (const row of rows) writer.warp(row, choice.openWarps);
  }
  return writer.finish();
}

/** The rows of each block that pass the filters; blocks without one are left out. */
function keptBlocks(data: RunData, choice: OrderChoice): number[][] {
  const blocks: number[][] = [];
  let current = -1;
  for (let row = 0; row < data.rowCount; row++) {
    if (choice.blocks && !choice.blocks.includes(data.block[row])) continue;
    if (choice.warps && !choice.warps.includes(data.warp[row])) continue;
    if (choice.sms && !choice.sms.includes(data.sm[row])) continue;
    if (data.block[row] !== current) blocks.push([]);
    current = data.block[row];
    blocks[blocks.length - 1].push(row);
  }
  return blocks;
}

/** Blocks stay together: each stands where its first warp would. */
function sortBlocks(data: RunData, choice: OrderChoice, blocks: number[][]): void {
  const time = choice.sort === "scope" ? timeInScope(data, choice.sortScope) : undefined;
  const before = (a: number, b: number): number => {
    if (time) return time[b] - time[a] || a - b;
    const bySm = choice.sort === "sm" ? data.sm[a] - data.sm[b] : 0;
    return bySm || data.enter[a] - data.enter[b] || a - b;
  };
  if (time) for (const rows of blocks) rows.sort(before);
  const leader = new Map(blocks.map((rows) => [rows, rows.reduce((best, row) => (before(row, best) < 0 ? row : best))]));
  blocks.sort((a, b) => before(leader.get(a) as number, leader.get(b) as number));
}

/** Of each warp, summed over its slices of the scope, in ns. */
export function timeInScope(data: RunData, scope: number): Float64Array {
  const time = new Float64Array(data.rowCount);
  for (let row = 0; row < data.rowCount; row++)
    for (let slice = data.firstSlice[row]; slice < data.firstSlice[row + 1]; slice++)
      if (data.scope[slice] === scope) time[row] += data.end[slice] - data.start[slice];
  return time;
}

class RowWriter {
  private readonly members: number[] = [];
  private readonly first: number[] = [0];
  private readonly part: number[] = [];
  private readonly viewRowOf: Int32Array;

  constructor(
    private readonly data: RunData,
    private readonly threads: number,
  ) {
    this.viewRowOf = new Int32Array(data.rowCount).fill(-1);
  }

  block(rows: number[]): void {
    for (const row of rows) this.viewRowOf[row] = this.part.length;
    this.add(rows, WHOLE_BLOCK);
  }

  warp(row: number, open: Set<number>): void {
    this.viewRowOf[row] = this.part.length;
    this.add([row], WHOLE_WARP);
    if (!open.has(row)) return;
    const threads = Math.min(32, this.threads - 32 * this.data.warp[row]);
    for (let thread = 0; thread < threads; thread++) this.add([row], thread);
  }

  finish(): ViewRows {
    return {
      count: this.part.length,
      first: Uint32Array.from(this.first),
      members: Uint32Array.from(this.members),
      part: Int8Array.from(this.part),
      viewRowOf: this.viewRowOf,
    };
  }

  private add(rows: number[], part: number): void {
    for (const row of rows) this.members.push(row);
    this.first.push(this.members.length);
    this.part.push(part);
  }
}
