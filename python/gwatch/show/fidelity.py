"""What tracing did to a kernel: ``gwatch show --fidelity``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gwatch import libpygwatch
from gwatch.errors import UsageError
from gwatch.show import units
from gwatch.show.text import LABEL_WIDTH, Style, clean, columns, field, pad, shorten

MAX_FAMILIES = 16
MAX_MOVEMENTS = 12
_MEANINGS = (
    "ptx: key instructions between the scope's markers in the PTX; sass: between its timer reads "
    "in the machine code. in, out: moved into or out of the scope by the assembler; added: its "
    "own, such as spills; gone: in no machine code. issue: the scope times when such instructions "
    "are issued, they complete later; wait: the warp waits there."
)
NOT_COMPARED = "This trace holds no comparison of the original and the traced kernel"


def fidelity_lines(run: libpygwatch.Run, style: Style) -> list[list[str]]:
    """Render the sections of one run's fidelity.

    Raises:
        UsageError: the trace holds none.
    """
    facts = _known(run)
    return [
        section
        for section in (
            _builds(run, facts, style),
            _mix(facts, style),
            _scopes(run, facts, style),
        )
        if section
    ]


def fidelity_facts(run: libpygwatch.Run) -> dict[str, Any] | None:
    """Collect the same as plain data; None when the trace holds none."""
    facts = run.fidelity
    if facts is None:
        return None
    names = [scope.name for scope in run.scopes]
    return {
        "disassembler": facts.disassembler or None,
        "unknown": facts.unknown or None,
        "occupancy": {
            "original": _occupancy_facts(facts.original),
            "traced": _occupancy_facts(facts.traced),
        },
        "new_remarks": list(facts.new_remarks),
        "instruction_mix": [
            {"family": row.family, "original": row.original, "traced": row.traced, "own": row.own}
            for row in facts.mix
        ],
        "scopes": [_scope_facts(check, names) for check in facts.scopes],
        "notes": list(facts.notes),
        "overhead": _overhead_facts(facts.overhead),
    }


def _known(run: libpygwatch.Run) -> libpygwatch.FidelityFacts:
    if run.fidelity is None:
        raise UsageError(
            NOT_COMPARED,
            hint="Trace again without do_trace(fidelity=False); older versions did not compare.",
        )
    return run.fidelity


def _builds(run: libpygwatch.Run, facts: libpygwatch.FidelityFacts, style: Style) -> list[str]:
    builds = (run.compile.original, run.compile.traced)
    rows: list[tuple[str, list[str]]] = [
        ("registers a thread", [_figure(build.registers) for build in builds]),
        ("spill stores, B", [_figure(build.spill_store_bytes) for build in builds]),
        ("spill loads, B", [_figure(build.spill_load_bytes) for build in builds]),
        ("local memory a thread, B", [_figure(build.local_bytes) for build in builds]),
        ("static shared memory, B", [_figure(build.static_shared_bytes) for build in builds]),
        ("occupancy of an SM", [_occupancy(facts.original), _occupancy(facts.traced)]),
        ("limited by", [part.limited_by or "?" for part in (facts.original, facts.traced)]),
    ]
    if facts.mix:
        totals = [sum(row.original for row in facts.mix), sum(row.traced for row in facts.mix)]
        rows.append(("machine instructions", [units.count(total) for total in totals]))
    rows.append(("kernel time", _times(facts.overhead)))
    lines = [style.bold(f"{'build':<26}{'original':>28}{'traced':>28}")]
    lines += [f"{name:<26}{before:>28}{after:>28}" for name, (before, after) in rows]
    lines += field("overhead", _overhead(facts.overhead), style)
    lines += field("remarks", _remarks(run, facts), style)
    for note in [facts.unknown, *facts.notes]:
        lines += field("note", clean(note), style)
    return lines


def _figure(number: int) -> str:
    return "?" if number < 0 else units.count(number)


def _occupancy(part: libpygwatch.Occupancy) -> str:
    if part.blocks_per_sm < 0:
        return "?"
    warps = _figure(part.warps_per_sm)
    most = _figure(part.max_warps_per_sm)
    return f"{units.count(part.blocks_per_sm, 'block')}, {warps} of {most} warps"


def _times(overhead: libpygwatch.Overhead | None) -> list[str]:
    if overhead is None:
        return ["not measured", "not measured"]
    return [units.duration(overhead.original_ns), units.duration(overhead.traced_ns)]


def _overhead(overhead: libpygwatch.Overhead | None) -> str:
    if overhead is None:
        return "not measured: do_trace(measure_overhead=True) does"
    return (
        f"traced / original = {overhead.ratio:.3f} (median of {overhead.pairs} interleaved pairs; "
        f"p10 {overhead.ratio_p10:.3f}, p90 {overhead.ratio_p90:.3f})"
    )


def _remarks(run: libpygwatch.Run, facts: libpygwatch.FidelityFacts) -> str:
    if facts.new_remarks:
        return "new: " + clean("; ".join(facts.new_remarks))
    same = units.count(len(run.compile.remarks), "remark")
    return "none of the assembler" if not run.compile.remarks else f"none new ({same} as before)"


def _mix(facts: libpygwatch.FidelityFacts, style: Style) -> list[str]:
    if not facts.mix:
        return []
    ordered = sorted(facts.mix, key=lambda row: (-abs(_other(row)), -row.own, row.family))
    changed = [row for row in ordered if row.traced != row.original or row.own]
    lines = [
        style.bold(f"{'instructions':<26}{'original':>10}{'traced':>10}{'gwatch':>10}{'other':>10}")
    ]
    for row in changed[:MAX_FAMILIES]:
        lines.append(
            f"{clean(row.family):<26}{row.original:>10,}{row.traced:>10,}{row.own:>10,}{_other(row):>+10,}"
        )
    rest = len(facts.mix) - min(len(changed), MAX_FAMILIES)
    if rest:
        unchanged = len(facts.mix) - len(changed)
        lines.append(
            f"{units.count(rest, 'more family').replace('familys', 'families')}, "
            f"{unchanged} of them as before (--json lists all)"
        )
    meaning = "gwatch: its own code; other: what else the assembler made differ"
    return [*lines, meaning]


def _other(row: libpygwatch.MixRow) -> int:
    return row.traced - row.own - row.original


def _scopes(run: libpygwatch.Run, facts: libpygwatch.FidelityFacts, style: Style) -> list[str]:
    if not facts.scopes:
        return []
    lines = [
        style.bold(
            f"{'scope':<24}{'key instructions':<18}{'times':<6}"
            + "".join(f"{name:>8}" for name in ("ptx", "sass", "in", "out", "added", "gone"))
        )
    ]
    for check in facts.scopes:
        lines += _scope(_name(run, check), check, style)
    return [*lines, *field("", _MEANINGS, style)]


def _name(run: libpygwatch.Run, check: libpygwatch.ScopeCheck) -> str:
    known = check.scope < len(run.scopes)
    return clean(run.scopes[check.scope].name) if known else f"scope {check.scope}"


def _scope(name: str, check: libpygwatch.ScopeCheck, style: Style) -> list[str]:
    label = pad(shorten(name, 23), 24)
    if check.unknown:
        lines = field("", f"not known: {clean(check.unknown)}", Style(style.width - LABEL_WIDTH))
        lines = [" " * LABEL_WIDTH + line for line in lines]
        return [label + lines[0][columns(label) :], *lines[1:]]
    if not check.counts:
        return [f"{label}none"]
    lines = []
    for count in check.counts:
        lines.append(f"{label}{count.kind:<18}{_meaning(count):<6}{_counts(count)}")
        label = " " * 24
    for movement in check.movements[:MAX_MOVEMENTS]:
        lines.append(shorten(f"{label}  {_movement(movement)}", style.width))
    if len(check.movements) > MAX_MOVEMENTS:
        lines.append(f"{label}  and more (--json lists all)")
    return lines


def _meaning(count: libpygwatch.KindCount) -> str:
    return "wait" if count.waits else "issue"


def _counts(count: libpygwatch.KindCount) -> str:
    moved = [count.moved_in, count.moved_out]
    cells = [str(count.ptx), str(count.sass)]
    cells += [str(number) if count.is_compared else "?" for number in moved]
    cells += [str(count.added), str(count.gone)]
    return "".join(f"{'-' if cell == '0' else cell:>8}" for cell in cells)


def _movement(movement: libpygwatch.Movement) -> str:
    way = "moved in:" if movement.into else "moved out:"
    place = f" of {clean(os.path.basename(movement.file))}:{movement.line}" if movement.line else ""
    ptx = f", PTX line {movement.ptx_line}" if movement.ptx_line else ""
    return f"{way} {movement.count} {movement.opcode or movement.kind}{place}{ptx}"


def _occupancy_facts(part: libpygwatch.Occupancy) -> dict[str, Any]:
    return {
        "blocks_per_sm": _or_none(part.blocks_per_sm),
        "warps_per_sm": _or_none(part.warps_per_sm),
        "max_warps_per_sm": _or_none(part.max_warps_per_sm),
        "limited_by": part.limited_by or None,
    }


def _or_none(number: int) -> int | None:
    return None if number < 0 else number


def _scope_facts(check: libpygwatch.ScopeCheck, names: Sequence[str]) -> dict[str, Any]:
    return {
        "scope": check.scope,
        "name": names[check.scope] if check.scope < len(names) else None,
        "unknown": check.unknown or None,
        "start_reads": check.start_reads,
        "end_reads": check.end_reads,
        "key_instructions": [
            {
                "kind": count.kind,
                "times": "completion" if count.waits else "issue",
                "ptx": count.ptx,
                "sass": count.sass,
                "moved_in": count.moved_in if count.is_compared else None,
                "moved_out": count.moved_out if count.is_compared else None,
                "added": count.added,
                "gone": count.gone,
            }
            for count in check.counts
        ],
        "movements": [
            {
                "kind": movement.kind,
                "opcode": movement.opcode or None,
                "direction": "in" if movement.into else "out",
                "count": movement.count,
                "ptx_line": movement.ptx_line or None,
                "file": movement.file,
                "line": movement.line or None,
            }
            for movement in check.movements
        ],
    }


def _overhead_facts(overhead: libpygwatch.Overhead | None) -> dict[str, Any] | None:
    if overhead is None:
        return None
    return {
        "pairs": overhead.pairs,
        "ratio": overhead.ratio,
        "ratio_p10": overhead.ratio_p10,
        "ratio_p90": overhead.ratio_p90,
        "original_ns": overhead.original_ns,
        "traced_ns": overhead.traced_ns,
    }
