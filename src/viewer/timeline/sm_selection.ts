// Figures of the times and places that are selected in the view of SMs.

import { firstPast } from "../run_data";
import * as units from "../units";
import { Model, Selection } from "./model";

/** How many blocks ran there, how busy the places were, and how many warps were alive on all SMs. */
export function smSelectionLines(model: Model, { begin, end, firstRow, endRow }: Selection): string[] {
  const { smLayout, rows, occupancy } = model;
  let blocks = 0;
  let busy = 0;
  for (let viewRow = firstRow; viewRow < endRow; viewRow++) {
    const strip = smLayout.of(rows.members[viewRow]);
    for (let at = firstPast(strip.stop, strip.begin, strip.end, begin); at < strip.end && strip.start[at] < end; at++) {
      blocks++;
      busy += Math.min(strip.stop[at], end) - Math.max(strip.start[at], begin);
    }
  }
  const places = endRow - firstRow;
  return [
    `${units.counted(blocks, "block")} on ${units.counted(places, "place")}`,
    `a block in ${units.percent(busy, places * (end - begin))} of the places' time`,
    `${occupancy.mean(begin, end).toFixed(1)} warps alive on all SMs, of ${units.count(occupancy.most)} at most`,
  ];
}
