"""The header: what was launched, how it was built, and what tracing did to it."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.runs import run_lines
from gwatch.show.text import Style, clean, columns, field, shorten

_TITLE_PART_WIDTH = 32
"""Of each part of the first line; the title has what the others leave."""
_NAME_WIDTH = 240
"""Instances of templates have names of thousands of characters; --json has them whole."""
_FACT_WIDTH = 400
_WARNINGS = 5
_WARNING_WIDTH = 320


def header_lines(
    trace: libpygwatch.Trace,
    run_index: int,
    name: str,
    style: Style,
    labels: Container[str] | None = None,
) -> list[str]:
    """Render the header of one run; ``name`` is the file it came from, ``labels`` pick lines."""
    run = trace.runs[run_index]
    lines = [style.bold(_title(trace, run_index, name, style.width))]
    for text in _shown_warnings(run):
        lines += [style.warning(line) for line in field("WARNING", text, Style(style.width))]
    if labels is None:
        lines += run_lines(trace, run_index, style)
    for label, text in _facts(run).items():
        if labels is None or label in labels:
            lines += field(label, shorten(text, _FACT_WIDTH), style)
    return lines


def _shown_warnings(run: libpygwatch.Run) -> list[str]:
    warnings = warnings_of(run)
    shown = [shorten(text, _WARNING_WIDTH) for text in warnings[:_WARNINGS]]
    left_out = len(warnings) - len(shown)
    if left_out:
        shown.append(f"{units.count(left_out, 'more warning')} (--json lists all)")
    return shown


def _facts(run: libpygwatch.Run) -> dict[str, str]:
    return {
        "kernel": _kernel(run.launch),
        "launch": _launch(run.launch),
        "device": _device(run.launch),
        "assembler": _assembler(run.compile),
        "ptx": _ptx(run.compile),
        "build": _build(run),
        "events": _events(run),
        "warps": _warps(run.counts),
        "time": _time(run.time),
        "tracing": _stages(run.stage_seconds),
    }


def warnings_of(run: libpygwatch.Run) -> list[str]:
    """Collect what a reader must know before trusting the figures."""
    # Where the original was compared, new remarks are among the warnings, and others are its own.
    compared = run.fidelity is not None
    remarks = [] if compared else [f"assembler: {remark}" for remark in run.compile.remarks]
    return [clean(text) for text in [*run.warnings, *remarks]]


def _title(trace: libpygwatch.Trace, run_index: int, name: str, width: int) -> str:
    parts = ["", f"run {run_index + 1} of {len(trace.runs)}"]
    parts += [shorten(clean(part), _TITLE_PART_WIDTH) for part in (name, _time_of(trace)) if part]
    rest = " | ".join(parts)
    return shorten(clean(trace.title or "Intra-kernel trace"), max(width - columns(rest), 0)) + rest


def _time_of(trace: libpygwatch.Trace) -> str:
    """When the trace was made; in UTC with the shorter of its two ends."""
    return re.sub(r"\+00:00$", "Z", trace.created)


def _kernel(launch: libpygwatch.LaunchFacts) -> str:
    name = shorten(clean(launch.kernel), _NAME_WIDTH)
    if launch.kernel_demangled in ("", launch.kernel):
        return name
    return f"{shorten(clean(launch.kernel_demangled), _NAME_WIDTH)} ({shorten(name, 100)})"


def _shape(dimensions: Sequence[int]) -> str:
    return " x ".join(f"{extent:,}" for extent in dimensions)


def volume(dimensions: Sequence[int]) -> int:
    """Multiply the three extents of a shape."""
    x, y, z = dimensions
    return x * y * z


def _launch(launch: libpygwatch.LaunchFacts) -> str:
    warps = (volume(launch.block) + 31) // 32
    parts = [
        f"grid {_shape(launch.grid)} = {units.count(volume(launch.grid), 'block')}",
        f"block {_shape(launch.block)} threads = {units.count(warps, 'warp')}",
        f"dynamic shared {units.size(launch.dynamic_shared_bytes)}",
    ]
    if volume(launch.cluster) > 1:
        parts.append(f"cluster {_shape(launch.cluster)} blocks")
    if launch.in_graph:
        parts.append("inside a CUDA graph")
    return ", ".join(parts)


def _device(launch: libpygwatch.LaunchFacts) -> str:
    device = (
        f"{clean(launch.device) or 'unknown'}, index {launch.device_index}, {launch.sm_count} SMs"
    )
    if launch.rank is not None:
        device += f", rank {launch.rank}"
    return f"{device}; kernel written in {clean(launch.dsl) or 'an unknown language'}"


def _assembler(facts: libpygwatch.CompileFacts) -> str:
    parts = [
        part for part in (facts.assembler_version, facts.assembler_origin, facts.assembler) if part
    ]
    return clean(", ".join(parts) or "unknown")


def _ptx(facts: libpygwatch.CompileFacts) -> str:
    text = f"version {facts.ptx_version or 'unknown'}"
    if facts.lowered_from:
        text += f" (lowered from {facts.lowered_from})"
    text += f", target {facts.ptx_target or 'unknown'}"
    return clean(f"{text}, from {facts.ptx_source}" if facts.ptx_source else text)


def _build(run: libpygwatch.Run) -> str:
    facts = run.compile

    def change(name: str, unit: str) -> str:
        before, after = getattr(facts.original, name), getattr(facts.traced, name)
        return f"{_known(before)} -> {_known(after)} {unit}"

    changes = [
        change("registers", "registers a thread"),
        change("spill_store_bytes", "B spill stores"),
        change("spill_load_bytes", "B spill loads"),
        change("local_bytes", "B local a thread"),
        change("static_shared_bytes", "B static shared"),
    ]
    if run.fidelity is not None:
        blocks = [part.blocks_per_sm for part in (run.fidelity.original, run.fidelity.traced)]
        changes.append(f"{_known(blocks[0])} -> {_known(blocks[1])} blocks an SM")
    return "original -> traced: " + ", ".join(changes)


def _known(figure: int) -> str:
    return "?" if figure < 0 else f"{figure:,}"


def _events(run: libpygwatch.Run) -> str:
    counts = run.counts
    text = (
        f"{units.count(counts.events, 'event')} in {units.count(counts.records, 'record')}; "
        f"dropped {units.count(counts.dropped_events, 'event')}, "
        f"{units.count(counts.dropped_records, 'record')}; "
        f"orphans {units.count(counts.orphan_starts, 'start')}, "
        f"{units.count(counts.orphan_ends, 'end')}; {units.count(len(run.marks), 'mark')}; "
        f"buffer {units.size(counts.buffer_bytes)}"
    )
    if counts.buffer_bytes_needed:
        text += f", {units.size(counts.buffer_bytes_needed)} would have dropped nothing"
    return text


def _warps(counts: libpygwatch.Counts) -> str:
    return (
        f"{counts.warps_recorded:,} of {units.count(counts.warps_in_grid, 'warp')} recorded, "
        f"{counts.blocks_selected:,} of {units.count(counts.blocks_in_grid, 'block')} selected"
    )


def _time(facts: libpygwatch.TimeFacts) -> str:
    clock = f"{facts.clock_mhz:,.0f} MHz" if facts.clock_mhz > 0 else "unknown"
    return (
        f"{units.duration(facts.span_ns)} from first entry to last exit; SM clock {clock}; "
        f"resolution {units.duration(facts.resolution_ns)} inside a warp, "
        f"{units.duration(facts.alignment_ns)} between SMs"
    )


def _stages(seconds: dict[str, float]) -> str:
    if not seconds:
        return ""
    total = sum(seconds.values())
    parts = ", ".join(f"{clean(stage)} {units.duration(1e9 * s)}" for stage, s in seconds.items())
    return f"{units.duration(1e9 * total)} beyond the kernel: {parts}"
