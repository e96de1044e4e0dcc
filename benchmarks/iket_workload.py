"""What runs under IKET: the GEMM of the examples, plain and with IKET's ranges, timed by turns.

Started by iket_gemm.py, which says what the figures are; leaves them in a file after each step, for
the next one may end the process.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import cuda.bindings.driver as cuda
import cutlass.cute as cute
import torch
from figures import ratio_figures
from pairs import LONG_SPIN_CYCLES, PAUSE_SECONDS, capture_launch, compare
from peer_sources import GEMM_SCOPES, load_gemm
from peers import write_figures

SIZE = 4096
HOPPER = (9, 0)
KERNEL = "hopper_gemm_kernel"
CONTROL_PAIRS = 20
WAYS = ("launches", "graphs", "kernels")
BUFFER_BYTES = 3 << 30  # of all launches: they stay on the device until the end
EVENTS_A_WARP = 2048  # room for; a session in the process has no tracker to count them

Launch = Callable[[], object]


def tool_of_this_process() -> str | None:
    """``"tracker"`` or ``"iket"`` in a process that IKET's command started."""
    path = os.environ.get("IKET_INJECTION_CONFIG")
    if path is None:
        return None
    tool: str = json.loads(Path(path).read_text("utf-8"))["toolName"]
    return tool


def prepare(module: ModuleType, options: str, matrices: list[torch.Tensor]) -> Launch:
    """Compile for these matrices and return the function that launches."""

    def stream() -> cuda.CUstream:
        return cuda.CUstream(torch.cuda.current_stream().cuda_stream)

    tensors = [cute.runtime.from_dlpack(matrix, assumed_align=16) for matrix in matrices]
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    settings = {"options": options} if options else {}
    compiled = cute.compile(module.hopper_gemm, *tensors, blocks, stream(), **settings)
    return lambda: compiled(*tensors, blocks, stream())


def times_of(first: Launch, second: Launch, pairs: int) -> dict[str, float]:
    """Figures behind a long spin kernel: IKET works on the host at each launch."""
    return ratio_figures(compare(first, second, pairs, spin_cycles=LONG_SPIN_CYCLES))


class Workload:
    """The kernel without markers and with IKET's ranges, on the same matrices."""

    def __init__(self, folder: Path, size: int) -> None:
        torch.manual_seed(0)
        a, b = (torch.randn((size, size), device="cuda", dtype=torch.float16) for _ in range(2))
        self.output = torch.empty_like(a)
        matrices = [a, b, self.output]
        marked = load_gemm(folder, "iket_markers")
        self.plain = prepare(load_gemm(folder, "no_markers"), "", matrices)
        self._traced = prepare(marked, "iket", matrices)
        self.events: int = marked.expected_events(size, size, size, GEMM_SCOPES)
        self.traced_launches = 0

    def traced(self) -> None:
        """Launch the kernel with ranges."""
        self._traced()
        self.traced_launches += 1

    def is_bit_identical(self) -> bool:
        """Whether both give the same result."""
        self.plain()
        expected = self.output.clone()
        self.output.zero_()
        self.traced()
        return torch.equal(self.output, expected)

    def time_launches(self, pairs: int) -> dict[str, float]:
        """Figures of launches."""
        return times_of(self.plain, self.traced, pairs)

    def time_graphs(self, pairs: int) -> dict[str, float]:
        """Figures of CUDA graphs of one launch."""
        plain, traced = map(capture_launch, (self.plain, self._traced))

        def replay() -> None:
            traced.replay()
            self.traced_launches += 1

        return times_of(plain.replay, replay, pairs)

    def time_kernels(self, pairs: int) -> dict[str, Any]:
        """Figures of the kernels' own times, by CUPTI, and what else IKET puts on the device."""
        from torch.autograd import DeviceType
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            for _ in range(pairs):
                for launch in (self.plain, self.traced):
                    launch()
                    torch.cuda.synchronize()
                    time.sleep(PAUSE_SECONDS)
        work = [event for event in profiler.events() if event.device_type == DeviceType.CUDA]
        work.sort(key=lambda event: event.time_range.start)
        kernels = [event for event in work if KERNEL in event.name]
        if len(kernels) != 2 * pairs:
            raise RuntimeError(f"CUPTI saw {len(kernels)} kernels instead of {2 * pairs}")
        milliseconds = [event.time_range.elapsed_us() / 1e3 for event in kernels]
        others: dict[str, list[float]] = {}
        for event in work:
            if KERNEL not in event.name:
                others.setdefault(event.name, []).append(event.time_range.elapsed_us())
        figures = ratio_figures(list(zip(milliseconds[::2], milliseconds[1::2], strict=True)))
        totals = {name: [len(times), sum(times)] for name, times in others.items()}
        return {**figures, "other_work": totals}

    def launch_for_the_tracker(self) -> None:
        """One of each kind of launch: the tracker sees which kernels are to be patched."""
        self.traced()
        torch.cuda.synchronize()
        try:
            capture_launch(self._traced).replay()
        except Exception as error:  # then only graphs will not be measured
            print(f"IKET's tracker: no graph: {error}", flush=True)


def measure(workload: Workload, path: Path, pairs: int, ways: list[str]) -> None:
    figures: dict[str, Any] = {
        "bit_identical": workload.is_bit_identical(),
        "events_expected": workload.events,
        "pairs": pairs,
        "control": times_of(workload.plain, workload.plain, CONTROL_PAIRS),
        "ways": {},
    }
    for way in ways:
        before = workload.traced_launches
        try:
            one = getattr(workload, f"time_{way}")(pairs)
        except Exception as error:
            one = {"reason": f"{type(error).__name__}: {error}"}
        figures["ways"][way] = {**one, "launches": workload.traced_launches - before}
        write_figures(path, figures)


def run_workload(options: argparse.Namespace) -> None:
    path = options.figures
    if torch.cuda.get_device_capability() != HOPPER:
        write_figures(path, {"reason": "the kernel is for Hopper"})
        return
    with tempfile.TemporaryDirectory() as folder:
        workload = Workload(Path(folder), options.size)
        if options.one:
            workload.traced()
        elif tool_of_this_process() == "tracker":
            workload.launch_for_the_tracker()
        else:
            measure(workload, path, options.pairs, options.ways)
        torch.cuda.synchronize()


class SessionOptions(ctypes.Structure):
    """IketProfilingSessionOptions, version 1.0."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("max_ts_per_warp", ctypes.c_uint64),
        ("device_buffer_size", ctypes.c_uint64),
        ("profiled_cuda_contexts", ctypes.c_void_p),
        ("num_profiled_cuda_contexts", ctypes.c_uint64),
        ("enabled_cluster", ctypes.c_uint64),
        ("log_level", ctypes.c_uint32),
    )


DEFER_TRACE_READBACK = 2
LOG_INFO = 2


class Session:
    """IKET's session inside a process; begins before CUDA does."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("iket")
        if spec is None or spec.origin is None:
            raise ImportError("iket is not installed")
        profiler = Path(spec.origin).parent / "profiler"
        self._library = ctypes.CDLL(str(profiler / "libiket_injection.so"))
        self._handle = ctypes.c_void_p()
        self._call("Create", ctypes.byref(self._handle))
        options = SessionOptions(struct_size=ctypes.sizeof(SessionOptions))
        self._call("OptionsInit", ctypes.byref(options))
        options.flags |= DEFER_TRACE_READBACK
        options.max_ts_per_warp = EVENTS_A_WARP
        options.device_buffer_size = BUFFER_BYTES
        options.log_level = LOG_INFO
        self._call("SetOptions", self._handle, ctypes.byref(options))
        self._call("Start", self._handle)

    def stop(self) -> None:
        """Read the records back; says of how many launches there are any."""
        self._call("Stop", self._handle)

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, f"IketProfilingSession{name}")(*arguments)
        if code != 0:
            raise RuntimeError(f"IketProfilingSession{name} failed with error {code}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path, help="where to leave the figures")
    parser.add_argument("--pairs", type=int, default=120)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS[:2])
    parser.add_argument("--one", action="store_true", help="one launch, and no figures")
    parser.add_argument("--session", action="store_true", help="start IKET's session here")
    options = parser.parse_args()
    session = Session() if options.session else None
    run_workload(options)
    if session:
        session.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
