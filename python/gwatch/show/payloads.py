"""``--payloads``: what scopes did for each value that their markers carried."""

from __future__ import annotations

from typing import Any

from gwatch import libpygwatch
from gwatch.show import units
from gwatch.show.context import Context, table
from gwatch.show.text import field, shorten

_FULL_TABLES = 3
"""With more scopes than this, tables share the lines that these would take."""
_LEAST_ROWS = 2
_HINTED_SCOPES = 4


def payload_lines(context: Context) -> list[str]:
    """Render a table of durations by value for slices, and the spread of the values for marks."""
    slices, marks = _found(context, context.limit)
    if len(slices) + len(marks) > _FULL_TABLES:
        each = max(_LEAST_ROWS, _FULL_TABLES * context.limit // (len(slices) + len(marks)))
        slices, marks = _found(context, min(each, context.limit))
    if not slices and not marks:
        whose = "the scopes that --scope names" if context.scopes else "the trace"
        text = f"no marker of {whose} carried a value, such as a tile or an iteration"
        return field("payloads", text, context.style)
    lines = field("payloads", _explained(bool(slices), bool(marks)), context.style)
    for entry in slices:
        lines += _slice_lines(context, entry)
    if marks:
        lines += _mark_lines(context, marks)
    return lines


def payload_hint(context: Context) -> list[str]:
    """Say which scopes carried values, for a reader who has not asked; nothing when none did."""
    names = [
        f"{shorten(context.plain_name(index), 30)} ({scope.payload})"
        for index, scope in enumerate(context.all_scopes)
        if scope.payload
    ]
    if not names:
        return []
    more = len(names) - _HINTED_SCOPES
    text = ", ".join(names[:_HINTED_SCOPES]) + (f" and {more} more" if more > 0 else "")
    return field("payloads", f"{text} carried values: --payloads", context.style)


def payload_facts(context: Context) -> dict[str, Any]:
    """Collect the same as data."""
    slices, marks = _found(context, context.limit)

    def durations(value: libpygwatch.PayloadValue) -> dict[str, Any]:
        return {
            "p50_ns": value.p50_ns,
            "p95_ns": value.p95_ns,
            "max_ns": value.max_ns,
            "total_ns": value.total_ns,
        }

    return {
        "slices": [
            {
                **_facts(context, entry),
                "total_ns": entry.total_ns,
                "values": [
                    {"value": entry.value(value.bits), "count": value.count, **durations(value)}
                    for value in entry.values
                ],
            }
            for entry in slices
        ],
        "marks": [
            {
                **_facts(context, entry),
                "values": [
                    {"value": entry.value(value.bits), "count": value.count}
                    for value in entry.values
                ],
            }
            for entry in marks
        ],
    }


def _facts(context: Context, entry: libpygwatch.ScopePayloads) -> dict[str, Any]:
    return {
        "scope": context.raw_name(entry.scope),
        "kind": entry.kind,
        "count": entry.count,
        "without": entry.without,
        "distinct": entry.distinct,
        "min": entry.value(entry.least),
        "p50": entry.value(entry.median),
        "max": entry.value(entry.most),
    }


def _found(
    context: Context, limit: int
) -> tuple[list[libpygwatch.ScopePayloads], list[libpygwatch.ScopePayloads]]:
    """Slices and marks of the scopes that were chosen, with so many values each."""
    found = libpygwatch.summarise_payloads(context.run, limit)
    slices = [entry for entry in found.slices if context.wants(entry.scope)]
    return slices, [entry for entry in found.marks if context.wants(entry.scope)]


def _explained(has_slices: bool, has_marks: bool) -> str:
    parts = []
    if has_slices:
        parts.append("durations of slices by the value that their start carried")
    if has_marks:
        parts.append("the values that marks carried")
    return "; ".join(parts)


def _slice_lines(context: Context, entry: libpygwatch.ScopePayloads) -> list[str]:
    left_out = entry.distinct - len(entry.values)
    rows = [[_title(context, entry), "count", "p50", "p95", "max", "total", "share"]]
    rows += [
        [
            entry.text(value.bits),
            units.count(value.count),
            units.duration(value.p50_ns),
            units.duration(value.p95_ns),
            units.duration(value.max_ns),
            units.duration(value.total_ns),
            units.percent(value.total_ns, entry.total_ns),
        ]
        for value in entry.values
    ]
    return [*table(rows, context.style), *_rest(context, entry, left_out, "with less total")]


def _mark_lines(context: Context, marks: list[libpygwatch.ScopePayloads]) -> list[str]:
    rows = [["marks", "count", "min", "p50", "max", "values"]]
    rows += [
        [
            context.plain_name(entry.scope),
            units.count(entry.count),
            entry.text(entry.least),
            entry.text(entry.median),
            entry.text(entry.most),
            units.count(entry.distinct),
        ]
        for entry in marks
    ]
    lines = table(rows, context.style)
    for entry in marks:
        if entry.distinct < entry.count and len(entry.values) > 1:
            lines += _value_counts(context, entry)
    return lines


def _value_counts(context: Context, entry: libpygwatch.ScopePayloads) -> list[str]:
    left_out = entry.distinct - len(entry.values)
    rows = [[_title(context, entry), "marks", "share"]]
    rows += [
        [entry.text(value.bits), units.count(value.count), units.percent(value.count, entry.count)]
        for value in entry.values
    ]
    return [*table(rows, context.style), *_rest(context, entry, left_out, "less frequent")]


def _title(context: Context, entry: libpygwatch.ScopePayloads) -> str:
    return f"{context.plain_name(entry.scope)} ({entry.kind})"


def _rest(context: Context, entry: libpygwatch.ScopePayloads, left_out: int, why: str) -> list[str]:
    lines = []
    if left_out:
        more = units.count(left_out, "more value")
        lines.append(f"  {more}, {why} (--limit, --all); {_range(entry)}")
    if entry.without:
        lines.append(f"  {units.count(entry.without)} without a value")
    return lines


def _range(entry: libpygwatch.ScopePayloads) -> str:
    return f"all are from {entry.text(entry.least)} to {entry.text(entry.most)}"
