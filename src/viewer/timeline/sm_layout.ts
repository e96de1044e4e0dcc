// What ran on each SM when: blocks in the places of their SM, one after the other in each place.

import { Ranges } from "../ranges";
import { RunData } from "../run_data";
import { ViewRows, WHOLE_WARP } from "./order";
import { Strip, StripSource } from "./strips";

export interface BlockRun {
  block: number;
  sm: number;
  /** Its warps: rows [firstRow, endRow). */
  firstRow: number;
  endRow: number;
  begin: number;
  end: number;
  /** How many blocks ran in its place before. */
  wave: number;
}

/** Room for one block at a time on an SM. */
export interface Place {
  sm: number;
  /** Counted on its SM from 0. */
  index: number;
  /** In order of time; numbers of `SmLayout.blocks`. */
  blocks: number[];
}

export interface SmSummary {
  sms: number;
  places: number;
  waves: number;
  end: number;
  /** When the first SM had no more blocks to run. */
  firstIdle: number;
  /** Of the SMs' time from start to end, idle after their last block. */
  tailShare: number;
}

/** One a wave, then anew. */
export const WAVE_COLOURS = ["#3d80d7", "#ed6e12", "#4aa34c", "#bf4da8", "#187b90", "#947261"];

export class SmLayout implements StripSource {
  readonly blocks: BlockRun[];
  readonly places: Place[] = [];
  private readonly strips: (Strip | undefined)[] = [];
  private summarized: SmSummary | undefined;

  constructor(
    private readonly data: RunData,
    rowEnds: Float64Array,
  ) {
    this.blocks = collectBlocks(data, rowEnds);
    const order = this.blocks.map((_, index) => index).sort((a, b) => this.bySmThenStart(a, b));
    const onSm = new Map<number, Place[]>();
    for (const index of order) this.putIntoPlace(index, onSm);
    for (const places of onSm.values()) this.places.push(...places);
  }

  of(place: number): Strip {
    return (this.strips[place] ??= this.strip(place));
  }

  private strip(place: number): Strip {
    const { blocks: inside, sm, index } = this.places[place];
    const runs = inside.map((number) => this.blocks[number]);
    return {
      start: Float64Array.from(runs, (run) => run.begin),
      stop: Float64Array.from(runs, (run) => run.end),
      item: Uint32Array.from(inside),
      colour: Uint16Array.from(runs, (run) => run.wave % WAVE_COLOURS.length),
      begin: 0,
      end: runs.length,
      enter: runs[0].begin,
      exit: runs[runs.length - 1].end,
      seed: 0x51ed27 + Math.imul(sm, 64) + index,
    };
  }

  rows(sms: Ranges | undefined): ViewRows {
    const shown = this.places.map((_, place) => place).filter((place) => !sms || sms.includes(this.places[place].sm));
    return {
      count: shown.length,
      first: Uint32Array.from({ length: shown.length + 1 }, (_, index) => index),
      members: Uint32Array.from(shown),
      part: new Int8Array(shown.length).fill(WHOLE_WARP),
      viewRowOf: new Int32Array(this.data.rowCount).fill(-1),
    };
  }

  summary(): SmSummary {
    return (this.summarized ??= this.summarize());
  }

  private summarize(): SmSummary {
    const lastEnd = new Map<number, number>();
    for (const { sm, end } of this.blocks) lastEnd.set(sm, Math.max(lastEnd.get(sm) ?? -Infinity, end));
    const ends = [...lastEnd.values()];
    const end = ends.reduce((a, b) => Math.max(a, b), 0);
    const begin = this.blocks.reduce((first, run) => Math.min(first, run.begin), end);
    const idle = ends.reduce((sum, last) => sum + end - last, 0);
    return {
      sms: ends.length,
      places: this.places.reduce((most, place) => Math.max(most, place.index + 1), 0),
      waves: this.blocks.reduce((most, run) => Math.max(most, run.wave + 1), 0),
      end,
      firstIdle: ends.reduce((a, b) => Math.min(a, b), end),
      tailShare: end > begin ? idle / ((end - begin) * ends.length) : 0,
    };
  }

  private bySmThenStart(a: number, b: number): number {
    const [x, y] = [this.blocks[a], this.blocks[b]];
    return x.sm - y.sm || x.begin - y.begin || a - b;
  }

  private putIntoPlace(index: number, onSm: Map<number, Place[]>): void {
    const run = this.blocks[index];
    const places = onSm.get(run.sm) ?? [];
    onSm.set(run.sm, places);
    let place = places.find(({ blocks }) => this.blocks[blocks[blocks.length - 1]].end <= run.begin);
    if (!place) places.push((place = { sm: run.sm, index: places.length, blocks: [] }));
    run.wave = place.blocks.length;
    place.blocks.push(index);
  }
}

function collectBlocks(data: RunData, rowEnds: Float64Array): BlockRun[] {
  const blocks: BlockRun[] = [];
  for (let row = 0; row < data.rowCount; row++) {
    let last = blocks[blocks.length - 1];
    if (!last || last.block !== data.block[row]) {
      last = { block: data.block[row], sm: data.sm[row], firstRow: row, endRow: row, begin: Infinity, end: -Infinity, wave: 0 };
      blocks.push(last);
    }
    last.endRow = row + 1;
    last.begin = Math.min(last.begin, data.enter[row]);
    last.end = Math.max(last.end, rowEnds[row]);
  }
  return blocks;
}
