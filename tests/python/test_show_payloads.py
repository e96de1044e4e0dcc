"""``gwatch show --payloads``: durations by the value that markers carried."""

import json

import jsonschema
import pytest
from archives import Instant, Slice, Warp, archive, run
from payload_runs import BIG, float32, float64, of_kind, tiles
from test_show_views import SCHEMA

from gwatch import libpygwatch
from gwatch.show.page import Choice, render_facts, render_text
from gwatch.show.text import Style
from gwatch.show.views import render_view_facts, render_views


def facts_of(made, **choice):
    trace = libpygwatch.from_json(archive(made))
    facts = json.loads(json.dumps(render_view_facts(trace, Choice(**choice), ["payloads"])))
    jsonschema.validate(facts, SCHEMA)
    return facts["payloads"]


def text_of(made, width=100, **choice):
    trace = libpygwatch.from_json(archive(made))
    text = render_views(trace, Choice(**choice), ["payloads"], "t.json", Style(width=width))
    return text[text.index("payloads ") :]


def test_durations_by_value():
    facts = facts_of(tiles())
    tile, mma = facts["slices"]
    assert (tile["scope"], tile["kind"]) == ("tile", "u32")
    assert (tile["count"], tile["without"], tile["distinct"]) == (14, 2, 4)
    assert (tile["min"], tile["p50"], tile["max"]) == (0, 1, 3)
    assert tile["values"][0] == {
        "value": 0,
        "count": 4,
        "p50_ns": 107.0,
        "p95_ns": pytest.approx(113.4),
        "max_ns": 114,
        "total_ns": 428,
    }
    assert [value["value"] for value in tile["values"]] == [0, 1, 2, 3]
    assert tile["total_ns"] == sum(value["total_ns"] for value in tile["values"])
    assert [value["value"] for value in mma["values"]] == pytest.approx([0.1 * i for i in range(8)])
    (fill,) = facts["marks"]
    assert (fill["min"], fill["p50"], fill["max"], fill["distinct"]) == (-2, 1, 5, 8)
    assert [value["count"] for value in fill["values"]] == [2] * 8


TEXT = """\
payloads    durations of slices by the value that their start carried; the values that marks carried
  tile (u32)  count       p50       p95     max     total   share
  0               4  107.0 ns  113.4 ns  114 ns    428 ns   8.4 %
  1               4  708.0 ns  714.4 ns  715 ns  2.832 us  55.4 %
  2               4  109.0 ns  115.4 ns  116 ns    436 ns   8.5 %
  3               2  708.0 ns  712.5 ns  713 ns  1.416 us  27.7 %
  2 without a value
  marks  count  min  p50  max  values
  fill      16   -2    1    5       8
  fill (s64)  marks   share
  -2              2  12.5 %
  -1              2  12.5 %
  0               2  12.5 %
  1               2  12.5 %
  2               2  12.5 %
  3               2  12.5 %
  4               2  12.5 %
  5               2  12.5 %"""


def test_text():
    assert text_of(tiles(), scopes=["tile", "fill"]) == TEXT


def test_many_values_leave_those_with_most_total():
    slices = [Slice(100 * i, 100 * i + 1 + i, 0, payload=i) for i in range(50)]
    made = run([Warp(0, 0, 0, 5000, slices)], kinds=("u32",))
    facts = facts_of(made, limit=3)["slices"][0]
    assert [value["value"] for value in facts["values"]] == [49, 48, 47]
    assert facts["distinct"] == 50
    text = text_of(made, limit=3)
    assert "47 more values, with less total (--limit, --all); all are from 0 to 49" in text
    assert "more value" not in text_of(made, show_all=True)


def test_values_are_written_by_their_kind():
    cases = [
        ("s32", 0xFFFFFFFE, -2, "-2"),
        ("u64", BIG, str(BIG), str(BIG)),
        ("u64", 2**53, 2**53, str(2**53)),
        ("s64", 2**63, str(-(2**63)), str(-(2**63))),
        ("f32", float32(0.1), 0.1, "0.1"),
        ("f32", float32(100000.0), 100000.0, "100000"),
        ("f64", float64(1e300), 1e300, "1e+300"),
        ("f64", float64(float("nan")), "nan", "nan"),
        ("bits", 0xBEEF, "0xbeef", "0xbeef"),
    ]
    for kind, bits, value, text in cases:
        made = of_kind(kind, bits)
        assert facts_of(made)["slices"][0]["values"][0]["value"] == value
        assert facts_of(made)["marks"][0]["max"] == value
        assert f"\n  {text} " in text_of(made)


def test_nothing_was_carried():
    made = run([Warp(0, 0, 0, 100, [Slice(0, 60, 0)])])
    assert facts_of(made) == {"slices": [], "marks": []}
    assert "no marker of the trace carried a value" in text_of(made)


def test_a_warp_and_a_scope_can_be_picked():
    facts = facts_of(tiles(), warps=(1,), scopes=("tile",))
    (tile,) = facts["slices"]
    assert tile["count"] == 7
    assert tile["values"][3]["max_ns"] == 713
    assert facts["marks"] == []


def test_many_scopes_share_the_lines():
    names = [f"scope_{i:02d}" for i in range(12)]
    slices = [Slice(10 * i, 10 * i + 9, i % 12, payload=i) for i in range(1200)]
    made = run([Warp(0, 0, 0, 12000, slices)], names, kinds=["u32"] * 12)
    for width in (80, 100):
        lines = text_of(made, width).split("\n")
        assert len(lines) <= 62
        assert max(map(len, lines)) <= width


def test_outliers_say_what_the_slow_ones_carried():
    slices = [Slice(100 * i, 100 * i + 10, 0, payload=i) for i in range(20)]
    slices[13].end_ns += 60
    made = run([Warp(0, 0, 0, 3000, slices)], kinds=("u32",), marks=[Instant(0, 5, 1)])
    trace = libpygwatch.from_json(archive(made))
    facts = render_view_facts(trace, Choice(), ["outliers"])
    jsonschema.validate(json.loads(json.dumps(facts)), SCHEMA)
    assert facts["outliers"]["scopes"][0]["slowest"][0]["payload"] == 13
    text = render_views(trace, Choice(), ["outliers"], "t.json", Style())
    assert text.split("\n")[-2:] == [
        "  the slowest: scope  warp            SM        at   took  times p50  payload",
        "  load                block 0 warp 0   0  1.300 us  70 ns        7.0       13",
    ]
    plain = libpygwatch.from_json(archive(run([Warp(0, 0, 0, 3000, slices[:0])])))
    assert "payload" not in render_views(plain, Choice(), ["outliers"], "t.json", Style())


def test_the_first_page_says_that_values_were_carried():
    trace = libpygwatch.from_json(archive(tiles()))
    text = render_text(trace, Choice(), "t.json", Style())
    assert "payloads    tile (u32), mma (f32), fill (s64) carried values: --payloads" in text
    facts = json.loads(json.dumps(render_facts(trace, Choice())))
    jsonschema.validate(facts, SCHEMA)
    assert [scope["payload"] for scope in facts["scopes"]] == ["u32", "f32", "s64", None]
    plain = libpygwatch.from_json(archive(run([Warp(0, 0, 0, 9, [Slice(1, 2, 0)])])))
    assert "payloads" not in render_text(plain, Choice(), "t.json", Style())
