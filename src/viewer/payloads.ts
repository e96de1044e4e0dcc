// Values that markers carried along: of some slices, and of some instants.

import { Columns, Numbers, unzigzag } from "./columns";
import { PayloadKind } from "./facts";

/** Rows ascend; a value's 64 bits stand in two halves. */
export interface Payloads {
  row: Uint32Array;
  low: Numbers;
  high: Numbers;
}

/** Those of a table; undefined when it has none. */
export function readPayloads(columns: Columns, prefix: string): Payloads | undefined {
  if (!columns.has(`${prefix}.payload_row`)) return undefined;
  const read = (name: string) => columns.read(`${prefix}.payload_${name}`);
  const differences = read("row");
  const row = new Uint32Array(differences.length);
  for (let place = 0, last = 0; place < row.length; place++) row[place] = last += unzigzag(differences[place]);
  return { row, low: read("low"), high: read("high") };
}

/** The same for a table whose rows were put in another order: its row i was order[i]. */
export function reordered(payloads: Payloads, order: Uint32Array): Payloads {
  const place = new Uint32Array(order.length);
  order.forEach((before, now) => (place[before] = now));
  const sorted = Array.from(payloads.row, (_, index) => index).sort((a, b) => place[payloads.row[a]] - place[payloads.row[b]]);
  return {
    row: Uint32Array.from(sorted, (index) => place[payloads.row[index]]),
    low: Uint32Array.from(sorted, (index) => payloads.low[index]),
    high: Uint32Array.from(sorted, (index) => payloads.high[index]),
  };
}

/** The place of the first payload whose row is not below `row`. */
export function firstPayload(payloads: Payloads, row: number): number {
  let from = 0;
  for (let to = payloads.row.length; from < to; ) {
    const middle = (from + to) >>> 1;
    if (payloads.row[middle] < row) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** What a row carried, in words; undefined when it carried nothing. */
export function payloadOfRow(payloads: Payloads | undefined, row: number, kind: PayloadKind | undefined): string | undefined {
  if (!payloads || !kind) return undefined;
  const place = firstPayload(payloads, row);
  if (payloads.row[place] !== row) return undefined;
  return payloadText(kind, payloads.low[place], payloads.high[place]);
}

/** A value exactly: digits, or hexadecimal ones after 0x. */
export function payloadText(kind: PayloadKind, low: number, high: number): string {
  switch (kind) {
    case "f32":
      return float32Text(floatValue(kind, low, high));
    case "bits":
      return `0x${joined(low, high).toString(16)}`;
    case "f64":
      return floatText(floatValue(kind, low, high));
    default:
      return wholeNumber(kind, low, high).toString();
  }
}

/** Below 0 when the first value sorts before the second. */
export function comparePayloads(kind: PayloadKind, lowA: number, highA: number, lowB: number, highB: number): number {
  if (kind === "f32" || kind === "f64") {
    const [a, b] = [floatValue(kind, lowA, highA), floatValue(kind, lowB, highB)];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return a - b;
  }
  if (kind === "s32") return (lowA | 0) - (lowB | 0);
  const order = kind === "s64" ? (highA | 0) - (highB | 0) : highA - highB;
  return order || lowA - lowB;
}

const scratch = new DataView(new ArrayBuffer(8));

function floatValue(kind: PayloadKind, low: number, high: number): number {
  scratch.setUint32(0, low, true);
  scratch.setUint32(4, high, true);
  return kind === "f32" ? scratch.getFloat32(0, true) : scratch.getFloat64(0, true);
}

function wholeNumber(kind: PayloadKind, low: number, high: number): number | bigint {
  if (kind === "s32") return low | 0;
  if (kind === "s64") return BigInt.asIntN(64, joined(low, high));
  return high === 0 ? low : joined(low, high);
}

function joined(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function floatText(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** The fewest digits that only this number of 32 bits has. */
function float32Text(value: number): string {
  for (let digits = 1; Number.isFinite(value) && digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return floatText(rounded);
  }
  return floatText(value);
}
