// All tabs of one run.

import { describeModel, restoreModel } from "./address";
import { Analysis, longestSlice } from "./analysis";
import { scopeColours } from "./colours";
import { element } from "./dom";
import { Activity, Facts, RunFacts } from "./facts";
import { allWarnings } from "./header";
import { makeOverview } from "./overview";
import { RunData } from "./run_data";
import { SourceTab } from "./source/tab";
import { StatisticsTab } from "./statistics/tab";
import { Tabs } from "./tabs";
import { onKey } from "./timeline/keys";
import { Model } from "./timeline/model";
import { Timeline } from "./timeline/timeline";
import * as units from "./units";

/** What an address without a tab shows. */
const FIRST_TAB = "timeline";
/** Scopes whose longest slices have a triangle in the timeline, and of each how many; more would hide the picture. */
const MARKED_SCOPES = 24;
const MARKED_SLICES = 3;

export interface RunPageActions {
  /** Something worth keeping in the address changed. */
  changed(): void;
  showRun(run: number): void;
}

export class RunPage {
  readonly root = element("div", "run");
  readonly tabs: Tabs;
  private readonly facts: RunFacts;
  private readonly colours: string[];
  private readonly statistics: StatisticsTab;
  private readonly source: SourceTab;
  private readonly timelinePanel = element("div", "content", element("section", "card", element("p", "faint", "Unpacking the slices\u2026")));
  private timeline: Timeline | undefined;
  private analysis: Analysis | undefined;

  constructor(
    all: Facts,
    run: number,
    private readonly actions: RunPageActions,
  ) {
    this.facts = all.runs[run];
    this.colours = scopeColours(this.facts.scopes.map((scope) => scope.name));
    this.statistics = new StatisticsTab(this.facts, this.colours, (slice) => this.reveal(slice), actions.changed);
    this.source = new SourceTab(this.facts, this.colours, (scope) => this.revealLongest(scope));
    const overview = makeOverview(all, run, { showGap: (activity) => this.revealGap(activity), showRun: actions.showRun });
    this.tabs = new Tabs(
      [
        { id: "overview", title: "Overview", panel: overview },
        { id: "timeline", title: "Timeline", panel: this.timelinePanel },
        { id: "statistics", title: "Statistics", panel: this.statistics.root },
        { id: "source", title: "Source", panel: this.source.root },
      ],
      (id) => this.onTab(id),
    );
    this.root.append(this.tabs.list, ...this.firstWarning(), this.tabs.panels);
  }

  /** Shows the slices, and what an address says of them. */
  setData(data: RunData, address: URLSearchParams): void {
    performance.mark("gwatch-decoded");
    const model = new Model(this.facts, data, this.colours);
    this.timeline = new Timeline(model, () => this.actions.changed());
    this.timelinePanel.replaceChildren(this.timeline.root);
    performance.mark("gwatch-built");
    this.timeline.start();
    this.restore(address);
    this.timeline.drawNow();
    this.statistics.setData(data);
    if (this.tabs.current === "statistics") this.statistics.open();
    this.root.dataset.ready = "slices";
    // After the first picture.
    requestAnimationFrame(() => setTimeout(() => void this.analyse(model)));
  }

  /** Goes to where an address says. */
  restore(address: URLSearchParams): void {
    this.statistics.restore(address);
    this.tabs.show(address.get("tab") ?? FIRST_TAB, FIRST_TAB);
    if (!this.timeline) return;
    restoreModel(this.timeline.model, address);
    this.timeline.restored();
  }

  describe(into: URLSearchParams): void {
    if (this.tabs.current !== FIRST_TAB) into.set("tab", this.tabs.current);
    this.statistics.describe(into);
    if (this.timeline) describeModel(this.timeline.model, into);
  }

  fail(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.timelinePanel.replaceChildren(element("section", "card", element("p", "alarm", `The timeline cannot be shown. ${text}`)));
  }

  redraw(): void {
    this.timeline?.changed(false);
  }

  onKey(event: KeyboardEvent): void {
    if (this.timeline && this.tabs.current === "timeline" && !this.timeline.help.open) onKey(event, this.timeline);
  }

  stop(): void {
    this.timeline?.stop();
    this.analysis?.stop();
  }

  private async analyse(model: Model): Promise<void> {
    this.analysis = new Analysis(model.data, model.strips, this.facts);
    if (!(await this.analysis.run())) return;
    this.statistics.setAnalysis(this.analysis);
    this.source.setSelfTime(this.analysis.selfTime);
    const byTime = [...this.facts.statistics].sort((a, b) => b.total_ns - a.total_ns).slice(0, MARKED_SCOPES);
    const { longest } = this.analysis;
    this.timeline?.setOutliers(byTime.flatMap(({ scope }) => longest[scope].slice(0, MARKED_SLICES)));
    this.root.dataset.ready = "all";
  }

  /** On every tab: a reader who goes straight to the picture must not miss it. */
  private firstWarning(): HTMLElement[] {
    const all = allWarnings(this.facts);
    this.tabs.badge("overview", all.length > 0 ? ` ${all.length}\u26a0` : "");
    if (all.length === 0) return [];
    const more = all.length > 1 ? ` \u2026 and ${units.counted(all.length - 1, "more warning")}` : "";
    const press = element("button", "link", `${all[0].slice(0, 300)}${more}`);
    press.type = "button";
    press.addEventListener("click", () => this.tabs.show("overview"));
    return [element("p", "first-warning", press)];
  }

  private onTab(id: string): void {
    if (id === "statistics") this.statistics.open();
    if (id === "timeline") this.redraw();
    this.actions.changed();
  }

  private reveal(slice: number): void {
    this.tabs.show("timeline");
    this.timeline?.reveal(slice);
  }

  private revealLongest(scope: number): void {
    const slice = this.timeline && longestSlice(this.timeline.model.data, scope);
    if (slice !== undefined) this.reveal(slice);
  }

  private revealGap({ row, longest_gap_start_ns: begin, longest_gap_ns: length }: Activity): void {
    this.tabs.show("timeline");
    this.timeline?.revealTimes(row, begin, begin + length);
  }
}
