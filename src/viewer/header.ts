// What was launched, how it was built, and what tracing did to it.

import { element } from "./dom";
import { Build, RunFacts } from "./facts";
import * as units from "./units";

/** Warnings of the run, most important first. */
export function allWarnings(facts: RunFacts): string[] {
  // Where the original was compared, new remarks are among the warnings, and others are its own.
  const remarks = facts.fidelity ? [] : facts.compile.remarks.map((remark) => `Assembler: ${remark}`);
  return [...facts.warnings, ...remarks];
}

/** All of them; nothing when there are none. */
export function makeWarnings(facts: RunFacts): HTMLElement[] {
  const all = allWarnings(facts);
  if (all.length === 0) return [];
  const list = element("ul", "", ...all.map((text) => element("li", "", text)));
  const title = `${units.counted(all.length, "warning")}: read before trusting the figures`;
  return [element("section", "warnings", element("strong", "", title), list)];
}

/** The four boxes of facts. */
export function makeFacts(facts: RunFacts): HTMLElement {
  return element(
    "section",
    "facts",
    box("Launch", launchRows(facts)),
    box("Build, original \u2192 traced", buildRows(facts)),
    box("Records", recordRows(facts)),
    box("Time", timeRows(facts)),
  );
}

type Row = [label: string, value: string, alarming?: boolean];

function box(title: string, rows: Row[]): HTMLElement {
  const list = element("dl");
  for (const [label, value, alarming] of rows) {
    list.append(element("dt", "", label), element("dd", alarming ? "alarm" : "", value));
  }
  return element("div", "card", element("h2", "", title), list);
}

function shape(extents: number[]): string {
  return extents.map(units.count).join(" \u00d7 ");
}

function launchRows({ launch }: RunFacts): Row[] {
  const [blocks, threads] = [launch.grid, launch.block].map(([x, y, z]) => x * y * z);
  const rows: Row[] = [
    ["Grid", `${shape(launch.grid)} = ${units.counted(blocks, "block")}`],
    ["Block", `${shape(launch.block)} = ${units.counted(Math.ceil(threads / 32), "warp")}`],
    ["Dynamic shared", units.bytes(launch.dynamic_shared_bytes)],
    ["Device", `${launch.device || "unknown"}, index ${launch.device_index}, ${launch.sm_count} SMs`],
    ["Written in", launch.dsl || "unknown"],
  ];
  if (launch.cluster.some((extent) => extent !== 1)) rows.splice(2, 0, ["Cluster", `${shape(launch.cluster)} blocks`]);
  if (launch.rank !== undefined) rows.push(["Rank", String(launch.rank)]);
  if (launch.in_graph) rows.push(["Launched by", "a CUDA graph"]);
  return rows;
}

function buildRows({ compile }: RunFacts): Row[] {
  const change = (label: string, key: keyof Build, unit: string): Row => {
    const [before, after] = [compile.original[key], compile.traced[key]];
    const known = (value: number) => (value < 0 ? "?" : units.count(value));
    const grown = key !== "registers" && before >= 0 && after > before;
    return [label, `${known(before)} \u2192 ${known(after)} ${unit}`, grown];
  };
  const assembler = [compile.assembler_version, compile.assembler_origin].filter(Boolean).join(", ");
  const lowered = compile.lowered_from ? ` (lowered from ${compile.lowered_from})` : "";
  return [
    change("Registers", "registers", "a thread"),
    change("Spill stores", "spill_store_bytes", "B"),
    change("Spill loads", "spill_load_bytes", "B"),
    change("Static shared", "static_shared_bytes", "B"),
    ["Assembler", assembler || compile.assembler || "unknown"],
    ["PTX", `${compile.ptx_version || "?"}${lowered}, ${compile.ptx_target || "?"}`],
  ];
}

function recordRows({ counts }: RunFacts): Row[] {
  const orphans = counts.orphan_starts + counts.orphan_ends;
  const buffer = counts.buffer_bytes_needed ? ` (${units.bytes(counts.buffer_bytes_needed)} needed)` : "";
  return [
    ["Events", `${units.count(counts.events)} in ${units.counted(counts.records, "record")}`],
    ["Dropped", units.counted(counts.dropped_events, "event"), counts.dropped_events > 0],
    ["Orphans", `${units.counted(counts.orphan_starts, "start")}, ${units.counted(counts.orphan_ends, "end")}`, orphans > 0],
    ["Warps recorded", `${units.count(counts.warps_recorded)} of ${units.count(counts.warps_in_grid)}`],
    ["Blocks selected", `${units.count(counts.blocks_selected)} of ${units.count(counts.blocks_in_grid)}`],
    ["Buffer", units.bytes(counts.buffer_bytes) + buffer, counts.buffer_bytes_needed > 0],
  ];
}

function timeRows({ time, stage_seconds: stages }: RunFacts): Row[] {
  const rows: Row[] = [
    ["Span", units.duration(time.span_ns)],
    ["SM clock", time.clock_mhz > 0 ? `${units.count(Math.round(time.clock_mhz))} MHz` : "unknown"],
    ["Inside a warp", `to ${units.duration(time.resolution_ns)}`],
    ["Between SMs", `to ${units.duration(time.alignment_ns)}`],
  ];
  const seconds = Object.values(stages).reduce((sum, stage) => sum + stage, 0);
  if (seconds > 0) rows.push(["Tracing took", units.duration(seconds * 1e9)]);
  return rows;
}
