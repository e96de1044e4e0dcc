// Paints rows pixel by pixel. Each pixel shows what its row did at one hashed instant inside the pixel's time, so that the
// share of a colour is that scope's share of time: rules such as "longest wins" or even sampling show false shares.

import { Segments } from "./flatten";
import { RunData, firstPast } from "./run_data";

/** Pixels as 32-bit words, see colours.ts. */
export interface Picture {
  pixels: Uint32Array;
  width: number;
  height: number;
}

export interface Colours {
  scope: Uint32Array;
  gap: number;
  outside: number;
}

/** The window in device pixels: column c shows the times from c * nsPerPixel on. */
export interface Window {
  firstColumn: number;
  nsPerPixel: number;
  topRow: number;
  rowHeight: number;
  /** Pixels left free between rows. */
  rowGap: number;
  /** Paint only every so-manieth line of very low rows, and repeat it. */
  lineStep: number;
}

export class Painter {
  constructor(
    private readonly data: RunData,
    private readonly segments: Segments,
    private readonly rowEnds: Float64Array,
    private readonly colours: Colours,
  ) {}

  paint(picture: Picture, window: Window): void {
    picture.pixels.fill(this.colours.outside);
    if (this.data.rowCount === 0) return;
    if (window.rowHeight >= 1) this.paintHighRows(picture, window);
    else this.paintLowRows(picture, window);
  }

  private paintHighRows(picture: Picture, window: Window): void {
    const first = Math.max(0, Math.floor(window.topRow));
    for (let row = first; row < this.data.rowCount; row++) {
      const top = Math.max(0, Math.round((row - window.topRow) * window.rowHeight));
      const bottom = Math.min(picture.height, Math.round((row + 1 - window.topRow) * window.rowHeight) - window.rowGap);
      if (top >= picture.height) return;
      if (bottom > top) this.paintLines(picture, window, row, top, bottom);
    }
  }

  /** Several rows a line: each line shows one hashed row of its own. */
  private paintLowRows(picture: Picture, window: Window): void {
    const firstLine = Math.round(window.topRow * window.rowHeight);
    for (let y = 0; y < picture.height; y += window.lineStep) {
      const line = firstLine + y;
      const row = sampledRow(line, window.rowHeight);
      if (row >= this.data.rowCount) return;
      this.paintLines(picture, window, row, y, Math.min(y + window.lineStep, picture.height));
    }
  }

  private paintLines(picture: Picture, window: Window, row: number, top: number, bottom: number): void {
    const { width, pixels } = picture;
    const at = top * width;
    this.paintRow(pixels, at, width, window, row);
    for (let y = top + 1; y < bottom; y++) pixels.copyWithin(y * width, at, at + width);
  }

  private paintRow(pixels: Uint32Array, at: number, width: number, window: Window, row: number): void {
    const { start, stop, slice, begin, end } = this.segments.of(row);
    const { scope } = this.data;
    const { gap, outside, scope: colours } = this.colours;
    const enter = this.data.enter[row];
    const exit = this.rowEnds[row];
    let segment = firstPast(stop, begin, end, window.firstColumn * window.nsPerPixel);
    for (let x = 0; x < width; x++) {
      const column = window.firstColumn + x;
      const time = (column + jitter(row, column)) * window.nsPerPixel;
      if (segment < end && stop[segment] <= time) segment = gallop(stop, segment, end, time);
      if (segment < end && start[segment] <= time) pixels[at + x] = colours[scope[slice[segment]]];
      else pixels[at + x] = time >= enter && time < exit ? gap : outside;
    }
  }
}

/** The row that a line shows when rows are lower than a line. */
export function sampledRow(line: number, rowHeight: number): number {
  return Math.floor((line + jitter(0x5bd1e995, line)) / rowHeight);
}

/** A fraction in [0, 1) that depends on nothing but its arguments, so that a picture does not shimmer when it moves. */
export function jitter(row: number, column: number): number {
  let hash = Math.imul((row + 1) | 0, 0x9e3779b1) ^ Math.imul((column % 4294967296) | 0, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}

/** The first segment from `from` on that ends after `time`, fast when it is near. */
function gallop(stop: Float64Array, from: number, to: number, time: number): number {
  let step = 1;
  while (from + step < to && stop[from + step] <= time) {
    from += step;
    step *= 2;
  }
  return firstPast(stop, from, Math.min(from + step + 1, to), time);
}
