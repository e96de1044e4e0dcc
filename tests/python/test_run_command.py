"""``gwatch run`` on a program with real PTX inside, over stand-ins for libcuda and libcupti."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from kernels.nvcc import INCLUDE, find_tool, nvcc

from gwatch import injection, libpygwatch
from gwatch.errors import UsageError

REMOTE = Path(__file__).resolve().parents[1] / "cpp" / "remote"

pytestmark = [
    pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed"),
    pytest.mark.skipif(
        not Path(libpygwatch.__file__).with_name("libgwatch_injection.so").exists(),
        reason="the injection library is not installed",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, one without PTX, and the stand-ins under the names that are looked for."""
    folder = tmp_path_factory.mktemp("run")
    for name, code in (("program", "compute_90"), ("without_ptx", "sm_90")):
        built = nvcc(
            f"-gencode=arch=compute_90,code={code}", "-lineinfo", "-ldl", "-o", folder / name,
            REMOTE / "injected_program.cu",
        )  # fmt: skip
        assert built.returncode == 0, built.stderr
    compiler = os.environ.get("CXX") or shutil.which("c++")
    assert compiler
    source = REMOTE / "fake_cuda_with_any_image.cpp"
    library = folder / "libcuda.so.1"
    flags = ["-std=c++20", "-shared", "-fPIC", "-I", str(INCLUDE)]
    subprocess.run([compiler, *flags, "-o", str(library), str(source)], check=True)
    (folder / "libcupti.so.12").symlink_to(library.name)
    return folder


def gwatch_run(
    folder: Path,
    report: Path,
    *arguments: str,
    kernel: str = "^marked$",
    options: Sequence[str] = (),
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run ``gwatch run`` with what stands behind ``--``."""
    command = [sys.executable, "-m", "gwatch", "run", "--kernel", kernel, "-o", str(report)]
    return subprocess.run(
        [*command, *options, "--", *arguments],
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(folder),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_launch_is_traced(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "trace.json"
    ran = gwatch_run(folder, report, str(folder / "program"), "exit", "5")

    assert ran.returncode == 5, ran.stderr
    assert ran.stdout == "unmarked ran as it is\nmarked ran traced\n"
    assert f"wrote {report}: 1 traced" in ran.stderr
    (run,) = libpygwatch.read_archive(str(report)).runs
    assert (run.launch.kernel, run.launch.dsl) == ("marked", "cuda")
    assert (run.launch.grid, run.launch.block) == ([2, 1, 1], [64, 1, 1])
    assert run.compile.ptx_source == f"fat binary in {folder / 'program'} (PTX for sm_90)"
    assert run.compile.ptx_target == "sm_90"
    assert [scope.id for scope in run.scopes] == [7]
    assert run.scopes[0].file.endswith("injected_program.cu")
    assert len(run.lanes) >= 1
    assert run.stage_seconds.keys() >= {"source", "instrument", "assemble", "load", "decode"}


@pytest.mark.parametrize("options", [["--auto"], ["--auto", "barrier"], ["--auto=mma,barrier"]])
def test_automatic_scopes_of_an_unmarked_kernel(
    folder: Path, tmp_path: Path, options: list[str]
) -> None:
    report = tmp_path / "trace.json"
    program = str(folder / "program")
    ran = gwatch_run(folder, report, program, kernel="^unmarked$", options=options)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "unmarked ran traced\nmarked ran as it is\n"
    (run,) = libpygwatch.read_archive(str(report)).runs
    source = (REMOTE / "injected_program.cu").read_text().splitlines()
    line = source.index("    __syncthreads();") + 1
    assert [scope.name for scope in run.scopes] == [f"barrier.wait:injected_program.cu:{line}"]


def test_automatic_scopes_that_are_not_there(folder: Path, tmp_path: Path) -> None:
    program = str(folder / "program")
    ran = gwatch_run(
        folder, tmp_path / "t.json", program, kernel="^unmarked$", options=["--auto=mma"]
    )
    unknown = gwatch_run(folder, tmp_path / "t.json", program, options=["--auto=mmma"])

    assert (ran.returncode, unknown.returncode) == (0, 1)
    assert ran.stdout == "unmarked ran as it is\nmarked ran as it is\n"
    assert "nor anything for an automatic scope" in ran.stderr
    assert "'mmma' is no kind of automatic scope" in unknown.stderr
    assert unknown.stdout == ""


def test_automatic_scopes_beside_markers(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "trace.json"
    ran = gwatch_run(folder, report, str(folder / "program"), options=["--auto"])

    assert ran.returncode == 0, ran.stderr
    (run,) = libpygwatch.read_archive(str(report)).runs
    assert [scope.id for scope in run.scopes] == [7]


@pytest.mark.parametrize(("blocks", "count"), [("0", 1), ("0-0", 1), ("0-9:4", 1), ("0-9", 2)])
def test_blocks_are_chosen(folder: Path, tmp_path: Path, blocks: str, count: int) -> None:
    report = tmp_path / "trace.json"
    ran = gwatch_run(folder, report, str(folder / "program"), options=["--blocks", blocks])

    assert "marked ran traced" in ran.stdout, ran.stderr
    (run,) = libpygwatch.read_archive(str(report)).runs
    assert (run.counts.blocks_in_grid, run.counts.blocks_selected) == (2, count)


@pytest.mark.parametrize("blocks", ["", "x", "5-3", "1-9:0", "1:2", "-1", "4294967296"])
def test_blocks_that_are_none(folder: Path, tmp_path: Path, blocks: str) -> None:
    program = str(folder / "program")
    ran = gwatch_run(folder, tmp_path / "t.json", program, options=[f"--blocks={blocks}"])

    assert ran.returncode == 1
    assert "blocks" in ran.stderr
    assert ran.stdout == ""


def test_child_that_ends_first_is_not_the_program(folder: Path, tmp_path: Path) -> None:
    ran = gwatch_run(folder, tmp_path / "trace.json", str(folder / "program"), "fork")

    assert ran.returncode == 0
    assert "1 traced" in ran.stderr


def test_program_behind_a_shell(folder: Path, tmp_path: Path) -> None:
    script = f"{folder / 'program'} twice; {folder / 'program'} exit 6"
    ran = gwatch_run(folder, tmp_path / "trace.json", "sh", "-c", script)

    assert ran.returncode == 6
    assert "2 traced" in ran.stderr
    assert "1 more matching launches ran untraced" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("none",), 3, "the program did not initialize CUDA"),
        (("kill",), 128 + 9, "was killed or left by _exit()"),
        (("_exit",), 4, "was killed or left by _exit()"),
    ],
)
def test_nothing_to_read(
    folder: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    report = tmp_path / "trace.json"
    ran = gwatch_run(folder, report, str(folder / "program"), *arguments)

    assert ran.returncode == code
    assert message in ran.stderr
    assert not report.exists()


def test_program_without_ptx_runs_its_own_kernel(folder: Path, tmp_path: Path) -> None:
    ran = gwatch_run(folder, tmp_path / "trace.json", str(folder / "without_ptx"), "exit", "2")

    assert ran.returncode == 2
    assert ran.stdout == "unmarked ran as it is\nmarked ran as it is\n"
    assert "was built without PTX" in ran.stderr
    assert "-gencode arch=compute_" in ran.stderr


def test_kernel_without_markers(folder: Path, tmp_path: Path) -> None:
    ran = gwatch_run(folder, tmp_path / "t.json", str(folder / "program"), kernel="^unmarked$")

    assert ran.returncode == 0
    assert ran.stdout == "unmarked ran as it is\nmarked ran as it is\n"
    assert "unmarked" in ran.stderr
    assert "marker" in ran.stderr


def test_no_kernel_matches(folder: Path, tmp_path: Path) -> None:
    ran = gwatch_run(folder, tmp_path / "t.json", str(folder / "program"), kernel="nothing")

    assert ran.returncode == 0
    assert "no launch matched" in ran.stderr
    assert "unmarked (1 launches)" in ran.stderr


def test_bad_pattern_lets_the_program_run(folder: Path, tmp_path: Path) -> None:
    ran = gwatch_run(folder, tmp_path / "t.json", str(folder / "program"), "exit", "5", kernel="(")

    assert ran.returncode == 5
    assert ran.stdout == "unmarked ran as it is\nmarked ran as it is\n"
    assert "(" in ran.stderr


def test_cupti_taken_by_another(folder: Path, tmp_path: Path) -> None:
    ran = gwatch_run(
        folder, tmp_path / "t.json", str(folder / "program"), "exit", "5", FAKE_CUPTI_TAKEN="1"
    )

    assert ran.returncode == 5
    assert "marked ran as it is" in ran.stdout
    assert "CUPTI is taken" in ran.stderr


def test_wrong_command_lines(folder: Path, tmp_path: Path) -> None:
    nothing = gwatch_run(folder, tmp_path / "t.json")
    missing = gwatch_run(folder, tmp_path / "t.json", "/no/such/program")
    report = gwatch_run(folder, tmp_path / "t.doc", str(folder / "program"))

    assert (nothing.returncode, missing.returncode, report.returncode) == (1, 1, 1)
    assert "no program is named" in nothing.stderr
    assert "cannot run /no/such/program" in missing.stderr
    assert ".doc" in report.stderr


def test_other_tool_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_INJECTION64_PATH", "/other.so")
    with injection.Tracer(injection.Orders("x")) as tracer, pytest.raises(UsageError) as caught:
        tracer.environment()
    assert "/other.so" in str(caught.value)


def test_only_the_entry_is_exported() -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed")
    command = [nm, "--dynamic", "--defined-only", str(injection.find_library())]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert names[2::3] == ["InitializeInjection"]
