"""The shipped capture of an H200 through the decoder and the archive."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from gwatch import libpygwatch

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "trace.schema.json"


@pytest.fixture(scope="module")
def capture():
    path = resources.files("gwatch.data").joinpath("demo", "attention.raw")
    return libpygwatch.read_raw_capture(str(path))


@pytest.fixture(scope="module")
def run(capture):
    run = libpygwatch.decode(capture.records, capture.sites)
    libpygwatch.set_facts(run, capture.facts)
    return run


def test_every_record_is_accounted_for(run):
    counts = run.counts
    assert run.warnings == []
    assert counts.dropped_events == counts.orphan_starts == counts.orphan_ends == 0
    assert counts.events == 2 * len(run.slices) > 0
    assert counts.records == sum(site.records for site in run.sites)
    assert counts.warps_recorded == counts.warps_in_grid == len(run.lanes)
    assert all(lane.exit_ns > lane.enter_ns >= 0 for lane in run.lanes)


def test_all_sms_agree_with_the_timer_to_a_tick(run):
    assert 32 <= run.time.alignment_ns <= 64
    assert 300 < run.time.clock_mhz < 3000
    assert run.time.span_ns == max(lane.exit_ns for lane in run.lanes)


def test_facts_travel_with_the_records(run):
    assert "attention" in run.launch.kernel
    assert "H200" in run.launch.device
    assert run.launch.dsl == "triton"


def test_its_archive_is_compact_and_valid(run):
    trace = libpygwatch.Trace()
    trace.runs = [run]
    text = libpygwatch.to_json(trace, "gwatch test")
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(
        json.loads(text)
    )
    columns = json.dumps(json.loads(text)["runs"][0]["slices"], separators=(",", ":"))
    assert len(columns) <= 12 * len(run.slices)


def test_writing_it_again_gives_the_same_records(capture, run, tmp_path):
    path = str(tmp_path / "again.raw")
    libpygwatch.write_raw_capture(path, capture.records, capture.sites, run)
    again = libpygwatch.read_raw_capture(path)
    decoded = libpygwatch.decode(again.records, again.sites)
    assert decoded.slices.start_ns.tolist() == run.slices.start_ns.tolist()
    assert again.records.grid == capture.records.grid
    assert again.facts == capture.facts
