// Scopes with their colours, and a box each to show or hide them.

import { element, swatch } from "./dom";
import { RunFacts } from "./facts";
import { RunData } from "./run_data";

export function makeLegend(
  facts: RunFacts,
  data: RunData,
  colours: string[],
  onToggle: (scope: number, hidden: boolean) => void,
): HTMLElement {
  const legend = element("div", "legend");
  const withSlices = new Set(facts.statistics.map((entry) => entry.scope));
  facts.scopes.forEach((scope, index) => {
    if (!withSlices.has(index)) return;
    const box = element("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => onToggle(index, !box.checked));
    legend.append(element("label", "", box, swatch(colours[index]), scope.name));
  });
  legend.append(element("span", "", element("span", "swatch gap"), "in no scope"));
  const orphans = data.orphanStarts.time.length + data.orphanEnds.time.length;
  if (orphans > 0) legend.append(element("span", "alarm", "\u25b6 start or end without its other half"));
  if (data.marks.time.length > 0) legend.append(element("span", "", "| mark"));
  return legend;
}
