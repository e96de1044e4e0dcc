"""Fidelity in the archive, in ``gwatch show``, in the page; GWATCH_REBASE=1 writes texts anew."""

import copy
import json
import os
import re
from pathlib import Path

import jsonschema
import pytest
from archives import Slice, Warp, archive, run

from gwatch import cli, libpygwatch
from gwatch.errors import ArchiveError, UsageError
from gwatch.show.page import Choice, render_facts, render_text
from gwatch.show.text import Style
from gwatch.show.views import render_views

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "data" / "show"
SCHEMA = json.loads((ROOT / "docs" / "trace.schema.json").read_text("utf-8"))
REMARK = "(C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized"


def occupancy(blocks, limit):
    return {
        "blocks_per_sm": blocks,
        "warps_per_sm": 4 * blocks,
        "max_warps_per_sm": 64,
        "limited_by": limit,
    }


def count(kind, ptx, sass, **others):
    numbers = {"moved_in": 0, "moved_out": 0, "added": 0, "gone": 0}
    facts = {"kind": kind, "waits": False, "ptx": ptx, "sass": sass, "is_compared": True}
    return facts | numbers | others


MOVED = {
    "kind": "global load",
    "opcode": "LDG.E.128.CONSTANT",
    "into": False,
    "count": 2,
    "ptx_line": 417,
    "file": "/home/someone/kernels/attention.py",
    "line": 31,
}
CHECKS = [
    {
        "scope": 0,
        "unknown": "",
        "start_reads": 2,
        "end_reads": 2,
        "counts": [
            count("global load", 8, 6, moved_out=2),
            count("local store", 0, 3, added=3),
            count("async wait", 1, 1, waits=True),
        ],
        "movements": [MOVED],
    },
    {
        "scope": 1,
        "unknown": "",
        "start_reads": 1,
        "end_reads": 1,
        "counts": [count("wgmma", 16, 12, is_compared=False)],
        "movements": [],
    },
    {
        "scope": 2,
        "unknown": "no timer read of the machine code is known to start it",
        "start_reads": 0,
        "end_reads": 1,
        "counts": [],
        "movements": [],
    },
]
FACTS = {
    "disassembler": "/usr/local/cuda/bin/nvdisasm",
    "unknown": "",
    "original": occupancy(3, "registers"),
    "traced": occupancy(2, "registers"),
    "new_remarks": [REMARK],
    "mix": [
        {"family": "HGMMA", "original": 16, "traced": 16, "own": 0},
        {"family": "LDG", "original": 8, "traced": 8, "own": 0},
        {"family": "STG", "original": 8, "traced": 30, "own": 22},
        {"family": "STL", "original": 0, "traced": 12, "own": 0},
    ],
    "scopes": CHECKS,
    "notes": ["The traced build was assembled by another assembler."],
    "overhead": {
        "pairs": 40,
        "ratio": 1.0625,
        "ratio_p10": 1.05,
        "ratio_p90": 1.075,
        "original_ns": 100_000.0,
        "traced_ns": 106_250.0,
    },
}
NOTHING = {
    "disassembler": "",
    "unknown": "there is no nvdisasm on this machine",
    "original": occupancy(-1, "") | {"warps_per_sm": -1, "max_warps_per_sm": -1},
    "traced": occupancy(3, ""),
    "new_remarks": [],
    "mix": [],
    "scopes": [],
    "notes": [],
}


def made(facts):
    build = {"local_bytes": 0, "static_shared_bytes": 1024}
    compile_facts = {
        "original": build | {"registers": 168, "spill_store_bytes": 0, "spill_load_bytes": 0},
        "traced": build | {"registers": 176, "spill_store_bytes": 48, "spill_load_bytes": 64},
        "remarks": [REMARK],
    }
    warps = [Warp(0, 0, 0, 1000, [Slice(100, 500, 0), Slice(520, 900, 1)])]
    one = run(warps, ("load_kv", "dot", "issue"), compile=compile_facts)
    return archive(one | ({} if facts is None else {"fidelity": facts}))


def read(facts):
    return libpygwatch.from_json(made(facts), "a test")


def warned(facts):
    """With the warnings on top, as do_trace leaves them."""
    trace = read(facts)
    (first,) = trace.runs
    first.warnings = libpygwatch.fidelity_warnings(first)
    return trace


@pytest.mark.parametrize("facts", [FACTS, NOTHING, None], ids=["all", "nothing", "none"])
def test_archive_gives_back_what_it_holds(facts):
    written = json.loads(libpygwatch.to_json(read(facts), "gwatch test"))

    jsonschema.Draft202012Validator(SCHEMA).validate(written)
    if facts is None:
        assert "fidelity" not in written["runs"][0]
    else:
        assert written["runs"][0]["fidelity"] == facts


def test_schema_names_every_field_of_it():
    definitions = SCHEMA["$defs"]
    parts = {
        "fidelity": FACTS,
        "occupancy": FACTS["original"],
        "mix_row": FACTS["mix"][0],
        "scope_check": CHECKS[0],
        "kind_count": CHECKS[0]["counts"][0],
        "movement": MOVED,
        "overhead": FACTS["overhead"],
    }
    for name, part in parts.items():
        assert set(part) == set(definitions[name]["properties"]), name
    text = (ROOT / "docs" / "format.md").read_text("utf-8")
    keys = {key for part in parts.values() for key in part}
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_a_broken_field_of_it_is_named():
    broken = copy.deepcopy(FACTS)
    broken["scopes"][0]["counts"][0]["ptx"] = -1
    with pytest.raises(ArchiveError, match=r"fidelity\.scopes\[0\]\.counts\[0\]\.ptx"):
        read(broken)


CASES = {"fidelity": FACTS, "fidelity-unknown": NOTHING}


@pytest.mark.parametrize("name", CASES)
def test_text(name):
    shown = render_views(warned(CASES[name]), Choice(), ["fidelity"], "trace.json", Style()) + "\n"

    path = GOLDEN / f"{name}.txt"
    if os.environ.get("GWATCH_REBASE") == "1":
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")
    assert max(map(len, shown.splitlines())) <= 100


def test_warnings_are_on_top_and_say_what_to_do():
    warnings = libpygwatch.fidelity_warnings(read(FACTS).runs[0])

    assert len(warnings) == 5
    remark, spills, blocks, slowdown, moved = warnings
    assert REMARK in remark
    assert "stored went from 0 to 48, bytes loaded from 0 to 64" in spills
    assert "168 to 176 a thread" in blocks
    assert "fell from 3 to 2" in blocks
    assert "by 6.2 %" in slowdown or "by 6.3 %" in slowdown
    assert "Scope load_kv" in moved
    assert "global load (2) out of it" in moved
    text = render_text(warned(FACTS), Choice(), "trace.json", Style())
    assert text.count("C7511") == 1, "as a warning, and not again as a remark"
    assert text.index("WARNING") < text.index("\nkernel ")


def test_nothing_is_warned_of_where_nothing_is_known_or_worse():
    unknown = libpygwatch.fidelity_warnings(read(NOTHING).runs[0])
    assert all("spills" in text for text in unknown), "ptxas tells of spills in any case"
    assert libpygwatch.fidelity_warnings(read(None).runs[0]) == []


def test_json_holds_the_same():
    facts = render_facts(read(FACTS), Choice())["fidelity"]

    assert facts["occupancy"]["traced"]["blocks_per_sm"] == 2
    assert facts["overhead"] == FACTS["overhead"]
    load, dot, issue = facts["scopes"]
    assert load["name"] == "load_kv"
    assert [entry["times"] for entry in load["key_instructions"]] == [
        "issue",
        "issue",
        "completion",
    ]
    assert load["movements"][0]["direction"] == "out"
    assert dot["key_instructions"][0]["moved_out"] is None, "not known"
    assert issue["unknown"].startswith("no timer read")
    json.dumps(facts)
    assert render_facts(read(None), Choice())["fidelity"] is None


def test_command(tmp_path, capsys):
    path = tmp_path / "trace.json"
    path.write_text(made(FACTS), "utf-8")

    assert cli.main(["show", "--fidelity", str(path)]) == 0
    assert "median of 40 interleaved pairs" in capsys.readouterr().out

    path.write_text(made(None), "utf-8")
    assert cli.main(["show", "--fidelity", str(path)]) != 0
    assert "no comparison of the original and the traced kernel" in capsys.readouterr().err
    with pytest.raises(UsageError):
        render_views(read(None), Choice(), ["fidelity"], "trace.json", Style())


def test_page_holds_it():
    page = libpygwatch.to_html(read(FACTS), "", "", "gwatch test")
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page)[1])
    assert facts["runs"][0]["fidelity"] == FACTS
    page = libpygwatch.to_html(read(None), "", "", "gwatch test")
    assert (
        json.loads(re.search(r'id="facts">(.*?)</script>', page)[1])["runs"][0]["fidelity"] is None
    )
