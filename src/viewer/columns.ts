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

  has(name: string): boolean {
    return this.places.has(name);
  }

  /** The values in the narrowest array that holds them; one of single bytes shares the memory of the run. */
  read(name: string): Numbers {
    const place = this.places.get(name);
    if (!place) throw new Error(`The page has no column ${name}.`);
    const { at, facts } = place;
    if (facts.planes === 1) return this.bytes.subarray(at, at + facts.count);
    const plane = (index: number) => this.bytes.subarray(at + index * facts.count, at + (index + 1) * facts.count);
    if (facts.planes === 2) return joinTwo(plane(0), plane(1));
    const values = arrayFor(facts);
    for (let index = 0; index < facts.planes; index++) addPlane(values, plane(index), 256 ** index);
    return values;
  }
}

/** The signed number behind a zig-zag one; exact up to 2^53. */
export function unzigzag(value: number): number {
  if (value <= 0xffffffff) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function arrayFor(facts: ColumnFacts): Numbers {
  if (facts.planes === 0) return new Uint8Array(facts.count);
  return facts.planes <= 4 ? new Uint32Array(facts.count) : new Float64Array(facts.count);
}

function joinTwo(low: Uint8Array, high: Uint8Array): Uint16Array {
  const values = new Uint16Array(low.length);
  for (let i = 0; i < values.length; i++) values[i] = low[i] | (high[i] << 8);
  return values;
}

function addPlane(values: Numbers, bytes: Uint8Array, scale: number): void {
  for (let i = 0; i < values.length; i++) values[i] += bytes[i] * scale;
}
