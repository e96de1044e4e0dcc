"""Whatever fails, the program goes on with its own kernel; errors say what, where, what to do."""

import pytest

from gwatch.errors import (
    AssemblerError,
    CaptureError,
    DriverError,
    NoMarkersError,
    SourceError,
    UsageError,
)

PROFILER_FIRST = """
import gpu_workloads, torch
from torch.profiler import ProfilerActivity, profile
from gwatch.errors import CaptureError

work = gpu_workloads.make_steps(blocks=64, steps=100, warps=4)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
    work.launch()
    torch.cuda.synchronize()
work.clear()
try:
    result = gpu_workloads.do_trace(fn=work.launch, kernel_name_pattern=work.pattern, dsl="triton")
    print("traced", result.runs[0].counts.events == work.events)
except CaptureError as error:
    print("refused", error)
print("right", work.is_right())
"""

TRAP = """
import os, sys
import gpu_kernels, torch
from gwatch.cuda.trace import do_trace
from gwatch.errors import GwatchError

out = torch.zeros(128, device="cuda", dtype=torch.int32)

def fn():
    gpu_kernels.trap_kernel[(1,)](out, 1, block=128, num_warps=4)
    if {synchronize}:
        torch.cuda.synchronize()

try:
    do_trace(fn=fn, kernel_name_pattern="^trap_kernel$", dsl="triton")
except GwatchError as error:
    print("gwatch:", error)
except RuntimeError as error:
    print("torch:", error)
print("alive")
sys.stdout.flush()
os._exit(0)  # destructors would complain about the lost context
"""

RELEASE = "Cuda compilation tools, release 13.0, V13.0.88"
LEFT_FREE_BYTES = 256 << 20


@pytest.fixture
def only_ptxas(tmp_path, monkeypatch):
    """Leaves gwatch one assembler: a shell script that answers --version, then does as told."""
    from gwatch import assemblers, libpygwatch

    def make(script):
        path = tmp_path / "ptxas"
        path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{RELEASE}" && exit\n{script}\n')
        path.chmod(0o755)
        alone = [libpygwatch.Candidate(str(path), "test", [])]
        monkeypatch.setattr(assemblers, "candidates", lambda preferred: alone)
        return str(path)

    return make


@pytest.fixture(autouse=True)
def goes_on_working(workloads, steps, monkeypatch):
    """After each failure, PyTorch works and the next trace is complete."""
    yield
    import torch

    assert torch.ones(1000, device="cuda").sum().item() == 1000
    monkeypatch.undo()
    assert workloads.trace(steps).runs[0].counts.events == steps.events


def test_pattern_that_matches_nothing_lists_the_kernels_seen(workloads, steps):
    error = workloads.trace_failure(steps, CaptureError, kernel_name_pattern="no_such_kernel")

    assert "no_such_kernel" in str(error)
    assert "steps_kernel" in str(error)


def test_bad_pattern(workloads, steps):
    error = workloads.trace_failure(steps, UsageError, kernel_name_pattern="steps(")

    assert "steps(" in str(error)


def test_fn_that_launches_nothing(workloads):
    with pytest.raises(CaptureError) as caught:
        workloads.do_trace(fn=lambda: None, kernel_name_pattern="steps", dsl="triton")

    assert "no kernel" in str(caught.value)


def test_no_markers(workloads):
    error = workloads.trace_failure(workloads.make_unmarked(), NoMarkersError)

    assert "unmarked_kernel" in str(error)


def test_unknown_dsl(workloads, steps):
    error = workloads.trace_failure(steps, UsageError, dsl="fortran")

    assert "fortran" in str(error)
    assert "triton" in str(error)


def test_tier_that_does_not_exist(workloads, steps):
    error = workloads.trace_failure(steps, UsageError, instrumentation_tier="sass")

    assert "sass" in str(error)
    assert "ptx" in str(error)


def test_kernel_without_ptx(workloads):
    import torch

    ones = torch.ones(1 << 16, device="cuda")
    result = torch.zeros_like(ones)

    with pytest.raises(SourceError) as caught:
        workloads.do_trace(
            fn=lambda: torch.add(ones, ones, out=result),
            kernel_name_pattern="elementwise",
            dsl="triton",
        )

    assert result.sum().item() == 2 << 16
    assert "elementwise" in str(caught.value)
    assert caught.value.hint


def test_named_assembler_that_is_not_there_gives_way_to_another(
    workloads, steps, tmp_path, monkeypatch
):
    missing = str(tmp_path / "nowhere")
    monkeypatch.setenv("GWATCH_PTXAS", missing)

    (run,) = workloads.trace(steps).runs

    assert run.counts.events == steps.events
    assert run.compile.assembler not in ("", missing)


def test_no_assembler_at_all_leaves_it_to_the_driver(workloads, steps, monkeypatch):
    from gwatch import assemblers

    monkeypatch.setattr(assemblers, "candidates", lambda preferred: [])

    (run,) = workloads.trace(steps).runs

    assert run.counts.events == steps.events
    assert run.compile.assembler_origin == "driver JIT"


def test_only_assembler_is_missing(workloads, steps, tmp_path, monkeypatch):
    from gwatch import assemblers, libpygwatch

    missing = str(tmp_path / "nowhere")
    alone = [libpygwatch.Candidate(missing, "test", [])]
    monkeypatch.setattr(assemblers, "candidates", lambda preferred: alone)

    error = workloads.trace_failure(steps, AssemblerError)

    assert "steps_kernel" in str(error)
    assert missing in str(error)


def test_assembler_that_refuses(workloads, steps, only_ptxas):
    path = only_ptxas('echo "ptxas fatal   : the moon is full" >&2; exit 255')

    error = workloads.trace_failure(steps, AssemblerError)

    assert "steps_kernel" in str(error)
    assert path in str(error)
    assert "the moon is full" in str(error)


def test_assembler_that_crashes(workloads, steps, only_ptxas):
    path = only_ptxas("kill -SEGV $$")

    error = workloads.trace_failure(steps, AssemblerError)

    assert "steps_kernel" in str(error)
    assert path in str(error)
    assert "SIGSEGV" in str(error)


def test_device_without_free_memory(workloads, steps):
    import torch

    torch.cuda.empty_cache()
    free, _ = torch.cuda.mem_get_info()
    filler = torch.empty(free - LEFT_FREE_BYTES, device="cuda", dtype=torch.uint8)
    try:
        error = workloads.trace_failure(steps, DriverError, buffer_bytes=4 * LEFT_FREE_BYTES)
    finally:
        del filler
        torch.cuda.empty_cache()

    assert "steps_kernel" in str(error)
    assert "memory" in str(error).lower()
    assert "buffer_bytes" in str(error)


@pytest.mark.parametrize("buffer_bytes", [1 << 42, 1 << 60])
def test_absurd_buffer_size_is_cut_or_refused(workloads, steps, buffer_bytes):
    steps.clear()
    refusal = None
    try:
        result = workloads.do_trace(
            fn=steps.launch,
            kernel_name_pattern=steps.pattern,
            dsl="triton",
            buffer_bytes=buffer_bytes,
        )
    except (DriverError, UsageError) as error:
        refusal = error

    assert steps.is_right()
    if refusal:
        assert "buffer_bytes" in str(refusal)
        assert refusal.hint
    else:
        assert result.runs[0].counts.events == steps.events


def test_memory_that_holds_not_even_one_block(workloads, steps):
    error = workloads.trace_failure(steps, UsageError, buffer_bytes=100)

    assert "100" in str(error)


def test_failure_carries_what_fn_returned(workloads):
    work = workloads.make_unmarked()

    with pytest.raises(NoMarkersError) as caught:
        workloads.do_trace(
            fn=lambda: (work.launch(), "value")[1], kernel_name_pattern=work.pattern, dsl="triton"
        )

    assert caught.value.value == "value"


def test_one_launch_of_two_fails(workloads, steps):
    unmarked = workloads.make_unmarked()

    def fn():
        unmarked.launch()
        steps.launch()

    unmarked.clear()
    steps.clear()
    result = workloads.do_trace(
        fn=fn, kernel_name_pattern="unmarked_kernel|steps_kernel", dsl="triton", max_launches=2
    )

    assert unmarked.is_right()
    assert steps.is_right()
    assert [run.counts.events for run in result.runs] == [steps.events]
    assert any("unmarked_kernel" in warning for warning in result.warnings)


def test_cupti_taken_by_another_profiler(workloads):
    ran = workloads.run_script(PROFILER_FIRST)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("right True\n")
    if ran.stdout.startswith("refused"):
        assert "profiler" in ran.stdout
    else:  # a CUPTI that lets two subscribe
        assert ran.stdout.startswith("traced True")


@pytest.mark.parametrize("synchronize", [False, True])
def test_kernel_that_traps(workloads, synchronize):
    ran = workloads.run_script(TRAP.format(synchronize=synchronize))

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("alive\n")
    if synchronize:
        assert ran.stdout.startswith("torch:")
    else:
        assert ran.stdout.startswith("gwatch:")
        assert "trap_kernel" in ran.stdout
