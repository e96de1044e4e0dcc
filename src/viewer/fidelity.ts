// What tracing did to the kernel: occupancy, overhead, instruction mix, and each scope's machine code against its PTX.
// The shapes are those of the archive (docs/format.md); -1 and empty texts are unknown.

import { element } from "./dom";
import { RunFacts } from "./facts";
import * as units from "./units";

interface Occupancy {
  blocks_per_sm: number;
  warps_per_sm: number;
  max_warps_per_sm: number;
  limited_by: string;
}

interface MixRow {
  family: string;
  original: number;
  traced: number;
  /** Of the traced ones: gwatch's. */
  own: number;
}

interface KindCount {
  kind: string;
  /** The warp waits for it; else only its issue is timed. */
  waits: boolean;
  ptx: number;
  sass: number;
  moved_in: number;
  moved_out: number;
  is_compared: boolean;
  added: number;
  gone: number;
}

interface Movement {
  kind: string;
  opcode: string;
  into: boolean;
  count: number;
  ptx_line: number;
  file: string;
  line: number;
}

interface ScopeCheck {
  scope: number;
  unknown: string;
  start_reads: number;
  end_reads: number;
  counts: KindCount[];
  movements: Movement[];
}

interface Overhead {
  pairs: number;
  ratio: number;
  ratio_p10: number;
  ratio_p90: number;
  original_ns: number;
  traced_ns: number;
}

export interface Fidelity {
  disassembler: string;
  unknown: string;
  original: Occupancy;
  traced: Occupancy;
  new_remarks: string[];
  mix: MixRow[];
  scopes: ScopeCheck[];
  notes: string[];
  /** Missing when it was not measured. */
  overhead?: Overhead;
}

/** The rows of the mix, those that changed most. */
const MOST_FAMILIES = 12;

/** The card of a run that was compared; nothing else. */
export function makeFidelity(facts: RunFacts): HTMLElement[] {
  const { fidelity } = facts;
  if (!fidelity) return [];
  const card = element("section", "card fidelity", element("h2", "", "What tracing did to the kernel"), summary(fidelity));
  for (const note of [fidelity.unknown, ...fidelity.notes].filter(Boolean)) card.append(element("p", "faint", note));
  if (fidelity.scopes.length > 0) card.append(scopeTable(facts, fidelity.scopes));
  if (fidelity.mix.length > 0) card.append(mixTable(fidelity.mix));
  return [card];
}

function summary(fidelity: Fidelity): HTMLElement {
  const list = element("dl");
  const row = (label: string, value: string, alarming: boolean) =>
    list.append(element("dt", "", label), element("dd", alarming ? "alarm" : "", value));
  const { original, traced, overhead } = fidelity;
  row("Occupancy of an SM", `${occupancy(original)} \u2192 ${occupancy(traced)}`, fewer(original, traced));
  row("Kernel time", overhead ? times(overhead) : "not measured: do_trace(measure_overhead=True) does", (overhead?.ratio ?? 1) > 1.05);
  row("New remarks", fidelity.new_remarks.join("; ") || "none", fidelity.new_remarks.length > 0);
  return list;
}

function fewer(original: Occupancy, traced: Occupancy): boolean {
  return traced.blocks_per_sm >= 0 && traced.blocks_per_sm < original.blocks_per_sm;
}

function occupancy({ blocks_per_sm: blocks, warps_per_sm: warps, max_warps_per_sm: most, limited_by: limit }: Occupancy): string {
  if (blocks < 0) return "?";
  const of = most < 0 ? "" : ` of ${most}`;
  return `${units.counted(blocks, "block")}, ${warps}${of} warps${limit ? ` (${limit})` : ""}`;
}

function times({ ratio, ratio_p10: low, ratio_p90: high, pairs, original_ns: before, traced_ns: after }: Overhead): string {
  const spread = `p10 ${low.toFixed(3)}, p90 ${high.toFixed(3)}, ${units.counted(pairs, "pair")}`;
  return `${units.duration(before)} \u2192 ${units.duration(after)}: \u00d7 ${ratio.toFixed(3)} (${spread})`;
}

const SCOPE_HEADS = ["Scope", "Key instructions", "Times", "PTX", "Machine code", "Moved in", "Moved out", "Added", "Gone"];

function scopeTable(facts: RunFacts, checks: ScopeCheck[]): HTMLElement {
  const body = element("tbody");
  for (const check of checks) {
    const name = facts.scopes[check.scope]?.name ?? `scope ${check.scope}`;
    if (check.unknown || check.counts.length === 0) {
      const only = element("td", "faint name", check.unknown ? `not known: ${check.unknown}` : "none");
      only.colSpan = SCOPE_HEADS.length - 1;
      body.append(element("tr", "", scopeHead(name), only));
    }
    check.counts.forEach((count, index) => body.append(countRow(index === 0 ? name : "", count, check.movements)));
  }
  const explained =
    "Between the scope's markers in the PTX, and between its timer reads in the machine code. " +
    "Issue: they are issued in the scope and complete later. Wait: the warp waits there. Added: the assembler's own, such as spills.";
  return section("Key instructions of each scope", SCOPE_HEADS, body, explained);
}

function scopeHead(name: string): HTMLElement {
  const head = element("th", "", name);
  head.scope = "row";
  return head;
}

function countRow(name: string, count: KindCount, movements: Movement[]): HTMLElement {
  const moved = (number: number) => (count.is_compared ? figure(number) : "?");
  const texts = [count.kind, count.waits ? "wait" : "issue", figure(count.ptx), figure(count.sass), moved(count.moved_in), moved(count.moved_out)];
  const cells = [...texts, figure(count.added), figure(count.gone)].map((text) => element("td", "", text));
  cells[0].className = "name";
  const own = movements.filter((movement) => movement.kind === count.kind);
  const row = element("tr", own.length > 0 ? "alarm" : "", scopeHead(name), ...cells);
  row.title = own.map(describe).join("\n");
  return row;
}

function describe({ opcode, kind, into, count, file, line, ptx_line: ptxLine }: Movement): string {
  const place = line ? ` of ${file.replace(/^.*\//, "")}:${line}` : "";
  return `${count} ${opcode || kind}${place}${ptxLine ? `, PTX line ${ptxLine}` : ""} moved ${into ? "in" : "out"}`;
}

function figure(value: number): string {
  return value === 0 ? "\u2013" : units.count(value);
}

function mixTable(mix: MixRow[]): HTMLElement {
  const other = (row: MixRow) => row.traced - row.own - row.original;
  const ordered = [...mix].sort((a, b) => Math.abs(other(b)) - Math.abs(other(a)) || b.own - a.own || (a.family < b.family ? -1 : 1));
  const changed = ordered.filter((row) => row.own > 0 || other(row) !== 0);
  const body = element("tbody");
  for (const row of changed.slice(0, MOST_FAMILIES)) body.append(mixRow(row.family, row, other(row)));
  const total = (value: (row: MixRow) => number) => mix.reduce((sum, row) => sum + value(row), 0);
  const all = { family: "", original: total((row) => row.original), traced: total((row) => row.traced), own: total((row) => row.own) };
  body.append(mixRow(`all ${mix.length} families`, all, other(all)));
  const explained = "How often each family of machine instructions stands in the kernel's code; other: what the assembler made differ besides.";
  return section("Instruction mix", ["Family", "Original", "Traced", "gwatch", "Other"], body, explained);
}

function mixRow(name: string, row: MixRow, other: number): HTMLElement {
  const texts = [row.original, row.traced, row.own].map(figure);
  const difference = other > 0 ? `+${units.count(other)}` : figure(other);
  return element("tr", "", scopeHead(name), ...[...texts, difference].map((text) => element("td", "", text)));
}

function section(title: string, heads: string[], body: HTMLElement, explained: string): HTMLElement {
  const cells = heads.map((text) => {
    const head = element("th", "", text);
    head.scope = "col";
    return head;
  });
  const table = element("table", "", element("thead", "", element("tr", "", ...cells)), body);
  table.setAttribute("aria-label", title);
  return element("div", "", element("h3", "", title), element("div", "scroll", table), element("p", "faint", explained));
}
