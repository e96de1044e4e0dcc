// The table of scopes: sortable by each of its headers, filterable, copied as it stands.

import { Table, copyButton, toCsv, toMarkdown } from "../copy";
import { button, element, swatch } from "../dom";
import { RunFacts, Statistics } from "../facts";
import * as units from "../units";

interface Column {
  title: string;
  /** In CSV: with its unit. */
  csv: string;
  explained: string;
  value: (entry: Statistics) => number | string;
  text: (entry: Statistics) => string;
}

type TimeKey = "min_ns" | "p50_ns" | "mean_ns" | "p95_ns" | "max_ns" | "total_ns";

export interface TableActions {
  longest(scope: number): void;
  show(scope: number): void;
  /** The reader sorted or filtered. */
  changed(): void;
}

const FIRST_SORT = "total_ns";

export class ScopeTable {
  readonly root = element("div");
  private readonly columns: Column[];
  private readonly body = element("tbody");
  private readonly heads: HTMLTableCellElement[];
  private readonly filter = element("input");
  private sortedBy: number;
  private descending = true;
  /** By scope, ns; undefined until it is known. */
  private selfTime: Float64Array | undefined;
  private chosen = -1;

  constructor(
    private readonly facts: RunFacts,
    private readonly colours: string[],
    private readonly actions: TableActions,
  ) {
    this.columns = this.makeColumns();
    this.sortedBy = this.columnOf(FIRST_SORT);
    this.heads = this.columns.map((column, index) => this.headCell(column, index));
    const table = element("table", "", element("thead", "", element("tr", "", ...this.heads)), this.body);
    table.setAttribute("aria-label", "Durations of each scope");
    this.root.append(this.tools(), element("div", "scroll", table));
    this.update();
  }

  setSelfTime(selfTime: Float64Array): void {
    this.selfTime = selfTime;
    this.update();
  }

  /** Marks the row of a scope. */
  choose(scope: number): void {
    this.chosen = scope;
    this.update();
  }

  /** What differs from the first sight of the table. */
  describe(into: URLSearchParams): void {
    const { csv } = this.columns[this.sortedBy];
    if (csv !== FIRST_SORT || !this.descending) into.set("by", `${csv}:${this.descending ? "down" : "up"}`);
    if (this.filter.value.trim()) into.set("named", this.filter.value.trim());
  }

  restore(from: URLSearchParams): void {
    const [csv, direction] = (from.get("by") ?? "").split(":");
    this.sortedBy = this.columnOf(csv) < 0 ? this.columnOf(FIRST_SORT) : this.columnOf(csv);
    this.descending = direction !== "up";
    this.filter.value = from.get("named") ?? "";
    this.update();
  }

  private columnOf(csv: string): number {
    return this.columns.findIndex((column) => column.csv === csv);
  }

  private makeColumns(): Column[] {
    const { scopes, pipeline } = this.facts;
    const time = (title: string, key: TimeKey, explained: string): Column => ({
      title,
      csv: key,
      explained,
      value: (entry) => entry[key],
      text: (entry) => units.duration(entry[key]),
    });
    const self = (entry: Statistics) => this.selfTime?.[entry.scope];
    const share = (part: number | undefined) => (part === undefined ? "\u2026" : units.percent(part, pipeline.lifetime_ns));
    return [
      { title: "Scope", csv: "scope", explained: "Name", value: (entry) => scopes[entry.scope].name, text: (entry) => scopes[entry.scope].name },
      { title: "Count", csv: "count", explained: "Slices", value: (entry) => entry.count, text: (entry) => units.count(entry.count) },
      { title: "Warps", csv: "warps", explained: "Warps with a slice", value: (entry) => entry.warps, text: (entry) => units.count(entry.warps) },
      time("Min", "min_ns", "Shortest slice"),
      time("p50", "p50_ns", "Half of the slices are shorter"),
      time("Mean", "mean_ns", "Mean duration"),
      time("p95", "p95_ns", "95 % of the slices are shorter"),
      time("Max", "max_ns", "Longest slice"),
      time("Total", "total_ns", "Sum over all slices"),
      {
        title: "Share",
        csv: "share_of_warp_time",
        explained: "Total, of the summed lifetime of the warps; nested scopes count in both",
        value: (entry) => entry.total_ns / Math.max(pipeline.lifetime_ns, 1),
        text: (entry) => share(entry.total_ns),
      },
      {
        title: "Self",
        csv: "self_share_of_warp_time",
        explained: "Time as the innermost scope, of the summed lifetime of the warps: what the timeline shows",
        value: (entry) => (self(entry) ?? 0) / Math.max(pipeline.lifetime_ns, 1),
        text: (entry) => share(self(entry)),
      },
    ];
  }

  private tools(): HTMLElement {
    const { filter } = this;
    filter.type = "search";
    filter.placeholder = "part of a name";
    filter.setAttribute("aria-label", "Filter scopes");
    filter.addEventListener("input", () => this.chose());
    return element(
      "div",
      "card-head",
      element("h2", "", "Scopes"),
      element(
        "span",
        "tools",
        filter,
        copyButton("Copy CSV", "Exact figures, in ns", () => toCsv(this.table((column, entry) => exact(column.value(entry)), "csv"))),
        copyButton("Copy Markdown", "As shown", () => toMarkdown(this.table((column, entry) => column.text(entry), "title"))),
      ),
    );
  }

  private table(cell: (column: Column, entry: Statistics) => string, head: "csv" | "title"): Table {
    const rows = this.shown().map((entry) => this.columns.map((column) => cell(column, entry)));
    return { heads: this.columns.map((column) => column[head]), rows };
  }

  /** Entries that pass the filter, sorted. */
  private shown(): Statistics[] {
    const { value } = this.columns[this.sortedBy];
    const named = (entry: Statistics) => this.facts.scopes[entry.scope].name.toLowerCase();
    const wanted = this.filter.value.trim().toLowerCase();
    const entries = this.facts.statistics.filter((entry) => named(entry).includes(wanted));
    entries.sort((a, b) => compare(value(a), value(b)));
    return this.descending ? entries.reverse() : entries;
  }

  private chose(): void {
    this.update();
    this.actions.changed();
  }

  private update(): void {
    const entries = this.shown();
    this.body.replaceChildren(...entries.map((entry) => this.row(entry)));
    if (entries.length === 0) {
      const text = this.facts.statistics.length === 0 ? "No slices were recorded." : "No scope has such a name.";
      const cell = element("td", "faint", text);
      cell.colSpan = this.columns.length;
      this.body.append(element("tr", "none", cell));
    }
    this.heads.forEach((head, index) => {
      const sorted = this.descending ? "descending" : "ascending";
      head.setAttribute("aria-sort", index === this.sortedBy ? sorted : "none");
    });
  }

  private headCell(column: Column, index: number): HTMLTableCellElement {
    const press = button(column.title, column.explained, () => {
      this.descending = index === this.sortedBy ? !this.descending : index > 0;
      this.sortedBy = index;
      this.chose();
    });
    const head = element("th", "", press);
    head.scope = "col";
    return head;
  }

  private row(entry: Statistics): HTMLTableRowElement {
    const { name, file, line } = this.facts.scopes[entry.scope];
    const press = button("", "Its durations", () => this.actions.show(entry.scope));
    press.className = "link";
    press.append(swatch(this.colours[entry.scope]), element("span", "name", name));
    press.setAttribute("aria-pressed", String(entry.scope === this.chosen));
    const head = element("th", "", press);
    head.scope = "row";
    if (file) head.append(element("span", "faint", ` ${file.split("/").pop()}:${line}`));
    const cells = this.columns.slice(1).map((column) => this.cell(column, entry));
    return element("tr", entry.scope === this.chosen ? "chosen" : "", head, ...cells);
  }

  private cell(column: Column, entry: Statistics): HTMLTableCellElement {
    const text = column.text(entry);
    if (column.title === "Max") {
      const press = button(text, "Show the longest slice", () => this.actions.longest(entry.scope));
      press.className = "link";
      return element("td", "", press);
    }
    const cell = element("td", "", text);
    if (column.title === "Share" || column.title === "Self") {
      const bar = element("span", "bar");
      bar.style.width = `${Math.min(100, 100 * Number(column.value(entry)))}%`;
      bar.style.background = this.colours[entry.scope];
      cell.append(bar);
    }
    return cell;
  }
}

/** Without the last digits that only binary fractions have. */
function exact(value: number | string): string {
  return typeof value === "number" ? String(Number(value.toPrecision(12))) : value;
}

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
