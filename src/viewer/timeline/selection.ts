// Figures of the selected times and rows.

import { button, element, swatch } from "../dom";
import { comparePayloads, firstPayload, payloadText } from "../payloads";
import { firstPast, maskOf } from "../run_data";
import { inSlicesOfTime } from "../slices_of_time";
import * as units from "../units";
import { Model, Selection } from "./model";
import { WHOLE_BLOCK } from "./order";
import { smSelectionLines } from "./sm_selection";
import { line } from "./tooltip";

interface Totals {
  /** By scope: slices that reach into the selection, their time in it, and that as the innermost. */
  count: Float64Array;
  inside: Float64Array;
  self: Float64Array;
  /** By scope: places of the least and the greatest payload of those slices, where any has one. */
  payloads: ([least: number, most: number] | undefined)[];
  /** Summed life of the selected warps in the selected time. */
  lifetime: number;
  rows: number;
}

export class SelectionPanel {
  readonly root = element("div", "panel selection");
  private version = 0;

  constructor(
    private readonly model: Model,
    private readonly onZoom: () => void,
    private readonly onClear: () => void,
  ) {
    this.root.hidden = true;
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "Selection");
  }

  /** Shows the selection of the model, or nothing; resolves when its figures stand there. */
  async update(): Promise<void> {
    const version = ++this.version;
    const { selection } = this.model;
    this.root.hidden = !selection;
    if (!selection) return this.root.replaceChildren();
    if (this.model.level === "sms") {
      const lines = smSelectionLines(this.model, selection).map((text) => line(text));
      return this.root.replaceChildren(this.head(selection, ""), element("div", "lines", ...lines));
    }
    this.root.replaceChildren(this.head(selection, "\u2026"));
    const totals = await measure(this.model, selection, () => version !== this.version);
    if (!totals) return;
    this.root.replaceChildren(this.head(selection, `${units.counted(totals.rows, "row")}, ${units.duration(totals.lifetime)} alive`), this.table(totals));
  }

  private head(selection: Selection, text: string): HTMLElement {
    const span = `${units.duration(selection.end - selection.begin)} from ${units.count(Math.round(selection.begin))} ns`;
    return element(
      "div",
      "card-head",
      element("span", "", element("strong", "", "Selected "), text ? `${span}, ${text}` : span),
      element("span", "tools", button("Zoom to it", "F", this.onZoom), button("Clear", "Esc", this.onClear)),
    );
  }

  private table(totals: Totals): HTMLElement {
    const { facts, colours } = this.model;
    const scopes = facts.scopes.map((_, scope) => scope).filter((scope) => totals.count[scope] > 0);
    scopes.sort((a, b) => totals.self[b] - totals.self[a]);
    const carried = this.model.data.payloads ? ["Payload"] : [];
    const heads = ["Scope", "Slices", "Time inside", "Innermost", "Share", ...carried].map((text) => {
      const head = element("th", "", text);
      head.scope = "col";
      return head;
    });
    const rows = scopes.map((scope) => {
      const name = element("th", "", swatch(colours[scope]), facts.scopes[scope].name);
      name.scope = "row";
      const cells = [
        units.count(totals.count[scope]),
        units.duration(totals.inside[scope]),
        units.duration(totals.self[scope]),
        units.percent(totals.self[scope], totals.lifetime),
        ...carried.map(() => this.payloadRange(totals, scope)),
      ];
      return element("tr", "", name, ...cells.map((text) => element("td", "", text)));
    });
    const inScopes = totals.self.reduce((sum, time) => sum + time, 0);
    const gap = element("th", "", element("span", "swatch gap"), "in no scope");
    gap.scope = "row";
    const gapTime = totals.lifetime - inScopes;
    const gapCells = ["", "", units.duration(gapTime), units.percent(gapTime, totals.lifetime), ...carried.map(() => "")];
    rows.push(element("tr", "", gap, ...gapCells.map((text) => element("td", "", text))));
    return element("div", "scroll", element("table", "", element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...rows)));
  }

  /** "17", or "3 to 17". */
  private payloadRange(totals: Totals, scope: number): string {
    const { payloads } = this.model.data;
    const kind = this.model.facts.scopes[scope].payload;
    const range = totals.payloads[scope];
    if (!payloads || !kind || !range) return "";
    const [least, most] = range.map((place) => payloadText(kind, payloads.low[place], payloads.high[place]));
    return least === most ? least : `${least} to ${most}`;
  }
}

async function measure(model: Model, selection: Selection, stopped: () => boolean): Promise<Totals | undefined> {
  const scopes = model.facts.scopes.length;
  const empty = () => new Float64Array(scopes);
  const totals: Totals = { count: empty(), inside: empty(), self: empty(), payloads: [], lifetime: 0, rows: selection.endRow - selection.firstRow };
  const { rows } = model;
  const done = await inSlicesOfTime(
    totals.rows,
    (index) => {
      const viewRow = selection.firstRow + index;
      for (let member = rows.first[viewRow]; member < rows.first[viewRow + 1]; member++)
        addWarp(model, selection, rows.members[member], rows.part[viewRow], totals);
    },
    stopped,
  );
  return done ? totals : undefined;
}

function addWarp(model: Model, { begin, end }: Selection, row: number, part: number, totals: Totals): void {
  const thread = part === WHOLE_BLOCK ? -1 : part;
  const { data, hidden } = model;
  const strip = model.strips.of(row, thread);
  totals.lifetime += overlap(strip.enter, strip.exit, begin, end);
  for (let at = firstPast(strip.stop, strip.begin, strip.end, begin); at < strip.end && strip.start[at] < end; at++)
    totals.self[strip.colour[at]] += overlap(strip.start[at], strip.stop[at], begin, end);
  for (let slice = data.firstSlice[row]; slice < data.firstSlice[row + 1] && data.start[slice] < end; slice++) {
    if (data.end[slice] <= begin || hidden.has(data.scope[slice])) continue;
    if (thread >= 0 && !((maskOf(data, slice) >>> thread) & 1)) continue;
    totals.count[data.scope[slice]]++;
    totals.inside[data.scope[slice]] += overlap(data.start[slice], data.end[slice], begin, end);
    if (data.payloads) addPayload(model, slice, totals);
  }
}

function addPayload({ data, facts }: Model, slice: number, totals: Totals): void {
  const scope = data.scope[slice];
  const kind = facts.scopes[scope].payload;
  const { payloads } = data;
  if (!payloads || !kind) return;
  const place = firstPayload(payloads, slice);
  if (payloads.row[place] !== slice) return;
  const { low, high } = payloads;
  const range = (totals.payloads[scope] ??= [place, place]);
  const against = (other: number) => comparePayloads(kind, low[place], high[place], low[other], high[other]);
  if (against(range[0]) < 0) range[0] = place;
  if (against(range[1]) > 0) range[1] = place;
}

function overlap(beginA: number, endA: number, beginB: number, endB: number): number {
  return Math.max(0, Math.min(endA, endB) - Math.max(beginA, beginB));
}
