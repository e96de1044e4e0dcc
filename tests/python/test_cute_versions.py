"""The tests of markers, source and example with the other CuTe DSL that gwatch supports."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = os.environ.get("GWATCH_CUTE47", "")
TESTS = [
    "test_cute_markers.py",
    "test_cute_payloads.py",
    "test_cute_source.py",
    "test_cute_gemm.py",
    "test_cute_iket.py",
]


@pytest.mark.skipif(
    not FOLDER,
    reason="GWATCH_CUTE47 names no folder: pip install --target FOLDER --no-deps "
    "nvidia-cutlass-dsl-libs-{base,core,cu13}==4.7.1, then set it",
)
def test_cute_dsl_4_7_passes_the_same_tests():
    here = Path(__file__).parent
    packages = str(Path(FOLDER, "nvidia_cutlass_dsl", "dsl_packages"))
    paths = [FOLDER, packages, *(path for path in sys.path if path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    del environment["GWATCH_CUTE47"]

    version = [sys.executable, "-c", "import cutlass; print(cutlass.__version__)"]
    said = subprocess.run(version, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("4.7."), f"{FOLDER} has CuTe DSL {said.stdout}"

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *(str(here / name) for name in TESTS)],
        env=environment,
        cwd=here.parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout
