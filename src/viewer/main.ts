// The page: its head, and one run at a time.

import { AddressWriter, readAddress } from "./address";
import { element } from "./dom";
import { readBytes, readFacts } from "./embedded";
import { Facts } from "./facts";
import { RunData, decodeRun } from "./run_data";
import { RunPage } from "./run_page";
import { themeButton } from "./theme";

class Page {
  private readonly kernel = element("h1");
  private readonly place = element("div");
  private readonly runChoice = element("select");
  private readonly address = new AddressWriter(() => this.describe());
  private readonly data = new Map<number, Promise<RunData>>();
  private run: RunPage | undefined;
  private shown = -1;

  constructor(
    private readonly root: HTMLElement,
    private readonly facts: Facts,
  ) {}

  build(): void {
    const theme = themeButton(() => this.run?.redraw());
    const origin = [this.facts.title, this.facts.created, this.facts.producer].filter(Boolean).join(" \u00b7 ");
    const tools = element("div", "tools");
    if (this.facts.runs.length > 1) tools.append(this.buildRunChoice());
    tools.append(theme);
    this.root.append(element("header", "", element("div", "", this.kernel, element("p", "faint origin", origin)), tools), this.place);
    document.addEventListener("keydown", (event) => this.run?.onKey(event));
    addEventListener("hashchange", () => this.address.isForeign() && void this.follow(readAddress()));
    void this.follow(readAddress());
  }

  /** Shows what an address says. */
  private async follow(address: URLSearchParams): Promise<void> {
    const run = Number(address.get("run") ?? 1) - 1;
    const wanted = this.facts.runs[run] ? run : 0;
    if (wanted === this.shown) return this.run?.restore(address);
    await this.show(wanted, address);
  }

  private async show(run: number, address: URLSearchParams): Promise<void> {
    this.shown = run;
    this.run?.stop();
    const facts = this.facts.runs[run];
    if (!facts) {
      this.kernel.textContent = "Nothing was traced";
      return;
    }
    const { kernel, kernel_demangled: demangled } = facts.launch;
    this.kernel.textContent = demangled || kernel || "unnamed kernel";
    this.kernel.title = kernel.slice(0, 1000);
    this.runChoice.value = String(run);
    const page = new RunPage(this.facts, run, {
      changed: () => this.address.changed(),
      showRun: (other) => void this.show(other, new URLSearchParams()),
    });
    this.run = page;
    this.place.replaceChildren(page.root);
    page.restore(address);
    try {
      const data = await this.load(run);
      if (this.run === page) page.setData(data, address);
    } catch (error) {
      page.fail(error);
    }
  }

  private load(run: number): Promise<RunData> {
    const known = this.data.get(run);
    if (known) return known;
    const facts = this.facts.runs[run];
    const data = readBytes(run, facts.chunks, facts.bytes).then((bytes) => {
      performance.mark("gwatch-unpacked");
      return decodeRun(facts, bytes);
    });
    this.data.set(run, data);
    return data;
  }

  private describe(): URLSearchParams {
    const state = new URLSearchParams();
    if (this.shown > 0) state.set("run", String(this.shown + 1));
    this.run?.describe(state);
    return state;
  }

  private buildRunChoice(): HTMLElement {
    this.runChoice.setAttribute("aria-label", "Run");
    this.facts.runs.forEach((run, index) => {
      const name = (run.launch.kernel_demangled || run.launch.kernel).slice(0, 80);
      const rank = run.launch.rank === undefined ? "" : `, rank ${run.launch.rank}`;
      const option = element("option", "", `Run ${index + 1}${rank}: ${name}`);
      option.value = String(index);
      this.runChoice.append(option);
    });
    this.runChoice.addEventListener("change", () => void this.show(Number(this.runChoice.value), new URLSearchParams()));
    return this.runChoice;
  }
}

const root = document.getElementById("report");
if (root) {
  try {
    new Page(root, readFacts()).build();
  } catch (error) {
    root.append(element("p", "alarm", error instanceof Error ? error.message : String(error)));
  }
}
