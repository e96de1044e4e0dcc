// What is drawn over the painted rows: axis, labels, names of wide stretches, instants, outliers, selection, outlines.

import { textOn } from "../colours";
import { firstPast, rowOfSlice } from "../run_data";
import { drawAxis, drawOccupancy } from "./axis";
import { drawAllInstants } from "./instants";
import { drawLabels, drawOccupancyLabel } from "./labels";
import { Model } from "./model";
import { WHOLE_BLOCK } from "./order";
import { LABEL_WIDTH } from "./viewport";

const NAMED_WIDTH = 34;
const NAMED_HEIGHT = 11;

export interface OverlayColours {
  text: string;
  faint: string;
  line: string;
  ground: string;
  alarm: string;
  accent: string;
}

/** A stretch of a view row to outline. */
export interface Outline {
  viewRow: number;
  begin: number;
  end: number;
}

export interface OverlayInput {
  model: Model;
  colours: OverlayColours;
  hover: Outline | undefined;
  /** The slices that deserve a tick where they would be missed. */
  outliers: number[];
  names: string[];
  palette: string[];
}

/** Draws everything; the context's unit is the CSS pixel, its origin the top left of axis and labels. */
export function drawOverlay(context: CanvasRenderingContext2D, input: OverlayInput): void {
  const { model, colours } = input;
  const { view } = model;
  context.clearRect(0, 0, view.width + LABEL_WIDTH, view.height + view.top);
  context.textBaseline = "middle";
  drawLabels(context, model, colours);
  if (model.level === "sms") drawOccupancyLabel(context, model, colours);
  context.save();
  context.translate(LABEL_WIDTH, 0);
  drawAxis(context, view, colours);
  if (model.level === "sms") drawOccupancy(context, view, model.occupancy, colours);
  context.beginPath();
  context.rect(0, view.top, view.width, view.height);
  context.clip();
  context.translate(0, view.top);
  drawNames(context, input);
  drawAllInstants(context, model, colours);
  drawOutliers(context, input);
  drawSelection(context, input);
  drawCursor(context, input);
  if (input.hover) drawOutline(context, model, input.hover, colours.text, 1.5);
  context.restore();
}

function drawNames(context: CanvasRenderingContext2D, { model, names, palette }: OverlayInput): void {
  const { view, rows } = model;
  if (view.rowHeight < NAMED_HEIGHT) return;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  const widths = names.map((name) => context.measureText(name).width + 8);
  const last = Math.min(rows.count, Math.ceil(view.rowAt(view.height)));
  for (let viewRow = Math.floor(view.topRow); viewRow < last; viewRow++) {
    if (rows.part[viewRow] === WHOLE_BLOCK) continue;
    const strip = model.source.of(rows.members[rows.first[viewRow]], rows.part[viewRow]);
    const { start, stop, colour, end } = strip;
    const y = view.yOf(viewRow) + (view.rowHeight - 1) / 2;
    for (let at = firstPast(stop, strip.begin, end, view.begin); at < end && start[at] < view.end; at++) {
      if (stop[at] - start[at] < NAMED_WIDTH * view.nsPerPixel) continue;
      const left = Math.max(view.xOf(start[at]), 0);
      const name = model.level === "sms" ? smName(model, strip.item[at]) : names[colour[at]];
      const width = model.level === "sms" ? context.measureText(name).width + 8 : widths[colour[at]];
      if (view.xOf(stop[at]) - left < width) continue;
      context.fillStyle = textOn(palette[colour[at]]);
      context.fillText(name, left + 4, y + 0.5);
    }
  }
}

function smName(model: Model, block: number): string {
  return `block ${model.smLayout.blocks[block].block}`;
}

/** Small triangles: the longest slices of each scope can be thinner than a pixel. */
function drawOutliers(context: CanvasRenderingContext2D, { model, outliers, colours }: OverlayInput): void {
  if (model.level === "sms") return;
  const { view, rows, data } = model;
  context.fillStyle = colours.text;
  for (const slice of outliers) {
    const viewRow = rows.viewRowOf[rowOfSlice(data, slice)];
    if (viewRow < 0 || model.hidden.has(data.scope[slice])) continue;
    const x = (view.xOf(data.start[slice]) + view.xOf(data.end[slice])) / 2;
    const y = view.yOf(viewRow);
    if (x < 0 || x > view.width || y < -4 || y > view.height) continue;
    context.beginPath();
    context.moveTo(x - 3.5, y - 1);
    context.lineTo(x + 3.5, y - 1);
    context.lineTo(x, y + 4);
    context.fill();
  }
}

function drawSelection(context: CanvasRenderingContext2D, { model, colours }: OverlayInput): void {
  const { view, selection } = model;
  if (!selection) return;
  const left = Math.max(view.xOf(selection.begin), -2);
  const right = Math.min(view.xOf(selection.end), view.width + 2);
  const top = Math.max(view.yOf(selection.firstRow), -2);
  const bottom = Math.min(view.yOf(selection.endRow), view.height + 2);
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.16;
  context.fillRect(left, top, right - left, bottom - top);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, Math.max(right - left - 1, 1), Math.max(bottom - top - 1, 1));
}

function drawCursor(context: CanvasRenderingContext2D, { model, colours }: OverlayInput): void {
  const { cursor, data, rows } = model;
  if (cursor === undefined || model.level === "sms") return;
  const viewRow = rows.viewRowOf[rowOfSlice(data, cursor)];
  if (viewRow < 0) return;
  const outline = { viewRow, begin: data.start[cursor], end: data.end[cursor] };
  drawOutline(context, model, outline, colours.ground, 4);
  drawOutline(context, model, outline, colours.text, 2);
}

function drawOutline(
  context: CanvasRenderingContext2D,
  { view }: Model,
  { viewRow, begin, end }: Outline,
  colour: string,
  width: number,
): void {
  const left = Math.max(view.xOf(begin), -2);
  const right = Math.min(view.xOf(end), view.width + 2);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.strokeRect(left, view.yOf(viewRow) + 0.5, Math.max(right - left, 2), Math.max(view.rowHeight - 1.5, 2));
}
