"""`gwatch instrument`, and the binding behind it."""

import io
import json
import sys

import pytest

from gwatch import libpygwatch
from gwatch.cli import main
from gwatch.errors import UsageError

HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def entry(name, *markers):
    body = "".join(f"\t// gwatch:{words}\n\tmov.u32 %r1, 0;\n" for words in markers)
    return f".visible .entry {name}()\n{{\n\t.reg .b32 %r<4>;\n{body}\tret;\n}}\n"


TWO = (
    HEADER
    + '.file 1 "k.py"\n'
    + entry("load_a", "start 7", "switch 7 b%20c")
    + entry("store", "mark x")
)


@pytest.fixture
def ptx(tmp_path):
    path = tmp_path / "in.ptx"
    path.write_text(TWO)
    return path


def test_text_goes_to_standard_output(ptx, capfdbinary):
    assert main(["instrument", str(ptx)]) == 0
    out, err = capfdbinary.readouterr()
    assert out == libpygwatch.instrument_matching(TWO, "").ptx
    assert out.count(b"{%gwatch_block, %gwatch_count};") == 2
    assert err == b""


def test_text_goes_to_a_file(ptx, tmp_path, capfd):
    out = tmp_path / "out.ptx"
    assert main(["instrument", str(ptx), "-o", str(out), "--kernel", "^load"]) == 0
    assert out.read_bytes() == libpygwatch.instrument(TWO, "load_a").ptx
    assert capfd.readouterr() == ("", "")


def test_standard_input(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWO.encode())))
    assert main(["instrument", "-", "--kernel", "store"]) == 0
    assert capfdbinary.readouterr().out == libpygwatch.instrument(TWO, "store").ptx


def test_list(ptx, capfd):
    assert main(["instrument", str(ptx), "--list"]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "marker  verb    function  source   PTX line  site  placement",
        "7       start   load_a    unknown  8         1     proven",
        "7 b c   switch  load_a    unknown  10        1     proven",
        "x       mark    store     unknown  17        3     proven",
    ]


def test_list_shows_the_kinds_of_values(tmp_path, capfd):
    path = tmp_path / "in.ptx"
    path.write_text(TWO.replace("mov.u32 %r1, 0;", "mov.f32 %r1, 0f00000000;", 1))
    assert main(["instrument", str(path), "--list", "--kernel", "load"]) == 0
    assert capfd.readouterr().out.splitlines()[1].split()[:3] == ["7", "start", "f32"]
    assert main(["instrument", str(path), "--json", "--kernel", "load"]) == 0
    markers = json.loads(capfd.readouterr().out)["markers"]
    assert [marker["payload"] for marker in markers] == ["f32", None]


PARTED = (
    HEADER
    + """.visible .entry k()
{
	.reg .b32 %r<4>;
	.reg .pred %p1;
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 64;
	@%p1 bra END;
	// gwatch:mark 1
	mov.u32 %r2, 0;
END:
	ret;
}
"""
)


def test_list_says_which_branch_parts_the_lanes(tmp_path, capfd):
    path = tmp_path / "in.ptx"
    path.write_text(PARTED)

    assert main(["instrument", str(path), "--list"]) == 0
    *_, blank, reason = capfd.readouterr().out.splitlines()

    assert blank == ""
    assert reason.startswith("site 1 unknown: ")
    assert "line 10" in reason
    assert "%tid.x" in reason


def test_the_shape_of_the_block_proves_more(tmp_path, capfd):
    path = tmp_path / "in.ptx"
    path.write_text(PARTED)

    assert main(["instrument", str(path), "--list", "--block", "128"]) == 0

    assert capfd.readouterr().out.splitlines()[-1].endswith("proven")


@pytest.mark.parametrize("block", ["0", "1,2,3,4", "x", "12345", ""])
def test_a_block_that_is_none_is_refused(ptx, capfd, block):
    assert main(["instrument", str(ptx), "--list", "--block", block]) == 1
    assert "such as 128 or 32,4,1" in capfd.readouterr().err


def test_list_as_json(ptx, capfd):
    assert main(["instrument", str(ptx), "--json", "--kernel", "load"]) == 0
    markers = json.loads(capfd.readouterr().out)["markers"]
    assert [(m["verb"], m["scope"], m["next_scope"], m["site"]) for m in markers] == [
        ("start", "7", None, 1),
        ("switch", "7", "b c", 1),
    ]
    assert markers[0]["function"] == "load_a"
    assert markers[0]["in_entry"] is True
    assert markers[0]["placement"] == "proven"


@pytest.mark.parametrize("flag", [[], ["--list"], ["--json"]])
def test_no_markers_is_exit_2_and_writes_nothing(flag, tmp_path, capfd):
    path, out = tmp_path / "in.ptx", tmp_path / "out.ptx"
    path.write_text(HEADER + entry("k"))
    assert main(["instrument", str(path), "-o", str(out), *flag]) == 2
    stdout, stderr = capfd.readouterr()
    assert stdout == ""
    assert "no marker" in stderr
    assert not out.exists()


@pytest.mark.parametrize("flag", [[], ["--list"], ["--json"]])
def test_an_instrumented_text_is_refused(flag, ptx, tmp_path, capfd):
    once, twice = tmp_path / "once.ptx", tmp_path / "twice.ptx"
    assert main(["instrument", str(ptx), "-o", str(once)]) == 0
    assert main(["instrument", str(once), "-o", str(twice), *flag]) == 1
    assert "instrumented already" in capfd.readouterr().err
    assert not twice.exists()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            TWO,
            ["--kernel", "nothing"],
            "no entry matches 'nothing'\nIts entries:\n    load_a\n    store",
        ),
        (TWO, ["--kernel", "("], "is no regular expression"),
        (HEADER + entry("k", "begin 1"), [], "PTX line 7: unknown verb 'begin'"),
        ("not PTX", [], "in.ptx:1:1"),
        ("\x7fELF", [], "an ELF image"),
    ],
)
def test_errors_are_exit_1(text, options, message, tmp_path, capfd):
    path = tmp_path / "in.ptx"
    path.write_text(text)
    assert main(["instrument", str(path), *options]) == 1
    stdout, stderr = capfd.readouterr()
    assert stdout == ""
    assert message in stderr


def test_files_that_cannot_be_opened(ptx, tmp_path, capfd):
    assert main(["instrument", str(tmp_path / "nowhere.ptx")]) == 1
    assert "cannot read" in capfd.readouterr().err
    assert main(["instrument", str(ptx), "-o", str(tmp_path / "no" / "out.ptx")]) == 1
    assert "cannot write" in capfd.readouterr().err


def test_bytes_that_are_no_utf8_pass_through():
    text = (HEADER + "// caf\xe9\n" + entry("k", "mark 1")).encode("latin-1")
    assert b"caf\xe9" in libpygwatch.instrument(text, "k").ptx


def test_site_table_round_trip():
    sites = libpygwatch.instrument_matching(TWO, "").sites
    text = sites.to_json()
    assert libpygwatch.SiteTable.from_json(text).to_json() == text
    table = json.loads(text)
    assert [scope["name"] for scope in table["scopes"]] == ["7", "b c", "x"]
    assert table["sites"][0]["actions"] == [["start", 0], ["end", 0], ["start", 1]]


def test_facts():
    facts = libpygwatch.ptx_facts(HEADER + entry("k"))
    assert (facts.version, facts.targets, facts.entries) == ("8.0", ["sm_90a"], ["k"])


def test_a_bad_pattern_is_a_usage_error():
    with pytest.raises(UsageError):
        libpygwatch.list_markers(TWO, "[")
