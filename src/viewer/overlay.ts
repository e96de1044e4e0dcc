// What is drawn over the painted rows: time axis, row labels, names of wide segments, instants, the slice under the pointer.

import { textOn } from "./colours";
import { Segments } from "./flatten";
import { Instants, RunData, firstPast } from "./run_data";
import * as units from "./units";
import { Viewport } from "./viewport";

export const AXIS_HEIGHT = 26;
export const LABEL_WIDTH = 122;
const LABEL_SPACING = 14;
const TICK_SPACING = 110;
const NAMED_WIDTH = 34;
const NAMED_HEIGHT = 11;
const MAX_INSTANTS = 20000;

export interface OverlayColours {
  text: string;
  faint: string;
  line: string;
  ground: string;
  alarm: string;
}

/** The slice or gap to outline. */
export interface Outline {
  row: number;
  begin: number;
  end: number;
}

export interface OverlayInput {
  data: RunData;
  segments: Segments;
  view: Viewport;
  scopeNames: string[];
  scopeColours: string[];
  colours: OverlayColours;
  outline: Outline | undefined;
}

/** Draws everything; the context's unit is the CSS pixel, its origin the top left of axis and labels. */
export function drawOverlay(context: CanvasRenderingContext2D, input: OverlayInput): void {
  const { view } = input;
  context.clearRect(0, 0, view.width + LABEL_WIDTH, view.height + AXIS_HEIGHT);
  context.textBaseline = "middle";
  drawLabels(context, input);
  context.save();
  context.translate(LABEL_WIDTH, 0);
  drawAxis(context, input);
  context.beginPath();
  context.rect(0, AXIS_HEIGHT, view.width, view.height);
  context.clip();
  context.translate(0, AXIS_HEIGHT);
  drawNames(context, input);
  drawAllInstants(context, input);
  drawOutline(context, input);
  context.restore();
}

function drawAxis(context: CanvasRenderingContext2D, { view, colours }: OverlayInput): void {
  const step = niceStep(view.nsPerPixel * TICK_SPACING);
  const end = view.timeAt(view.width);
  const largest = Math.max(Math.abs(view.begin), Math.abs(end));
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  for (let tick = Math.ceil(view.begin / step); tick * step <= end; tick++) {
    const x = Math.round(view.xOf(tick * step)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(x - 0.5, 16, 1, view.height + AXIS_HEIGHT - 16);
    context.fillStyle = colours.faint;
    const text = units.instant(tick * step, step, largest);
    if (x + context.measureText(text).width < view.width) context.fillText(text, x + 4, 11);
  }
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function drawLabels(context: CanvasRenderingContext2D, { data, view, colours }: OverlayInput): void {
  const last = Math.min(data.rowCount, Math.ceil(view.rowAt(view.height)));
  const step = view.rowHeight >= 3 ? 1 : Math.floor(LABEL_SPACING / view.rowHeight / 2);
  let labelled = -1;
  let freeFrom = AXIS_HEIGHT - LABEL_SPACING;
  for (let row = Math.floor(view.topRow); row < last; row += step) {
    const firstOfBlock = row === 0 || data.block[row - 1] !== data.block[row];
    const y = AXIS_HEIGHT + view.yOf(row) + view.rowHeight / 2;
    if (y < AXIS_HEIGHT) continue;
    if (firstOfBlock && row > 0 && view.rowHeight >= 3) drawBlockLine(context, view, row, colours);
    if (data.block[row] !== labelled && y >= freeFrom + LABEL_SPACING) {
      context.font = "600 11px system-ui, sans-serif";
      context.fillStyle = colours.text;
      context.textAlign = "left";
      const labelY = Math.max(y, AXIS_HEIGHT + 6);
      context.fillText(`block ${data.block[row]}`, 2, labelY);
      freeFrom = labelY;
      labelled = data.block[row];
    }
    if (view.rowHeight >= NAMED_HEIGHT) {
      context.font = "11px system-ui, sans-serif";
      context.fillStyle = colours.faint;
      context.textAlign = "right";
      context.fillText(`warp ${data.warp[row]}`, LABEL_WIDTH - 8, y);
    }
  }
}

function drawBlockLine(context: CanvasRenderingContext2D, view: Viewport, row: number, colours: OverlayColours): void {
  const y = Math.round(AXIS_HEIGHT + view.yOf(row)) - 1;
  context.fillStyle = colours.ground;
  context.fillRect(LABEL_WIDTH, y, view.width, 1);
  context.fillStyle = colours.line;
  context.fillRect(0, y, LABEL_WIDTH + view.width, 1);
}

function drawNames(context: CanvasRenderingContext2D, input: OverlayInput): void {
  const { data, view, segments, scopeNames, scopeColours } = input;
  if (view.rowHeight < NAMED_HEIGHT) return;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  const widths = scopeNames.map((name) => context.measureText(name).width + 8);
  const last = Math.min(data.rowCount, Math.ceil(view.rowAt(view.height)));
  for (let row = Math.floor(view.topRow); row < last; row++) {
    const { start, stop, slice, begin, end } = segments.of(row);
    const y = view.yOf(row) + (view.rowHeight - 1) / 2;
    const narrowest = NAMED_WIDTH * view.nsPerPixel;
    let at = firstPast(stop, begin, end, view.begin);
    for (; at < end && start[at] < view.timeAt(view.width); at++) {
      if (stop[at] - start[at] < narrowest) continue;
      const left = Math.max(view.xOf(start[at]), 0);
      const scope = data.scope[slice[at]];
      if (view.xOf(stop[at]) - left < widths[scope]) continue;
      context.fillStyle = textOn(scopeColours[scope]);
      context.fillText(scopeNames[scope], left + 4, y + 0.5);
    }
  }
}

function drawAllInstants(context: CanvasRenderingContext2D, input: OverlayInput): void {
  const { data, colours } = input;
  drawInstants(context, input, data.marks, (x, y, height) => {
    context.fillStyle = colours.text;
    context.fillRect(x - 1, y, 2, height);
  });
  drawInstants(context, input, data.orphanStarts, (x, y, height) => drawOrphan(context, colours, x, y, height, 1));
  drawInstants(context, input, data.orphanEnds, (x, y, height) => drawOrphan(context, colours, x, y, height, -1));
}

/** At most one a pixel, and no more than a frame can draw. */
function drawInstants(
  context: CanvasRenderingContext2D,
  { data, view }: OverlayInput,
  instants: Instants,
  draw: (x: number, y: number, height: number) => void,
): void {
  if (instants.time.length === 0) return;
  let left = MAX_INSTANTS;
  const last = Math.min(data.rowCount, Math.ceil(view.rowAt(view.height)));
  for (let row = Math.floor(view.topRow); row < last && left > 0; row++) {
    const end = instants.first[row + 1];
    let at = firstPast(instants.time, instants.first[row], end, view.begin - 4 * view.nsPerPixel);
    for (let drawn = -Infinity; at < end && left > 0; at++) {
      const x = Math.round(view.xOf(instants.time[at]));
      if (x > view.width + 4) break;
      if (x === drawn) continue;
      draw(x, view.yOf(row), Math.max(view.rowHeight - 1, 2));
      drawn = x;
      left--;
    }
  }
  context.globalAlpha = 1;
}

/** A bar with a flag to the side where the other half is missing. */
function drawOrphan(
  context: CanvasRenderingContext2D,
  colours: OverlayColours,
  x: number,
  y: number,
  height: number,
  side: number,
): void {
  context.fillStyle = colours.alarm;
  context.fillRect(x - 1, y, 2, height);
  if (height < 6) return;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + 6 * side, y + height / 2);
  context.lineTo(x, y + height);
  context.fill();
}

function drawOutline(context: CanvasRenderingContext2D, { view, colours, outline }: OverlayInput): void {
  if (!outline) return;
  const left = Math.max(view.xOf(outline.begin), -2);
  const right = Math.min(view.xOf(outline.end), view.width + 2);
  const top = view.yOf(outline.row);
  context.strokeStyle = colours.text;
  context.lineWidth = 1.5;
  context.strokeRect(left, top + 0.5, Math.max(right - left, 2), Math.max(view.rowHeight - 1.5, 2));
}
