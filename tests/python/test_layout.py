"""The project's own rules that a command can check: sizes of files, and names of the package."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINE_LIMITS = {".cpp": 500, ".h": 250, ".hpp": 250, ".py": 400, ".ts": 500}
TEST_LINE_LIMIT = 800
GENERATED = {"python/gwatch/libpygwatch.pyi", "python/gwatch/data/viewer.js"}


def tracked_files():
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [Path(name) for name in listing.stdout.splitlines() if name not in GENERATED]


def test_files_stay_small():
    too_long = []
    for path in tracked_files():
        limit = TEST_LINE_LIMIT if path.parts[0] == "tests" else LINE_LIMITS.get(path.suffix)
        if path.suffix not in LINE_LIMITS or limit is None or not (ROOT / path).exists():
            continue
        lines = len((ROOT / path).read_bytes().splitlines())
        if lines > limit:
            too_long.append(f"{path}: {lines} lines, limit {limit}")
    assert not too_long


@pytest.mark.parametrize("name", ["trace", "xtrace"])
def test_both_names_of_the_api(name):
    api = __import__(f"gwatch.cuda.{name}", fromlist=["do_trace"])
    form = __import__(f"gwatch.cuda.{name}.format", fromlist=["Section_IntraKernelTrace"])
    markers = __import__(f"gwatch.cuda.{name}.triton", fromlist=["scope_start"])

    assert api.do_trace.__module__ == "gwatch.cuda.trace._do_trace"
    assert form.Section_IntraKernelTrace.__module__ == "gwatch.cuda.trace.format"
    assert markers.scope_start is not None


def test_fixed_width_integers_come_with_their_header():
    """A standard library may bring <cstdint> along with another header, or not."""
    source = ROOT / "src"
    missing = [
        path.relative_to(ROOT)
        for path in sorted([*source.rglob("*.h"), *source.rglob("*.cpp")])
        if re.search(r"std::u?int\d+_t", path.read_text("utf-8"))
        and not _reaches_cstdint(path, source, set())
    ]

    assert not missing


def _reaches_cstdint(path: Path, source: Path, seen: set[Path]) -> bool:
    """Whether a file or one of our headers that it includes, however deep, includes <cstdint>."""
    if path in seen or not path.is_file():
        return False
    seen.add(path)
    text = path.read_text("utf-8")
    own = re.findall(r'#include "([^"]+)"', text)
    return "#include <cstdint>" in text or any(
        _reaches_cstdint(source / header, source, seen) for header in own
    )
