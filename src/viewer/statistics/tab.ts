// The tab Statistics: the table, and the durations of the chosen scope.

import { Analysis, durationOf, longestSlice, placeOf } from "../analysis";
import { button, element, swatch } from "../dom";
import { RunFacts, Statistics } from "../facts";
import { RunData } from "../run_data";
import * as units from "../units";
import { bins, makeHistogram } from "./histogram";
import { makeMarkTable, makeValueTable } from "./payloads";
import { ScopeTable } from "./table";

export class StatisticsTab {
  readonly root = element("div", "content");
  private readonly table: ScopeTable;
  private readonly durations = element("section", "card durations");
  private data: RunData | undefined;
  private analysis: Analysis | undefined;
  private scope: number;
  private readonly firstScope: number;
  private marks: HTMLElement | undefined;

  /** `onReveal` is asked to show a slice in the timeline; `onChange` hears of what is worth keeping in the address. */
  constructor(
    private readonly facts: RunFacts,
    private readonly colours: string[],
    private readonly onReveal: (slice: number) => void,
    onChange: () => void,
  ) {
    const most = facts.statistics.reduce((best: Statistics | undefined, entry) => (!best || entry.total_ns > best.total_ns ? entry : best), undefined);
    this.scope = this.firstScope = most?.scope ?? -1;
    this.table = new ScopeTable(facts, colours, {
      show: (scope) => {
        this.show(scope);
        onChange();
      },
      longest: (scope) => this.revealLongest(scope),
      changed: onChange,
    });
    this.durations.hidden = true;
    this.root.append(element("section", "card statistics", this.table.root), this.durations);
  }

  /** From now on slices can be looked at. */
  setData(data: RunData): void {
    this.data = data;
  }

  describe(into: URLSearchParams): void {
    if (this.scope !== this.firstScope) into.set("scope", String(this.scope));
    this.table.describe(into);
  }

  restore(from: URLSearchParams): void {
    const scope = Number(from.get("scope") ?? this.firstScope);
    this.scope = this.facts.statistics.some((entry) => entry.scope === scope) ? scope : this.firstScope;
    this.table.restore(from);
    if (!this.durations.hidden) this.show(this.scope);
  }

  setAnalysis(analysis: Analysis): void {
    this.analysis = analysis;
    this.table.setSelfTime(analysis.selfTime);
    if (!this.durations.hidden) this.show(this.scope);
  }

  /** Called when the tab comes into sight: the slices of a scope are counted only then. */
  open(): void {
    this.showMarks();
    if (this.scope >= 0 && this.durations.hidden) this.show(this.scope);
  }

  private showMarks(): void {
    if (this.marks || !this.data) return;
    this.marks = makeMarkTable(this.data, this.facts, this.colours);
    if (this.marks) this.root.append(this.marks);
  }

  private show(scope: number): void {
    const { data, facts } = this;
    const entry = facts.statistics.find((candidate) => candidate.scope === scope);
    if (!data || !entry) return;
    this.scope = scope;
    this.table.choose(scope);
    const { name } = facts.scopes[scope];
    const title = element("h2", "", "Durations of ", swatch(this.colours[scope]), element("span", "name", name));
    const figures = `min ${units.duration(entry.min_ns)}, p50 ${units.duration(entry.p50_ns)}, p95 ${units.duration(entry.p95_ns)}, max ${units.duration(entry.max_ns)}`;
    const chart = makeHistogram(bins(data, scope, entry.min_ns, entry.max_ns), this.colours[scope], name.slice(0, 80));
    const values = makeValueTable(data, facts, scope, (slice) => this.onReveal(slice));
    this.durations.replaceChildren(title, element("p", "faint", figures), chart, ...values, ...this.longest(data, scope));
    this.durations.hidden = false;
  }

  private longest(data: RunData, scope: number): HTMLElement[] {
    const slices = this.analysis?.longest[scope] ?? [];
    if (slices.length === 0) return [];
    const items = slices.map((slice) => {
      const text = ` ${placeOf(data, slice)}, at ${units.count(data.start[slice])} ns`;
      return element("li", "", button(units.duration(durationOf(data, slice)), "Show it in the timeline", () => this.onReveal(slice)), text);
    });
    return [element("h3", "", "Longest"), element("ul", "plain", ...items)];
  }

  private revealLongest(scope: number): void {
    if (!this.data) return;
    const slice = this.analysis?.longest[scope]?.[0] ?? longestSlice(this.data, scope);
    if (slice !== undefined) this.onReveal(slice);
  }
}
