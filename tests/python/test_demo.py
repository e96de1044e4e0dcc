"""`gwatch demo` on a machine without a GPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from gwatch.cli import main

ROOT = Path(__file__).resolve().parents[2]


def run_demo(folder, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "gwatch", "demo", "--recorded", *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_builds_the_kernel_here_and_shows_the_recording(tmp_path):
    ran = run_demo(tmp_path, "--report", "demo.html", "--report", "demo.json")

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert "No trace is made on this machine: as asked." in ran.stdout
    assert "20 markers of 6 scopes" in ran.stdout
    assert "Recorded on an NVIDIA H200 on 2026-" in ran.stdout
    assert "attention_forward_kernel" in (tmp_path / "demo.html").read_text("utf-8")
    archive = json.loads((tmp_path / "demo.json").read_text("utf-8"))
    jsonschema.validate(archive, json.loads((ROOT / "docs" / "trace.schema.json").read_text()))
    (run,) = archive["runs"]
    assert run["counts"]["events"] == 19_456
    assert run["launch"]["device"] == "NVIDIA H200"
    assert run["counts"]["dropped_events"] == 0


def test_the_default_report_is_a_page(tmp_path):
    assert run_demo(tmp_path).returncode == 0
    assert (tmp_path / "demo-report.html").exists()


def test_without_triton_the_shipped_ptx_is_built(monkeypatch, tmp_path, capsys):
    from gwatch.demo import offline

    monkeypatch.setattr(offline.importlib.util, "find_spec", lambda name: None)

    assert main(["demo", "--recorded", "--report", str(tmp_path / "demo.json")]) == 0

    out = capsys.readouterr().out
    assert "as shipped" in out
    assert "registers" in out


def test_without_an_assembler_it_says_so_and_shows_the_recording(monkeypatch, tmp_path, capsys):
    from gwatch.demo import offline

    monkeypatch.setattr(offline.assemblers, "candidates", lambda preferred: [])

    assert main(["demo", "--recorded", "--report", str(tmp_path / "demo.json")]) == 0

    out = capsys.readouterr().out
    assert "there is no ptxas here" in out
    assert "19,456 events" in out


@pytest.mark.parametrize("name", ["demo.txt", "demo"])
def test_an_unknown_report_format_is_refused_before_any_work(name, tmp_path, capsys):
    good = tmp_path / "demo.html"

    assert main(["demo", "--recorded", "--report", str(good), "--report", name]) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert f"cannot tell the format of '{name}'" in err
    assert not good.exists()
