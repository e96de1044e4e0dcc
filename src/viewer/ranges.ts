// Lists of numbers as people write them: "0-3,5".

/** A set of whole numbers, or what is wrong with its text. */
export class Ranges {
  private constructor(private readonly spans: [number, number][]) {}

  /** Undefined for an empty text: no filter. */
  static parse(text: string): Ranges | undefined {
    if (text.trim() === "") return undefined;
    return new Ranges(text.split(",").map(span));
  }

  includes(value: number): boolean {
    return this.spans.some(([first, last]) => value >= first && value <= last);
  }
}

function span(text: string): [number, number] {
  const match = /^\s*(\d{1,15})\s*(?:-\s*(\d{1,15})\s*)?$/.exec(text);
  if (!match) throw new Error(`"${shorten(text.trim())}" is no number or range; write it like 0-3,5.`);
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  if (last < first) throw new Error(`${first}-${last} runs backwards.`);
  return [first, last];
}

function shorten(text: string): string {
  return text.length > 24 ? `${text.slice(0, 24)}\u2026` : text;
}
