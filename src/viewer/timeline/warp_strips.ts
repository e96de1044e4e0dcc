// Warps and threads as strips, flattened when they are first asked for.

import { RunFacts } from "../facts";
import { RunData, maskOf, rowEnd } from "../run_data";
import { Pool, everySlice, flattenSlices, newPool } from "./flatten";
import { Strip, StripSource } from "./strips";

const POOL_ENTRIES = 1 << 18;
/** Past it what was flattened is let go: some 14 bytes an entry. */
const MOST_ENTRIES = 1 << 25;

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
