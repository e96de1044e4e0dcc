// Finds slices: by the name of their scope, one after the other, or by block, warp and thread.

import { RunData, maskOf, rowOfSlice } from "../run_data";
import { Model } from "./model";
import { WHOLE_BLOCK } from "./order";

/** The scopes whose names hold a text, in whatever case; undefined for no text. */
export function scopesNamed(model: Model, text: string): Set<number> | undefined {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return undefined;
  const matching = model.facts.scopes.map((_, scope) => scope).filter((scope) => model.facts.scopes[scope].name.toLowerCase().includes(wanted));
  return new Set(matching);
}

/** The next slice of these scopes after a slice in the order of rows and time; at the end it begins anew. */
export function nextSlice(model: Model, scopes: Set<number>, from: number | undefined, step: 1 | -1): number | undefined {
  const { data, rows } = model;
  const fromRow = from === undefined ? -1 : rows.viewRowOf[rowOfSlice(data, from)];
  if (from !== undefined && fromRow >= 0) {
    const inRow = nextInWarp(data, rowOfSlice(data, from), scopes, from + step, step);
    if (inRow !== undefined) return inRow;
  }
  const warps = warpsInOrder(model);
  const at = from === undefined ? -1 : warps.indexOf(rowOfSlice(data, from));
  const begin = at < 0 && step < 0 ? 0 : at;
  for (let moved = 1; moved <= warps.length; moved++) {
    const row = warps[(begin + step * moved + 2 * warps.length) % warps.length];
    const edge = step > 0 ? data.firstSlice[row] : data.firstSlice[row + 1] - 1;
    const found = nextInWarp(data, row, scopes, edge, step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nextInWarp(data: RunData, row: number, scopes: Set<number>, from: number, step: 1 | -1): number | undefined {
  for (let slice = from; slice >= data.firstSlice[row] && slice < data.firstSlice[row + 1]; slice += step)
    if (scopes.has(data.scope[slice])) return slice;
  return undefined;
}

/** The warps that rows show, each once. */
function warpsInOrder({ rows }: Model): Uint32Array {
  if (rows.part.every((part) => part === -1)) return rows.members;
  const warps: number[] = [];
  for (let viewRow = 0; viewRow < rows.count; viewRow++) {
    for (let member = rows.first[viewRow]; member < rows.first[viewRow + 1]; member++) {
      const row = rows.members[member];
      if (rows.viewRowOf[row] === viewRow && rows.part[viewRow] < 0) warps.push(row);
    }
  }
  return Uint32Array.from(warps);
}

/** Where a reader wants to go: "b12 w3 t0", "block 12". */
export interface Target {
  row: number;
  /** Of the warp; -1 when none was named. */
  thread: number;
}

/** Throws an Error in words when the text is none, or nothing such was recorded. */
export function findTarget(model: Model, text: string): Target {
  const match = /^\s*b(?:lock)?\s*(\d+)(?:[\s,]*w(?:arp)?\s*(\d+))?(?:[\s,]*t(?:hread)?\s*(\d+))?\s*$/i.exec(text);
  if (!match) throw new Error("Write it like b12, b12 w3 or b12 w3 t0.");
  const block = Number(match[1]);
  const threadInBlock = match[2] === undefined && match[3] !== undefined ? Number(match[3]) : -1;
  const warp = threadInBlock >= 0 ? Math.floor(threadInBlock / 32) : match[2] === undefined ? -1 : Number(match[2]);
  const thread = match[3] === undefined ? -1 : threadInBlock >= 0 ? threadInBlock % 32 : Number(match[3]);
  if (thread > 31) throw new Error("A warp has threads 0 to 31.");
  const { data } = model;
  for (let row = 0; row < data.rowCount; row++)
    if (data.block[row] === block && (warp < 0 || data.warp[row] === warp)) return { row, thread };
  throw new Error(warp < 0 ? `Block ${block} was not recorded.` : `Warp ${warp} of block ${block} was not recorded.`);
}

/** The first slice that a thread of a warp, or all of it, was in. */
export function firstSliceOf(data: RunData, { row, thread }: Target): number | undefined {
  for (let slice = data.firstSlice[row]; slice < data.firstSlice[row + 1]; slice++)
    if (thread < 0 || (maskOf(data, slice) >>> thread) & 1) return slice;
  return undefined;
}

/** The slice before or after the pinned one, in its warp or of its scope; without one, the first in sight. */
export function neighbour(model: Model, step: 1 | -1, which: "same" | "any"): number | undefined {
  const { cursor, data, facts } = model;
  if (cursor === undefined) return firstInSight(model);
  return nextSlice(model, new Set(which === "same" ? [data.scope[cursor]] : facts.scopes.keys()), cursor, step);
}

/** What runs in the next row at the start of the pinned slice. */
export function inNextRow(model: Model, step: 1 | -1): number | undefined {
  const { cursor, data, rows } = model;
  if (cursor === undefined) return firstInSight(model);
  const from = rows.viewRowOf[rowOfSlice(data, cursor)];
  for (let viewRow = from + step; viewRow >= 0 && viewRow < rows.count; viewRow += step) {
    const slice = rows.part[viewRow] < 0 ? sliceAt(model, viewRow, data.start[cursor]) : undefined;
    if (slice !== undefined) return slice;
  }
  return undefined;
}

function firstInSight(model: Model): number | undefined {
  const { view } = model;
  return model.level === "sms" ? undefined : sliceAt(model, Math.max(0, Math.floor(view.topRow)), view.begin);
}

/** The slice that is open at a time in the warp of a view row, or the nearest one after it. */
function sliceAt(model: Model, viewRow: number, time: number): number | undefined {
  const { rows, data } = model;
  if (viewRow < 0 || viewRow >= rows.count) return undefined;
  const row = rows.members[rows.first[viewRow]];
  const strip = model.strips.of(row, rows.part[viewRow] === WHOLE_BLOCK ? -1 : rows.part[viewRow]);
  for (let at = strip.begin; at < strip.end; at++) if (strip.stop[at] > time) return strip.item[at];
  return strip.end > strip.begin ? strip.item[strip.end - 1] : data.firstSlice[row] < data.firstSlice[row + 1] ? data.firstSlice[row] : undefined;
}
