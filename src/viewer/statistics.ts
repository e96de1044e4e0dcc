// The table of scopes, sortable by each of its headers.

import { element, swatch } from "./dom";
import { RunFacts, Statistics } from "./facts";
import * as units from "./units";

interface Column {
  title: string;
  explained: string;
  value: (entry: Statistics, facts: RunFacts) => number | string;
  text: (entry: Statistics, facts: RunFacts) => string;
}

const time = (title: string, key: "min_ns" | "p50_ns" | "mean_ns" | "p95_ns" | "max_ns" | "total_ns", explained: string): Column => ({
  title,
  explained,
  value: (entry) => entry[key],
  text: (entry) => units.duration(entry[key]),
});

const COLUMNS: Column[] = [
  { title: "Scope", explained: "Name", value: (entry, facts) => facts.scopes[entry.scope].name, text: () => "" },
  { title: "Count", explained: "Slices", value: (entry) => entry.count, text: (entry) => units.count(entry.count) },
  { title: "Warps", explained: "Warps with a slice", value: (entry) => entry.warps, text: (entry) => units.count(entry.warps) },
  time("Min", "min_ns", "Shortest slice"),
  time("p50", "p50_ns", "Half of the slices are shorter"),
  time("Mean", "mean_ns", "Mean duration"),
  time("p95", "p95_ns", "95 % of the slices are shorter"),
  time("Max", "max_ns", "Longest slice"),
  time("Total", "total_ns", "Sum over all slices"),
  {
    title: "Share",
    explained: "Total, of the summed lifetime of the warps; nested scopes count in both",
    value: (entry) => entry.total_ns,
    text: (entry, facts) => units.percent(entry.total_ns, facts.pipeline.lifetime_ns),
  },
];
const TOTAL = COLUMNS.findIndex((column) => column.title === "Total");

export function makeStatistics(facts: RunFacts, colours: string[]): HTMLElement {
  const card = element("section", "card statistics", element("h2", "", "Scopes"));
  if (facts.statistics.length === 0) {
    card.append(element("p", "", "No slices were recorded."));
    return card;
  }
  const body = element("tbody");
  const heads = COLUMNS.map((column) => headCell(column));
  const sort = (index: number, descending: boolean) => {
    const { value } = COLUMNS[index];
    const ordered = [...facts.statistics].sort((a, b) => compare(value(a, facts), value(b, facts)));
    if (descending) ordered.reverse();
    body.replaceChildren(...ordered.map((entry) => row(entry, facts, colours)));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== index ? "none" : descending ? "descending" : "ascending"));
  };
  heads.forEach((head, index) => {
    head.firstElementChild?.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sort(index, now === "none" ? index > 0 : now === "ascending");
    });
  });
  sort(TOTAL, true);
  card.append(element("div", "scroll", element("table", "", element("thead", "", element("tr", "", ...heads)), body)));
  return card;
}

function headCell(column: Column): HTMLTableCellElement {
  const press = element("button", "", column.title);
  press.type = "button";
  press.title = column.explained;
  const head = element("th", "", press);
  head.scope = "col";
  return head;
}

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

function row(entry: Statistics, facts: RunFacts, colours: string[]): HTMLTableRowElement {
  const scope = facts.scopes[entry.scope];
  const name = element("th", "", swatch(colours[entry.scope]), scope.name);
  name.scope = "row";
  if (scope.file) name.append(element("span", "faint", ` ${scope.file.split("/").pop()}:${scope.line}`));
  const cells = COLUMNS.slice(1).map((column) => element("td", "", column.text(entry, facts)));
  const share = cells[cells.length - 1];
  const bar = element("span", "bar");
  bar.style.width = `${Math.min(100, (100 * entry.total_ns) / Math.max(facts.pipeline.lifetime_ns, 1))}%`;
  bar.style.background = colours[entry.scope];
  share.append(bar);
  return element("tr", "", name, ...cells);
}
