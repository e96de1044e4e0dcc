// The timeline tab: puts its parts together and answers to gestures, keys and controls.

import { button, element } from "../dom";
import { rowOfSlice } from "../run_data";
import * as units from "../units";
import { Canvases, Sample, warpOf } from "./canvases";
import { Controls } from "./controls";
import { Details } from "./details";
import { findTarget, firstSliceOf, inNextRow, neighbour, nextSlice, scopesNamed } from "./find";
import { Frames } from "./frames";
import { attachGestures } from "./gestures";
import { makeHelp } from "./keys";
import { Legend } from "./legend";
import { Model } from "./model";
import { Picked, pick } from "./pick";
import { SelectionPanel } from "./selection";
import { blockAt, placeLines } from "./sm_pointer";
import { describeView } from "./status";
import { Tooltip, line } from "./tooltip";
import { LABEL_WIDTH } from "./viewport";

const REACH_PIXELS = 4;

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
  private readonly frames: Frames;
  private readonly resized = new ResizeObserver(() => this.resize());

  /** `onChange` is told whenever something worth keeping in the address changed. */
  constructor(
    readonly model: Model,
    private readonly onChange: () => void,
  ) {
    this.canvases = new Canvases(model);
    this.frames = new Frames(this.canvases, (ms) => this.drawn(ms));
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
    this.frames.stop();
  }

  fit(): void {
    this.model.view.fit();
    this.changed(false);
  }

  /** Draws soon; see Frames for `moving`. */
  changed(moving: boolean): void {
    this.frames.changed(moving);
    this.onChange();
  }

  drawNow(): void {
    this.frames.drawNow();
  }

  /** Takes over what was changed in the model from outside. */
  restored(): void {
    this.controls.searchField.value = this.model.searched;
    this.search(this.model.searched);
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
    if (rows.count === 0) return;
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
    this.reveal(neighbour(this.model, step, which));
  }

  /** Pins what runs in the next row at the pinned time. */
  stepRow(step: 1 | -1): void {
    this.reveal(inNextRow(this.model, step));
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
    this.controls.searchField.value = "";
    this.search("");
    this.leave();
    this.setSelection(undefined);
    this.pin(undefined);
  }

  search(text: string): void {
    this.model.searched = text.trim();
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

  private sampleAt(x: number, y: number): Sample | undefined {
    return this.canvases.sampleAt(Math.max(x - LABEL_WIDTH, 0), y - this.model.view.top);
  }

  private picked({ line: shown, time }: Sample): Picked {
    const { data, facts, strips, view } = this.model;
    const { row, thread } = warpOf(this.model, shown);
    return pick(data, facts, strips, row, thread, time, REACH_PIXELS * view.nsPerPixel);
  }

  private hoverBlock(sample: Sample, windowX: number, windowY: number): void {
    const run = blockAt(this.model, sample);
    const lines = placeLines(this.model, sample, run);
    this.tooltip.showLines(lines.map((text, index) => line(text, index === 0 ? "tooltip-title" : "")), windowX, windowY);
    this.canvases.hover = run && { viewRow: sample.line.viewRow, begin: run.begin, end: run.end };
    this.canvases.drawOverlay();
  }

  private openBlockAt(sample: Sample): void {
    const run = blockAt(this.model, sample);
    if (run) this.revealTimes(run.firstRow, run.begin, run.end);
  }

  private resize(): void {
    this.canvases.resize();
    this.changed(false);
  }

  private drawn(ms: number): void {
    this.status.textContent = describeView(this.model);
    this.root.dataset.paintMs = ms.toFixed(1);
    this.root.dataset.paintedMs ??= performance.now().toFixed(1);
  }
}
