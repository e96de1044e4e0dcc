"""The pipeline summary: how much of the warps' lives the scopes cover, and which warps wait most."""

from __future__ import annotations

from collections.abc import Sequence

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.text import Style, field


def pipeline_lines(
    summary: libpygwatch.PipelineSummary, lanes: Sequence[libpygwatch.Lane], style: Style
) -> list[str]:
    """Render the summary of one run."""
    text = (
        f"active {units.duration(summary.active_ns)} + gaps {units.duration(summary.gap_ns)} = lifetime "
        f"{units.duration(summary.lifetime_ns)}, summed over {units.count(summary.warps, 'warp')}; "
        f"active ratio {100 * summary.active_ratio:.1f} %"
    )
    lines = field("pipeline", text, style)
    label = "most gap"
    for activity in summary.most_gap:
        if activity.gap_ns > 0:
            lines += (
                field(label, _warp(activity, lanes[activity.lane]), style)
                if label
                else [" " * 12 + _warp(activity, lanes[activity.lane])]
            )
            label = ""
    return lines


def _warp(activity: libpygwatch.LaneActivity, lane: libpygwatch.Lane) -> str:
    return (
        f"block {lane.block} warp {lane.warp}: {units.duration(activity.gap_ns)} of "
        f"{units.duration(activity.lifetime_ns)} ({units.percent(activity.gap_ns, activity.lifetime_ns)}), longest "
        f"{units.duration(activity.longest_gap_ns)} at {units.duration(activity.longest_gap_start_ns)}"
    )
