"""Times against the device's own timer: known spins, a barrier of blocks, seconds of waiting."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from statistics import median

import pytest

SOURCE = Path(__file__).with_name("time_kernels.cu")
TICK_NS = 32  # of %globaltimer on Hopper; other GPUs tick more slowly
UNEVEN_CLOCK = 1e-3  # of a duration: the clock between two turns of the loop, which reads the timer
POLL_NS = 200  # from one reading of a spinning thread to the next, at most


@pytest.fixture(scope="module")
def launch(tmp_path_factory):
    """A function that makes the launch of a kernel of time_kernels.cu."""
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    import torch

    import gwatch
    from gwatch import libpygwatch

    libpygwatch.init_cupti_hooks()  # before the kernels are loaded: their PTX is seen then
    capability = "".join(map(str, torch.cuda.get_device_capability()))
    ptx = tmp_path_factory.mktemp("time") / "time_kernels.ptx"
    command = ["nvcc", f"-arch=sm_{capability}", "-ptx", "-I", gwatch.get_include(), str(SOURCE)]
    subprocess.run([*command, "-o", str(ptx)], check=True)
    torch.cuda.synchronize()
    torch.zeros(1, device="cuda")
    driver = ctypes.CDLL("libcuda.so.1")
    module = ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), ptx.read_bytes()) == 0

    def prepare(kernel, blocks, threads, *arguments):
        function = ctypes.c_void_p()
        code = driver.cuModuleGetFunction(ctypes.byref(function), module, kernel.encode())
        assert code == 0
        pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))

        def run():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            code = driver.cuLaunchKernel(
                function, blocks, 1, 1, threads, 1, 1, 0, stream, pointers, None
            )
            assert code == 0
            torch.cuda.synchronize()
            return arguments

        return run

    return prepare


def trace(run, kernel):
    from gwatch.cuda.trace import do_trace

    (traced,) = do_trace(run, f"^{kernel}$", dsl="cuda", fidelity=False).runs
    assert traced.counts.dropped_events == 0
    return traced


def durations(run, scope):
    names = [found.name for found in run.scopes]
    return [
        duration
        for found, duration in zip(run.slices.scope, run.slices.duration_ns, strict=True)
        if names[found] == scope
    ]


@pytest.mark.parametrize("ns", [2_000, 50_000, 1_000_000])
def test_known_spins_last_as_long_as_they_should(launch, ns):
    run = trace(
        launch("known_spins", 264, 64, ctypes.c_uint64(ns), ctypes.c_int(20)), "known_spins"
    )

    found = durations(run, "1")

    assert len(found) == 264 * 2 * 20
    # The first reading comes up to a tick after the timer went on.
    assert min(found) >= ns - 2 * TICK_NS - ns * UNEVEN_CLOCK
    assert median(found) <= ns + POLL_NS + TICK_NS + ns * UNEVEN_CLOCK
    assert run.time.resolution_ns <= 2
    assert run.time.alignment_ns <= 4 * TICK_NS


def test_all_sms_share_one_time_axis(launch):
    import torch

    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    arrived = torch.zeros(1, dtype=torch.int32, device="cuda")
    ended = torch.zeros(blocks, dtype=torch.int64, device="cuda")
    pointers = ctypes.c_void_p(arrived.data_ptr()), ctypes.c_void_p(ended.data_ptr())

    run = trace(launch("meet", blocks, 32, *pointers), "meet")

    ends = [s + d for s, d in zip(run.slices.start_ns, run.slices.duration_ns, strict=True)]
    assert len(ends) == blocks
    assert len({lane.sm for lane in run.lanes}) == blocks
    # The block's own reading of the timer, right behind its scope.
    noted = [int(value) - run.time.start_globaltimer_ns for value in ended.tolist()]
    late = [noted[lane.block] - end for lane, end in zip(run.lanes, ends, strict=True)]
    assert max(late) - min(late) <= 3 * TICK_NS
    assert -2 * TICK_NS <= median(late) <= 8 * TICK_NS
    # One block released them all: none can have ended its wait before the last one began it.
    assert max(run.slices.start_ns) <= min(ends) + run.time.alignment_ns


def test_scopes_of_many_seconds_are_exact(launch):
    seconds = 5  # longer than 2^32 ns and 2^32 cycles
    run = trace(launch("long_wait", 4, 96, ctypes.c_uint64(seconds * 10**9)), "long_wait")

    for scope, count in (("1", 4), ("2", 8)):
        found = durations(run, scope)
        assert len(found) == count
        assert all(abs(duration - seconds * 10**9) < 200_000 for duration in found), found
    assert run.time.span_ns > seconds * 10**9
    assert not [warning for warning in run.warnings if "pause" in warning]
