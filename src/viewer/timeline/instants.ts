// Marks, and starts or ends without their other half, as bars on their rows.

import { Instants, firstPast } from "../run_data";
import { Model } from "./model";
import { WHOLE_BLOCK } from "./order";
import { OverlayColours } from "./overlay";

const MAX_INSTANTS = 20000;

type Draw = (x: number, y: number, height: number) => void;

/** The context's origin is the top left of the rows. */
export function drawAllInstants(context: CanvasRenderingContext2D, model: Model, colours: OverlayColours): void {
  if (model.level === "sms") return;
  const { data } = model;
  drawInstants(model, data.marks, (x, y, height) => {
    context.fillStyle = colours.text;
    context.fillRect(x - 1, y, 2, height);
  });
  drawInstants(model, data.orphanStarts, (x, y, height) => drawOrphan(context, colours, x, y, height, 1));
  drawInstants(model, data.orphanEnds, (x, y, height) => drawOrphan(context, colours, x, y, height, -1));
}

/** At most one a pixel, and no more than a frame can draw. */
function drawInstants(model: Model, instants: Instants, draw: Draw): void {
  if (instants.time.length === 0) return;
  const { rows, view } = model;
  let left = MAX_INSTANTS;
  const last = Math.min(rows.count, Math.ceil(view.rowAt(view.height)));
  for (let viewRow = Math.floor(view.topRow); viewRow < last && left > 0; viewRow++) {
    for (let member = rows.first[viewRow]; member < rows.first[viewRow + 1] && left > 0; member++)
      left -= drawRow(model, instants, viewRow, rows.members[member], draw);
  }
}

function drawRow({ rows, view }: Model, instants: Instants, viewRow: number, row: number, draw: Draw): number {
  const thread = rows.part[viewRow];
  const isBlock = thread === WHOLE_BLOCK;
  const end = instants.first[row + 1];
  let at = firstPast(instants.time, instants.first[row], end, view.begin - 4 * view.nsPerPixel);
  let count = 0;
  for (let drawn = -Infinity; at < end; at++) {
    const x = Math.round(view.xOf(instants.time[at]));
    if (x > view.width + 4) break;
    if (x === drawn || (thread >= 0 && !((instants.mask[at] >>> thread) & 1))) continue;
    draw(x, view.yOf(viewRow), Math.max(view.rowHeight - 1, isBlock ? 1 : 2));
    drawn = x;
    count++;
  }
  return count;
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
