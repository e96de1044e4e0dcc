// What the timeline shows of one run, and what the reader chose; nothing here draws.

import { RunFacts } from "../facts";
import { Ranges } from "../ranges";
import { RunData, rowOfSlice } from "../run_data";
import { WarpStrips } from "./warp_strips";
import { Occupancy } from "./occupancy";
import { Level, OrderChoice, SortKey, ViewRows, WHOLE_BLOCK, orderRows } from "./order";
import { SmLayout } from "./sm_layout";
import { StripSource } from "./strips";
import { Viewport } from "./viewport";

/** Times [begin, end) ns of the view rows [firstRow, endRow). */
export interface Selection {
  begin: number;
  end: number;
  firstRow: number;
  endRow: number;
}

/** Texts of the filters, as typed. */
export interface FilterTexts {
  blocks: string;
  warps: string;
  sms: string;
}

export class Model {
  readonly view: Viewport;
  readonly strips: WarpStrips;
  readonly hidden = new Set<number>();
  rows: ViewRows;
  filters: FilterTexts = { blocks: "", warps: "", sms: "" };
  selection: Selection | undefined;
  /** The slice that the reader pinned. */
  cursor: number | undefined;
  /** The text of the search, without spaces around it. */
  searched = "";
  /** Scopes that the search found; the others are dimmed. */
  hits: Set<number> | undefined;
  private readonly choice: OrderChoice = {
    level: "warps",
    sort: "block",
    sortScope: 0,
    blocks: undefined,
    warps: undefined,
    sms: undefined,
    openBlocks: new Set(),
    openWarps: new Set(),
  };
  private layout: SmLayout | undefined;
  private alive: Occupancy | undefined;

  constructor(
    readonly facts: RunFacts,
    readonly data: RunData,
    readonly colours: string[],
  ) {
    this.strips = new WarpStrips(data, facts);
    this.choice.sortScope = facts.statistics[0]?.scope ?? 0;
    this.rows = this.order();
    this.view = new Viewport(Math.min(facts.first_ns, 0), Math.max(facts.last_ns, 1), this.rows.count);
  }

  get level(): Level {
    return this.choice.level;
  }

  get sort(): SortKey {
    return this.choice.sort;
  }

  get sortScope(): number {
    return this.choice.sortScope;
  }

  get openBlocks(): ReadonlySet<number> {
    return this.choice.openBlocks;
  }

  get openWarps(): ReadonlySet<number> {
    return this.choice.openWarps;
  }

  get source(): StripSource {
    return this.level === "sms" ? this.smLayout : this.strips;
  }

  get smLayout(): SmLayout {
    return (this.layout ??= new SmLayout(this.data, this.strips.rowEnds));
  }

  get occupancy(): Occupancy {
    return (this.alive ??= new Occupancy(this.data.enter, this.strips.rowEnds));
  }

  setLevel(level: Level): void {
    this.choice.level = level;
    this.reorder();
  }

  /** Changes several things at once; filters that are no lists of numbers do not filter. */
  configure(choice: Pick<OrderChoice, "level" | "sort" | "sortScope" | "openBlocks" | "openWarps">, filters: FilterTexts): void {
    const before = this.fingerprint();
    Object.assign(this.choice, choice);
    const parsed = readFilters(filters);
    Object.assign(this.choice, parsed ?? { blocks: undefined, warps: undefined, sms: undefined });
    this.filters = parsed ? { ...filters } : { blocks: "", warps: "", sms: "" };
    if (this.fingerprint() !== before) this.reorder();
  }

  setSort(sort: SortKey, scope = this.choice.sortScope): void {
    this.choice.sort = sort;
    this.choice.sortScope = scope;
    this.reorder();
  }

  /** Throws an Error in words when a text is no list of numbers; then nothing changes. */
  setFilters(texts: FilterTexts): void {
    const [blocks, warps, sms] = [texts.blocks, texts.warps, texts.sms].map(Ranges.parse);
    Object.assign(this.choice, { blocks, warps, sms });
    this.filters = { ...texts };
    this.reorder();
  }

  setHidden(scope: number, hidden: boolean): void {
    if (hidden) this.hidden.add(scope);
    else this.hidden.delete(scope);
    this.strips.setHidden(scope, hidden);
  }

  /** Opens or closes a view row: a block to its warps, a warp to its threads. */
  toggle(viewRow: number): void {
    if (this.level === "sms" || viewRow >= this.rows.count) return;
    const row = this.rows.members[this.rows.first[viewRow]];
    if (this.rows.part[viewRow] === WHOLE_BLOCK) flip(this.choice.openBlocks, this.data.block[row]);
    else flip(this.choice.openWarps, row);
    this.reorder();
  }

  /** The view row that shows a warp; filters that hide it are taken away. */
  viewRowOf(row: number): number {
    if (this.level === "sms") this.setLevel("warps");
    if (this.rows.viewRowOf[row] < 0) this.setFilters({ blocks: "", warps: "", sms: "" });
    return this.rows.viewRowOf[row];
  }

  /** Brings a warp's times into sight; the view follows. */
  reveal(row: number, begin: number, end: number): void {
    const viewRow = this.viewRowOf(row);
    this.view.showAlso(begin, end);
    this.view.showRow(viewRow);
  }

  revealSlice(slice: number): void {
    this.cursor = slice;
    this.reveal(rowOfSlice(this.data, slice), this.data.start[slice], this.data.end[slice]);
  }

  /** What the order of rows depends on. */
  private fingerprint(): string {
    const { level, sort, sortScope, openBlocks, openWarps } = this.choice;
    return JSON.stringify([level, sort, sortScope, this.filters, [...openBlocks], [...openWarps]]);
  }

  private reorder(): void {
    this.selection = undefined;
    this.rows = this.order();
    this.view.setRowCount(this.rows.count);
  }

  private order(): ViewRows {
    if (this.choice.level === "sms") return this.smLayout.rows(this.choice.sms);
    const [x, y, z] = this.facts.launch.block;
    return orderRows(this.data, this.choice, x * y * z);
  }
}

function readFilters(texts: FilterTexts): Pick<OrderChoice, "blocks" | "warps" | "sms"> | undefined {
  try {
    return { blocks: Ranges.parse(texts.blocks), warps: Ranges.parse(texts.warps), sms: Ranges.parse(texts.sms) };
  } catch {
    return undefined;
  }
}

function flip<T>(set: Set<T>, value: T): void {
  if (!set.delete(value)) set.add(value);
}
