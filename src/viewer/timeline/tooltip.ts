// The box beside the pointer that says what is there.

import { element, swatch } from "../dom";
import { maskOf } from "../run_data";
import * as units from "../units";
import { blockName, threadNames } from "../warp";
import { Model } from "./model";
import { Picked } from "./pick";
import { exactDuration, sliceLines } from "./words";

const DISTANCE = 14;
const MOST_AROUND = 5;

export class Tooltip {
  readonly box = element("div", "tooltip");

  constructor(private readonly model: Model) {
    this.box.hidden = true;
    this.box.setAttribute("role", "tooltip");
  }

  hide(): void {
    this.box.hidden = true;
  }

  /** Shows what was picked beside a point of the window. */
  show(picked: Picked, x: number, y: number): void {
    this.showLines(this.lines(picked), x, y);
  }

  showLines(lines: HTMLElement[], x: number, y: number): void {
    this.box.replaceChildren(...lines);
    this.box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const left = x + DISTANCE + width > innerWidth ? x - DISTANCE - width : x + DISTANCE;
    const top = y + DISTANCE + height > innerHeight ? y - DISTANCE - height : y + DISTANCE;
    this.box.style.left = `${Math.max(left, 4)}px`;
    this.box.style.top = `${Math.max(top, 4)}px`;
  }

  private lines(picked: Picked): HTMLElement[] {
    const { model } = this;
    const lines = picked.slices.length > 0 ? this.slice(picked.slices[0]) : this.gap(picked);
    for (const slice of picked.slices.slice(1, 1 + MOST_AROUND)) lines.push(this.around(picked.row, slice));
    const { instant } = picked;
    if (instant) {
      const name = model.facts.scopes[instant.scope]?.name ?? `scope ${instant.scope}`;
      const threads = threadNames(model.facts, model.data.warp[picked.row], instant.mask);
      const carried = instant.payload === undefined ? "" : `, payload ${instant.payload}`;
      lines.push(line(`${name}: ${instant.kind} at ${units.count(instant.time)} ns, ${threads}${carried}`, "alarm"));
    }
    return lines;
  }

  private slice(slice: number): HTMLElement[] {
    const { data, facts, colours } = this.model;
    const scope = data.scope[slice];
    const title = element("div", "tooltip-title", swatch(colours[scope]), facts.scopes[scope].name);
    return [title, ...sliceLines(slice, data, facts).map((text) => line(text))];
  }

  private gap({ row, begin, end, inLife }: Picked): HTMLElement[] {
    const { data, facts } = this.model;
    const place = line(`${blockName(facts, data.block[row])}, warp ${data.warp[row]}, SM ${data.sm[row]}`);
    if (!inLife) return [line("The warp was not running", "tooltip-title"), place];
    const times = `from ${units.count(begin)} to ${units.count(end)} ns`;
    return [line("In no scope", "tooltip-title"), line(exactDuration(end - begin, facts)), line(times), place];
  }

  private around(row: number, slice: number): HTMLElement {
    const { data, facts, colours } = this.model;
    const scope = data.scope[slice];
    const span = units.duration(data.end[slice] - data.start[slice]);
    const threads = threadNames(facts, data.warp[row], maskOf(data, slice));
    return element("div", "faint", swatch(colours[scope]), `also open: ${facts.scopes[scope].name}, ${span}, ${threads}`);
  }
}

export function line(text: string, className = ""): HTMLElement {
  return element("div", className, text);
}
