// The time axis, and below it in the view of SMs how many warps were alive.

import * as units from "../units";
import { Occupancy } from "./occupancy";
import { OverlayColours } from "./overlay";
import { AXIS_HEIGHT, Viewport } from "./viewport";

const TICK_SPACING = 110;
const TICK_TOP = 16;
export const OCCUPANCY_HEIGHT = 48;

export function drawAxis(context: CanvasRenderingContext2D, view: Viewport, colours: OverlayColours): void {
  const step = niceStep(view.nsPerPixel * TICK_SPACING);
  const largest = Math.max(Math.abs(view.begin), Math.abs(view.end));
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  for (let tick = Math.ceil(view.begin / step); tick * step <= view.end; tick++) {
    const x = Math.round(view.xOf(tick * step)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(x - 0.5, TICK_TOP, 1, view.height + view.top - TICK_TOP);
    context.fillStyle = colours.faint;
    const text = units.instant(tick * step, step, largest);
    if (x + context.measureText(text).width < view.width) context.fillText(text, x + 4, 11);
  }
}

/** Columns as high as the mean number of warps alive in the time of a pixel. */
export function drawOccupancy(
  context: CanvasRenderingContext2D,
  view: Viewport,
  occupancy: Occupancy,
  colours: OverlayColours,
): void {
  const height = OCCUPANCY_HEIGHT - 8;
  const bottom = AXIS_HEIGHT + OCCUPANCY_HEIGHT - 4;
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.75;
  for (let x = 0; x < view.width; x++) {
    const share = occupancy.mean(view.timeAt(x), view.timeAt(x + 1)) / Math.max(occupancy.most, 1);
    if (share > 0) context.fillRect(x, bottom - share * height, 1, share * height);
  }
  context.globalAlpha = 1;
  context.fillStyle = colours.faint;
  context.fillRect(0, bottom, view.width, 1);
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
