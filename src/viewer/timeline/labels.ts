// The column left of the rows: blocks, warps, threads, or SMs.

import * as units from "../units";
import { OCCUPANCY_HEIGHT } from "./axis";
import { Model } from "./model";
import { WHOLE_BLOCK, WHOLE_WARP } from "./order";
import { OverlayColours } from "./overlay";
import { AXIS_HEIGHT, LABEL_WIDTH } from "./viewport";

const LABEL_SPACING = 14;
const NAMED_HEIGHT = 11;
const LEFT_EDGE = 2;
const RIGHT_EDGE = 8;
const SPACE_BETWEEN = 5;
const PLAIN_FONT = "11px system-ui, sans-serif";
const BOLD_FONT = "600 11px system-ui, sans-serif";

/** The context's origin is the top left of axis and labels. */
export function drawLabels(context: CanvasRenderingContext2D, model: Model, colours: OverlayColours): void {
  const { view, rows } = model;
  const last = Math.min(rows.count, Math.ceil(view.rowAt(view.height)));
  const step = view.rowHeight >= 3 ? 1 : Math.max(1, Math.floor(LABEL_SPACING / view.rowHeight / 2));
  let groupLabelled = "";
  let freeFrom = view.top - LABEL_SPACING;
  for (let row = Math.floor(view.topRow); row < last; row += step) {
    const y = view.top + view.yOf(row) + view.rowHeight / 2;
    if (y < view.top) continue;
    const group = groupOf(model, row);
    if (row > 0 && view.rowHeight >= 3 && groupOf(model, row - 1) !== group) drawLine(context, model, row, colours);
    const name = view.rowHeight >= NAMED_HEIGHT ? ownName(model, row) : "";
    if (name) write(context, name, LABEL_WIDTH - RIGHT_EDGE, y, "right", PLAIN_FONT, colours.faint);
    if (group !== groupLabelled && y >= freeFrom + LABEL_SPACING) {
      const taken = name ? context.measureText(name).width + SPACE_BETWEEN : 0;
      writeGroup(context, group, Math.max(y, view.top + 6), LABEL_WIDTH - RIGHT_EDGE - LEFT_EDGE - taken, colours);
      freeFrom = y;
      groupLabelled = group;
    }
  }
}

/** Beside the curve of warps alive: what its height stands for. */
export function drawOccupancyLabel(context: CanvasRenderingContext2D, model: Model, colours: OverlayColours): void {
  const middle = AXIS_HEIGHT + OCCUPANCY_HEIGHT / 2;
  write(context, "warps alive", 2, middle - 7, "left", BOLD_FONT, colours.text);
  write(context, `at most ${units.count(model.occupancy.most)}`, 2, middle + 7, "left", PLAIN_FONT, colours.faint);
}

function groupOf(model: Model, viewRow: number): string {
  const member = model.rows.members[model.rows.first[viewRow]];
  if (model.level === "sms") return `SM ${model.smLayout.places[member].sm}`;
  return `block ${model.data.block[member]}`;
}

function ownName(model: Model, viewRow: number): string {
  const { rows, data } = model;
  const member = rows.members[rows.first[viewRow]];
  const part = rows.part[viewRow];
  if (model.level === "sms") return `place ${model.smLayout.places[member].index}`;
  if (part === WHOLE_BLOCK) return `${model.openBlocks.has(data.block[member]) ? "\u25be" : "\u25b8"} ${rows.first[viewRow + 1] - rows.first[viewRow]} warps`;
  if (part !== WHOLE_WARP) return `thread ${part}`;
  return `${model.openWarps.has(member) ? "\u25be" : "\u25b8"} warp ${data.warp[member]}`;
}

function drawLine(context: CanvasRenderingContext2D, { view }: Model, row: number, colours: OverlayColours): void {
  const y = Math.round(view.top + view.yOf(row)) - 1;
  context.fillStyle = colours.ground;
  context.fillRect(LABEL_WIDTH, y, view.width, 1);
  context.fillStyle = colours.line;
  context.fillRect(0, y, LABEL_WIDTH + view.width, 1);
}

/** "block 12", or "b123456789" where it must end before the row's own name; what is longer still is drawn narrower. */
function writeGroup(context: CanvasRenderingContext2D, group: string, y: number, width: number, colours: OverlayColours): void {
  context.font = BOLD_FONT;
  const text = context.measureText(group).width <= width ? group : group.replace("block ", "b");
  write(context, text, LEFT_EDGE, y, "left", BOLD_FONT, colours.text, width);
}

function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  align: CanvasTextAlign,
  font: string,
  colour: string,
  most?: number,
): void {
  context.font = font;
  context.fillStyle = colour;
  context.textAlign = align;
  context.fillText(text, x, y, most);
}
