// What a row of pixels shows: stretches of time, each with a colour.

import { Times } from "../run_data";

/** Entries [begin, end) of its arrays, in order of time and without overlap. */
export interface Strip {
  start: Times;
  stop: Times;
  /** What a stretch stands for: a slice, or in the view of SMs a block. */
  item: Uint32Array;
  /** Which colour of the palette. */
  colour: Uint16Array;
  begin: number;
  end: number;
  /** Life of what the strip shows; outside of it there is nothing, inside and between stretches a gap. */
  enter: number;
  exit: number;
  /** Tells strips apart where the painter hashes. */
  seed: number;
}

/** Strips by number; `thread` is 0 to 31, or below 0 for all threads of a warp. */
export interface StripSource {
  of(member: number, thread: number): Strip;
}
