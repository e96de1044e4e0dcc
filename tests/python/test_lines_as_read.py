"""`gwatch instrument` on texts that it marks itself: lines are those of the file that was read."""

import json
import re
from pathlib import Path

import pytest

from gwatch import auto_scopes, libpygwatch
from gwatch.cli import main
from gwatch.commands._lines_as_read import LinesAsRead

PIPELINE = Path(__file__).parents[1] / "data/analysis/real-cute-pipeline.ptx"


def numbers(read, marked):
    lines = LinesAsRead(read.encode(), marked.encode())
    return [lines.number(i + 1) for i in range(len(marked.splitlines()))]


def test_added_lines_are_where_they_were_put():
    assert numbers("aa\nbb\ncc\n", "aa\n// new\nmov;\nbb\ncc\n// end\n") == [1, 2, 2, 2, 3, 4]
    assert numbers("aa\n\tbb\n", "// new\naa\n\t// new\nbb\n") == [1, 1, 2, 2]
    assert numbers("same\n", "same\n") == [1]


def test_replaced_lines():
    read = "aa\n{\n.reg .b32 %r;\npmevent.mask 2;\n}\nbb\n{\npmevent.mask 3;\n}\ncc\n"
    marked = "aa\n// gwatch:mark x\nmov;\nbb\n// gwatch:mark y\nmov;\ncc\n"
    assert numbers(read, marked) == [1, 6, 6, 6, 10, 10, 10]


def test_many_replaced_lines_in_a_row():
    blocks = "".join(f"{{\n.reg .b32 %r;\npmevent.mask {i};\n}}\n" for i in range(100))
    marks = "".join(f"// gwatch:mark {i}\nmov;\n" for i in range(100))
    assert numbers(f"aa\n{blocks}bb\ncc\n", f"aa\n{marks}bb\ncc\n")[-2:] == [402, 403]


def test_texts_without_a_line_in_common():
    assert numbers("aa\nbb\n", "cc\ndd\n") == [1, 1]
    assert numbers("aa\n", "aa\n// end\n") == [1, 2]


@pytest.mark.parametrize("line", ["\t.loc 1 40 16", "}", "ret;"])
def test_added_line_that_stands_elsewhere_too(line):
    read = f"aa\nbb\n{line}\ncc\ndd\n"
    assert numbers(read, f"aa\n{line}\n// new\nbb\n{line}\ncc\ndd\n")[-2:] == [4, 5]


def test_words_name_lines_of_the_text_that_was_read():
    lines = LinesAsRead(b"aa\nbb\n", b"// new\naa\n// new\nbb\n")
    said = "branch at line 4 depends on %p3, set from %tid.x at line 2"
    assert lines.reason(said) == "branch at line 2 depends on %p3, set from %tid.x at line 1"
    assert LinesAsRead(b"aa", b"aa").reason(said) == said


def test_automatic_scopes_of_a_file(capsys):
    assert main(["instrument", str(PIPELINE), "--auto", "--json"]) == 0
    markers = json.loads(capsys.readouterr().out)["markers"]

    read = PIPELINE.read_text().splitlines()
    finds = auto_scopes.mark(PIPELINE.read_bytes(), ["producer_consumer"], auto_scopes.KINDS).finds
    waits = [find for find in finds if find.scope.startswith("barrier.wait")]
    assert [(find.ptx_line, find.end_ptx_line + 1) for find in waits] == [
        tuple(marker["ptx_line"] for marker in markers if marker["scope"] == find.scope)
        for find in waits
    ]
    assert waits
    reasons = {marker["placement_reason"] for marker in markers if marker["placement_reason"]}
    assert reasons
    for reason in reasons:
        branch, register, cause, origin = re.fullmatch(
            r"branch at line (\d+) depends on (\S+), set from (\S+) at line (\d+)", reason
        ).groups()
        assert re.search(f"@!?{re.escape(register)} bra", read[int(branch) - 1])
        assert cause in read[int(origin) - 1]


def test_marked_text_is_numbered_as_it_is(tmp_path, capsys):
    path = tmp_path / "marked.ptx"
    marked = auto_scopes.mark(PIPELINE.read_bytes(), ["producer_consumer"], ["barrier"]).ptx
    path.write_bytes(marked)
    assert main(["instrument", str(path), "--json"]) == 0
    markers = json.loads(capsys.readouterr().out)["markers"]
    listed = libpygwatch.list_markers(marked, "")
    assert [marker["ptx_line"] for marker in markers] == [marker.ptx_line for marker in listed]
