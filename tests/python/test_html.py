"""The HTML report as a file: that it is whole, and that the shipped viewer is the built one."""

import json
import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest
from archives import Slice, Warp, archive, run

from gwatch import libpygwatch
from gwatch.common import format
from gwatch.common.format import write_trace
from gwatch.errors import FileError

VIEWER = Path(__file__).parents[2] / "src" / "viewer"


@pytest.fixture
def trace():
    warps = [Warp(0, 0, 0, 100, [Slice(10, 60, 0), Slice(60, 100, 1)])]
    return libpygwatch.from_json(archive(run(warps), title="A <b>title</b>"), "trace")


def test_page_holds_viewer_title_and_facts(trace, tmp_path):
    path = tmp_path / "page.html"
    write_trace(trace, path)
    page = path.read_text("utf-8")
    assert "<title>A &lt;b&gt;title&lt;/b&gt;</title>" in page
    data = resources.files("gwatch.data")
    for name in ("viewer.js", "viewer.css"):
        assert data.joinpath(name).read_text("utf-8") in page
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page)[1])
    assert facts["title"] == "A <b>title</b>"
    assert facts["runs"][0]["statistics"][0]["total_ns"] == 50


def test_page_asks_for_nothing_from_elsewhere(trace):
    page = libpygwatch.to_html(trace, "", "", "gwatch test")
    assert not re.search(r"""(src|href)\s*=|url\(|@import|https?:""", page)


def test_viewer_can_stand_in_a_page():
    data = resources.files("gwatch.data")
    assert "</script" not in data.joinpath("viewer.js").read_text("utf-8")
    assert "</style" not in data.joinpath("viewer.css").read_text("utf-8")


def test_more_slices_than_a_browser_likes_are_a_warning(trace, tmp_path, monkeypatch):
    monkeypatch.setattr(format, "MOST_HTML_SLICES", 1)
    with pytest.warns(UserWarning, match="holds 0 million slices"):
        write_trace(trace, tmp_path / "page.html")
    assert (tmp_path / "page.html").exists()


def test_folder_that_does_not_exist_is_a_file_error(trace, tmp_path):
    with pytest.raises(FileError, match="cannot write the report"):
        write_trace(trace, tmp_path / "nowhere" / "page.html")


@pytest.mark.skipif(
    not (VIEWER / "node_modules").exists(),
    reason="src/viewer has no node_modules: run npm ci there",
)
def test_shipped_viewer_is_the_built_one(tmp_path):
    subprocess.run(["npm", "run", "--silent", "check"], cwd=VIEWER, check=True)
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=VIEWER, check=True)
    data = resources.files("gwatch.data")
    for name in ("viewer.js", "viewer.css"):
        shipped = data.joinpath(name).read_text("utf-8")
        assert shipped == (tmp_path / name).read_text("utf-8"), "run npm run build in src/viewer"
