// Wheel and pointer of the timeline.

import { Timeline } from "./timeline";
import { LABEL_WIDTH } from "./viewport";

const WHEEL_ZOOM = 1.0018;
const LINE_PIXELS = 16;
/** A press that moves less is a click. */
const CLICK_PIXELS = 4;

export function attachGestures(canvas: HTMLCanvasElement, timeline: Timeline): void {
  // Not passive: Ctrl+wheel would zoom the page.
  canvas.addEventListener("wheel", (event) => onWheel(event, timeline), { passive: false });
  canvas.addEventListener("dblclick", (event) => timeline.zoomToSliceAt(event.offsetX, event.offsetY));
  new PointerGestures(canvas, timeline).attach();
}

function onWheel(event: WheelEvent, timeline: Timeline): void {
  const { view } = timeline.model;
  const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? LINE_PIXELS : view.height;
  // Some systems turn Shift+wheel into a sideways one.
  const vertical = (event.deltaY || (event.shiftKey ? event.deltaX : 0)) * unit;
  const sideways = event.shiftKey ? 0 : event.deltaX * unit;
  if (event.ctrlKey && event.shiftKey) {
    view.zoomRows(WHEEL_ZOOM ** -vertical, event.offsetY - view.top);
  } else if (event.ctrlKey) {
    view.zoomTime(WHEEL_ZOOM ** vertical, event.offsetX - LABEL_WIDTH);
  } else if (event.shiftKey) {
    view.pan(-vertical, 0);
  } else {
    // Let the page scroll when there are no more rows that way.
    if (sideways === 0 && !view.canScroll(vertical)) return;
    view.pan(-sideways, -vertical);
  }
  event.preventDefault();
  timeline.leave();
  timeline.changed(true);
}

interface Press {
  x: number;
  y: number;
  /** Where the pointer was at the last event. */
  lastX: number;
  lastY: number;
  pans: boolean;
  moved: boolean;
}

class PointerGestures {
  private press: Press | undefined;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly timeline: Timeline,
  ) {}

  attach(): void {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.end());
    canvas.addEventListener("pointerleave", () => this.timeline.leave());
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { offsetX: x, offsetY: y } = event;
    this.press = { x, y, lastX: x, lastY: y, pans: event.shiftKey, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.toggle("panning", event.shiftKey);
  }

  private move(event: PointerEvent): void {
    const { press, timeline } = this;
    if (!press) return timeline.hover(event.offsetX, event.offsetY, event.clientX, event.clientY);
    press.moved ||= Math.hypot(event.offsetX - press.x, event.offsetY - press.y) >= CLICK_PIXELS;
    if (!press.moved) return;
    timeline.leave();
    if (press.pans) {
      timeline.model.view.pan(event.offsetX - press.lastX, event.offsetY - press.lastY);
      timeline.changed(true);
    } else if (press.x >= LABEL_WIDTH) {
      timeline.select(press.x, press.y, event.offsetX, event.offsetY, false);
    }
    press.lastX = event.offsetX;
    press.lastY = event.offsetY;
  }

  private up(event: PointerEvent): void {
    const { press } = this;
    this.end();
    if (!press) return;
    if (!press.moved) this.timeline.click(press.x, press.y);
    else if (!press.pans && press.x >= LABEL_WIDTH) this.timeline.select(press.x, press.y, event.offsetX, event.offsetY, true);
  }

  private end(): void {
    this.press = undefined;
    this.canvas.classList.remove("panning");
  }
}
