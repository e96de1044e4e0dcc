// A warp, or one thread of it, as one strip: at each instant the deepest open slice. Where threads of the warp run apart and
// slices of one depth overlap, that of the lowest thread shows, then the later one. The same rule as src/report/flatten.cpp.

import { RunFacts } from "../facts";
import { RunData, Times, depthOf, maskOf, timesFor } from "../run_data";

/** Where stretches are written; see Strip for its columns. */
export interface Pool {
  start: Times;
  stop: Times;
  item: Uint32Array;
  colour: Uint16Array;
}

export function newPool(entries: number, facts: RunFacts): Pool {
  return {
    start: timesFor(entries, facts),
    stop: timesFor(entries, facts),
    item: new Uint32Array(entries),
    colour: new Uint16Array(entries),
  };
}

/** For flattenSlices: all show. */
export function everySlice(): boolean {
  return true;
}

/** Writes the stretches of the slices [first, last) that show to the pool from `at` on; returns where they end. */
export function flattenSlices(data: RunData, pool: Pool, at: number, first: number, last: number, shows: (slice: number) => boolean): number {
  const nested = flattenNested(data, pool, at, first, last, shows);
  if (nested >= 0) return nested;
  const sweep = new Sweep(data, pool, at);
  for (let slice = first; slice < last; slice++) if (shows(slice)) sweep.open(slice);
  return sweep.finish();
}

const DEEPEST_NEST = 64;
const nest = new Uint32Array(DEEPEST_NEST);

/** As Sweep, several times as fast, for slices of which each lies within the one around it; -1 when one does not. */
function flattenNested(data: RunData, pool: Pool, at: number, first: number, last: number, shows: (slice: number) => boolean): number {
  const { start, end, scope, kind, kindDepth } = data;
  const { start: from, stop, item, colour } = pool;
  const all = shows === everySlice;
  let open = 0;
  let now = -Infinity;
  for (let slice = first; slice <= last; slice++) {
    if (slice < last && !all && !shows(slice)) continue;
    const begin = slice < last ? start[slice] : Infinity;
    while (open > 0) {
      const inner = nest[open - 1];
      const innerEnd = end[inner];
      const until = innerEnd <= begin ? innerEnd : begin;
      if (until > now) {
        from[at] = now;
        stop[at] = until;
        colour[at] = scope[inner];
        item[at++] = inner;
        now = until;
      }
      if (innerEnd > begin) break;
      open--;
    }
    if (slice === last) break;
    if (begin > now) now = begin;
    if (end[slice] <= begin) continue;
    if (open > 0) {
      const around = nest[open - 1];
      if (end[slice] > end[around] || kindDepth[kind[slice]] <= kindDepth[kind[around]] || open === DEEPEST_NEST) return -1;
    }
    nest[open++] = slice;
  }
  return at;
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
      if (next === this.open_.length - 1) this.open_.pop();
      else this.open_.splice(next, 1);
    }
  }

  private outranks(a: number, b: number): boolean {
    const { data } = this;
    const deeper = depthOf(data, a) - depthOf(data, b);
    if (deeper !== 0) return deeper > 0;
    const threadA = lowestThread(maskOf(data, a));
    const threadB = lowestThread(maskOf(data, b));
    return threadA !== threadB ? threadA < threadB : a > b;
  }

  private emit(until: number): void {
    if (until <= this.now) return;
    if (this.open_.length > 0) {
      const shown = this.open_[this.open_.length - 1];
      this.pool.start[this.at] = this.now;
      this.pool.stop[this.at] = until;
      this.pool.colour[this.at] = this.data.scope[shown];
      this.pool.item[this.at++] = shown;
    }
    this.now = until;
  }
}

/** The number of the lowest set bit; 32 when there is none. */
export function lowestThread(mask: number): number {
  return mask === 0 ? 32 : 31 - Math.clz32(mask & -mask);
}
