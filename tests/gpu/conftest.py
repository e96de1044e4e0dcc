"""Tests that need an NVIDIA GPU, PyTorch and Triton; elsewhere they are skipped and say why."""

from __future__ import annotations

import importlib.util
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
