"""The capture through Python, over stand-ins for libcuda and libcupti that are compiled here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "cpp" / "capture" / "fake_cuda_library.cpp"
PRELUDE = """
import ctypes, threading
from gwatch import errors, libpygwatch as core

cuda = ctypes.CDLL("libcuda.so.1")
for name in ("fake_load", "fake_launch"):
    getattr(cuda, name).restype = ctypes.c_void_p
cuda.fake_launch.argtypes = [ctypes.c_void_p]
held = ctypes.PyDLL("libcuda.so.1")
held.fake_launch.restype, held.fake_launch.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
kernel = cuda.fake_load(b"mm")
IMAGE = b"\\x7fELFmm"
core.init_cupti_hooks(["libcupti.so.12"])
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stand-ins, under the names that are looked for."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if not compiler:
        pytest.skip("no C++ compiler")
    folder = tmp_path_factory.mktemp("libraries")
    library = folder / "libcuda.so.1"
    subprocess.run(
        [compiler, "-std=c++20", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True
    )
    (folder / "libcupti.so.12").symlink_to(library.name)
    return folder


@pytest.fixture
def run(libraries: Path) -> Callable[..., str]:
    """Run a program in a process that finds the stand-ins first; give what it prints."""

    def run_program(program: str, **environment: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-c", PRELUDE + textwrap.dedent(program)],
            env={
                **os.environ,
                "LD_LIBRARY_PATH": str(libraries),
                "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    return run_program


def test_a_launch_is_traced(run: Callable[..., str]) -> None:
    printed = run("""
        core.init_cupti_hooks()
        assert core.hooks_are_initialized()
        infos = []
        def prepare(info):
            infos.append(info)
            return IMAGE, False, 7, []
        core.begin_capture("mm", prepare)
        assert cuda.fake_launch(kernel) != kernel
        assert cuda.fake_launch(kernel) == kernel
        result = core.end_capture()
        (launch,) = result.launches
        assert not result.failures
        assert (launch.token, launch.info.kernel, launch.info.device_name) == (7, "mm", "Fake GPU")
        assert (launch.info.grid, launch.info.block) == ((2, 1, 1), (64, 1, 1))
        assert launch.info.cluster == (32, 32, 32) and launch.info.image == b""
        assert launch.traced.registers == 32
        assert launch.stage_seconds.keys() >= {"prepare", "load", "allocate", "read back", "free"}
        assert (result.matching_launches, result.skipped_launches) == (2, 1)
        assert result.seen_kernels == {"mm": 2}
        assert infos[0].function == kernel
        assert cuda.fake_live_objects() == 0
        print("done")
    """)
    assert printed == "done"


def test_launches_are_timed_by_turns(run: Callable[..., str]) -> None:
    printed = run("""
        builds = []
        def prepare(info):
            builds.append(info.kernel)
            return IMAGE, False, 7, []
        core.begin_timing("mm", prepare)
        for traced in (False, True, False, True):
            core.time_next(traced)
            assert (cuda.fake_launch(kernel) != kernel) == traced
            assert cuda.fake_launch(kernel) == kernel
        result = core.end_timing()
        assert not result.failures and builds == ["mm"]
        assert [launch.turn for launch in result.launches] == [0, 1, 2, 3]
        assert [launch.traced for launch in result.launches] == [False, True, False, True]
        assert {launch.duration_ns for launch in result.launches} == {250_000}
        assert cuda.fake_live_objects() == 0
        assert core.end_timing().launches == []
        print("done")
    """)
    assert printed == "done"


def test_overhead_is_measured_whatever_fn_does(run: Callable[..., str]) -> None:
    printed = run("""
        from types import SimpleNamespace
        from gwatch.cuda.trace._overhead import measure
        preparer = SimpleNamespace(again=lambda info: (IMAGE, False, 7, []))
        calls = []
        def fn():
            calls.append(cuda.fake_launch(kernel) == kernel)
        measured = measure(fn, "mm", preparer, 0, 0)
        assert not measured.warning, measured.warning
        assert (measured.overhead.pairs, measured.overhead.ratio) == (40, 1.0)
        assert (len(calls), sum(calls)) == (82, 41)
        def fails():
            fn()
            raise ValueError("no more")
        print(measure(fails, "mm", preparer, 0, 0).warning)
        print(measure(fn, "other", preparer, 0, 0).warning)
        print(measure(fn, "(", preparer, 0, 0).warning[:50])
        assert cuda.fake_launch(kernel) == kernel and cuda.fake_live_objects() == 0
    """)
    raised, none, pattern = printed.splitlines()
    assert raised == (
        "the overhead was not measured: fn raised ValueError when it ran again: no more"
    )
    assert none.endswith("fn launched a matching kernel in 0 pairs of runs only")
    assert pattern.startswith("the overhead was not measured: ")


def test_errors_of_gwatch_keep_their_class(run: Callable[..., str]) -> None:
    printed = run("""
        def prepare(info):
            raise errors.NoMarkersError("no marker in mm", "the text", "add one")
        core.begin_capture("mm", prepare)
        assert cuda.fake_launch(kernel) == kernel
        (failure,) = core.end_capture().failures
        error = failure.error
        parts = (error.message, error.detail, error.hint)
        print(failure.kernel, type(error).__name__, *parts, sep="|")
    """)
    assert printed == "mm|NoMarkersError|no marker in mm|the text|add one"


def test_every_class_of_error_comes_back(run: Callable[..., str]) -> None:
    printed = run("""
        for error_class in errors.GwatchError.__subclasses__() + [errors.NoMarkersError]:
            def prepare(info):
                raise error_class("why")
            core.begin_capture("mm", prepare)
            cuda.fake_launch(kernel)
            (failure,) = core.end_capture().failures
            assert type(failure.error) is error_class, (failure.error, error_class)
        print("done")
    """)
    assert printed == "done"


def test_any_other_exception_comes_with_its_traceback(run: Callable[..., str]) -> None:
    printed = run("""
        def prepare(info):
            return {}["missing"]
        core.begin_capture("mm", prepare)
        assert cuda.fake_launch(kernel) == kernel
        (failure,) = core.end_capture().failures
        print(type(failure.error).__name__, failure.error)
    """)
    assert printed.startswith("CaptureError preparing the traced build raised KeyError: 'missing'")
    assert "Traceback" in printed
    assert "in prepare" in printed


@pytest.mark.parametrize(
    "answer", ["None", "(IMAGE, False)", "(1, 2, 3, 4)", "(IMAGE, False, -1, [])"]
)
def test_an_answer_of_the_wrong_shape_is_a_failure(run: Callable[..., str], answer: str) -> None:
    printed = run(f"""
        core.begin_capture("mm", lambda info: {answer})
        assert cuda.fake_launch(kernel) == kernel
        (failure,) = core.end_capture().failures
        print(type(failure.error).__name__, failure.error.message)
    """)
    assert printed == "CaptureError the answer of prepare cannot be used"


def test_the_launching_thread_may_hold_the_interpreter_lock(run: Callable[..., str]) -> None:
    printed = run("""
        core.begin_capture("mm", lambda info: (IMAGE, False, 0, []), max_launches=8)
        def work(library):
            for _ in range(20):
                library.fake_launch(kernel)
        threads = [threading.Thread(target=work, args=(lib,)) for lib in (cuda, held) * 4]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        result = core.end_capture()
        assert len(result.launches) == 8 and not result.failures
        assert result.matching_launches == 160
        assert cuda.fake_live_objects() == 0
        print("done")
    """)
    assert printed == "done"


def test_the_preparer_is_released_at_the_end(run: Callable[..., str]) -> None:
    printed = run("""
        import gc, weakref
        class Preparer:
            def __call__(self, info):
                return IMAGE, False, 0, []
        preparer = Preparer()
        gone = weakref.ref(preparer)
        core.begin_capture("mm", preparer)
        del preparer
        cuda.fake_launch(kernel)
        core.end_capture()
        gc.collect()
        print(gone())
    """)
    assert printed == "None"


def test_a_trap_is_a_driver_error(run: Callable[..., str]) -> None:
    printed = run(
        """
        core.begin_capture("mm", lambda info: (IMAGE, False, 0, []))
        cuda.fake_launch(kernel)
        (failure,) = core.end_capture().failures
        print(type(failure.error).__name__, failure.error.message)
        """,
        FAKE_CUDA_TRAPS="1",
    )
    assert printed.startswith("DriverError kernel mm ended with CUDA_ERROR_ILLEGAL_ADDRESS (700")


def test_a_bad_pattern_is_a_usage_error(run: Callable[..., str]) -> None:
    printed = run("""
        try:
            core.begin_capture("mm(", lambda info: None)
        except errors.UsageError as error:
            print(error.message)
    """)
    assert printed == "the kernel name pattern 'mm(' is no regular expression"


def test_a_profiler_in_the_way_is_named(libraries: Path, run: Callable[..., str]) -> None:
    with pytest.raises(
        AssertionError, match="CUPTI is taken: another profiler is subscribed to it"
    ):
        run("", FAKE_CUPTI_TAKEN="1")
