// What is in sight, in a line.

import * as units from "../units";
import { Model } from "./model";
import { WHOLE_WARP } from "./order";

export function describeView(model: Model): string {
  const { view, facts, rows, level } = model;
  const times = `${units.duration(Math.min(view.width * view.nsPerPixel, facts.last_ns))} from ${units.duration(Math.max(view.begin, 0))}`;
  const kind = level === "sms" ? "place" : rows.part.every((part) => part === WHOLE_WARP) ? "warp" : "row";
  const shown = `${units.count(view.rowsInSight())} of ${units.counted(view.rowCount, kind)}`;
  const sampled = 1 / (view.rowHeight * devicePixelRatio);
  const note = sampled > 1.05 ? `, 1 of ${sampled.toFixed(1)} sampled` : "";
  return `${times} \u00b7 ${shown}${note}${level === "sms" ? ` \u00b7 ${describeSms(model)}` : ""}`;
}

function describeSms({ smLayout }: Model): string {
  const { sms, places, waves, tailShare, end, firstIdle } = smLayout.summary();
  const tail = `tail ${units.duration(end - firstIdle)}, ${(100 * tailShare).toFixed(1)} % of SM time idle at the end`;
  return `${units.counted(sms, "SM")}, up to ${units.counted(places, "block")} each at once, ${units.counted(waves, "wave")}, ${tail}`;
}
