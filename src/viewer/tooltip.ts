// The box beside the pointer that says what is there.

import { element, swatch } from "./dom";
import { RunFacts } from "./facts";
import { Picked } from "./pick";
import { RunData } from "./run_data";
import * as units from "./units";
import { blockName, threadNames } from "./warp";

const DISTANCE = 14;

export class Tooltip {
  readonly box = element("div", "tooltip");

  constructor(
    private readonly facts: RunFacts,
    private readonly data: RunData,
    private readonly colours: string[],
  ) {
    this.box.hidden = true;
    this.box.setAttribute("role", "status");
  }

  hide(): void {
    this.box.hidden = true;
  }

  /** Shows what was picked beside a point of the window. */
  show(picked: Picked, x: number, y: number): void {
    this.box.replaceChildren(...this.lines(picked));
    this.box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const left = x + DISTANCE + width > innerWidth ? x - DISTANCE - width : x + DISTANCE;
    const top = y + DISTANCE + height > innerHeight ? y - DISTANCE - height : y + DISTANCE;
    this.box.style.left = `${Math.max(left, 4)}px`;
    this.box.style.top = `${Math.max(top, 4)}px`;
  }

  private lines(picked: Picked): HTMLElement[] {
    const lines = [...this.head(picked), this.place(picked)];
    if (picked.slices.length > 0) lines.push(line(this.threads(picked.row, this.data.mask[picked.slices[0]])));
    for (const slice of picked.slices.slice(1, 6)) lines.push(this.around(picked.row, slice));
    if (picked.instant) lines.push(this.instant(picked));
    return lines;
  }

  private head(picked: Picked): HTMLElement[] {
    const span = picked.end - picked.begin;
    if (picked.slices.length > 0) {
      const scope = this.data.scope[picked.slices[0]];
      const title = element("div", "tooltip-title", swatch(this.colours[scope]), this.facts.scopes[scope].name);
      return [title, this.times(picked, exactDuration(span)), ...this.source(scope)];
    }
    if (!picked.inLife) return [element("div", "tooltip-title", "The warp was not running")];
    return [element("div", "tooltip-title", "In no scope"), this.times(picked, units.duration(span))];
  }

  private times(picked: Picked, text: string): HTMLElement {
    return line(`${text} from ${units.count(picked.begin)} ns`);
  }

  private source(scope: number): HTMLElement[] {
    const { file, line: number } = this.facts.scopes[scope];
    return file ? [line(`${file}:${number}`, "faint")] : [];
  }

  private place({ row }: Picked): HTMLElement {
    return line(`${blockName(this.facts, this.data.block[row])}, warp ${this.data.warp[row]}, SM ${this.data.sm[row]}`);
  }

  private around(row: number, slice: number): HTMLElement {
    const scope = this.data.scope[slice];
    const span = units.duration(this.data.end[slice] - this.data.start[slice]);
    const text = `also open: ${this.facts.scopes[scope].name}, ${span}, ${this.threads(row, this.data.mask[slice])}`;
    return element("div", "faint", swatch(this.colours[scope]), text);
  }

  private threads(row: number, mask: number): string {
    return threadNames(this.facts, this.data.warp[row], mask);
  }

  private instant({ row, instant }: Picked): HTMLElement {
    if (!instant) return line("");
    const name = this.facts.scopes[instant.scope]?.name ?? `scope ${instant.scope}`;
    return line(`${name}: ${instant.kind} at ${units.count(instant.time)} ns, ${this.threads(row, instant.mask)}`, "alarm");
  }
}

function exactDuration(ns: number): string {
  return ns < 1000 ? units.duration(ns) : `${units.duration(ns)} (${units.count(ns)} ns)`;
}

function line(text: string, className = ""): HTMLElement {
  return element("div", className, text);
}
