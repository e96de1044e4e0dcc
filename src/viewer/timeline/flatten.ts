// A warp, or one thread of it, as one strip: at each instant the deepest open slice. Where threads of the warp run apart and
// slices of one depth overlap, that of the lowest thread shows, then the later one. The same rule as src/report/flatten.cpp.

import { RunFacts } from "../facts";
import { RunData, Times, depthOf, maskOf, rowEnd, timesFor } from "../run_data";
import { Strip, StripSource } from "./strips";

const POOL_ENTRIES = 1 << 18;
/** Past it what was flattened is let go: some 14 bytes an entry. */
const MOST_ENTRIES = 1 << 25;

interface Pool {
  start: Times;
  stop: Times;
  item: Uint32Array;
  colour: Uint16Array;
}

/** Flattens warps when they are first asked for, and keeps them. */
export class WarpStrips implements StripSource {
  readonly rowEnds: Float64Array;
  private strips = new Map<number, Strip>();
  private pool: Pool;
  private scratch: Pool;
  private used = 0;
  private total = 0;
  private readonly hidden: Uint8Array;
  private anyHidden = false;

  constructor(
    private readonly data: RunData,
    private readonly facts: RunFacts,
  ) {
    this.rowEnds = new Float64Array(data.rowCount);
    for (let row = 0; row < data.rowCount; row++) this.rowEnds[row] = rowEnd(data, row);
    this.pool = this.scratch = newPool(0, facts);
    this.hidden = new Uint8Array(facts.scopes.length);
  }

  /** Shows or hides a scope; where it is hidden the slice around it shows. */
  setHidden(scope: number, hidden: boolean): void {
    if (this.hidden[scope] === (hidden ? 1 : 0)) return;
    this.hidden[scope] = hidden ? 1 : 0;
    this.anyHidden = this.hidden.includes(1);
    this.forget();
  }

  of(row: number, thread: number): Strip {
    const key = 33 * row + (thread < 0 ? 32 : thread);
    const known = this.strips.get(key);
    if (known) return known;
    if (this.total > MOST_ENTRIES) this.forget();
    const made = this.flatten(row, thread);
    this.strips.set(key, made);
    return made;
  }

  /** Adds each scope's time as the innermost of a warp to `totals`; hidden scopes count too. */
  addSelfTimes(row: number, totals: Float64Array): void {
    const first = this.data.firstSlice[row];
    const last = this.data.firstSlice[row + 1];
    const most = 2 * (last - first);
    if (this.scratch.item.length < most) this.scratch = newPool(most, this.facts);
    const { start, stop, colour } = this.scratch;
    const end = flattenSlices(this.data, this.scratch, 0, first, last, everySlice);
    for (let at = 0; at < end; at++) totals[colour[at]] += stop[at] - start[at];
  }

  private forget(): void {
    this.strips = new Map();
    this.pool = newPool(0, this.facts);
    this.used = this.total = 0;
  }

  private flatten(row: number, thread: number): Strip {
    const first = this.data.firstSlice[row];
    const last = this.data.firstSlice[row + 1];
    const most = 2 * (last - first);
    if (this.used + most > this.pool.item.length) {
      this.pool = newPool(Math.max(most, Math.min(POOL_ENTRIES, 2 * this.data.scope.length)), this.facts);
      this.used = 0;
    }
    const begin = this.used;
    const shows = this.anyHidden || thread >= 0 ? (slice: number) => this.shows(slice, thread) : everySlice;
    this.used = flattenSlices(this.data, this.pool, begin, first, last, shows);
    this.total += this.used - begin;
    const seed = thread < 0 ? row : Math.imul(row, 32) + thread + 0x3c6ef372;
    return { ...this.pool, begin, end: this.used, enter: this.data.enter[row], exit: this.rowEnds[row], seed };
  }

  private shows(slice: number, thread: number): boolean {
    if (this.hidden[this.data.scope[slice]]) return false;
    return thread < 0 || ((maskOf(this.data, slice) >>> thread) & 1) === 1;
  }
}

function newPool(entries: number, facts: RunFacts): Pool {
  return {
    start: timesFor(entries, facts),
    stop: timesFor(entries, facts),
    item: new Uint32Array(entries),
    colour: new Uint16Array(entries),
  };
}

function everySlice(): boolean {
  return true;
}

/** Writes the stretches of the slices [first, last) that show to the pool from `at` on; returns where they end. */
function flattenSlices(data: RunData, pool: Pool, at: number, first: number, last: number, shows: (slice: number) => boolean): number {
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
