// What is under the pointer.

import { RunFacts } from "../facts";
import { payloadOfRow } from "../payloads";
import { Instants, RunData, depthOf, firstPast, maskOf } from "../run_data";
import { WarpStrips } from "./warp_strips";

export interface Picked {
  /** The warp; `thread` is below 0 unless the row shows one of its threads. */
  row: number;
  thread: number;
  time: number;
  /** The slices open at that instant, innermost first; empty in a gap. */
  slices: number[];
  /** The stretch that shows: the innermost slice, the gap, or nothing outside the warp's life. */
  begin: number;
  end: number;
  inLife: boolean;
  instant: PickedInstant | undefined;
}

export interface PickedInstant {
  kind: string;
  scope: number;
  time: number;
  mask: number;
  /** What a mark or start carried. */
  payload: string | undefined;
}

/** Looks at one row and instant; `reach` is how far in ns an instant may be away. */
export function pick(data: RunData, facts: RunFacts, strips: WarpStrips, row: number, thread: number, time: number, reach: number): Picked {
  const { start, stop, item, begin, end, enter, exit } = strips.of(row, Math.max(thread, -1));
  const at = firstPast(stop, begin, end, time);
  const inside = at < end && start[at] <= time;
  const shown = inside ? item[at] : -1;
  const slices = inside ? [shown, ...openAround(data, row, thread, time, shown)] : [];
  return {
    row,
    thread,
    time,
    slices,
    begin: inside ? data.start[shown] : at > begin ? stop[at - 1] : enter,
    end: inside ? data.end[shown] : at < end ? start[at] : exit,
    inLife: inside || (time >= enter && time < exit),
    instant: nearestInstant(data, facts, row, thread, time, reach),
  };
}

/** Other slices of the row that are open, deepest first. */
function openAround(data: RunData, row: number, thread: number, time: number, shown: number): number[] {
  const open: number[] = [];
  for (let slice = data.firstSlice[row]; slice < data.firstSlice[row + 1] && data.start[slice] <= time; slice++)
    if (data.end[slice] > time && slice !== shown && has(maskOf(data, slice), thread)) open.push(slice);
  return open.sort((a, b) => depthOf(data, b) - depthOf(data, a));
}

function has(mask: number, thread: number): boolean {
  return thread < 0 || ((mask >>> thread) & 1) === 1;
}

function nearestInstant(data: RunData, facts: RunFacts, row: number, thread: number, time: number, reach: number): PickedInstant | undefined {
  const kinds: [string, Instants][] = [
    ["start without its end", data.orphanStarts],
    ["end without its start", data.orphanEnds],
    ["mark", data.marks],
  ];
  for (const [kind, instants] of kinds) {
    const last = instants.first[row + 1];
    const at = firstPast(instants.time, instants.first[row], last, time - reach);
    if (at >= last || instants.time[at] > time + reach || !has(instants.mask[at], thread)) continue;
    const scope = instants.scope[at];
    const payload = payloadOfRow(instants.payloads, at, facts.scopes[scope]?.payload);
    return { kind, scope, time: instants.time[at], mask: instants.mask[at], payload };
  }
  return undefined;
}
