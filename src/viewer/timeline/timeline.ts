// The timeline tab: puts its parts together and answers to gestures, keys and controls.

import { button, element } from "../dom";
import * as units from "../units";
import { Canvases, warpOf } from "./canvases";
import { Controls } from "./controls";
import { Details } from "./details";
import { findTarget, firstSliceOf, nextSlice, scopesNamed, sliceAt } from "./find";
import { attachGestures } from "./gestures";
import { makeHelp } from "./keys";
import { Legend } from "./legend";
import { Model } from "./model";
import { WHOLE_WARP } from "./order";
import { Picked, pick } from "./pick";
import { SelectionPanel } from "./selection";
import { Tooltip, line } from "./tooltip";
import { LABEL_WIDTH } from "./viewport";
import { blockLines } from "./words";
import { rowOfSlice } from "../run_data";

const SLOW_FRAME_MS = 14;
const SETTLE_MS = 90;
const REACH_PIXELS = 4;
const MOST_LINE_STEP = 4;

export class Timeline {
  readonly root = element("section", "card timeline");
  readonly help = makeHelp();
  readonly controls: Controls;
  readonly legend: Legend;
  private readonly canvases: Canvases;
  private readonly tooltip: Tooltip;
  private readonly details: Details;
  private readonly selection: SelectionPanel;
  private readonly status = element("span", "faint status");
  private lineStep = 1;
  /** What the last fine frame took. */
  private restMs = 0;
  private moving = false;
  private frameRequest = 0;
  private settleTimer = 0;
  private readonly resized = new ResizeObserver(() => this.resize());

  /** `onChange` is told whenever something worth keeping in the address changed. */
  constructor(
    readonly model: Model,
    private readonly onChange: () => void,
  ) {
    this.canvases = new Canvases(model);
    this.tooltip = new Tooltip(model);
    const zoom = () => this.zoomToChoice();
    this.details = new Details(model, { zoom, step: (step) => this.step(step, "same"), close: () => this.pin(undefined) });
    this.selection = new SelectionPanel(model, zoom, () => this.setSelection(undefined));
    this.legend = new Legend(model, () => this.changed(false));
    this.controls = new Controls(model, {
      reordered: () => this.reordered(),
      search: (text) => this.search(text),
      nextHit: (step) => this.nextHit(step),
      jump: (text) => this.jump(text),
    });
    this.build();
    attachGestures(this.canvases.overlay, this);
  }

  /** Starts to follow the size of its place; call once it is in the page. */
  start(): void {
    this.canvases.resize();
    this.model.view.fit();
    this.resized.observe(this.canvases.frame);
  }

  /** Lets go of the page. */
  stop(): void {
    this.resized.disconnect();
    this.tooltip.box.remove();
    cancelAnimationFrame(this.frameRequest);
    clearTimeout(this.settleTimer);
  }

  fit(): void {
    this.model.view.fit();
    this.changed(false);
  }

  /** Draws soon; while `moving` coarsely if a frame is slow, then finely once at rest. */
  changed(moving: boolean): void {
    clearTimeout(this.settleTimer);
    this.moving = moving;
    if (!moving) this.lineStep = 1;
    else if (this.restMs > SLOW_FRAME_MS) this.lineStep = Math.max(this.lineStep, 2);
    if (moving) this.settleTimer = window.setTimeout(() => this.changed(false), SETTLE_MS);
    if (!this.frameRequest) this.frameRequest = requestAnimationFrame(() => this.draw());
    this.onChange();
  }

  /** Takes over what was changed in the model from outside. */
  restored(): void {
    this.controls.update();
    this.legend.update();
    this.details.update();
    void this.selection.update();
    this.canvases.resize();
    this.changed(false);
  }

  setOutliers(slices: number[]): void {
    this.canvases.outliers = slices;
    this.canvases.drawOverlay();
  }

  hover(x: number, y: number, windowX: number, windowY: number): void {
    const sample = x < LABEL_WIDTH || y < this.model.view.top ? undefined : this.sampleAt(x, y);
    if (!sample) return this.leave();
    if (this.model.level === "sms") return this.hoverBlock(sample, windowX, windowY);
    const picked = this.picked(sample);
    this.tooltip.show(picked, windowX, windowY);
    const { viewRow } = sample.line;
    this.canvases.hover = picked.inLife ? { viewRow, begin: picked.begin, end: picked.end } : undefined;
    this.canvases.drawOverlay();
  }

  leave(): void {
    this.tooltip.hide();
    if (!this.canvases.hover) return;
    this.canvases.hover = undefined;
    this.canvases.drawOverlay();
  }

  /** A click at a point of the overlay. */
  click(x: number, y: number): void {
    const sample = y < this.model.view.top ? undefined : this.sampleAt(x, y);
    if (!sample) return this.pin(undefined);
    if (x < LABEL_WIDTH) return this.toggle(sample.line.viewRow);
    if (this.model.level === "sms") return this.openBlockAt(sample);
    this.pin(this.picked(sample).slices[0]);
  }

  zoomToSliceAt(x: number, y: number): void {
    const sample = x < LABEL_WIDTH || y < this.model.view.top || this.model.level === "sms" ? undefined : this.sampleAt(x, y);
    const picked = sample && this.picked(sample);
    if (!picked?.inLife || picked.end <= picked.begin) return;
    this.model.view.showTimes(picked.begin, picked.end);
    this.leave();
    this.changed(false);
  }

  /** Selects between two points of the overlay; figures come when `done`. */
  select(x0: number, y0: number, x1: number, y1: number, done: boolean): void {
    const { view, rows } = this.model;
    if (this.model.level === "sms") return;
    const time = (x: number) => view.timeAt(Math.min(Math.max(x - LABEL_WIDTH, 0), view.width));
    const row = (y: number) => Math.min(Math.max(Math.floor(view.rowAt(y - view.top)), 0), rows.count - 1);
    const all = y0 < view.top;
    this.model.selection = {
      begin: Math.min(time(x0), time(x1)),
      end: Math.max(time(x0), time(x1)),
      firstRow: all ? 0 : Math.min(row(y0), row(y1)),
      endRow: all ? rows.count : Math.max(row(y0), row(y1)) + 1,
    };
    if (done) this.setSelection(this.model.selection);
    else this.canvases.drawOverlay();
  }

  /** Zooms to the selection, or else to the pinned slice. */
  zoomToChoice(): void {
    const { selection, cursor, view, data } = this.model;
    if (selection) {
      view.showTimes(selection.begin, selection.end, 0.02);
      view.showRows(selection.firstRow, selection.endRow);
    } else if (cursor !== undefined) {
      view.showRow(this.model.viewRowOf(rowOfSlice(data, cursor)));
      view.showTimes(data.start[cursor], data.end[cursor]);
    }
    this.changed(false);
  }

  /** Pins the slice before or after the pinned one, in its warp or of its scope. */
  step(step: 1 | -1, which: "same" | "any"): void {
    const { cursor, data, facts } = this.model;
    const same = which === "same" && cursor !== undefined;
    const scopes = new Set(same ? [data.scope[cursor]] : facts.scopes.keys());
    this.reveal(cursor === undefined ? this.firstInSight() : nextSlice(this.model, scopes, cursor, step));
  }

  /** Pins what runs in the next row at the pinned time. */
  stepRow(step: 1 | -1): void {
    const { cursor, data, rows } = this.model;
    if (cursor === undefined) return this.reveal(this.firstInSight());
    const time = data.start[cursor];
    const from = rows.viewRowOf[rowOfSlice(data, cursor)];
    for (let viewRow = from + step; viewRow >= 0 && viewRow < rows.count; viewRow += step) {
      const slice = rows.part[viewRow] < 0 ? sliceAt(this.model, viewRow, time) : undefined;
      if (slice !== undefined) return this.reveal(slice);
    }
  }

  toggleCursor(): void {
    const { cursor, data, rows } = this.model;
    if (cursor !== undefined) this.toggle(rows.viewRowOf[rowOfSlice(data, cursor)]);
  }

  focusSearch(): void {
    this.controls.searchField.focus();
    this.controls.searchField.select();
  }

  focusJump(): void {
    this.controls.jumpField.focus();
    this.controls.jumpField.select();
  }

  clear(): void {
    this.model.hits = undefined;
    this.controls.searchField.value = "";
    this.controls.say("");
    this.leave();
    this.setSelection(undefined);
    this.pin(undefined);
  }

  search(text: string): void {
    this.model.hits = scopesNamed(this.model, text);
    const { hits, facts } = this.model;
    const found = facts.statistics.filter((entry) => hits?.has(entry.scope));
    const slices = found.reduce((sum, entry) => sum + entry.count, 0);
    if (!hits) this.controls.say("");
    else this.controls.say(`${units.counted(slices, "slice")} of ${units.counted(found.length, "scope")}`, slices === 0);
    this.changed(false);
  }

  nextHit(step: 1 | -1): void {
    const { hits, cursor } = this.model;
    if (hits) this.reveal(nextSlice(this.model, hits, cursor, step));
  }

  /** Throws an Error in words when there is no such place. */
  jump(text: string): void {
    const target = findTarget(this.model, text);
    const { data, strips } = this.model;
    const viewRow = this.model.viewRowOf(target.row);
    if (target.thread >= 0 && !this.model.openWarps.has(target.row)) this.model.toggle(viewRow);
    this.model.cursor = firstSliceOf(data, target);
    this.model.reveal(target.row, data.enter[target.row], strips.rowEnds[target.row]);
    if (target.thread >= 0) this.model.view.showRow(this.model.viewRowOf(target.row) + 1 + target.thread);
    this.controls.say(`Block ${data.block[target.row]}, warp ${data.warp[target.row]}`);
    this.reordered();
    this.details.update();
  }

  /** Shows one warp around some times. */
  revealTimes(row: number, begin: number, end: number): void {
    this.model.reveal(row, begin, end);
    this.reordered();
  }

  /** Pins a slice and brings it into sight. */
  reveal(slice: number | undefined): void {
    if (slice === undefined) return;
    this.model.revealSlice(slice);
    this.details.update();
    this.reordered();
  }

  private build(): void {
    const { view } = this.model;
    const zoom = (time: number, rows: number) => () => {
      view.zoomTime(time, view.width / 2);
      view.zoomRows(rows, view.height / 2);
      this.changed(false);
    };
    const tools = element(
      "div",
      "tools",
      this.status,
      button("Fit", "Show all times and all rows (0)", () => this.fit()),
      button("Time \u2212", "Zoom out in time (S)", zoom(2, 1)),
      button("Time +", "Zoom in in time (W)", zoom(0.5, 1)),
      button("Rows \u2212", "Lower rows (\u2212)", zoom(1, 0.5)),
      button("Rows +", "Higher rows (+)", zoom(1, 2)),
      button("Keys ?", "Keys and gestures (?)", () => this.help.showModal()),
    );
    const head = element("div", "card-head", this.controls.root, tools);
    this.root.append(head, this.legend.root, this.canvases.frame, this.selection.root, this.details.root, this.help);
    document.body.append(this.tooltip.box);
    this.controls.update();
  }

  private toggle(viewRow: number): void {
    this.model.toggle(viewRow);
    this.reordered();
  }

  private pin(slice: number | undefined): void {
    this.model.cursor = slice;
    this.details.update();
    this.canvases.drawOverlay();
    this.onChange();
  }

  private setSelection(selection: Model["selection"]): void {
    this.model.selection = selection;
    void this.selection.update();
    this.canvases.drawOverlay();
    this.onChange();
  }

  private reordered(): void {
    this.controls.update();
    this.legend.update();
    void this.selection.update();
    this.canvases.resize();
    this.leave();
    this.changed(false);
  }

  private firstInSight(): number | undefined {
    const { view } = this.model;
    return sliceAt(this.model, Math.max(0, Math.floor(view.topRow)), view.begin);
  }

  private sampleAt(x: number, y: number): ReturnType<Canvases["sampleAt"]> {
    return this.canvases.sampleAt(Math.max(x - LABEL_WIDTH, 0), y - this.model.view.top);
  }

  private picked({ line: shown, time }: NonNullable<ReturnType<Canvases["sampleAt"]>>): Picked {
    const { data, strips, view } = this.model;
    const { row, thread } = warpOf(this.model, shown);
    return pick(data, strips, row, thread, time, REACH_PIXELS * view.nsPerPixel);
  }

  private blockAt({ line: shown, time }: NonNullable<ReturnType<Canvases["sampleAt"]>>): number | undefined {
    const strip = this.model.smLayout.of(this.model.rows.members[shown.member]);
    for (let at = 0; at < strip.end; at++) if (strip.start[at] <= time && time < strip.stop[at]) return strip.item[at];
    return undefined;
  }

  private hoverBlock(sample: NonNullable<ReturnType<Canvases["sampleAt"]>>, windowX: number, windowY: number): void {
    const { smLayout, rows, facts, view, occupancy } = this.model;
    const block = this.blockAt(sample);
    const place = smLayout.places[rows.members[sample.line.member]];
    const run = block === undefined ? undefined : smLayout.blocks[block];
    const alive = `${occupancy.mean(sample.time, sample.time + view.nsPerPixel).toFixed(1)} warps alive on all SMs`;
    const lines = run ? blockLines(run, place, facts) : [`SM ${place.sm}, place ${place.index}: no recorded block`];
    this.tooltip.showLines([...lines, alive].map((text, index) => line(text, index === 0 ? "tooltip-title" : "")), windowX, windowY);
    this.canvases.hover = run && { viewRow: sample.line.viewRow, begin: run.begin, end: run.end };
    this.canvases.drawOverlay();
  }

  private openBlockAt(sample: NonNullable<ReturnType<Canvases["sampleAt"]>>): void {
    const block = this.blockAt(sample);
    if (block === undefined) return;
    const run = this.model.smLayout.blocks[block];
    this.revealTimes(run.firstRow, run.begin, run.end);
  }

  private resize(): void {
    this.canvases.resize();
    this.changed(false);
  }

  /** Draws what changed without waiting for the next frame. */
  drawNow(): void {
    cancelAnimationFrame(this.frameRequest);
    this.draw();
  }

  private draw(): void {
    this.frameRequest = 0;
    if (!this.root.offsetParent) return;
    const began = performance.now();
    const coarse = this.moving && this.lineStep > 1;
    this.canvases.drawRows(coarse ? Math.min(devicePixelRatio, 1) : devicePixelRatio, this.lineStep);
    this.canvases.drawOverlay();
    const took = performance.now() - began;
    if (!this.moving) this.restMs = took;
    else if (took > SLOW_FRAME_MS) this.lineStep = Math.min(MOST_LINE_STEP, this.lineStep + 1);
    this.status.textContent = this.describe();
    this.root.dataset.paintMs = took.toFixed(1);
    this.root.dataset.paintedMs ??= performance.now().toFixed(1);
  }

  private describe(): string {
    const { view, facts, rows, level } = this.model;
    const begin = Math.max(view.begin, 0);
    const times = `${units.duration(Math.min(view.width * view.nsPerPixel, facts.last_ns))} from ${units.duration(begin)}`;
    const kind = level === "sms" ? "place" : rows.part.every((part) => part === WHOLE_WARP) ? "warp" : "row";
    const shown = `${units.count(view.rowsInSight())} of ${units.counted(view.rowCount, kind)}`;
    const sampled = 1 / (view.rowHeight * devicePixelRatio);
    const note = sampled > 1.05 ? `, 1 of ${sampled.toFixed(1)} sampled` : "";
    return `${times} \u00b7 ${shown}${note}${level === "sms" ? ` \u00b7 ${this.describeSms()}` : ""}`;
  }

  private describeSms(): string {
    const { sms, places, waves, tailShare, end, firstIdle } = this.model.smLayout.summary();
    const tail = `tail ${units.duration(end - firstIdle)}, ${(100 * tailShare).toFixed(1)} % of SM time idle at the end`;
    return `${units.counted(sms, "SM")}, up to ${units.counted(places, "block")} each at once, ${units.counted(waves, "wave")}, ${tail}`;
  }
}
