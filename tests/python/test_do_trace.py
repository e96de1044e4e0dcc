"""do_trace with a stand-in for the capture: what it asks for, and what it says on failure."""

import ctypes.util
from types import SimpleNamespace

import pytest

from gwatch import libpygwatch
from gwatch.cuda.trace import _do_trace, do_trace
from gwatch.cuda.trace._selection import block_selection
from gwatch.errors import (
    AssemblerError,
    CaptureError,
    DriverError,
    GwatchError,
    NoMarkersError,
    SourceError,
    UsageError,
)


class FakeCapture:
    """Stands for init_cupti_hooks, begin_capture and end_capture of the core."""

    def __init__(self):
        self.init_error = None
        self.begin_error = None
        self.result = SimpleNamespace(
            launches=[],
            failures=[],
            seen_kernels={},
            matching_launches=0,
            skipped_launches=0,
            graph_launches=0,
        )
        self.calls = []

    def init_cupti_hooks(self):
        self.calls.append("init")
        if self.init_error:
            raise self.init_error

    def begin_capture(self, pattern, prepare, max_launches, buffer_bytes, warp_mask, blocks):
        self.calls.append(("begin", pattern, max_launches, buffer_bytes, warp_mask, blocks))
        if self.begin_error:
            raise self.begin_error

    def end_capture(self):
        self.calls.append("end")
        return self.result


@pytest.fixture
def capture(monkeypatch):
    fake = FakeCapture()
    for name in ("init_cupti_hooks", "begin_capture", "end_capture"):
        monkeypatch.setattr(_do_trace.libpygwatch, name, getattr(fake, name))
    return fake


@pytest.fixture
def fn():
    """A function that counts its calls and returns 42."""

    def function():
        function.calls += 1
        return 42

    function.calls = 0
    return function


def test_unknown_tier_says_what_there_is_and_fn_runs_untraced(capture, fn):
    with pytest.raises(UsageError) as caught:
        do_trace(fn, "k", instrumentation_tier="sass")

    assert str(caught.value) == (
        "instrumentation_tier='sass' is not available: gwatch instruments PTX, not SASS\n"
        "Use instrumentation_tier='ptx'."
    )
    assert fn.calls == 1
    assert capture.calls == []


def test_unknown_dsl_lists_the_known_ones_and_fn_runs_untraced(capture, fn):
    with pytest.raises(UsageError, match="fortran") as caught:
        do_trace(fn, "k", dsl="fortran")

    assert "triton" in str(caught.value)
    assert fn.calls == 1
    assert capture.calls == []


@pytest.mark.parametrize(
    ("blocks", "selection"), [(None, (0, 1, 0)), (7, (7, 1, 1)), (range(3, 100, 10), (3, 10, 10))]
)
def test_blocks_become_first_stride_and_count(blocks, selection):
    assert block_selection(blocks) == selection


@pytest.mark.parametrize("blocks", [[1, 2], range(9, 0, -1), range(5, 5), -1, 2**32, True])
def test_blocks_that_no_launch_has_are_refused(capture, fn, blocks):
    with pytest.raises(UsageError, match="blocks="):
        do_trace(fn, "k", blocks=blocks)

    assert fn.calls == 1
    assert capture.calls == []


@pytest.mark.parametrize("warps", [[32], [-1], [], 3, "01", [0.5]])
def test_warps_that_no_block_has_are_refused(capture, fn, warps):
    with pytest.raises(UsageError, match="warp"):
        do_trace(fn, "k", warps=warps)

    assert fn.calls == 1


def test_scopes_are_renamed_by_id_and_by_name():
    scopes = [
        SimpleNamespace(id=100, name="100"),
        SimpleNamespace(id=-1, name="load"),
        SimpleNamespace(id=-1, name="barrier.wait:gemm.py:12"),
        SimpleNamespace(id=7, name="7"),
    ]
    run = SimpleNamespace(scopes=scopes)
    names = {"100": "mma", "load": "load A", "barrier.wait:gemm.py:12": "wait for B", "8": "no"}
    _do_trace._rename_scopes(run, names)
    assert [scope.name for scope in run.scopes] == ["mma", "load A", "wait for B", "7"]


def test_max_launches_must_be_positive(capture, fn):
    with pytest.raises(UsageError, match="max_launches=0") as caught:
        do_trace(fn, "k", max_launches=0)

    assert caught.value.value == 42


@pytest.mark.parametrize("size", [0, -1])
def test_buffer_bytes_must_be_positive(capture, fn, size):
    with pytest.raises(UsageError, match=f"buffer_bytes={size}"):
        do_trace(fn, "k", buffer_bytes=size)

    assert fn.calls == 1


def test_verbose_prints_each_stage_and_their_sum(capsys):
    run = SimpleNamespace(
        launch=SimpleNamespace(kernel="k"), stage_seconds={"assemble": 0.25, "decode": 0.125}
    )

    _do_trace._print_stages(run)

    assert capsys.readouterr().err == (
        "gwatch: traced k in 0.375 s\n  assemble         250.0 ms\n  decode           125.0 ms\n"
    )


def test_arguments_reach_the_capture(capture, fn):
    with pytest.raises(CaptureError):
        do_trace(
            fn,
            "a.*b",
            "triton",
            max_launches=3,
            buffer_bytes=4096,
            blocks=range(4, 9, 2),
            warps=[0, 5],
        )

    assert capture.calls == ["init", ("begin", "a.*b", 3, 4096, 0b100001, (4, 2, 3)), "end"]
    assert fn.calls == 1


def test_no_match_lists_the_kernels_that_were_seen_most_launched_first(capture, fn):
    capture.result.seen_kernels = {"rare": 1, "often": 9}

    with pytest.raises(CaptureError) as caught:
        do_trace(fn, "matmul")

    assert str(caught.value) == (
        "no launch matched kernel_name_pattern 'matmul'\n"
        "Kernels that fn launched:\n"
        "  often (9 launches)\n"
        "  rare (1 launches)\n"
        "The pattern is a regular expression, searched in the mangled and the demangled name."
    )
    assert caught.value.value == 42
    assert fn.calls == 1


def test_graph_that_was_captured_before_is_named(capture):
    capture.result.graph_launches = 3
    with pytest.raises(CaptureError, match="no launch matched") as caught:
        do_trace(fn=lambda: None, kernel_name_pattern="mm", dsl="triton")
    assert "launched CUDA graphs (3 launches)" in caught.value.detail
    assert "capture and replay the graph inside fn" in caught.value.hint


def test_no_match_shortens_a_long_list(capture, fn):
    capture.result.seen_kernels = {f"kernel{i:03}": 1 for i in range(25)}

    with pytest.raises(CaptureError, match="and 5 more kernels"):
        do_trace(fn, "matmul")


def test_no_launch_at_all_is_said(capture, fn):
    with pytest.raises(CaptureError, match="fn launched no kernel at all"):
        do_trace(fn, "matmul")


@pytest.mark.parametrize(
    "error",
    [
        SourceError("no PTX for kernel k", "triton: not imported"),
        NoMarkersError("kernel k has no marker"),
        AssemblerError("ptxas crashed with SIGSEGV", "log", "Repeat it with: ptxas x.ptx"),
        DriverError("cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY"),
    ],
)
def test_a_launch_that_could_not_be_traced_is_raised_after_fn_ran(capture, fn, error):
    capture.result.failures = [SimpleNamespace(kernel="k", error=error)]

    with pytest.raises(type(error)) as caught:
        do_trace(fn, "k")

    assert caught.value is error
    assert caught.value.value == 42
    assert fn.calls == 1
    assert capture.calls[-1] == "end"


def test_cupti_that_is_taken_lets_fn_run_first(capture, fn):
    capture.init_error = CaptureError("CUPTI is held by another profiler")

    with pytest.raises(CaptureError) as caught:
        do_trace(fn, "k")

    assert caught.value.value == 42
    assert fn.calls == 1
    assert capture.calls == ["init"]


def test_with_a_bad_pattern_fn_runs_untraced(capture, fn):
    capture.begin_error = UsageError("kernel_name_pattern '(' is not a regular expression")

    with pytest.raises(UsageError):
        do_trace(fn, "(")

    assert fn.calls == 1


def test_an_exception_of_fn_ends_the_capture_and_passes_through(capture):
    def fails():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        do_trace(fails, "k")

    assert capture.calls[-1] == "end"


def test_every_error_class_is_a_gwatch_error_with_three_parts():
    error = GwatchError("what", "evidence", "what to do")

    assert str(error) == "what\nevidence\nwhat to do"
    assert (error.message, error.detail, error.hint) == ("what", "evidence", "what to do")


def test_without_a_driver_the_real_hooks_say_so():
    if ctypes.util.find_library("cuda"):
        pytest.skip("there is a CUDA driver here")

    with pytest.raises(CaptureError) as caught:
        libpygwatch.init_cupti_hooks()

    assert caught.value.hint
