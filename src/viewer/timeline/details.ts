// The pinned slice, in words that stay.

import { button, element, swatch } from "../dom";
import { Model } from "./model";
import { line } from "./tooltip";
import { sliceLines } from "./words";

export interface DetailActions {
  zoom(): void;
  step(step: 1 | -1): void;
  close(): void;
}

export class Details {
  readonly root = element("div", "panel details");

  constructor(
    private readonly model: Model,
    private readonly actions: DetailActions,
  ) {
    this.root.hidden = true;
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "Pinned slice");
    // What the keys pin is read out.
    this.root.setAttribute("aria-live", "polite");
  }

  update(): void {
    const { cursor, data, facts, colours } = this.model;
    this.root.hidden = cursor === undefined;
    if (cursor === undefined) return this.root.replaceChildren();
    const scope = data.scope[cursor];
    const { zoom, step, close } = this.actions;
    const tools = element(
      "span",
      "tools",
      button("Previous", "The slice before of the same scope ([)", () => step(-1)),
      button("Next", "The slice after of the same scope (])", () => step(1)),
      button("Zoom to it", "F", zoom),
      button("Let go", "Esc", close),
    );
    const title = element("strong", "", swatch(colours[scope]), facts.scopes[scope].name);
    const lines = sliceLines(cursor, data, facts).map((text) => line(text));
    this.root.replaceChildren(element("div", "card-head", title, tools), element("div", "lines", ...lines));
  }
}
