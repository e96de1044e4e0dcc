// A row as one lane of segments: at each instant the deepest open slice. Where threads of the warp run apart and slices of
// one depth overlap, that of the lowest thread shows, then the later one. The same rule as src/report/flatten.cpp.

import { RunData } from "./run_data";

/** Where a row's segments are: entries [begin, end) of its pool. */
export interface RowSegments {
  start: Float64Array;
  stop: Float64Array;
  slice: Uint32Array;
  begin: number;
  end: number;
}

const POOL_ENTRIES = 1 << 18;

/** Flattens rows when they are first asked for, and keeps them. */
export class Segments {
  private rows: (RowSegments | undefined)[];
  private pool = newPool(0);
  private used = 0;
  private hidden: Uint8Array;

  constructor(
    private readonly data: RunData,
    scopeCount: number,
  ) {
    this.rows = new Array<RowSegments | undefined>(data.rowCount);
    this.hidden = new Uint8Array(scopeCount);
  }

  /** Shows or hides a scope; where it is hidden the slice around it shows. */
  setHidden(scope: number, hidden: boolean): void {
    this.hidden[scope] = hidden ? 1 : 0;
    this.rows = new Array<RowSegments | undefined>(this.data.rowCount);
    this.pool = newPool(0);
    this.used = 0;
  }

  of(row: number): RowSegments {
    return (this.rows[row] ??= this.flatten(row));
  }

  private flatten(row: number): RowSegments {
    const first = this.data.firstSlice[row];
    const last = this.data.firstSlice[row + 1];
    const most = 2 * (last - first);
    if (this.used + most > this.pool.slice.length) {
      this.pool = newPool(Math.max(most, POOL_ENTRIES));
      this.used = 0;
    }
    const begin = this.used;
    const sweep = new Sweep(this.data, this.pool, begin);
    for (let slice = first; slice < last; slice++) if (!this.hidden[this.data.scope[slice]]) sweep.open(slice);
    this.used = sweep.finish();
    return { ...this.pool, begin, end: this.used };
  }
}

interface Pool {
  start: Float64Array;
  stop: Float64Array;
  slice: Uint32Array;
}

function newPool(entries: number): Pool {
  return { start: new Float64Array(entries), stop: new Float64Array(entries), slice: new Uint32Array(entries) };
}

/** Sweeps over the starts and ends of one row in order of time; `open_` ascends by rank, so its last one shows. */
class Sweep {
  private readonly open_: number[] = [];
  private now = -Infinity;

  constructor(
    private readonly data: RunData,
    private readonly pool: Pool,
    private at: number,
  ) {}

  open(slice: number): void {
    const start = this.data.start[slice];
    this.closeUntil(start);
    this.emit(start);
    if (this.data.end[slice] <= start) return;
    let place = this.open_.length;
    while (place > 0 && this.outranks(this.open_[place - 1], slice)) place--;
    this.open_.splice(place, 0, slice);
  }

  finish(): number {
    this.closeUntil(Infinity);
    return this.at;
  }

  private closeUntil(time: number): void {
    while (this.open_.length > 0) {
      let next = this.open_.length - 1;
      for (let i = next - 1; i >= 0; i--) if (this.data.end[this.open_[i]] < this.data.end[this.open_[next]]) next = i;
      const end = this.data.end[this.open_[next]];
      if (end > time) return;
      this.emit(end);
      this.open_.splice(next, 1);
    }
  }

  private outranks(a: number, b: number): boolean {
    const { depth, mask } = this.data;
    if (depth[a] !== depth[b]) return depth[a] > depth[b];
    const threadA = lowestThread(mask[a]);
    const threadB = lowestThread(mask[b]);
    return threadA !== threadB ? threadA < threadB : a > b;
  }

  private emit(until: number): void {
    if (until <= this.now) return;
    if (this.open_.length > 0) {
      const shown = this.open_[this.open_.length - 1];
      this.pool.start[this.at] = this.now;
      this.pool.stop[this.at] = until;
      this.pool.slice[this.at++] = shown;
    }
    this.now = until;
  }
}

/** The number of the lowest set bit; 32 when there is none. */
export function lowestThread(mask: number): number {
  return mask === 0 ? 32 : 31 - Math.clz32(mask & -mask);
}
