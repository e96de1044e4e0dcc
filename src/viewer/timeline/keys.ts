// Keys of the timeline, and the list of them.

import { button, element } from "../dom";
import { Timeline } from "./timeline";

const PAN_SHARE = 0.15;
const ZOOM = 0.7;

interface Key {
  /** Places on the keyboard, so that other layouts have them together too; characters where they start with "=". */
  codes: string[];
  shown: string;
  does: string;
  moves?: boolean;
  act: (timeline: Timeline) => void;
}

const pan = (x: number, y: number) => (timeline: Timeline) => {
  const { view } = timeline.model;
  view.pan(x * view.width * PAN_SHARE, y * Math.max(view.rowHeight, view.height * PAN_SHARE));
};
const zoomTime = (factor: number) => (timeline: Timeline) => timeline.model.view.zoomTime(factor, timeline.model.view.width / 2);
const zoomRows = (factor: number) => (timeline: Timeline) => timeline.model.view.zoomRows(factor, timeline.model.view.height / 2);

const KEYS: Key[] = [
  { codes: ["KeyW"], shown: "W", does: "zoom in in time", moves: true, act: zoomTime(ZOOM) },
  { codes: ["KeyS"], shown: "S", does: "zoom out in time", moves: true, act: zoomTime(1 / ZOOM) },
  { codes: ["KeyA", "ArrowLeft"], shown: "A or \u2190", does: "go back in time", moves: true, act: pan(1, 0) },
  { codes: ["KeyD", "ArrowRight"], shown: "D or \u2192", does: "go on in time", moves: true, act: pan(-1, 0) },
  { codes: ["ArrowUp"], shown: "\u2191", does: "rows above", moves: true, act: pan(0, 1) },
  { codes: ["ArrowDown"], shown: "\u2193", does: "rows below", moves: true, act: pan(0, -1) },
  { codes: ["=+", "=="], shown: "+", does: "higher rows", moves: true, act: zoomRows(1 / ZOOM) },
  { codes: ["=-"], shown: "\u2212", does: "lower rows", moves: true, act: zoomRows(ZOOM) },
  { codes: ["Digit0"], shown: "0", does: "show all", act: (timeline) => timeline.fit() },
  { codes: ["KeyF"], shown: "F", does: "zoom to the selection or the pinned slice", act: (timeline) => timeline.zoomToChoice() },
  { codes: ["Comma", "=,"], shown: ",", does: "pin the slice before", act: (timeline) => timeline.step(-1, "any") },
  { codes: ["Period", "=."], shown: ".", does: "pin the slice after", act: (timeline) => timeline.step(1, "any") },
  { codes: ["BracketLeft", "=["], shown: "[", does: "pin the slice before of the same scope", act: (timeline) => timeline.step(-1, "same") },
  { codes: ["BracketRight", "=]"], shown: "]", does: "pin the slice after of the same scope", act: (timeline) => timeline.step(1, "same") },
  { codes: ["KeyK"], shown: "K", does: "pin in the row above, at the same time", act: (timeline) => timeline.stepRow(-1) },
  { codes: ["KeyJ"], shown: "J", does: "pin in the row below, at the same time", act: (timeline) => timeline.stepRow(1) },
  { codes: ["KeyE"], shown: "E", does: "open or close the pinned warp's threads or block's warps", act: (timeline) => timeline.toggleCursor() },
  { codes: ["=/"], shown: "/", does: "search scopes; Enter and Shift+Enter go from hit to hit", act: (timeline) => timeline.focusSearch() },
  { codes: ["KeyG"], shown: "G", does: "go to a block, warp or thread", act: (timeline) => timeline.focusJump() },
  { codes: ["Escape"], shown: "Esc", does: "let go of selection, pin and search", act: (timeline) => timeline.clear() },
  { codes: ["=?"], shown: "?", does: "this list", act: (timeline) => timeline.help.showModal() },
];

const GESTURES: [string, string][] = [
  ["Ctrl+wheel", "zoom time at the pointer"],
  ["Ctrl+Shift+wheel", "zoom rows at the pointer"],
  ["Wheel", "rows up and down"],
  ["Shift+wheel", "back and on in time"],
  ["Drag", "select times and rows; on the axis all rows"],
  ["Shift+drag", "move the picture"],
  ["Click", "pin a slice; on a label open or close the row"],
  ["Double click", "zoom to a slice"],
];

/** True when the key was the timeline's. */
export function onKey(event: KeyboardEvent, timeline: Timeline): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return false;
  if (event.code.startsWith("Arrow") && !isFree(event.target)) return false;
  const key = KEYS.find(({ codes }) => codes.includes(event.code) || codes.includes(`=${event.key}`));
  if (!key) return false;
  key.act(timeline);
  if (key.moves) timeline.changed(true);
  event.preventDefault();
  return true;
}

/** A dialog that lists keys and gestures. */
export function makeHelp(): HTMLDialogElement {
  const list = element("dl");
  for (const [shown, does] of [...KEYS.map((key): [string, string] => [key.shown, key.does]), ...GESTURES])
    list.append(element("dt", "", element("kbd", "", shown)), element("dd", "", does));
  const dialog = element("dialog", "help", element("h2", "", "Keys and gestures"), list);
  dialog.append(button("Close", "Esc", () => dialog.close()));
  dialog.setAttribute("aria-label", "Keys and gestures");
  return dialog;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement ? target.type !== "checkbox" : target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** Arrows belong to tabs, tables and buttons that have the focus. */
function isFree(target: EventTarget | null): boolean {
  return target === document.body || target instanceof HTMLCanvasElement;
}
