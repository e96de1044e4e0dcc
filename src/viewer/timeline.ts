// The timeline: a row a warp on two canvases, the painted rows below and the overlay above.

import { pixel } from "./colours";
import { button, element } from "./dom";
import { RunFacts } from "./facts";
import { Segments } from "./flatten";
import { attachGestures } from "./gestures";
import { makeLegend } from "./legend";
import { AXIS_HEIGHT, LABEL_WIDTH, Outline, OverlayColours, drawOverlay } from "./overlay";
import { Painter, Picture, jitter, sampledRow } from "./paint";
import { Picked, pick } from "./pick";
import { RunData, rowEnd } from "./run_data";
import { Tooltip } from "./tooltip";
import * as units from "./units";
import { Viewport } from "./viewport";

const PREFERRED_ROW_HEIGHT = 22;
const MIN_HEIGHT = 110;
const SLOW_FRAME_MS = 14;
const SETTLE_MS = 90;
const REACH_PIXELS = 4;

export class Timeline {
  readonly root = element("section", "card timeline");
  readonly view: Viewport;
  private readonly frame = element("div", "frame");
  private readonly rowsCanvas = element("canvas", "rows");
  private readonly overlayCanvas = element("canvas", "overlay");
  private readonly status = element("span", "faint status");
  private readonly segments: Segments;
  private readonly rowEnds: Float64Array;
  private readonly tooltip: Tooltip;
  private picture: ImageData | undefined;
  private outline: Outline | undefined;
  private lineStep = 1;
  private frameRequest = 0;
  private settleTimer = 0;
  private readonly resized = new ResizeObserver(() => this.resize());

  constructor(
    private readonly facts: RunFacts,
    private readonly data: RunData,
    private readonly colours: string[],
  ) {
    this.segments = new Segments(data, facts.scopes.length);
    this.rowEnds = Float64Array.from({ length: data.rowCount }, (_, row) => rowEnd(data, row));
    this.view = new Viewport(Math.min(facts.first_ns, 0), Math.max(facts.last_ns, 1), data.rowCount);
    this.tooltip = new Tooltip(facts, data, colours);
    this.build();
    attachGestures(this.overlayCanvas, this);
  }

  /** Starts to follow the size of its place; call once it is in the page. */
  start(): void {
    this.resize();
    this.fit();
    this.resized.observe(this.frame);
  }

  /** Lets go of the page. */
  stop(): void {
    this.resized.disconnect();
    this.tooltip.box.remove();
    cancelAnimationFrame(this.frameRequest);
    clearTimeout(this.settleTimer);
  }

  fit(): void {
    this.view.fit(Math.min(PREFERRED_ROW_HEIGHT, this.view.lowestRowHeight()));
    this.changed(false);
  }

  /** Draws soon; while `moving` coarsely if a frame is slow, then finely once at rest. */
  changed(moving: boolean): void {
    clearTimeout(this.settleTimer);
    if (!moving) this.lineStep = 1;
    else this.settleTimer = window.setTimeout(() => this.changed(false), SETTLE_MS);
    if (!this.frameRequest) this.frameRequest = requestAnimationFrame(() => this.draw());
  }

  /** What is at a point of the overlay, if that is a row. */
  pickAt(x: number, y: number): Picked | undefined {
    const column = x - LABEL_WIDTH;
    const line = y - AXIS_HEIGHT;
    if (column < 0 || line < 0 || line >= this.view.height) return undefined;
    const row = this.rowAtLine(line);
    if (row >= this.data.rowCount) return undefined;
    const reach = REACH_PIXELS * this.view.nsPerPixel;
    return pick(this.data, this.segments, this.rowEnds, row, this.sampleTime(row, column), reach);
  }

  /** Shows the tooltip for a point of the overlay, at a point of the window. */
  hover(x: number, y: number, windowX: number, windowY: number): void {
    const picked = this.pickAt(x, y);
    if (!picked) return this.leave();
    this.tooltip.show(picked, windowX, windowY);
    this.outline = picked.inLife ? { row: picked.row, begin: picked.begin, end: picked.end } : undefined;
    this.drawOverlay();
  }

  leave(): void {
    this.tooltip.hide();
    if (!this.outline) return;
    this.outline = undefined;
    this.drawOverlay();
  }

  /** Shows one warp around some times, as the most-gap table asks. */
  reveal(row: number, begin: number, end: number): void {
    this.view.showTimes(begin, end);
    this.view.showRow(row);
    this.changed(false);
    this.root.scrollIntoView({ block: "nearest" });
  }

  private build(): void {
    const canvas = this.overlayCanvas;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Timeline of warps. The table of scopes holds the same figures.");
    this.frame.append(this.rowsCanvas, canvas);
    const zoom = (time: number, rows: number) => () => {
      this.view.zoomTime(time, this.view.width / 2);
      this.view.zoomRows(rows, this.view.height / 2);
      this.changed(false);
    };
    const tools = element(
      "div",
      "tools",
      this.status,
      button("Fit", "Show all times and all warps (0)", () => this.fit()),
      button("Time \u2212", "Zoom out in time (S)", zoom(2, 1)),
      button("Time +", "Zoom in in time (W)", zoom(0.5, 1)),
      button("Rows \u2212", "Lower rows (Ctrl+Shift+wheel)", zoom(1, 0.5)),
      button("Rows +", "Higher rows (Ctrl+Shift+wheel)", zoom(1, 2)),
    );
    const legend = makeLegend(this.facts, this.data, this.colours, (scope, hidden) => {
      this.segments.setHidden(scope, hidden);
      this.changed(false);
    });
    const keys = "Ctrl+wheel zooms time, Ctrl+Shift+wheel rows; wheel scrolls rows; drag pans; double-click zooms to a slice. Keys: W S A D, arrows, 0.";
    this.root.append(
      element("div", "card-head", element("h2", "", "Timeline"), tools),
      legend,
      this.frame,
      element("p", "faint", keys),
    );
    document.body.append(this.tooltip.box);
  }

  private resize(): void {
    const width = Math.max(this.frame.clientWidth - LABEL_WIDTH, 50);
    const most = Math.max(window.innerHeight * 0.62, 300);
    const height = Math.round(Math.min(Math.max(this.data.rowCount * PREFERRED_ROW_HEIGHT, MIN_HEIGHT), most));
    const atRest = this.view.rowHeight <= this.view.lowestRowHeight() * 1.001;
    this.view.width = width;
    this.view.height = height;
    const ratio = window.devicePixelRatio || 1;
    this.frame.style.height = `${height + AXIS_HEIGHT}px`;
    setSize(this.rowsCanvas, width, height, ratio);
    setSize(this.overlayCanvas, width + LABEL_WIDTH, height + AXIS_HEIGHT, ratio);
    this.picture = undefined;
    if (atRest) this.view.rowHeight = Math.min(PREFERRED_ROW_HEIGHT, this.view.lowestRowHeight());
    this.view.clamp();
    this.changed(false);
  }

  /** The instant that the pixel at `x` shows, so that the tooltip agrees with its colour. */
  private sampleTime(row: number, x: number): number {
    const ratio = window.devicePixelRatio || 1;
    const nsPerPixel = this.view.nsPerPixel / ratio;
    const column = Math.round(this.view.begin / nsPerPixel) + Math.floor(x * ratio);
    return (column + jitter(row, column)) * nsPerPixel;
  }

  private rowAtLine(line: number): number {
    const ratio = window.devicePixelRatio || 1;
    const rowHeight = this.view.rowHeight * ratio;
    if (rowHeight >= 1) return Math.floor(this.view.rowAt(line));
    return sampledRow(Math.round(this.view.topRow * rowHeight) + Math.floor(line * ratio), rowHeight);
  }

  private draw(): void {
    this.frameRequest = 0;
    const began = performance.now();
    this.drawRows();
    const took = performance.now() - began;
    this.root.dataset.paintMs = took.toFixed(1);
    if (took > SLOW_FRAME_MS) this.lineStep = Math.min(4, this.lineStep + 1);
    this.drawOverlay();
    this.status.textContent = this.describe();
  }

  private drawRows(): void {
    const context = this.rowsCanvas.getContext("2d", { alpha: false });
    if (!context) return;
    const { width, height } = this.rowsCanvas;
    this.picture ??= context.createImageData(width, height);
    const ratio = window.devicePixelRatio || 1;
    const nsPerPixel = this.view.nsPerPixel / ratio;
    const picture: Picture = { pixels: new Uint32Array(this.picture.data.buffer), width, height };
    const painter = new Painter(this.data, this.segments, this.rowEnds, this.pixelColours());
    painter.paint(picture, {
      firstColumn: Math.round(this.view.begin / nsPerPixel),
      nsPerPixel,
      topRow: this.view.topRow,
      rowHeight: this.view.rowHeight * ratio,
      rowGap: this.view.rowHeight >= 6 ? Math.round(ratio) : 0,
      lineStep: this.lineStep,
    });
    context.putImageData(this.picture, 0, 0);
  }

  private pixelColours() {
    const style = getComputedStyle(document.documentElement);
    return {
      scope: Uint32Array.from(this.colours, pixel),
      gap: pixel(style.getPropertyValue("--gap").trim()),
      outside: pixel(style.getPropertyValue("--canvas").trim()),
    };
  }

  private drawOverlay(): void {
    const context = this.overlayCanvas.getContext("2d");
    if (!context) return;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawOverlay(context, {
      data: this.data,
      segments: this.segments,
      view: this.view,
      scopeNames: this.facts.scopes.map((scope) => scope.name),
      scopeColours: this.colours,
      colours: overlayColours(),
      outline: this.outline,
    });
  }

  private describe(): string {
    const { view } = this;
    const shown = view.height / view.rowHeight;
    const begin = Math.max(view.begin, 0);
    const times = `${units.duration(Math.min(view.width * view.nsPerPixel, this.facts.last_ns))} from ${units.duration(begin)}`;
    const rows = `${units.count(Math.min(Math.ceil(shown), view.rowCount))} of ${units.counted(view.rowCount, "warp")}`;
    const sampled = 1 / (view.rowHeight * (window.devicePixelRatio || 1));
    const note = sampled > 1.05 ? `, 1 of ${sampled.toFixed(1)} sampled` : "";
    return `${times} \u00b7 ${rows}${note}`;
  }
}

function setSize(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): void {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

function overlayColours(): OverlayColours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return { text: of("--text"), faint: of("--faint"), line: of("--grid"), ground: of("--canvas"), alarm: of("--alarm") };
}
