"""The tests of markers, source and instruction mix with the other Triton that gwatch supports."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = os.environ.get("GWATCH_TRITON36", "")
TESTS = [
    "test_gluon_markers.py",
    "test_triton_markers.py",
    "test_triton_payloads.py",
    "test_triton_source.py",
    "test_sass_mix.py",
]


@pytest.mark.skipif(
    not FOLDER,
    reason="GWATCH_TRITON36 names no folder: "
    "pip install --target FOLDER --no-deps triton==3.6.0, then set it",
)
def test_triton_3_6_passes_the_same_tests():
    here = Path(__file__).parent
    paths = [FOLDER, *(path for path in sys.path if path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    del environment["GWATCH_TRITON36"]

    version = [sys.executable, "-c", "import triton; print(triton.__version__)"]
    said = subprocess.run(version, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("3.6."), f"{FOLDER} has Triton {said.stdout}"

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *(str(here / name) for name in TESTS)],
        env=environment,
        cwd=here.parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
