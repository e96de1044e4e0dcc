"""The examples as a reader runs them."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "cuda" / "trace"
NEEDS_CUTE = pytest.mark.skipif(
    importlib.util.find_spec("cutlass") is None, reason="nvidia-cutlass-dsl is not installed"
)
ARGUMENTS = [
    pytest.param(["trace_triton_attention.py"], id="attention"),
    pytest.param(
        ["trace_triton_attention.py", "--causal", "--head-dim", "128"], id="attention-128"
    ),
    pytest.param(["trace_triton_matmul.py"], id="matmul"),
    pytest.param(["trace_cute_matmul.py"], id="cute", marks=NEEDS_CUTE),
    pytest.param(["trace_cute_matmul.py", "--cluster", "2"], id="cute-pairs", marks=NEEDS_CUTE),
    pytest.param(
        ["trace_cute_matmul.py", "--m", "1024", "--n", "2048", "--k", "512", "--plain"],
        id="cute-plain",
        marks=NEEDS_CUTE,
    ),
]


def run_python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_example_writes_reports_and_finds_its_result_right(arguments, tmp_path):
    from gwatch import libpygwatch

    html, archive = tmp_path / "trace.html", tmp_path / "trace.json"
    script, *options = arguments
    ran = run_python(EXAMPLES / script, *options, "--report", html, "--report", archive)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "result against PyTorch: right" in ran.stdout
    assert "traced against untraced: bit-identical" in ran.stdout
    assert html.read_text("utf-8").lstrip().lower().startswith("<!doctype html>")
    (run,) = libpygwatch.read_archive(str(archive)).runs
    assert run.counts.events > 0
    assert run.counts.dropped_events == 0


PACKAGES = {
    "cupy": "cupy",
    "numba": "numba_cuda",
    "cuda_core": "cuda.core",
    "tilelang": "tilelang",
}


def reason_not_to_run(dsl):
    try:
        found = dsl not in PACKAGES or importlib.util.find_spec(PACKAGES[dsl])
    except ModuleNotFoundError:  # not even the package around it
        found = None
    if not found:
        return f"{PACKAGES[dsl]} is not installed"
    if dsl == "torch_nvrtc":
        import torch

        if not hasattr(torch.cuda, "_compile_kernel"):
            return "this PyTorch has no torch.cuda._compile_kernel"
    if dsl == "numba":
        import numpy

        if not hasattr(numpy, "row_stack"):  # numba-cuda up to 0.30.4 asks for it
            return "this numba-cuda and this NumPy may not work together"
    return None


@pytest.mark.parametrize(
    "dsl", ["gluon", "inductor", "cupy", "numba", "torch_nvrtc", "cuda_core", "tilelang"]
)
def test_small_example_finds_its_result_right(dsl, tmp_path):
    from gwatch import libpygwatch

    if reason := reason_not_to_run(dsl):
        pytest.skip(reason)
    archive = tmp_path / "trace.json"
    ran = run_python(EXAMPLES / f"trace_{dsl}_saxpy.py", "--report", archive)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "the result is right" in ran.stdout
    (run,) = libpygwatch.read_archive(str(archive)).runs
    assert run.counts.events > 0
    assert run.counts.dropped_events == 0
    assert {scope.name for scope in run.scopes} == {"load", "update"}
    carried = libpygwatch.summarise_payloads(run, 4).slices
    assert "load" in {run.scopes[one.scope].name for one in carried}


def test_demo_traces_on_this_gpu_and_show_reads_its_archive(tmp_path):
    archive = tmp_path / "demo.json"

    ran = run_python("-m", "gwatch", "demo", "--report", archive)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Traced attention_forward_kernel on this machine's" in ran.stdout

    shown = run_python("-m", "gwatch", "show", archive)

    assert shown.returncode == 0, shown.stderr
    assert "attention_forward_kernel" in shown.stdout
    assert "softmax" in shown.stdout
