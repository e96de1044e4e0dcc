// What is at a point of the timeline, in words.

import { RunFacts } from "../facts";
import { payloadOfRow } from "../payloads";
import { RunData, maskOf, rowOfSlice } from "../run_data";
import * as units from "../units";
import { blockName, threadNames } from "../warp";

/** "412 ns = 723 cycles": exact, and how many cycles of the fitted SM clock that is. */
export function exactDuration(ns: number, facts: RunFacts): string {
  const exact = `${units.count(ns)} ns`;
  const cycles = facts.time.clock_mhz > 0 ? ` \u2248 ${units.count(Math.round((ns * facts.time.clock_mhz) / 1000))} cycles` : "";
  const rounded = ns >= 1000 ? `${units.duration(ns)} = ` : "";
  return `${rounded}${exact}${cycles}`;
}

/** Against the median of its scope: "2.4 times its scope's median". */
export function againstMedian(duration: number, scope: number, facts: RunFacts): string {
  const statistics = facts.statistics.find((entry) => entry.scope === scope);
  if (!statistics || statistics.count < 2 || statistics.p50_ns <= 0) return "";
  const ratio = duration / statistics.p50_ns;
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} \u00d7 the median of ${units.counted(statistics.count, "slice")}`;
}

/** The lines about a slice below its name. */
export function sliceLines(slice: number, data: RunData, facts: RunFacts): string[] {
  const row = rowOfSlice(data, slice);
  const scope = data.scope[slice];
  const duration = data.end[slice] - data.start[slice];
  const { file, line, payload: kind } = facts.scopes[scope];
  const payload = payloadOfRow(data.payloads, slice, kind);
  return [
    exactDuration(duration, facts),
    `from ${units.count(data.start[slice])} to ${units.count(data.end[slice])} ns`,
    againstMedian(duration, scope, facts),
    `${blockName(facts, data.block[row])}, warp ${data.warp[row]}, SM ${data.sm[row]}`,
    threadNames(facts, data.warp[row], maskOf(data, slice)),
    payload === undefined ? "" : `payload ${payload}`,
    file ? `${file}:${line}` : "",
  ].filter(Boolean);
}
