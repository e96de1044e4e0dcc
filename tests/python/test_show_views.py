"""The views of ``gwatch show``: golden texts, their JSON against its schema, filters."""

import json
import os
from pathlib import Path

import jsonschema
import pytest
from archives import Instant, Slice, Warp, archive, pipelined_warps, run
from payload_runs import tiles

from gwatch import cli, libpygwatch
from gwatch.commands import show as command
from gwatch.show.page import Choice, render_facts
from gwatch.show.text import Style, columns
from gwatch.show.views import VIEWS, render_view_facts, render_views

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "data" / "show"
SCHEMA = json.loads((ROOT / "docs" / "show.schema.json").read_text("utf-8"))
PLAIN = tuple(view for view in VIEWS if view != "fidelity")


def producer_and_consumers(blocks=12):
    """Make warp 3 feed warps 0 to 2, which wait for it; block 5 is slow in one place."""
    warps = []
    for block in range(blocks):
        begin = 10 * block
        for warp in range(3):
            slices, time = [], begin + 30
            for step in range(4):
                wait = 80 + 5 * warp + (900 if block == 5 and step == 2 else 0)
                slices += [Slice(time, time + wait, 1), Slice(time + wait, time + wait + 110, 2)]
                time += wait + 110
            warps.append(Warp(block, warp, begin, time + 15, slices, sm=block % 4))
        slices = [Slice(begin + 20 + 190 * i, begin + 60 + 190 * i, 0) for i in range(4)]
        warps.append(Warp(block, 3, begin, begin + 780, slices, sm=block % 4))
    return run(warps, ("tma_issue", "wait_full", "mma"))


def overlapping():
    slices = [Slice(0, 60, 0, 0, 3), Slice(30, 90, 1, 0, 12), Slice(40, 50, 0, 1, 3)]
    return run([Warp(0, 0, 0, 100, slices), Warp(0, 1, 0, -1, [Slice(5, 15, 1)])])


def open_scopes():
    return run(
        [Warp(0, 0, 0, -1, [Slice(10, 20, 0)]), Warp(0, 1, 0, 50)],
        orphan_starts=[Instant(0, 30, 1)],
        orphan_ends=[Instant(1, 5, 0)],
        counts={"dropped_events": 1234, "buffer_bytes_needed": 1 << 40},
        warnings=["1,234 events were dropped."],
    )


def hostile():
    names = ("\x1b[31mred\x07\nline", "n" * 10_000, "<script>\u202e\U0001f600", "")
    slices = [Slice(20 * i, 20 * i + 10, i) for i in range(4)]
    made = run([Warp(2**62, 0, 0, 100, slices)], names, launch={"grid": [2**32 - 1] * 3})
    files = ("/etc/passwd", "a\0b.py", "\x1b]0;x\x07.py", "")
    for scope, file in zip(made["scopes"], files, strict=True):
        scope["file"] = file
    return made


def huge():
    end = 2**52
    slices = [Slice(0, end // 2, 0), Slice(end // 2, end, 1)]
    made = [Warp(2**63 - 1, 0, 0, end, slices, sm=2**32 - 1)]
    return run(made, launch={"grid": [2**32 - 1] * 3})


def many_scopes():
    slices = [Slice(10 * i, 10 * i + 9, i) for i in range(70)]
    return run([Warp(0, 0, 0, 700, slices)], [f"stage_{i:02d}" for i in range(70)])


def wide_names():
    """Make names whose letters take two columns of a terminal."""
    names = ("\u5bbd\u5b57\u7b26" * 30, "\U0001f525\U0001f680 load", "e\u0301" * 60, "mma")
    slices = [Slice(30 * i, 30 * i + 20 + i, i % 4) for i in range(12)]
    made = run([Warp(0, 0, 0, 400, slices)], names)
    for scope in made["scopes"]:
        scope["file"] = "\u5185\u6838" * 40 + ".py"
    return made


RUNS = {
    "producer": producer_and_consumers(),
    "waves": run(pipelined_warps(300, 4), ("load_kv", "dot", "issue")),
    "overlapping": overlapping(),
    "open-scopes": open_scopes(),
    "hostile": hostile(),
    "wide-names": wide_names(),
    "huge": huge(),
    "many-scopes": many_scopes(),
    "one-slice": run([Warp(0, 0, 0, 10, [Slice(2, 2, 0)])]),
    "no-slices": run([Warp(0, 0, 0, 50)]),
    "no-scopes": run([Warp(0, 0, 0, 50)], ()),
    "no-warps": run([]),
    "payloads": tiles(),
}
TRACES = {name: libpygwatch.from_json(archive(made), name) for name, made in RUNS.items()}


def text_of(name, views, choice=None, style=None):
    return render_views(TRACES[name], choice or Choice(), views, "trace.json", style or Style())


@pytest.mark.parametrize("view", PLAIN)
@pytest.mark.parametrize("name", ["producer", "hostile"])
def test_text(name, view):
    shown = text_of(name, [view]) + "\n"
    path = GOLDEN / f"view-{view}-{name}.txt"
    if os.environ.get("GWATCH_REBASE") == "1":
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


@pytest.mark.parametrize("view", PLAIN)
@pytest.mark.parametrize("name", TRACES)
def test_text_is_narrow_short_and_printable(name, view):
    for width in (80, 100):
        lines = text_of(name, [view], style=Style(width=width)).split("\n")
        assert max(map(columns, lines)) <= width
        assert all(line.isprintable() for line in lines)
        assert len(lines) <= 60


@pytest.mark.parametrize("name", TRACES)
def test_all_views_together_stay_short(name):
    assert len(text_of(name, PLAIN).split("\n")) <= 150


def test_fidelity_that_a_trace_lacks_does_not_take_other_views_away():
    text = text_of("producer", ["statistics", "fidelity"])
    assert "wait_full" in text
    assert "fidelity    none: This trace holds no comparison" in text


@pytest.mark.parametrize("name", TRACES)
def test_json_is_as_its_schema_says(name):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    for views in [*([view] for view in VIEWS), list(VIEWS)]:
        facts = json.loads(json.dumps(render_view_facts(TRACES[name], Choice(), views)))
        validator.validate(facts)
        assert set(views) <= set(facts)
    validator.validate(json.loads(json.dumps(render_facts(TRACES[name], Choice()))))


def facts_of(name, view, **choice):
    return render_view_facts(TRACES[name], Choice(**choice), [view])[view]


def test_schema_refuses_what_is_not_a_view():
    facts = render_view_facts(TRACES["producer"], Choice(), ["bubbles"])
    facts["bubbles"]["count"] = "many"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(facts, SCHEMA)


def test_finding_tells_producer_from_consumers():
    finding = render_view_facts(TRACES["producer"], Choice(), [])["finding"]
    groups = render_view_facts(TRACES["producer"], Choice(), [])["groups"]
    assert [group["warps_of_block"] for group in groups] == ["0-2", "3"]
    producer = groups[1]
    assert producer["scopes"] == ["tma_issue"]
    assert producer["no_scope_ns"] == 12 * (780 - 160)
    assert (
        "Warp 3 of a block (12 in all: tma_issue) spent 79.5 % of its time in no scope" in finding
    )


def test_bubbles_are_those_between_scopes():
    facts = facts_of("producer", "bubbles", warps=(3,))
    between = {(kind["after_scope"], kind["before_scope"]): kind for kind in facts["kinds"]}
    assert between["tma_issue", "tma_issue"]["count"] == 12 * 3
    assert between["tma_issue", "tma_issue"]["total_ns"] == 12 * 3 * 150
    assert between[None, "tma_issue"]["longest_ns"] == 20
    assert facts["longest"][0]["duration_ns"] == 150


def test_outliers_name_the_block_that_was_slow():
    facts = facts_of("producer", "outliers")
    assert facts["scopes"][0]["scope"] == "wait_full"
    assert facts["scopes"][0]["slow_count"] == 3
    slowest = facts["scopes"][0]["slowest"][0]
    assert (slowest["block"], slowest["warp"], slowest["duration_ns"]) == (5, 2, 990)


def test_concurrency_says_how_long_scopes_met():
    facts = facts_of("producer", "concurrency")
    pairs = {(pair["first"], pair["second"]): pair for pair in facts["pairs"]}
    waited = pairs["wait_full", "mma"]
    assert 0 < waited["both_ns"] < waited["first_ns"]
    assert facts["alive"]["peak_warps"] <= 48
    assert facts["alive"]["time_ns"] == facts["in_no_scope"]["time_ns"] + sum(
        scope["time_ns"] for scope in facts["scopes"]
    )


def test_critical_names_the_slow_block_first():
    facts = facts_of("producer", "critical")
    assert facts["slowest_blocks"][0]["block"] == 5
    assert facts["blocks"] == 12
    assert {led["scope"]: led["blocks"] for led in facts["led_by"]}["mma"] == 11


def test_window_narrows_concurrency():
    facts = facts_of("producer", "concurrency", begin_ns=100, end_ns=200)
    assert (facts["begin_ns"], facts["end_ns"]) == (100, 200)
    assert facts["alive"]["time_ns"] == sum(min(200, 900) - max(100, 10 * b) for b in range(12)) * 4


def test_scopes_are_picked_by_name_pattern_and_id():
    for pattern in ("wait_full", "wait*", "101", "101-101"):
        facts = facts_of("producer", "statistics", scopes=[pattern])
        assert [scope["name"] for scope in facts["scopes"]] == ["wait_full"]
    facts = facts_of("producer", "statistics", scopes=["100-101"])
    assert [scope["name"] for scope in facts["scopes"]] == ["tma_issue", "wait_full"]


def test_what_scope_leaves_out_is_not_said_to_be_missing_from_the_trace():
    joined = [Slice(0, 60, 0), Slice(60, 100, 1), Slice(100, 130, 0)]
    trace = libpygwatch.from_json(archive(run([Warp(0, 0, 0, 200, joined)], "abc")), "abc")
    views = ["bubbles", "concurrency", "payloads"]
    text = render_views(trace, Choice(scopes=["b"]), views, "", Style())
    assert "no stretch in no scope right before or after the scopes that --scope names" in text
    assert "no scope ran beside one that --scope names, at the same time" in text
    assert "no marker of the scopes that --scope names carried a value" in text


def test_blocks_and_warps_narrow_every_view():
    facts = facts_of("producer", "statistics", blocks=(2, 5), warps=(3,))
    assert facts["pipeline"]["warps"] == 2
    assert [scope["count"] for scope in facts["scopes"]] == [8, 0, 0]
    assert facts_of("producer", "critical", blocks=(1,))["slowest_blocks"][0]["block"] == 1


def test_source_shows_the_text_of_files_that_look_like_source(tmp_path):
    kernel = tmp_path / "kernel.py"
    kernel.write_text("first\n\tload(\x1b[31m)\n", "utf-8")
    secret = tmp_path / "secret"
    secret.write_text("hidden\n", "utf-8")
    made = run([Warp(0, 0, 0, 100, [Slice(0, 60, 0), Slice(60, 70, 1)])])
    made["scopes"][0] |= {"file": str(kernel), "line": 2}
    made["scopes"][1] |= {"file": str(secret), "line": 1}
    trace = libpygwatch.from_json(archive(made), "source")
    lines = render_view_facts(trace, Choice(), ["source"])["source"]["lines"]
    assert [line["text"] for line in lines] == ["\tload(\x1b[31m)", None]
    assert [line["innermost_ns"] for line in lines] == [60, 10]
    os.utime(kernel, (0, 0))
    text = render_views(trace, Choice(), ["source"], "t", Style())
    assert "| load(\\x1b[31m)" in text
    assert "hidden" not in text
    assert "changed" not in text
    os.utime(kernel, (4e9, 4e9))
    assert "was changed after" in render_views(trace, Choice(), ["source"], "t", Style())


def test_limit_and_all_say_how_many_rows():
    few = text_of("many-scopes", ["critical"], Choice(limit=3))
    assert "68 more scopes (--limit, --all)" in few
    everything = text_of("many-scopes", ["critical"], Choice(show_all=True))
    assert "more scopes" not in everything
    assert "stage_69" in everything


@pytest.fixture
def trace_file(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(archive(RUNS["producer"]), "utf-8")
    return str(path)


def test_command_prints_views_in_one_order(trace_file, capsys):
    assert cli.main(["show", trace_file, "--critical", "--stats", "--bubbles"]) == 0
    out = capsys.readouterr().out
    assert out.index("pipeline ") < out.index("bubbles  ") < out.index("critical  ")
    assert "timeline" not in out


def test_command_prints_views_as_json(trace_file, capsys):
    assert cli.main(["show", trace_file, "--outliers", "--source", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    jsonschema.validate(facts, SCHEMA)
    assert {"outliers", "source"} <= set(facts)
    assert "launch" not in facts


def test_command_knows_all_views():
    assert set(command._VIEWS) == set(VIEWS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--bubbles", "--scope", "nothing"],
            "no scope is named 'nothing'\nThe run has: tma_issue",
        ),
        (["--bubbles", "--block", "99"], "no recorded warp is one of those"),
        (["--stats", "--limit", "0"], "--limit cannot be 0"),
        (["--stats", "--block", "0-99999999999"], "names too many"),
        (["--stats", "--block", "99999999999999999999"], "--block cannot be"),
        (["--stats", "--warp", "4294967296"], "--warp cannot be"),
        (["--timeline", "--from-ns", "99999999999999999999"], "--from-ns cannot be"),
        (["--timeline", "--to-ns", "-1"], "--to-ns cannot be"),
        (["--concurrency", "--width", "99999999"], "--width 99999999 is too wide"),
        (["--fidelity"], "holds no comparison"),
    ],
)
def test_command_refuses(trace_file, capsys, arguments, message):
    assert cli.main(["show", trace_file, *arguments]) == 1
    assert message in capsys.readouterr().err.replace("\n\n", "\n").replace("\n  ", "\n")
