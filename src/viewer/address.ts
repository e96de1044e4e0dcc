// The state of the page in its address: after a reload or in a copied link the reader is where they were.

import { Model } from "./timeline/model";
import { Level, SortKey } from "./timeline/order";

const WRITE_EVERY_MS = 250;
/** Opened rows kept in the address. */
const MOST_OPEN = 200;
const LEVELS: Level[] = ["warps", "blocks", "sms"];
const SORTS: SortKey[] = ["block", "start", "sm", "scope"];

export function readAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** Writes at most some times a second; the last state always gets there. */
export class AddressWriter {
  private timer = 0;
  private writtenAt = -Infinity;
  private written = location.hash;

  constructor(private readonly state: () => URLSearchParams) {}

  changed(): void {
    if (this.timer) return;
    document.documentElement.dataset.address = "pending";
    const wait = this.writtenAt + WRITE_EVERY_MS - performance.now();
    this.timer = window.setTimeout(() => this.write(), Math.max(wait, 0));
  }

  /** Whether the address is one that this page did not write. */
  isForeign(): boolean {
    return location.hash !== this.written;
  }

  private write(): void {
    this.timer = 0;
    this.writtenAt = performance.now();
    document.documentElement.dataset.address = "written";
    const hash = `#${this.state().toString().replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
    if (hash === location.hash) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      // Some places that show files refuse; the page works all the same.
    }
    this.written = location.hash;
  }
}

/** What differs from the first sight of the run. */
export function describeModel(model: Model, into: URLSearchParams): void {
  const { view, filters, facts, cursor, selection } = model;
  const set = (key: string, value: string, plain: string) => {
    if (value !== plain) into.set(key, value);
  };
  set("rows", model.level, "warps");
  set("sort", model.sort === "scope" ? `scope:${model.sortScope}` : model.sort, "block");
  for (const key of ["blocks", "warps", "sms"] as const) set(key, filters[key].trim(), "");
  set("off", [...model.hidden].sort((a, b) => a - b).join(","), "");
  set("open", [...model.openBlocks].slice(0, MOST_OPEN).join(","), "");
  set("threads", [...model.openWarps].slice(0, MOST_OPEN).join(","), "");
  const all = view.begin <= facts.first_ns && view.end >= facts.last_ns;
  if (!all) into.set("time", `${short(view.begin)}:${short(view.end)}`);
  if (view.rowsInSight() < view.rowCount) into.set("from", `${short(view.topRow)}:${short(view.rowHeight)}`);
  set("find", model.searched, "");
  if (cursor !== undefined) into.set("pin", String(cursor));
  if (selection) into.set("select", [selection.begin, selection.end, selection.firstRow, selection.endRow].map(short).join(":"));
}

/** Takes over what an address says; what it says wrongly is passed over. */
export function restoreModel(model: Model, from: URLSearchParams): void {
  const { facts, data } = model;
  const level = LEVELS.find((known) => known === from.get("rows")) ?? "warps";
  const [sortName, scope] = (from.get("sort") ?? "block").split(":");
  const sort = SORTS.find((known) => known === sortName) ?? "block";
  const order = {
    level,
    sort,
    sortScope: facts.scopes[Number(scope)] ? Number(scope) : model.sortScope,
    openBlocks: new Set(numbers(from.get("open"), ",")),
    openWarps: new Set(numbers(from.get("threads"), ",").filter((row) => row < data.rowCount)),
  };
  model.configure(order, { blocks: from.get("blocks") ?? "", warps: from.get("warps") ?? "", sms: from.get("sms") ?? "" });
  const off = new Set(numbers(from.get("off"), ","));
  facts.scopes.forEach((_, index) => model.setHidden(index, off.has(index)));
  restoreView(model, from);
  model.searched = from.get("find") ?? "";
  const pin = Number(from.get("pin") ?? NaN);
  model.cursor = Number.isInteger(pin) && pin >= 0 && pin < data.scope.length ? pin : undefined;
  model.selection = selectionOf(model, numbers(from.get("select"), ":"));
}

function restoreView({ view }: Model, from: URLSearchParams): void {
  view.fit();
  const [begin, end] = numbers(from.get("time"), ":");
  const [topRow, rowHeight] = numbers(from.get("from"), ":");
  view.restore(begin ?? NaN, end ?? NaN, topRow ?? NaN, rowHeight ?? NaN);
}

function selectionOf(model: Model, [begin, end, firstRow, endRow]: number[]): Model["selection"] {
  if (endRow === undefined || !(end >= begin) || !(endRow > firstRow)) return undefined;
  const clamp = (row: number) => Math.min(Math.max(Math.floor(row), 0), model.rows.count);
  return { begin, end, firstRow: clamp(firstRow), endRow: clamp(endRow) };
}

function numbers(text: string | null, separator: string): number[] {
  return text ? text.split(separator).map(Number).filter(Number.isFinite) : [];
}

function short(value: number): string {
  return String(Number(value.toFixed(3)));
}
