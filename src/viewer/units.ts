// Figures with their units.

const DURATIONS: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "\u00b5s"],
];

/** A duration with four significant digits, such as "12.35 µs". */
export function duration(ns: number): string {
  for (const [scale, unit] of DURATIONS) if (Math.abs(ns) >= scale * 0.99995) return `${fourDigits(ns / scale)} ${unit}`;
  return `${Number.isInteger(ns) ? ns : ns.toFixed(Math.abs(ns) >= 1 ? 1 : 2)} ns`;
}

/** The instant `ns` written so that steps of `step` ns can be told apart. */
export function instant(ns: number, step: number, largest: number): string {
  const [scale, unit] = DURATIONS.find(([size]) => largest >= size) ?? [1, "ns"];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
  return `${(ns / scale).toFixed(Math.min(digits, 12))} ${unit}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** "1 warp", "8,192 warps". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function bytes(value: number): string {
  for (const [scale, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]] as const)
    if (value >= scale) return `${+(value / scale).toPrecision(4)} ${unit}`;
  return `${value} B`;
}

export function percent(part: number, whole: number): string {
  return `${(whole ? (100 * part) / whole : 0).toFixed(1)} %`;
}

function fourDigits(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 9.9995) return value.toFixed(3);
  if (magnitude < 99.995) return value.toFixed(2);
  return magnitude < 999.95 ? value.toFixed(1) : count(Math.round(value));
}
