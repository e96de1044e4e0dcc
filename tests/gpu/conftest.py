"""Tests that need an NVIDIA GPU, PyTorch and Triton; elsewhere they are skipped and say why."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples" / "cuda" / "trace"
sys.path[:0] = [str(HERE), str(EXAMPLES)]


def reason_to_skip() -> str | None:
    for module in ("torch", "triton"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

        return None if torch.cuda.is_available() else "no CUDA device"


def pytest_collection_modifyitems(items):
    ours = [item for item in items if HERE in item.path.parents]
    reason = reason_to_skip() if ours else None
    for item in ours:
        item.add_marker(pytest.mark.gpu)
        # Other people's packages warn; gwatch's own warnings are asserted where they matter.
        item.add_marker(pytest.mark.filterwarnings("default"))
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def workloads():
    """The module of workloads; importing it needs PyTorch and Triton."""
    import gpu_workloads

    return gpu_workloads


@pytest.fixture(scope="session")
def matmul(workloads):
    return workloads.make_matmul(4096)


@pytest.fixture(scope="session")
def steps(workloads):
    """A small launch: 64 blocks of 4 warps, 100 steps, one scope a step."""
    return workloads.make_steps(blocks=64, steps=100, warps=4)


@pytest.fixture(scope="session")
def capability() -> int:
    import torch

    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


@pytest.fixture(scope="module")
def build(tmp_path_factory, capability):
    """Compile a file of this folder for this GPU; gives the path of what was built."""
    import gwatch

    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    folder = tmp_path_factory.mktemp("cuda_cpp")
    target = f"{capability}a" if capability >= 90 else str(capability)

    def compile_program(source: Path, name: str, *flags: str, ptx: bool = True) -> Path:
        code = f"[compute_{target},sm_{target}]" if ptx else f"sm_{target}"
        command = ["nvcc", "-O3", "-std=c++17", "-lineinfo", "-I", gwatch.get_include()]
        command += [f"-gencode=arch=compute_{target},code={code}", *flags]
        built = subprocess.run(
            [*command, "-o", folder / name, source], capture_output=True, text=True, timeout=300
        )
        assert built.returncode == 0, built.stderr
        return folder / name

    return compile_program


@pytest.fixture
def numba_cuda(monkeypatch):
    """numba.cuda, where it compiles a kernel without markers."""
    cuda = pytest.importorskip("numba.cuda")
    import numba_cuda
    import numpy

    # numba-cuda 0.30.4 and older ask for it; NumPy 2.5 has it no more.
    if not hasattr(numpy, "row_stack"):
        monkeypatch.setattr(numpy, "row_stack", lambda parts: numpy.vstack(parts), raising=False)

    @cuda.jit
    def unmarked(out):
        out[0] = 1

    try:
        unmarked[1, 1](cuda.device_array(1, "int32"))
    except (AttributeError, ImportError) as error:
        versions = f"numba-cuda {numba_cuda.__version__}, NumPy {numpy.__version__}"
        pytest.skip(f"{versions} do not work together: {error}")
    return cuda
