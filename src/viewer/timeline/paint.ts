// Paints rows pixel by pixel. Each pixel shows what its row did at one hashed instant inside the pixel's time, so that the
// share of a colour is that scope's share of time: rules such as "longest wins" or even sampling show false shares.

import { firstPast } from "../run_data";
import { ViewRows } from "./order";
import { Strip, StripSource } from "./strips";

/** Pixels as 32-bit words, see colours.ts. */
export interface Picture {
  pixels: Uint32Array;
  width: number;
  height: number;
}

export interface Palette {
  /** By the colour of a strip's stretch. */
  stretch: Uint32Array;
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
  /** Paint only every so-manieth line, and repeat it. */
  lineStep: number;
}

/** What one line of pixels shows; `viewRow` is past the last row below the rows. */
export interface Line {
  viewRow: number;
  member: number;
}

export function paint(picture: Picture, window: Window, rows: ViewRows, strips: StripSource, palette: Palette): void {
  const { pixels, width, height } = picture;
  pixels.fill(palette.outside);
  const columns = makeColumns(window, width);
  let last = { viewRow: -1, member: -1 };
  for (let y = 0; y < height; y += window.lineStep) {
    const line = lineAt(window, rows, y);
    if (line.viewRow >= rows.count) break;
    const at = y * width;
    if (line.viewRow === last.viewRow && line.member === last.member) {
      pixels.copyWithin(at, at - window.lineStep * width, at - (window.lineStep - 1) * width);
    } else {
      const strip = strips.of(rows.members[line.member], rows.part[line.viewRow]);
      paintStrip(pixels, at, width, window, columns, strip, palette);
    }
    for (let copy = 1; copy < window.lineStep && y + copy < height; copy++) pixels.copyWithin(at + copy * width, at, at + width);
    last = line;
  }
  if (window.rowGap > 0) clearGaps(picture, window, rows, palette.outside);
}

/** What all rows share, by column. */
interface Columns {
  /** When it begins; one more than there are columns. */
  begin: Float64Array;
  hash: Int32Array;
}

function makeColumns({ firstColumn, nsPerPixel }: Window, width: number): Columns {
  const begin = Float64Array.from({ length: width + 1 }, (_, x) => (firstColumn + x) * nsPerPixel);
  return { begin, hash: Int32Array.from({ length: width }, (_, x) => columnHash(firstColumn + x)) };
}

/** Rows or warps lower than a line share lines: each line shows one of them, by hash. */
export function lineAt(window: Window, rows: ViewRows, y: number): Line {
  const { topRow, rowHeight } = window;
  const absolute = Math.round(topRow * rowHeight) + y;
  const hashed = (absolute + jitter(0x5bd1e995, absolute)) / rowHeight;
  const viewRow = rowHeight < 1 ? Math.floor(hashed) : Math.floor(topRow + (y + 0.5) / rowHeight);
  if (viewRow >= rows.count) return { viewRow, member: 0 };
  const first = rows.first[viewRow];
  const members = rows.first[viewRow + 1] - first;
  if (members === 1) return { viewRow, member: first };
  const exact = rowHeight < members ? hashed : topRow + (y + 0.5) / rowHeight;
  const within = Math.min(Math.max(exact - viewRow, 0), 0.999999);
  return { viewRow, member: first + Math.floor(within * members) };
}

/** Columns without life are left as they are. */
function paintStrip(pixels: Uint32Array, at: number, width: number, window: Window, columns: Columns, strip: Strip, palette: Palette): void {
  const { start, stop, colour, end, enter, exit } = strip;
  const { gap, outside, stretch } = palette;
  const { nsPerPixel, firstColumn } = window;
  const { begin, hash } = columns;
  const scale = nsPerPixel / 4294967296;
  const row = rowHash(strip.seed);
  const first = Math.max(0, Math.floor(enter / nsPerPixel) - firstColumn);
  const last = Math.min(width, Math.ceil(exit / nsPerPixel) - firstColumn);
  let index = firstPast(stop, strip.begin, end, (firstColumn + first) * nsPerPixel);
  for (let x = first; x < last; x++) {
    const time = begin[x] + mixed(row, hash[x]) * scale;
    if (index < end && stop[index] <= time) index = gallop(stop, index, end, time);
    if (index < end && start[index] <= time) {
      const pixel = stretch[colour[index]];
      pixels[at + x] = pixel;
      // Columns that the stretch fills need no hash.
      while (x + 1 < last && stop[index] >= begin[x + 2]) pixels[at + ++x] = pixel;
    } else {
      pixels[at + x] = time >= enter && time < exit ? gap : outside;
    }
  }
}

function clearGaps({ pixels, width, height }: Picture, { topRow, rowHeight, rowGap }: Window, rows: ViewRows, outside: number): void {
  for (let row = Math.floor(topRow); row < rows.count; row++) {
    const bottom = Math.round((row + 1 - topRow) * rowHeight);
    if (bottom - rowGap >= height) return;
    pixels.fill(outside, Math.max(0, bottom - rowGap) * width, Math.max(0, bottom) * width);
  }
}

/** A fraction in [0, 1) that depends on nothing but its arguments, so that a picture does not shimmer when it moves. */
export function jitter(seed: number, column: number): number {
  return mixed(rowHash(seed), columnHash(column)) / 4294967296;
}

function rowHash(seed: number): number {
  return avalanche(Math.imul((seed + 1) | 0, 0x9e3779b1));
}

function columnHash(column: number): number {
  return avalanche(Math.imul((column % 4294967296) | 0, 0x85ebca6b) ^ 0x68e31da4);
}

function avalanche(value: number): number {
  let hash = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return hash ^ (hash >>> 15);
}

/** A whole number below 2^32. */
function mixed(row: number, column: number): number {
  const hash = Math.imul(row ^ column, 0x2c1b3c6d);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The first stretch from `from` on that ends after `time`, fast when it is near. */
function gallop(stop: Strip["stop"], from: number, to: number, time: number): number {
  let step = 1;
  while (from + step < to && stop[from + step] <= time) {
    from += step;
    step *= 2;
  }
  return firstPast(stop, from, Math.min(from + step + 1, to), time);
}
