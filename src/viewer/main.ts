// The page: reads its data and puts the parts of one run together.

import { scopeColours } from "./colours";
import { element } from "./dom";
import { readBytes, readFacts } from "./embedded";
import { Facts } from "./facts";
import { makeFacts, makeWarnings } from "./header";
import { makePipeline } from "./pipeline";
import { RunData, decodeRun } from "./run_data";
import { makeStatistics } from "./statistics";
import { themeButton } from "./theme";
import { Timeline } from "./timeline";

class Page {
  private readonly content = element("div", "content");
  private readonly kernel = element("h1");
  private readonly runs = new Map<number, Promise<RunData>>();
  private timeline: Timeline | undefined;
  private shown = -1;

  constructor(
    private readonly root: HTMLElement,
    private readonly facts: Facts,
  ) {}

  build(): void {
    const theme = themeButton(() => this.timeline?.changed(false));
    const origin = [this.facts.title, this.facts.created, this.facts.producer].filter(Boolean).join(" \u00b7 ");
    const bar = element("header", "", element("div", "", this.kernel, element("p", "faint", origin)), element("div", "tools"));
    const tools = bar.lastElementChild as HTMLElement;
    if (this.facts.runs.length > 1) tools.append(this.runChooser());
    tools.append(theme);
    this.root.append(bar, this.content);
  }

  async show(run: number): Promise<void> {
    this.shown = run;
    this.timeline?.stop();
    this.timeline = undefined;
    const facts = this.facts.runs[run];
    if (!facts) {
      this.kernel.textContent = "Nothing was traced";
      return;
    }
    const { kernel, kernel_demangled: demangled } = facts.launch;
    this.kernel.textContent = demangled || kernel || "unnamed kernel";
    this.kernel.title = kernel;
    const colours = scopeColours(facts.scopes.map((scope) => scope.name));
    const place = element("section", "card", element("p", "faint", "Unpacking the slices\u2026"));
    const tables = element("div", "tables", makeStatistics(facts, colours));
    tables.append(
      makePipeline(facts, ({ row, longest_gap_start_ns: begin, longest_gap_ns: length }) =>
        this.timeline?.reveal(row, begin, begin + length),
      ),
    );
    this.content.replaceChildren(...makeWarnings(facts), makeFacts(facts), place, tables);
    await this.showTimeline(run, place, colours);
  }

  private async showTimeline(run: number, place: HTMLElement, colours: string[]): Promise<void> {
    const data = await this.load(run).catch((error: unknown) => fail(place, error));
    if (!data || this.shown !== run) return;
    this.timeline = new Timeline(this.facts.runs[run], data, colours);
    place.replaceWith(this.timeline.root);
    this.timeline.start();
    this.root.dataset.ready = String(run);
  }

  private load(run: number): Promise<RunData> {
    const known = this.runs.get(run);
    if (known) return known;
    const facts = this.facts.runs[run];
    const data = readBytes(run, facts.chunks, facts.bytes).then((bytes) => decodeRun(facts, bytes));
    this.runs.set(run, data);
    return data;
  }

  private runChooser(): HTMLElement {
    const choice = element("select");
    choice.setAttribute("aria-label", "Run");
    this.facts.runs.forEach((run, index) => {
      const option = element("option", "", `Run ${index + 1}: ${run.launch.kernel_demangled || run.launch.kernel}`);
      option.value = String(index);
      choice.append(option);
    });
    choice.addEventListener("change", () => void this.show(Number(choice.value)));
    return choice;
  }
}

function fail(place: HTMLElement, error: unknown): undefined {
  const text = error instanceof Error ? error.message : String(error);
  place.replaceChildren(element("p", "alarm", `The timeline cannot be shown. ${text}`));
  return undefined;
}

const root = document.getElementById("report");
if (root) {
  try {
    const page = new Page(root, readFacts());
    page.build();
    void page.show(0);
  } catch (error) {
    fail(root, error);
  }
}
