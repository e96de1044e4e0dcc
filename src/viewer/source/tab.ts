// The tab Source: the lines that scopes stand on, with the share of time of each.

import { button, element, swatch } from "../dom";
import { RunFacts, SourceFile, SourcePart } from "../facts";
import * as units from "../units";

/** Scopes by their line. */
type ByLine = Map<number, number[]>;

export class SourceTab {
  readonly root = element("div", "content");
  private selfTime: Float64Array | undefined;

  /** `onReveal` is asked to show the longest slice of a scope in the timeline. */
  constructor(
    private readonly facts: RunFacts,
    private readonly colours: string[],
    private readonly onReveal: (scope: number) => void,
  ) {
    this.update();
  }

  setSelfTime(selfTime: Float64Array): void {
    this.selfTime = selfTime;
    this.update();
  }

  private update(): void {
    const { source } = this.facts;
    if (source.length === 0) {
      const text = "The kernel was built without line information: no scope knows its source line.";
      this.root.replaceChildren(element("section", "card", element("p", "", text)));
      return;
    }
    this.root.replaceChildren(...source.map((file) => this.file(file)));
  }

  private file(file: SourceFile): HTMLElement {
    const scopes: ByLine = new Map();
    this.facts.scopes.forEach((scope, index) => {
      if (scope.file === file.file) scopes.set(scope.line, [...(scopes.get(scope.line) ?? []), index]);
    });
    const card = element("section", "card source", element("h2", "", file.file));
    if (file.changed) card.append(element("p", "alarm", "The file was changed after the trace was taken: lines may have moved."));
    if (file.parts.length === 0) card.append(element("p", "faint", "The text of this file is not in the report; these are the lines of its scopes."));
    const body = element("tbody");
    const inText = new Set<number>();
    file.parts.forEach((part, index) => {
      if (index > 0) body.append(element("tr", "skip", element("td", "", "\u22ee"), element("td"), element("td")));
      this.addPart(part, scopes, body, inText);
    });
    for (const [line, here] of [...scopes].sort((a, b) => a[0] - b[0]))
      if (!inText.has(line)) body.append(this.line(line, "", here));
    const heads = ["Line", "Self time", "Source"].map((text) => {
      const head = element("th", "", text);
      head.scope = "col";
      return head;
    });
    card.append(element("div", "scroll", element("table", "code", element("thead", "", element("tr", "", ...heads)), body)));
    return card;
  }

  private addPart(part: SourcePart, scopes: ByLine, body: HTMLElement, inText: Set<number>): void {
    part.lines.forEach((text, index) => {
      const number = part.first_line + index;
      inText.add(number);
      body.append(this.line(number, text, scopes.get(number) ?? []));
    });
  }

  private line(number: number, text: string, scopes: number[]): HTMLElement {
    const share = element("td", "share");
    for (const scope of scopes) share.append(this.share(scope));
    const code = element("td", "text", text);
    for (const scope of scopes) {
      const { name } = this.facts.scopes[scope];
      const press = button("", "Show its longest slice in the timeline", () => this.onReveal(scope));
      press.append(swatch(this.colours[scope]), element("span", "name", name));
      code.append(press);
    }
    return element("tr", scopes.length > 0 ? "marked" : "", element("td", "number", String(number)), share, code);
  }

  private share(scope: number): HTMLElement {
    const time = this.selfTime?.[scope];
    const life = Math.max(this.facts.pipeline.lifetime_ns, 1);
    const bar = element("span", "bar");
    bar.style.width = `${Math.min(100, (100 * (time ?? 0)) / life)}%`;
    bar.style.background = this.colours[scope];
    return element("div", "", time === undefined ? "\u2026" : units.percent(time, life), bar);
  }
}
