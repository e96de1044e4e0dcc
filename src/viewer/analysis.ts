// What takes a look at every slice: worked out once a run, in the background.

import { RunFacts } from "./facts";
import { RunData, rowOfSlice } from "./run_data";
import { inSlicesOfTime } from "./slices_of_time";
import { WarpStrips } from "./timeline/warp_strips";

/** Longest slices kept of each scope. */
const LONGEST = 8;

export class Analysis {
  /** By scope; longest first. */
  readonly longest: number[][];
  /** By scope: ns as the innermost scope, summed over warps; what pixels show. */
  readonly selfTime: Float64Array;
  isDone = false;
  private stopped = false;

  constructor(
    private readonly data: RunData,
    private readonly strips: WarpStrips,
    facts: RunFacts,
  ) {
    this.longest = facts.scopes.map(() => []);
    this.selfTime = new Float64Array(facts.scopes.length);
  }

  /** Resolves to false when it was stopped before the end. */
  async run(): Promise<boolean> {
    this.isDone = await inSlicesOfTime(this.data.rowCount, (row) => this.look(row), () => this.stopped);
    return this.isDone;
  }

  stop(): void {
    this.stopped = true;
  }

  private look(row: number): void {
    this.strips.addSelfTimes(row, this.selfTime);
    const { data } = this;
    for (let slice = data.firstSlice[row]; slice < data.firstSlice[row + 1]; slice++) {
      const longest = this.longest[data.scope[slice]];
      const duration = data.end[slice] - data.start[slice];
      if (longest.length === LONGEST && duration <= durationOf(data, longest[LONGEST - 1])) continue;
      let place = longest.length;
      while (place > 0 && durationOf(data, longest[place - 1]) < duration) place--;
      longest.splice(place, 0, slice);
      if (longest.length > LONGEST) longest.pop();
    }
  }
}

export function durationOf(data: RunData, slice: number): number {
  return data.end[slice] - data.start[slice];
}

/** The longest slice of a scope, without waiting for the analysis. */
export function longestSlice(data: RunData, scope: number): number | undefined {
  let longest: number | undefined;
  for (let slice = 0; slice < data.scope.length; slice++)
    if (data.scope[slice] === scope && (longest === undefined || durationOf(data, slice) > durationOf(data, longest))) longest = slice;
  return longest;
}

/** "block 3, warp 1" of a slice. */
export function placeOf(data: RunData, slice: number): string {
  const row = rowOfSlice(data, slice);
  return `block ${data.block[row]}, warp ${data.warp[row]}`;
}
