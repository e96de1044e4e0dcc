// Scopes with their colours, and a box each to show or hide them.

import { button, element, swatch } from "../dom";
import { Model } from "./model";
import { WAVE_COLOURS } from "./sm_layout";

export class Legend {
  readonly root = element("div");
  private readonly scopes = element("div", "legend");
  private readonly waves = element("div", "legend");
  private readonly boxes = new Map<number, HTMLInputElement>();

  constructor(
    private readonly model: Model,
    private readonly onChange: () => void,
  ) {
    this.scopes.setAttribute("role", "group");
    this.scopes.setAttribute("aria-label", "Scopes");
    const withSlices = new Set(model.facts.statistics.map((entry) => entry.scope));
    model.facts.scopes.forEach((scope, index) => {
      if (withSlices.has(index)) this.scopes.append(this.entry(index, scope.name));
    });
    this.scopes.append(...this.otherEntries(), ...this.allOrNone());
    this.root.append(this.scopes, this.waves);
    this.update();
  }

  /** Ticks the boxes as the model says; the view of SMs shows blocks, not scopes. */
  update(): void {
    const { level } = this.model;
    this.scopes.hidden = level === "sms";
    this.waves.hidden = level !== "sms";
    if (level === "sms" && this.waves.children.length === 0) this.waves.append(...this.waveEntries());
    for (const [scope, box] of this.boxes) box.checked = !this.model.hidden.has(scope);
  }

  private waveEntries(): HTMLElement[] {
    const { waves } = this.model.smLayout.summary();
    const entries = WAVE_COLOURS.slice(0, waves).map((colour, wave) => element("span", "", swatch(colour), `wave ${wave + 1}`));
    if (waves > WAVE_COLOURS.length) entries.push(element("span", "faint", "and anew"));
    return entries;
  }

  private entry(scope: number, name: string): HTMLElement {
    const box = element("input");
    box.type = "checkbox";
    box.addEventListener("change", () => {
      this.model.setHidden(scope, !box.checked);
      this.onChange();
    });
    this.boxes.set(scope, box);
    const label = element("label", "", box, swatch(this.model.colours[scope]), element("span", "name", name));
    label.title = name.slice(0, 500);
    return label;
  }

  private otherEntries(): HTMLElement[] {
    const { data } = this.model;
    const entries = [element("span", "", element("span", "swatch gap"), "in no scope")];
    const orphans = data.orphanStarts.time.length + data.orphanEnds.time.length;
    if (orphans > 0) entries.push(element("span", "alarm", "\u25b6 start or end without its other half"));
    if (data.marks.time.length > 0) entries.push(element("span", "", "| mark"));
    return entries;
  }

  private allOrNone(): HTMLElement[] {
    if (this.boxes.size < 3) return [];
    const set = (hidden: boolean) => () => {
      for (const scope of this.boxes.keys()) this.model.setHidden(scope, hidden);
      this.update();
      this.onChange();
    };
    return [button("All", "Show all scopes", set(false)), button("None", "Hide all scopes", set(true))];
  }
}
