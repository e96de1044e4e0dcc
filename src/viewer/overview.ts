// The tab Overview: what must be known first, then what was launched, built and recorded.

import { button, element } from "./dom";
import { Activity, Facts, RunFacts } from "./facts";
import { makeFidelity } from "./fidelity";
import { allWarnings, makeFacts, makeWarnings } from "./header";
import { makePipeline } from "./pipeline";
import * as units from "./units";

export interface OverviewActions {
  showGap(activity: Activity): void;
  showRun(run: number): void;
}

export function makeOverview(all: Facts, run: number, actions: OverviewActions): HTMLElement {
  const facts = all.runs[run];
  const content = element("div", "content", ...makeWarnings(facts));
  if (all.runs.length > 1) content.append(runTable(all.runs, run, actions.showRun));
  content.append(makeFacts(facts), ...makeFidelity(facts), makePipeline(facts, actions.showGap));
  return content;
}

/** When each run began; hosts do not share a timer. */
function startsOfRuns(runs: RunFacts[]): string[] {
  const hosts = [...new Set(runs.map(({ launch }) => launch.host ?? ""))];
  return runs.map(({ launch, start_ns: start }) => {
    if (start === undefined) return "unknown";
    const place = hosts.length > 1 ? ` on host ${hosts.indexOf(launch.host ?? "") + 1}` : "";
    return `+${units.duration(start)}${place}`;
  });
}

function runTable(runs: RunFacts[], shown: number, onShow: (run: number) => void): HTMLElement {
  const ranked = runs.some((run) => run.launch.rank !== undefined);
  const starts = startsOfRuns(runs);
  const heads = ["Run", "Kernel", ...(ranked ? ["Rank"] : []), "Device", "Grid", "Starts", "Span", "Active", "Slices", "Warnings"].map((text) => {
    const head = element("th", "", text);
    head.scope = "col";
    return head;
  });
  const rows = runs.map((run, index) => {
    const press = button(`Run ${index + 1}`, "Show this run", () => onShow(index));
    press.setAttribute("aria-pressed", String(index === shown));
    const first = element("th", "", press);
    first.scope = "row";
    const slices = run.statistics.reduce((sum, entry) => sum + entry.count, 0);
    const cells = [
      run.launch.kernel_demangled || run.launch.kernel,
      ...(ranked ? [String(run.launch.rank ?? "")] : []),
      `${run.launch.device || "unknown"}, ${run.launch.device_index}`,
      run.launch.grid.join(" \u00d7 "),
      starts[index],
      units.duration(run.time.span_ns),
      units.percent(run.pipeline.active_ratio, 1),
      units.count(slices),
      units.count(allWarnings(run).length),
    ].map((text) => element("td", "", text));
    cells[0].className = "name";
    return element("tr", index === shown ? "chosen" : "", first, ...cells);
  });
  const table = element("table", "", element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...rows));
  return element("section", "card runs", element("h2", "", "Runs"), element("div", "scroll", table));
}
