// The two canvases of the timeline: painted rows below, axis, labels and marks above.

import { pixel } from "../colours";
import { element } from "../dom";
import { OCCUPANCY_HEIGHT } from "./axis";
import { Model } from "./model";
import { WHOLE_BLOCK } from "./order";
import { Outline, OverlayColours, drawOverlay } from "./overlay";
import { Line, Palette, Window, jitter, lineAt, paint } from "./paint";
import { WAVE_COLOURS } from "./sm_layout";
import { AXIS_HEIGHT, LABEL_WIDTH, PREFERRED_ROW_HEIGHT } from "./viewport";

const MIN_HEIGHT = 110;
const DIMMED = 0.22;

/** What a painted pixel shows. */
export interface Sample {
  line: Line;
  time: number;
}

export class Canvases {
  readonly frame = element("div", "frame");
  readonly overlay = element("canvas", "overlay");
  hover: Outline | undefined;
  outliers: number[] = [];
  private readonly rows = element("canvas", "rows");
  private picture: ImageData | undefined;
  private styles: CSSStyleDeclaration | undefined;

  constructor(private readonly model: Model) {
    this.overlay.tabIndex = 0;
    this.overlay.setAttribute("role", "application");
    this.overlay.setAttribute(
      "aria-label",
      "Timeline. Keys: W and S zoom, A and D move, comma and period go from slice to slice, question mark lists all keys. The Statistics tab holds the same figures as a table.",
    );
    this.frame.append(this.rows, this.overlay);
  }

  /** Takes the size of its place. */
  resize(): void {
    const { view } = this.model;
    view.top = AXIS_HEIGHT + (this.model.level === "sms" ? OCCUPANCY_HEIGHT : 0);
    const width = Math.max(this.frame.clientWidth - LABEL_WIDTH, 50);
    const most = Math.max(window.innerHeight * 0.62, 300);
    const height = Math.round(Math.min(Math.max(view.rowCount * PREFERRED_ROW_HEIGHT, MIN_HEIGHT), most));
    view.resize(width, height);
    this.frame.style.height = `${height + view.top}px`;
    this.rows.style.top = `${view.top}px`;
    setStyleSize(this.rows, width, height);
    setStyleSize(this.overlay, width + LABEL_WIDTH, height + view.top);
  }

  /** Paints the rows; `ratio` device pixels a CSS pixel, every `lineStep`th line. */
  drawRows(ratio: number, lineStep: number): void {
    const { view, rows, source } = this.model;
    setPixels(this.rows, view.width, view.height, ratio);
    const context = this.rows.getContext("2d", { alpha: false });
    if (!context) return;
    const { width, height } = this.rows;
    if (this.picture?.width !== width || this.picture.height !== height) this.picture = context.createImageData(width, height);
    const pixels = new Uint32Array(this.picture.data.buffer);
    paint({ pixels, width, height }, this.window(ratio, lineStep), rows, source, this.palette());
    context.putImageData(this.picture, 0, 0);
  }

  drawOverlay(): void {
    const { view } = this.model;
    setPixels(this.overlay, view.width + LABEL_WIDTH, view.height + view.top, devicePixelRatio);
    const context = this.overlay.getContext("2d");
    if (!context) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    drawOverlay(context, {
      model: this.model,
      colours: this.overlayColours(),
      hover: this.hover,
      outliers: this.outliers,
      names: this.model.facts.scopes.map((scope) => scope.name),
      palette: this.model.level === "sms" ? WAVE_COLOURS : this.model.colours,
    });
  }

  /** What the painted line at a height below the axis shows, and the instant of its pixel at `x`. */
  sampleAt(x: number, y: number): Sample | undefined {
    const window = this.window(devicePixelRatio, 1);
    const line = lineAt(window, this.model.rows, Math.floor(y * devicePixelRatio));
    if (line.viewRow < 0 || line.viewRow >= this.model.rows.count) return undefined;
    const part = this.model.rows.part[line.viewRow];
    const { seed } = this.model.source.of(this.model.rows.members[line.member], part);
    const column = window.firstColumn + Math.floor(x * devicePixelRatio);
    return { line, time: (column + jitter(seed, column)) * window.nsPerPixel };
  }

  private window(ratio: number, lineStep: number): Window {
    const { view } = this.model;
    const nsPerPixel = view.nsPerPixel / ratio;
    return {
      firstColumn: Math.round(view.begin / nsPerPixel),
      nsPerPixel,
      topRow: view.topRow,
      rowHeight: view.rowHeight * ratio,
      rowGap: view.rowHeight >= 6 ? Math.round(ratio) : 0,
      lineStep,
    };
  }

  private palette(): Palette {
    const { hits, level, colours } = this.model;
    const outside = pixel(this.colour("--canvas"));
    const stretch = Uint32Array.from(level === "sms" ? WAVE_COLOURS : colours, pixel);
    if (hits && level !== "sms") stretch.forEach((colour, scope) => hits.has(scope) || (stretch[scope] = mix(colour, outside, DIMMED)));
    return { stretch, gap: pixel(this.colour("--gap")), outside };
  }

  private overlayColours(): OverlayColours {
    return {
      text: this.colour("--text"),
      faint: this.colour("--faint"),
      line: this.colour("--grid"),
      ground: this.colour("--canvas"),
      alarm: this.colour("--alarm"),
      accent: this.colour("--accent"),
    };
  }

  private colour(name: string): string {
    this.styles ??= getComputedStyle(document.documentElement);
    return this.styles.getPropertyValue(name).trim();
  }
}

/** A view row of blocks shows one warp a line: the warp of a line. */
export function warpOf(model: Model, line: Line): { row: number; thread: number } {
  const part = model.rows.part[line.viewRow];
  return { row: model.rows.members[line.member], thread: part === WHOLE_BLOCK ? -1 : part };
}

function mix(colour: number, ground: number, share: number): number {
  const channel = (shift: number) =>
    Math.round(((colour >>> shift) & 0xff) * share + ((ground >>> shift) & 0xff) * (1 - share)) << shift;
  return (channel(0) | channel(8) | channel(16) | (0xff << 24)) >>> 0;
}

function setStyleSize(canvas: HTMLCanvasElement, width: number, height: number): void {
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

/** Setting a size clears the canvas: only when it is another one. */
function setPixels(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): void {
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth;
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight;
}
