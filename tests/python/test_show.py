"""``gwatch show`` against texts of tests/data/show; GWATCH_REBASE=1 writes them anew."""

import json
import os
import re
from pathlib import Path

import pytest
from archives import Instant, Slice, Warp, archive, pipelined_warps, run

from gwatch import cli, libpygwatch
from gwatch.show.page import Choice, render_facts, render_text
from gwatch.show.summary import render_trace
from gwatch.show.text import Style

GOLDEN = Path(__file__).parent.parent / "data" / "show"
SCOPES = ("load_kv", "dot", "issue")


def nested():
    warps = [
        Warp(0, 0, 0, 1000, [Slice(100, 500, 0), Slice(200, 300, 2, 1, 1), Slice(520, 900, 1)]),
        Warp(0, 1, 10, 990, [Slice(110, 400, 0), Slice(400, 990, 1)], sm=0),
        Warp(3, 0, 300, 800, [Slice(300, 800, 0)], sm=7),
    ]
    return run(warps, SCOPES, launch={"grid": [2, 2, 1]})


def troubled():
    warps = [Warp(0, 0, 0, 2_500_000, [Slice(1_000, 2_400_000, 0)])]
    return run(
        warps,
        SCOPES,
        marks=[Instant(0, 5_000, 2)],
        orphan_starts=[Instant(0, 2_450_000, 1)],
        orphan_ends=[Instant(0, 500, 1, 1), Instant(0, 700, 1, 0xFFFF0000)],
        counts={"dropped_events": 1234, "dropped_records": 617, "buffer_bytes_needed": 3 << 30},
        warnings=["1,234 events were dropped: give buffer_bytes=3221225472."],
        compile={
            "lowered_from": "9.4",
            "remarks": ["ptxas info : (C7510) Potential Performance Loss: wgmma is serialized"],
            "traced": {
                "registers": 255,
                "local_bytes": 16,
                "spill_store_bytes": 24,
                "spill_load_bytes": 32,
                "static_shared_bytes": -1,
            },
        },
        launch={"cluster": [2, 1, 1], "in_graph": True},
    )


def hostile():
    warps = [Warp(0, 0, 0, 100, [Slice(0, 60, 0), Slice(60, 100, 1)])]
    names = ("\x1b[31mred\x07\nline", "n" * 200)
    return run(
        warps, names, launch={"kernel": "k\x1b]0;title\x07", "kernel_demangled": "\u00fc(int)"}
    )


def many_scopes():
    names = [f"stage_{i:02d}" for i in range(70)]
    slices = [Slice(10 * i, 10 * i + 9, i) for i in range(70)]
    return run([Warp(0, 0, 0, 700, slices)], names)


def long_facts():
    """Make facts as templates, deep folders and many warnings write them, at any length."""
    names = [f"{i}_" + "part_of_a_pipeline_" * 20 for i in range(600)]
    slices = [Slice(10 * i, 10 * i + 9, i) for i in range(600)]
    return run(
        [Warp(0, 0, 0, 6000, slices)],
        names,
        launch={"kernel": "_Z" + "k" * 9_000, "kernel_demangled": "gemm<" * 3_000},
        compile={"assembler": "/folder" * 900, "ptx_source": "s" * 5_000},
        warnings=["word " * 900, *(f"{i} events" for i in range(40))],
    )


CASES = {
    "nested": (archive(nested()), Choice(), Style()),
    "waves": (archive(run(pipelined_warps(900, 4), SCOPES)), Choice(), Style()),
    "persistent": (archive(run(pipelined_warps(132, 8, 200), SCOPES)), Choice(), Style()),
    "big-blocks": (archive(run(pipelined_warps(20, 32), SCOPES)), Choice(), Style()),
    "troubled": (archive(troubled()), Choice(), Style()),
    "second-run": (archive(nested(), troubled()), Choice(run=1), Style()),
    "window": (
        archive(run(pipelined_warps(40, 4), SCOPES)),
        Choice(blocks=(2, 3), warps=(0, 3), begin_ns=100, end_ns=500),
        Style(),
    ),
    "no-slices": (archive(run([Warp(0, 0, 0, 50)], SCOPES)), Choice(), Style()),
    "no-warps": (archive(run([], SCOPES)), Choice(), Style()),
    "hostile-names": (archive(hostile()), Choice(), Style()),
    "many-scopes": (archive(many_scopes()), Choice(), Style()),
    "long-facts": (archive(long_facts(), title="t" * 5_000), Choice(), Style()),
    "narrow": (archive(nested()), Choice(), Style(width=80)),
    "colour": (archive(nested()), Choice(), Style(width=80, colour=True)),
}


@pytest.mark.parametrize("name", CASES)
def test_text(name):
    text, choice, style = CASES[name]
    trace = libpygwatch.from_json(text, name)
    shown = render_text(trace, choice, "trace.json", style) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GWATCH_REBASE") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


@pytest.mark.parametrize("name", [name for name in CASES if name != "colour"])
def test_plain_text_is_narrow_and_short_and_sends_nothing_to_a_terminal(name):
    text, choice, style = CASES[name]
    lines = render_text(libpygwatch.from_json(text, name), choice, "trace.json", style).split("\n")
    assert max(map(len, lines)) <= style.width
    assert all(line.isprintable() for line in lines)
    assert len(lines) <= (75 if name == "long-facts" else 60)


def ranked(rank, host, start_ns):
    return run(
        [Warp(0, 0, 0, 1000, [Slice(0, 900, 0)])],
        launch={"rank": rank, "host": host, "device_index": rank % 2},
        time={"start_globaltimer_ns": start_ns},
    )


def test_runs_say_their_rank_and_when_they_began():
    runs = [ranked(0, "a1", 7000), ranked(1, "a1", 5000), ranked(2, "b2", 99), ranked(3, "b2", 0)]
    trace = libpygwatch.from_json(archive(*runs), "ranks")
    text = render_text(trace, Choice(run=1), "all.json", Style())
    for line in (
        "runs        1: _kernel, rank 0, GPU 0, host 1, 1.000 us long, from 2.000 us",
        "            2: _kernel, rank 1, GPU 1, host 1, 1.000 us long, from 0 ns",
        "            3: _kernel, rank 2, GPU 0, host 2, 1.000 us long, from 0 ns",
        "            4: _kernel, rank 3, GPU 1, host 2, 1.000 us long, start unknown",
        "            --run picks one",
        "device      NVIDIA H200, index 1, 132 SMs, rank 1; kernel written in triton",
    ):
        assert line + "\n" in text
    places = render_facts(trace, Choice())["run_places"]
    assert [place["start_ns"] for place in places] == [2000, 0, 0, None]
    assert places[1] == {
        "kernel": "_kernel",
        "rank": 1,
        "host": "a1",
        "device_index": 1,
        "start_ns": 0,
        "span_ns": 1000,
    }


def test_of_many_runs_those_around_the_shown_one_are_listed():
    trace = libpygwatch.from_json(archive(*(ranked(i, "a1", 10 + i) for i in range(50))), "ranks")
    for index, listed in ((0, range(1, 7)), (20, range(18, 24)), (49, range(45, 51))):
        text = render_text(trace, Choice(run=index), "all.json", Style())
        assert re.findall(r"(\d+): _kernel", text) == list(map(str, listed))
        assert "44 more runs; --run picks one" in text


def test_a_block_of_many_warps_shows_some_of_each_role_unless_asked():
    consumers = [Warp(0, warp, 0, 900, [Slice(0, 900, 1)]) for warp in range(31)]
    made = run([*consumers, Warp(0, 31, 0, 900, [Slice(0, 900, 0)])], SCOPES)
    trace = libpygwatch.from_json(archive(made), "roles")

    def rows(choice):
        text = render_text(trace, choice, "trace.json", Style())
        return re.findall(r"^ *warp (\d+) \|", text, re.MULTILINE), text

    shown, text = rows(Choice())
    assert shown == [*map(str, range(15)), "31"]
    assert "  16 more warps of this block (--warp, --block)\n" in text
    assert "time of all warps of these blocks" in " ".join(text.split())
    for asked in (Choice(blocks=(0,)), Choice(warps=range(32)), Choice(show_all=True)):
        assert len(rows(asked)[0]) == 32


def test_summary_of_a_trace_is_the_text_of_all_its_runs():
    trace = libpygwatch.from_json(archive(nested(), troubled()), "two")
    first, second = render_trace(trace).split("\n\n\n")
    assert first == render_text(trace, Choice(run=0), "", Style())
    assert second == render_text(trace, Choice(run=1), "", Style())


def test_summary_of_a_trace_without_runs_says_so():
    assert render_trace(libpygwatch.Trace()) == "Nothing was traced."


def show(capsys, *arguments):
    code = cli.main(["show", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def trace_file(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(archive(nested(), troubled()), "utf-8")
    return path


def test_command_prints_plain_text_when_not_in_a_terminal(trace_file, capsys):
    code, out, err = show(capsys, trace_file)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert out.startswith("Intra-kernel trace | run 1 of 2 | trace.json")


def test_command_can_be_told_to_colour(trace_file, capsys):
    assert "\x1b[" in show(capsys, trace_file, "--color", "always")[1]


def test_json_holds_the_statistics_of_the_core(trace_file, capsys):
    _, out, _ = show(capsys, trace_file, "--json")
    facts = json.loads(out)
    first = libpygwatch.read_archive(str(trace_file)).runs[0]
    for entry in libpygwatch.scope_statistics(first):
        shown = facts["scopes"][entry.scope]
        assert shown["name"] == first.scopes[entry.scope].name
        for name in ("count", "min_ns", "p50_ns", "mean_ns", "p95_ns", "max_ns", "total_ns"):
            assert shown[name] == getattr(entry, name)
    summary = libpygwatch.pipeline_summary(first)
    assert facts["pipeline"]["gap_ns"] == summary.gap_ns
    assert facts["pipeline"]["most_gap"][0]["gap_ns"] == summary.most_gap[0].gap_ns
    assert facts["time"]["start_globaltimer_ns"] == 1764500000000000000


def test_json_timeline_has_a_letter_a_cell(trace_file, capsys):
    _, out, _ = show(capsys, trace_file, "--json", "--width", 100)
    facts = json.loads(out)
    letters = {scope["letter"] for scope in facts["scopes"]}
    rows = [row for block in facts["timeline"]["blocks"] for row in block["rows"]]
    assert [row["warp"] for row in rows] == [0, 1, 0]
    assert all(len(row["cells"]) == 100 for row in rows)
    assert set("".join(row["cells"] for row in rows)) <= letters | {".", " "}
    assert facts["timeline"]["innermost_ns_by_scope"] == [1090, 970, 100]
    assert rows[0]["cells"].startswith("." * 10 + letters_of(facts)["load_kv"])


def letters_of(facts):
    return {scope["name"]: scope["letter"] for scope in facts["scopes"]}


def test_json_writes_unknown_figures_as_null(trace_file, capsys):
    _, out, _ = show(capsys, trace_file, "--json", "--run", 2)
    build = json.loads(out)["compile"]["traced"]
    assert build["static_shared_bytes"] is None
    assert build["registers"] == 255


def test_orphans_and_drops_are_in_both_forms(trace_file, capsys):
    text = show(capsys, trace_file, "--run", 2)[1]
    assert "dropped 1,234 events" in text
    assert "orphans 1 start, 2 ends" in text
    facts = json.loads(show(capsys, trace_file, "--run", 2, "--json")[1])
    assert facts["counts"]["orphan_ends"] == 2
    assert facts["warnings"] == [
        "1,234 events were dropped: give buffer_bytes=3221225472.",
        "assembler: ptxas info : (C7510) Potential Performance Loss: wgmma is serialized",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run", 3], "the trace has no run 3\nPick one of 1 to 2 with --run."),
        (["--run", 0], "the trace has no run 0\nPick one of 1 to 2 with --run."),
        (["--block", 9], "no recorded warp is one of those that --block and --warp name"),
        (["--warp", "31"], "The run has 3 warps, of the blocks 0 to 3."),
        (["--block", "a-2"], "--block cannot be 'a-2'"),
        (["--width", 20], "--width 20 is too narrow"),
        (["--from-ns", 9, "--to-ns", 9], "--from-ns must be before --to-ns"),
    ],
)
def test_wrong_arguments_are_errors_that_say_what_to_do(trace_file, capsys, arguments, message):
    code, out, err = show(capsys, trace_file, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("gwatch: ")
    assert message in err


def test_missing_file_is_an_error_that_names_it(tmp_path, capsys):
    code, _, err = show(capsys, tmp_path / "nothing.json")
    assert code == 1
    assert "nothing.json" in err


def test_trace_without_runs_says_so(tmp_path, capsys):
    path = tmp_path / "empty.json"
    path.write_text(archive(), "utf-8")
    code, _, err = show(capsys, path)
    assert code == 1
    assert "the trace has no run" in err


def test_mask_of_part_of_a_warp_is_no_trouble():
    warps = [
        Warp(
            0,
            0,
            0,
            100,
            [Slice(0, 50, 0, 0, 0xFFFF0000), Slice(20, 100, 1, 0, 0xFFFF)],
        )
    ]
    trace = libpygwatch.from_json(archive(run(warps)), "halves")
    shown = libpygwatch.text_timeline(trace.runs[0], width=10)
    assert shown.blocks[0].rows[0].cells == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
