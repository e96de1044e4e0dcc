// Tabs after the ARIA pattern: arrows, Home and End go from tab to tab.

import { element } from "./dom";

export interface Tab {
  id: string;
  title: string;
  panel: HTMLElement;
}

export class Tabs {
  readonly list = element("div", "tabs");
  readonly panels = element("div", "panels");
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private shown = "";

  constructor(
    private readonly tabs: Tab[],
    private readonly onShow: (id: string) => void,
  ) {
    this.list.setAttribute("role", "tablist");
    for (const tab of tabs) this.add(tab);
    this.list.addEventListener("keydown", (event) => this.onKey(event));
  }

  get current(): string {
    return this.shown;
  }

  /** An unknown name shows the `other` tab. */
  show(id: string, other = this.tabs[0].id): void {
    const wanted = this.buttons.has(id) ? id : other;
    if (wanted === this.shown) return;
    this.shown = wanted;
    for (const tab of this.tabs) {
      const selected = tab.id === wanted;
      tab.panel.hidden = !selected;
      const press = this.buttons.get(tab.id) as HTMLButtonElement;
      press.setAttribute("aria-selected", String(selected));
      press.tabIndex = selected ? 0 : -1;
    }
    this.onShow(wanted);
  }

  /** A figure behind a tab's title; empty for none. */
  badge(id: string, text: string): void {
    const badge = this.buttons.get(id)?.querySelector(".badge");
    if (badge) badge.textContent = text;
  }

  private add({ id, title, panel }: Tab): void {
    const press = element("button", "", title, element("span", "badge"));
    press.type = "button";
    press.id = `tab-${id}`;
    press.setAttribute("role", "tab");
    press.setAttribute("aria-controls", `panel-${id}`);
    press.addEventListener("click", () => this.show(id));
    panel.id = `panel-${id}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", press.id);
    panel.hidden = true;
    this.buttons.set(id, press);
    this.list.append(press);
    this.panels.append(panel);
  }

  private onKey(event: KeyboardEvent): void {
    const at = this.tabs.findIndex((tab) => tab.id === this.shown);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.tabs.length - 1 }[event.key];
    if (to === undefined) return;
    const { id } = this.tabs[(to + this.tabs.length) % this.tabs.length];
    this.show(id);
    this.buttons.get(id)?.focus();
    event.preventDefault();
  }
}
