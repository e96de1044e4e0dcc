"""The pipeline summary: how much of their lives warps spend in scopes, and which wait most."""

from __future__ import annotations

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.text import Style, field

MAX_WARPS = 3


def pipeline_lines(
    summary: libpygwatch.PipelineSummary, lanes: libpygwatch.Lanes, style: Style
) -> list[str]:
    """Render the summary of one run."""
    text = (
        f"active {units.duration(summary.active_ns)} + gaps {units.duration(summary.gap_ns)} "
        f"= lifetime {units.duration(summary.lifetime_ns)}, "
        f"summed over {units.count(summary.warps, 'warp')}; "
        f"active ratio {100 * summary.active_ratio:.1f} %"
    )
    lines = field("pipeline", text, style)
    label = "most gap"
    for activity in summary.most_gap[:MAX_WARPS]:
        if activity.gap_ns > 0:
            lines += field(label, _warp(activity, lanes[activity.lane]), style)
            label = ""
    return lines


def _warp(activity: libpygwatch.LaneActivity, lane: libpygwatch.Lane) -> str:
    gap, lifetime = activity.gap_ns, activity.lifetime_ns
    return (
        f"block {lane.block} warp {lane.warp}: {units.duration(gap)} of {units.duration(lifetime)} "
        f"({units.percent(gap, lifetime)}), longest {units.duration(activity.longest_gap_ns)} "
        f"at {units.duration(activity.longest_gap_start_ns)}"
    )
