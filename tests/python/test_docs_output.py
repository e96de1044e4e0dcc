"""Outputs in the documentation are what the commands print; GWATCH_REBASE=1 writes them anew."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from gwatch import PRODUCER, cli, libpygwatch
from gwatch.demo.offline import recorded_trace
from gwatch.show.views import VIEWS

DOCS = Path(__file__).resolve().parents[2] / "docs"
SHOWN = re.compile(r"<!-- ((?:show|diff) [^\n]*) -->\n(?:```text\n.*?\n```\n)?", re.DOTALL)


def slowed(trace, scope, percent):
    """Copy a trace; every slice of one scope takes longer."""
    archive = json.loads(libpygwatch.to_json(trace, PRODUCER))
    run = archive["runs"][0]
    slow = [entry["name"] for entry in run["scopes"]].index(scope)
    slices = run["slices"]
    slices["duration_ns"] = [
        duration + duration * percent // 100 if index == slow else duration
        for duration, index in zip(slices["duration_ns"], slices["scope"], strict=True)
    ]
    return libpygwatch.from_json(json.dumps(archive), "slowed")


@pytest.fixture
def demo_folder(tmp_path, monkeypatch, capsys):
    """Change to a folder with the demo's trace, and a slower copy of it."""
    trace = recorded_trace()
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    libpygwatch.write_archive(trace, PRODUCER, "demo.json")
    libpygwatch.write_archive(slowed(trace, "softmax", 10), PRODUCER, "slower.json")


@pytest.mark.parametrize("page", ["show.md", "diff.md"])
def test_output_in_the_docs_is_what_the_command_prints(page, demo_folder, capsys):
    path = DOCS / page
    text = path.read_text("utf-8")

    def printed(match):
        cli.main(shlex.split(match[1]))
        return f"<!-- {match[1]} -->\n```text\n{capsys.readouterr().out.rstrip()}\n```\n"

    expected = SHOWN.sub(printed, text)
    assert SHOWN.search(text)
    if os.environ.get("GWATCH_REBASE") == "1":
        path.write_text(expected, "utf-8")
        text = expected
    assert text == expected


@pytest.mark.parametrize("view", ["", *(f"--{view}" for view in VIEWS)])
def test_what_the_docs_say_of_length_and_width_holds_for_the_demo(view, demo_folder, capsys):
    assert cli.main(["show", "demo.json", *view.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
