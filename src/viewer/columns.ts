// Columns of whole numbers stored as byte planes: first the lowest byte of every value, then the second of every value, ...

import { ColumnFacts } from "./facts";

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** Finds columns by name in the bytes of a run. */
export class Columns {
  private readonly places = new Map<string, { at: number; facts: ColumnFacts }>();

  constructor(
    private readonly bytes: Uint8Array,
    columns: ColumnFacts[],
  ) {
    let at = 0;
    for (const facts of columns) {
      this.places.set(facts.name, { at, facts });
      at += facts.count * facts.planes;
    }
    if (at !== bytes.length) throw new Error(`The columns take ${at} bytes, not ${bytes.length}: the file is damaged.`);
  }

  /** The values in the narrowest array that holds them. */
  read(name: string): Numbers {
    const place = this.places.get(name);
    if (!place) throw new Error(`The page has no column ${name}.`);
    const { at, facts } = place;
    const values = arrayFor(facts);
    if (facts.planes === 1) values.set(this.bytes.subarray(at, at + facts.count));
    else for (let plane = 0; plane < facts.planes; plane++) addPlane(values, this.bytes, at + plane * facts.count, 256 ** plane);
    return values;
  }
}

/** The signed number behind a zig-zag one; exact up to 2^53. */
export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function arrayFor(facts: ColumnFacts): Numbers {
  if (facts.planes <= 1) return new Uint8Array(facts.count);
  if (facts.planes === 2) return new Uint16Array(facts.count);
  return facts.planes <= 4 ? new Uint32Array(facts.count) : new Float64Array(facts.count);
}

function addPlane(values: Numbers, bytes: Uint8Array, at: number, scale: number): void {
  for (let i = 0; i < values.length; i++) values[i] += bytes[at + i] * scale;
}
