// The form above the timeline: which rows, in which order, and where to go.

import { element } from "../dom";
import * as units from "../units";
import { Model } from "./model";
import { Level, SortKey } from "./order";

export interface ControlActions {
  /** Rows changed. */
  reordered(): void;
  search(text: string): void;
  nextHit(step: 1 | -1): void;
  jump(text: string): void;
}

const LEVELS: [Level, string, string][] = [
  ["warps", "Warps", "A row a warp; open one for its threads"],
  ["blocks", "Blocks", "A row a block, its warps one above the other in it; open one for its warps"],
  ["sms", "SMs", "A row a place on an SM: which block ran there when"],
];
const SORTS: [SortKey, string][] = [
  ["block", "block"],
  ["start", "start"],
  ["sm", "SM, then start"],
];

export class Controls {
  readonly root = element("form", "controls");
  readonly searchField = field("search", "Search scopes", "part of a name");
  readonly jumpField = field("text", "Go to", "b12 w3 t0");
  private readonly levels = element("span", "choice");
  private readonly sort = element("select");
  private readonly filters = {
    blocks: field("text", "Blocks", "0-3,5"),
    warps: field("text", "Warps", "0-3,5"),
    sms: field("text", "SMs", "0-3,5"),
  };
  private readonly message = element("span", "faint message");

  constructor(
    private readonly model: Model,
    private readonly actions: ControlActions,
  ) {
    this.message.setAttribute("role", "status");
    this.root.addEventListener("submit", (event) => event.preventDefault());
    this.buildLevels();
    this.buildSort();
    this.buildFilters();
    this.buildSearch();
    const { blocks, warps, sms } = this.filters;
    this.root.append(this.levels, labelled("Sort by", this.sort), ...[blocks, warps, sms, this.jumpField, this.searchField].map(withLabel), this.message);
  }

  /** Shows what the model has. */
  update(): void {
    const { level, sort, sortScope, filters } = this.model;
    for (const box of this.levels.querySelectorAll("input")) box.checked = box.value === level;
    this.sort.value = sort === "scope" ? `scope ${sortScope}` : sort;
    this.sort.disabled = level === "sms";
    for (const key of ["blocks", "warps", "sms"] as const) {
      const input = this.filters[key];
      if (document.activeElement !== input) input.value = filters[key];
      input.disabled = level === "sms" && key !== "sms";
    }
  }

  say(text: string, alarming = false): void {
    this.message.textContent = text;
    this.message.className = alarming ? "alarm message" : "faint message";
  }

  private buildLevels(): void {
    this.levels.setAttribute("role", "radiogroup");
    this.levels.setAttribute("aria-label", "Rows");
    for (const [level, name, explained] of LEVELS) {
      const box = element("input");
      box.type = "radio";
      box.name = "level";
      box.value = level;
      box.addEventListener("change", () => this.reorder(() => this.model.setLevel(level)));
      const label = element("label", "", box, element("span", "", name));
      label.title = explained;
      this.levels.append(label);
    }
  }

  private buildSort(): void {
    for (const [key, name] of SORTS) this.sort.append(option(key, name));
    const scopes = element("optgroup");
    scopes.label = "Most time in";
    for (const { scope } of this.model.facts.statistics)
      scopes.append(option(`scope ${scope}`, this.model.facts.scopes[scope].name.slice(0, 80)));
    if (scopes.children.length > 0) this.sort.append(scopes);
    this.sort.addEventListener("change", () =>
      this.reorder(() => {
        const [key, scope] = this.sort.value.split(" ");
        this.model.setSort(key as SortKey, scope === undefined ? undefined : Number(scope));
      }),
    );
  }

  private buildFilters(): void {
    for (const input of Object.values(this.filters)) {
      input.addEventListener("input", () => {
        const { blocks, warps, sms } = this.filters;
        this.reorder(() => this.model.setFilters({ blocks: blocks.value, warps: warps.value, sms: sms.value }), input);
      });
    }
  }

  private buildSearch(): void {
    this.searchField.addEventListener("input", () => this.actions.search(this.searchField.value));
    this.searchField.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.actions.nextHit(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.leave(this.searchField);
    });
    this.jumpField.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.attempt(() => this.actions.jump(this.jumpField.value), this.jumpField);
      if (event.key === "Escape") this.leave(this.jumpField);
    });
  }

  private leave(input: HTMLInputElement): void {
    input.blur();
    if (input !== this.searchField) return;
    input.value = "";
    this.actions.search("");
  }

  private reorder(change: () => void, input?: HTMLInputElement): void {
    this.attempt(() => {
      change();
      this.say(`${units.counted(this.model.rows.count, "row")}`);
      this.actions.reordered();
    }, input);
  }

  /** What is wrong with a field is said beside the fields, and on it. */
  private attempt(change: () => void, input?: HTMLInputElement): void {
    try {
      change();
      input?.removeAttribute("aria-invalid");
    } catch (error) {
      input?.setAttribute("aria-invalid", "true");
      this.say(error instanceof Error ? error.message : String(error), true);
    }
  }
}

function field(type: string, name: string, placeholder: string): HTMLInputElement {
  const input = element("input");
  input.type = type;
  input.placeholder = placeholder;
  input.spellcheck = false;
  input.autocomplete = "off";
  input.setAttribute("aria-label", name);
  return input;
}

function withLabel(input: HTMLInputElement): HTMLElement {
  return labelled(input.getAttribute("aria-label") ?? "", input);
}

function labelled(name: string, control: HTMLElement): HTMLElement {
  return element("label", "", element("span", "faint", `${name} `), control);
}

function option(value: string, text: string): HTMLOptionElement {
  const made = element("option", "", text);
  made.value = value;
  return made;
}
