// When the canvases are drawn, and how finely.

import { Canvases } from "./canvases";

const SLOW_FRAME_MS = 14;
const SETTLE_MS = 90;
const MOST_LINE_STEP = 4;

/** Draws at most once a frame; coarsely while moving if that is slow, and finely once at rest. */
export class Frames {
  private lineStep = 1;
  /** What the last fine frame took. */
  private restMs = 0;
  private moving = false;
  private request = 0;
  private settleTimer = 0;

  /** `onDrawn` is told how many ms a frame took. */
  constructor(
    private readonly canvases: Canvases,
    private readonly onDrawn: (ms: number) => void,
  ) {}

  changed(moving: boolean): void {
    clearTimeout(this.settleTimer);
    this.moving = moving;
    if (!moving) this.lineStep = 1;
    else if (this.restMs > SLOW_FRAME_MS) this.lineStep = Math.max(this.lineStep, 2);
    if (moving) this.settleTimer = window.setTimeout(() => this.changed(false), SETTLE_MS);
    if (!this.request) this.request = requestAnimationFrame(() => this.draw());
  }

  /** Draws what changed without waiting for the next frame. */
  drawNow(): void {
    cancelAnimationFrame(this.request);
    this.draw();
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    clearTimeout(this.settleTimer);
  }

  private draw(): void {
    this.request = 0;
    // On another tab.
    if (!this.canvases.frame.offsetParent) return;
    const began = performance.now();
    const coarse = this.moving && this.lineStep > 1;
    this.canvases.drawRows(coarse ? Math.min(devicePixelRatio, 1) : devicePixelRatio, this.lineStep);
    this.canvases.drawOverlay();
    const took = performance.now() - began;
    if (!this.moving) this.restMs = took;
    else if (took > SLOW_FRAME_MS) this.lineStep = Math.min(MOST_LINE_STEP, this.lineStep + 1);
    this.onDrawn(took);
  }
}
