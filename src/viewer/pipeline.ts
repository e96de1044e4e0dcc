// How much of the warps' lives the scopes cover, and which warps wait most.

import { button, element } from "./dom";
import { Activity, RunFacts } from "./facts";
import * as units from "./units";

export function makePipeline(facts: RunFacts, onReveal: (activity: Activity) => void): HTMLElement {
  const { pipeline } = facts;
  const meter = element("div", "meter", element("span"));
  (meter.firstElementChild as HTMLElement).style.width = `${100 * pipeline.active_ratio}%`;
  const sentence =
    `In a scope for ${units.duration(pipeline.active_ns)} of ${units.duration(pipeline.lifetime_ns)} ` +
    `summed over ${units.counted(pipeline.warps, "warp")}; gaps ${units.duration(pipeline.gap_ns)}.`;
  const card = element(
    "section",
    "card pipeline",
    element("h2", "", "Pipeline"),
    element("p", "ratio", `${(100 * pipeline.active_ratio).toFixed(1)} % active`),
    meter,
    element("p", "faint", sentence),
  );
  const waiting = pipeline.most_gap.filter((activity) => activity.gap_ns > 0);
  if (waiting.length > 0) {
    card.append(element("h3", "", "Most gap"), element("ul", "plain", ...waiting.map((activity) => gapLine(activity, onReveal))));
  }
  return card;
}

function gapLine(activity: Activity, onReveal: (activity: Activity) => void): HTMLElement {
  const name = `block ${activity.block} warp ${activity.warp}`;
  const text = ` ${units.duration(activity.gap_ns)} (${units.percent(activity.gap_ns, activity.lifetime_ns)}), longest ${units.duration(activity.longest_gap_ns)}`;
  return element("li", "", button(name, "Show its longest gap", () => onReveal(activity)), text);
}
