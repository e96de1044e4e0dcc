// One colour a scope, from its name, so that a scope looks the same in every report.

// All at least 3:1 against both grounds, and told apart with a red or green weakness; the first eight furthest apart.
const PALETTE = [
  "#3d80d7", "#ed6e12", "#4aa34c", "#bf4da8", "#c83c25", "#684fc8", "#187b90", "#749c8c",
  "#947261", "#935267", "#2f9ecf", "#177820", "#d071bb", "#6d86ff", "#854aa6", "#e56d78",
];
const FIRST_CHOICE = 8;

/** A colour for each name: what its hash says, or the next free one. */
export function scopeColours(names: string[]): string[] {
  const taken = new Set<number>();
  return names.map((name) => {
    const wanted = hash(name) % FIRST_CHOICE;
    const free = candidates(wanted).find((index) => !taken.has(index)) ?? hash(name) % PALETTE.length;
    taken.add(free);
    return PALETTE[free];
  });
}

/** A CSS colour "#rrggbb" as a pixel of ImageData read as 32-bit little-endian words. */
export function pixel(colour: string): number {
  const value = parseInt(colour.slice(1), 16);
  return ((0xff << 24) | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

/** Black or white, whichever reads better on a colour. */
export function textOn(colour: string): string {
  const value = parseInt(colour.slice(1), 16);
  const light = 0.3 * (value >> 16) + 0.59 * ((value >> 8) & 0xff) + 0.11 * (value & 0xff);
  return light > 118 ? "#0b0e13" : "#ffffff";
}

function candidates(wanted: number): number[] {
  const first = Array.from({ length: FIRST_CHOICE }, (_, step) => (wanted + step) % FIRST_CHOICE);
  const rest = Array.from({ length: PALETTE.length - FIRST_CHOICE }, (_, step) => FIRST_CHOICE + step);
  return [...first, ...rest];
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}
