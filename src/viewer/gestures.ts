// Wheel, pointer and keys of the timeline.

import { AXIS_HEIGHT, LABEL_WIDTH } from "./overlay";
import { Timeline } from "./timeline";

const WHEEL_ZOOM = 1.0018;
const LINE_PIXELS = 16;
const KEY_PAN = 0.15;

export function attachGestures(canvas: HTMLCanvasElement, timeline: Timeline): void {
  // Not passive: Ctrl+wheel would zoom the page.
  canvas.addEventListener("wheel", (event) => onWheel(event, timeline), { passive: false });
  canvas.addEventListener("keydown", (event) => onKey(event, timeline));
  canvas.addEventListener("dblclick", (event) => onDoubleClick(event, timeline));
  attachPointer(canvas, timeline);
}

function onWheel(event: WheelEvent, timeline: Timeline): void {
  const { view } = timeline;
  const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? LINE_PIXELS : view.height;
  // Some systems turn Shift+wheel into a sideways one.
  const vertical = (event.deltaY || (event.shiftKey ? event.deltaX : 0)) * unit;
  const sideways = event.shiftKey ? 0 : event.deltaX * unit;
  if (event.ctrlKey && event.shiftKey) {
    view.zoomRows(WHEEL_ZOOM ** -vertical, event.offsetY - AXIS_HEIGHT);
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

function attachPointer(canvas: HTMLCanvasElement, timeline: Timeline): void {
  let last: { x: number; y: number } | undefined;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    last = { x: event.clientX, y: event.clientY };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("dragging");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return timeline.hover(event.offsetX, event.offsetY, event.clientX, event.clientY);
    timeline.leave();
    timeline.view.pan(event.clientX - last.x, event.clientY - last.y);
    timeline.changed(true);
    last = { x: event.clientX, y: event.clientY };
  });
  const stop = () => {
    last = undefined;
    canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", stop);
  canvas.addEventListener("pointercancel", stop);
  canvas.addEventListener("pointerleave", () => timeline.leave());
}

function onDoubleClick(event: MouseEvent, timeline: Timeline): void {
  const picked = timeline.pickAt(event.offsetX, event.offsetY);
  if (!picked || !picked.inLife || picked.end <= picked.begin) return;
  timeline.view.showTimes(picked.begin, picked.end);
  timeline.leave();
  timeline.changed(false);
}

/** By place on the keyboard, so that other layouts have them together too. */
function onKey(event: KeyboardEvent, timeline: Timeline): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { view } = timeline;
  const sideways = view.width * KEY_PAN;
  const down = Math.max(view.rowHeight, view.height * KEY_PAN);
  const actions: Record<string, () => void> = {
    KeyW: () => view.zoomTime(0.7, view.width / 2),
    KeyS: () => view.zoomTime(1 / 0.7, view.width / 2),
    KeyA: () => view.pan(sideways, 0),
    KeyD: () => view.pan(-sideways, 0),
    ArrowLeft: () => view.pan(sideways, 0),
    ArrowRight: () => view.pan(-sideways, 0),
    ArrowUp: () => view.pan(0, down),
    ArrowDown: () => view.pan(0, -down),
    Digit0: () => timeline.fit(),
    Escape: () => timeline.leave(),
  };
  const action = actions[event.code];
  if (!action) return;
  action();
  event.preventDefault();
  timeline.changed(true);
}
