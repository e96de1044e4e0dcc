// How durations of one scope are spread: logarithmic scale, so that a bulk and its outliers both show.

import { element } from "../dom";
import { RunData } from "../run_data";
import * as units from "../units";

const MOST_BINS = 48;

export interface Bin {
  begin: number;
  end: number;
  count: number;
}

/** Bins of [begin, end) ns from the shortest to the longest slice. */
export function bins(data: RunData, scope: number, shortest: number, longest: number): Bin[] {
  const least = Math.max(shortest, 1);
  const ratio = (Math.max(longest, least) + 1) / least;
  const count = Math.max(1, Math.min(MOST_BINS, longest - shortest + 1));
  const edges = Array.from({ length: count + 1 }, (_, index) => (index === 0 ? shortest : least * ratio ** (index / count)));
  const made = edges.slice(1).map((end, index) => ({ begin: edges[index], end, count: 0 }));
  const scale = count / Math.log(ratio);
  for (let slice = 0; slice < data.scope.length; slice++) {
    if (data.scope[slice] !== scope) continue;
    const duration = data.end[slice] - data.start[slice];
    made[Math.min(count - 1, Math.floor(Math.log(Math.max(duration, least) / least) * scale + 1e-9))].count++;
  }
  return made;
}

/** Columns with the bins in words, and the range below. */
export function makeHistogram(all: Bin[], colour: string, name: string): HTMLElement {
  const most = all.reduce((largest, bin) => Math.max(largest, bin.count), 1);
  const columns = all.map((bin) => {
    const column = element("span", bin.count > 0 ? "some" : "");
    column.style.height = `${(100 * bin.count) / most}%`;
    column.style.background = colour;
    const cell = element("span", "column", column);
    cell.title = `${describe(bin)}: ${units.counted(bin.count, "slice")}`;
    return cell;
  });
  const chart = element("div", "histogram", ...columns);
  chart.setAttribute("role", "img");
  const fullest = all.reduce((best, bin) => (bin.count > best.count ? bin : best), all[0]);
  chart.setAttribute("aria-label", `Durations of ${name}: most often ${describe(fullest)}, ${units.counted(fullest.count, "slice")}`);
  const ends = [all[0].begin, all[all.length - 1].end - 1].map(rounded);
  return element("div", "", chart, element("div", "ends faint", element("span", "", ends[0]), element("span", "", "logarithmic scale"), element("span", "", ends[1])));
}

function describe({ begin, end }: Bin): string {
  return `${rounded(begin)} to ${rounded(end)}`;
}

function rounded(ns: number): string {
  return units.duration(ns < 1000 ? Math.round(ns * 10) / 10 : ns);
}
