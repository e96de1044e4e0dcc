// What slices of a scope took for each value that their starts carried, and which values marks carried.

import { button, element, swatch } from "../dom";
import { PayloadKind, RunFacts } from "../facts";
import { Payloads, comparePayloads, payloadText } from "../payloads";
import { RunData } from "../run_data";
import * as units from "../units";

const MOST_ROWS = 50;

/** All rows of one value. */
interface Value {
  low: number;
  high: number;
  durations: number[];
  total: number;
  longest: number;
  longestSlice: number;
}

/** The slices of a scope by value, in order of value; those with most time when there are too many rows. */
export function makeValueTable(data: RunData, facts: RunFacts, scope: number, onReveal: (slice: number) => void): HTMLElement[] {
  const kind = facts.scopes[scope].payload;
  if (!kind || !data.payloads) return [];
  const values = gather(data.payloads, kind, (row) => data.scope[row] === scope, (row) => data.end[row] - data.start[row]);
  if (values.length === 0) return [];
  const whole = values.reduce((sum, value) => sum + value.total, 0);
  const shown = heaviest(values, (value) => value.total);
  const rows = shown.map((value) => {
    const durations = Float64Array.from(value.durations).sort();
    const longest = button(units.duration(value.longest), "Show the longest slice of this value", () => onReveal(value.longestSlice));
    longest.className = "link";
    return [
      payloadText(kind, value.low, value.high),
      units.count(durations.length),
      units.duration(percentile(durations, 0.5)),
      units.duration(percentile(durations, 0.95)),
      longest,
      units.duration(value.total),
      units.percent(value.total, whole),
    ];
  });
  const table = makeTable("Durations by payload", ["Payload", "Count", "p50", "p95", "Max", "Total", "Share"], rows);
  return [element("h3", "", "By payload"), table, ...moreValues(values.length - shown.length, "with less time")];
}

/** A row for each scope whose marks carried values; undefined when none did. */
export function makeMarkTable(data: RunData, facts: RunFacts, colours: string[]): HTMLElement | undefined {
  const { payloads, scope: scopes } = data.marks;
  if (!payloads) return undefined;
  const rows = facts.scopes.flatMap(({ name, payload: kind }, scope) => {
    const values = kind ? gather(payloads, kind, (row) => scopes[row] === scope, () => 0) : [];
    if (!kind || values.length === 0) return [];
    const count = values.reduce((sum, value) => sum + value.durations.length, 0);
    const text = ({ low, high }: Value) => payloadText(kind, low, high);
    const figures = [units.count(count), text(values[0]), text(median(values, count)), text(values[values.length - 1]), units.count(values.length)];
    return [[element("span", "", swatch(colours[scope]), name), ...figures]];
  });
  const table = makeTable("Values that marks carried", ["Marks", "Count", "Min", "p50", "Max", "Different values"], rows);
  return element("section", "card marks", element("h2", "", "Payloads of marks"), table);
}

/** In order of value. */
function gather(payloads: Payloads, kind: PayloadKind, isWanted: (row: number) => boolean, durationOf: (row: number) => number): Value[] {
  const found = new Map<number | string, Value>();
  for (let place = 0; place < payloads.row.length; place++) {
    const row = payloads.row[place];
    if (!isWanted(row)) continue;
    const [low, high] = [payloads.low[place], payloads.high[place]];
    const key = high === 0 ? low : `${high}:${low}`;
    let value = found.get(key);
    if (!value) found.set(key, (value = { low, high, durations: [], total: 0, longest: -1, longestSlice: -1 }));
    const duration = durationOf(row);
    value.durations.push(duration);
    value.total += duration;
    if (duration > value.longest) [value.longest, value.longestSlice] = [duration, row];
  }
  return [...found.values()].sort((a, b) => comparePayloads(kind, a.low, a.high, b.low, b.high));
}

function heaviest(values: Value[], weight: (value: Value) => number): Value[] {
  if (values.length <= MOST_ROWS) return values;
  return [...values].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_ROWS);
}

/** The lower middle one of all rows. */
function median(values: Value[], count: number): Value {
  let left = Math.floor((count - 1) / 2);
  return values.find((value) => (left -= value.durations.length) < 0) ?? values[0];
}

/** Linear between ranks. */
function percentile(ascending: Float64Array, fraction: number): number {
  const rank = fraction * (ascending.length - 1);
  const below = Math.floor(rank);
  const low = ascending[below];
  return low + (rank - below) * ((ascending[below + 1] ?? low) - low);
}

function makeTable(label: string, heads: string[], rows: (string | HTMLElement)[][]): HTMLElement {
  const cell = (content: string | HTMLElement, index: number) => {
    const made = element(index === 0 ? "th" : "td", "", content);
    if (index === 0) made.setAttribute("scope", "row");
    return made;
  };
  const head = heads.map((text) => {
    const made = element("th", "", text);
    made.scope = "col";
    return made;
  });
  const body = rows.map((row) => element("tr", "", ...row.map(cell)));
  const table = element("table", "", element("thead", "", element("tr", "", ...head)), element("tbody", "", ...body));
  table.setAttribute("aria-label", label);
  return element("div", "scroll", table);
}

function moreValues(count: number, why: string): HTMLElement[] {
  return count > 0 ? [element("p", "faint", `${units.counted(count, "more value")}, ${why}`)] : [];
}
