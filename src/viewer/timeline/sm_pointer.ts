// What is under the pointer in the view of SMs.

import { firstPast } from "../run_data";
import * as units from "../units";
import { blockName } from "../warp";
import { Sample } from "./canvases";
import { Model } from "./model";
import { BlockRun } from "./sm_layout";
import { exactDuration } from "./words";

/** The block that ran there then. */
export function blockAt({ smLayout, rows }: Model, { line, time }: Sample): BlockRun | undefined {
  const { start, stop, item, begin, end } = smLayout.of(rows.members[line.member]);
  const at = firstPast(stop, begin, end, time);
  return at < end && start[at] <= time ? smLayout.blocks[item[at]] : undefined;
}

/** About the place at an instant, and the block in it. */
export function placeLines(model: Model, { line, time }: Sample, run: BlockRun | undefined): string[] {
  const { smLayout, rows, facts, occupancy, view } = model;
  const { sm, index } = smLayout.places[rows.members[line.member]];
  const alive = `${occupancy.mean(time, time + view.nsPerPixel).toFixed(1)} warps alive on all SMs`;
  if (!run) return [`SM ${sm}, place ${index}: no recorded block`, alive];
  return [
    blockName(facts, run.block),
    exactDuration(run.end - run.begin, facts),
    `from ${units.count(run.begin)} to ${units.count(run.end)} ns`,
    `SM ${sm}, place ${index}, wave ${run.wave + 1} of it`,
    units.counted(run.endRow - run.firstRow, "recorded warp"),
    alive,
  ];
}
