"""Which assemblers are found, in which order, with which flags."""

import os
import stat
import subprocess
import sys
import threading

import pytest

from gwatch import assemblers, libpygwatch
from gwatch.errors import AssemblerError, PtxError
from gwatch.libpygwatch import Candidate

PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"


@pytest.fixture(autouse=True)
def bare_machine(tmp_path, monkeypatch):
    """A machine without any assembler."""
    for name in ("GWATCH_PTXAS", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(assemblers.site, "getsitepackages", lambda: [str(tmp_path / "site")])
    monkeypatch.setattr(assemblers.site, "getusersitepackages", lambda: str(tmp_path / "user"))
    monkeypatch.setattr(assemblers, "_TOOLKIT_PARENT", tmp_path / "local")


@pytest.fixture
def add_ptxas(tmp_path):
    """Puts a script into a folder that says it is ptxas of a release, and makes a cubin."""

    def add(folder, release="13.0", body="echo cubin > $last"):
        program = tmp_path / folder / "ptxas"
        program.parent.mkdir(parents=True)
        program.write_text(
            "#!/bin/sh\n"
            f'[ "$1" = --version ] && echo "release {release}, V{release}.1" && exit\n'
            f"for last; do :; done\n{body}\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return str(program)

    return add


def found():
    return [(candidate.path, candidate.origin) for candidate in assemblers.candidates([])]


def test_bare_machine_has_none():
    assert assemblers.candidates([]) == []


@pytest.mark.parametrize(
    ("folder", "origin"),
    [
        ("site/nvidia/cu13/bin", "PyPI nvidia-cuda-nvcc"),
        ("site/nvidia/cuda_nvcc/bin", "PyPI nvidia-cuda-nvcc"),
        ("user/nvidia/cu13/bin", "PyPI nvidia-cuda-nvcc"),
        ("local/cuda/bin", "CUDA toolkit"),
        ("local/cuda-12.9/bin", "CUDA toolkit"),
        ("path", "PATH"),
    ],
)
def test_every_place_is_searched(add_ptxas, folder, origin):
    assert found() == []
    path = add_ptxas(folder)
    assert found() == [(path, origin)]


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_toolkit_of_the_environment(add_ptxas, tmp_path, monkeypatch, variable):
    path = add_ptxas("kit/bin")
    monkeypatch.setenv(variable, str(tmp_path / "kit"))
    assert found() == [(path, "CUDA toolkit")]


def test_newest_stands_first_wherever_it_is(add_ptxas):
    wheel = add_ptxas("site/nvidia/cu13/bin", "13.0")
    toolkit = add_ptxas("local/cuda/bin", "13.5")
    on_path = add_ptxas("path", "12.4")
    assert [path for path, _ in found()] == [toolkit, wheel, on_path]


def test_equally_new_ones_keep_the_order_of_places(add_ptxas):
    on_path = add_ptxas("path")
    toolkit = add_ptxas("local/cuda/bin")
    wheel = add_ptxas("site/nvidia/cu13/bin")
    assert [path for path, _ in found()] == [wheel, toolkit, on_path]


def test_program_that_does_not_answer_stands_last(add_ptxas, tmp_path):
    broken = add_ptxas("site/nvidia/cu13/bin")
    (tmp_path / "site/nvidia/cu13/bin/ptxas").write_text("#!/bin/sh\nexit 1\n")
    good = add_ptxas("path", "11.0")
    assert [path for path, _ in found()] == [good, broken]


def test_file_that_cannot_be_run_is_not_found(add_ptxas):
    os.chmod(add_ptxas("site/nvidia/cu13/bin"), 0o644)
    assert found() == []


def test_same_program_by_two_names_counts_once(add_ptxas, tmp_path):
    real = add_ptxas("local/cuda-13.0/bin")
    (tmp_path / "local" / "cuda").symlink_to(tmp_path / "local" / "cuda-13.0")
    assert len(found()) == 1
    assert os.path.realpath(found()[0][0]) == real


def test_own_assembler_of_the_dsl_stands_first(add_ptxas):
    newest = add_ptxas("path", "13.5")
    own = Candidate(add_ptxas("triton", "12.8"), "triton 3.6.0", ["-lineinfo"])
    assert assemblers.candidates([own]) == [own, Candidate(newest, "PATH", ["-lineinfo"])]


def test_environment_variable_wins_and_takes_the_flags(add_ptxas, monkeypatch):
    own = Candidate(add_ptxas("triton"), "triton", ["--regAllocOptLevel=2"])
    monkeypatch.setenv("GWATCH_PTXAS", "/my/ptxas")
    assert assemblers.candidates([own]) == [
        Candidate("/my/ptxas", "GWATCH_PTXAS", ["--regAllocOptLevel=2"]),
        own,
    ]


def test_others_get_only_flags_that_every_assembler_knows(add_ptxas):
    add_ptxas("path")
    kept = [
        "-lineinfo",
        "--fmad=false",
        "--opt-level",
        "0",
        "-O3",
        "-maxrregcount",
        "64",
        "--gpu-name=sm_90a",
    ]
    own = Candidate("/triton/ptxas", "triton", ["-v", *kept, "--regAllocOptLevel=2", "--new", "1"])
    assert assemblers.candidates([own])[1].flags == kept


def test_no_package_is_imported():
    script = (
        "import sys, gwatch.assemblers; print([m for m in ('triton', 'torch') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": os.pathsep.join(IMPORT_PATH)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[]\n", done.stderr


IMPORT_PATH = [path for path in sys.path if path]


# The binding


def test_assemble_returns_what_was_made(add_ptxas):
    log = "echo 'ptxas info : (C7510) serialized' >&2; echo cubin > $last"
    path = add_ptxas("path", "13.0", log)
    made = libpygwatch.assemble(PTX, "k", assemblers.candidates([]))
    assert made.cubin == b"cubin\n"
    assert (made.path, made.origin, made.version) == (path, "PATH", "13.0.1")
    assert made.flags == ["-v", "--gpu-name=sm_80"]
    assert made.remarks == ["(C7510) serialized"]
    assert made.log == "ptxas info : (C7510) serialized\n"
    assert made.resources.registers == -1
    assert made.lowered_from == made.earlier_failures == ""
    assert made.seconds > 0


def test_text_may_be_bytes_that_are_no_utf8(add_ptxas):
    path = add_ptxas("path", "13.0", "for a; do case $a in *.ptx) /bin/cat $a > $last;; esac; done")
    text = b"// caf\xe9\n" + PTX.encode()
    assert libpygwatch.assemble(text, "k", [Candidate(path, "PATH")]).cubin == text


def test_target_of_the_call_wins(add_ptxas):
    path = add_ptxas("path")
    made = libpygwatch.assemble(PTX, "k", [Candidate(path, "PATH")], target="sm_90a")
    assert made.flags == ["-v", "--gpu-name=sm_90a"]


def test_crash_is_an_assembler_error_with_its_files(add_ptxas, tmp_path):
    path = add_ptxas("path", "13.0", "echo 'working on it'; kill -SEGV $$")
    folder = tmp_path / "kept"
    with pytest.raises(AssemblerError) as caught:
        libpygwatch.assemble(PTX, "k", [Candidate(path, "PATH")], keep_folder=str(folder))
    error = caught.value
    assert "(PATH 13.0.1) crashed with SIGSEGV, after: working on it" in error.message
    assert "working on it" in error.detail
    assert f"Repeat it with: {path} -v --gpu-name=sm_80 {folder}/" in error.hint
    assert [file.read_text() for file in folder.rglob("kernel.ptx")] == [PTX]


def test_no_assembler_and_no_ptx_are_errors():
    with pytest.raises(AssemblerError, match="no assembler"):
        libpygwatch.assemble(PTX, "k", [])
    with pytest.raises(PtxError):
        libpygwatch.assemble("\x7fELF", "k", [Candidate("/ptxas", "PATH")])


def test_other_threads_run_while_it_assembles(add_ptxas, tmp_path):
    signal = tmp_path / "signal"
    wait = f"i=0; while [ ! -e {signal} ] && [ $i -lt 3000000 ]; do i=$((i+1)); done"
    path = add_ptxas("path", "13.0", f"{wait}; [ -e {signal} ] && echo cubin > $last")
    thread = threading.Timer(0.2, signal.touch)
    thread.start()
    made = libpygwatch.assemble(PTX, "k", [Candidate(path, "PATH")])
    thread.join()
    assert made.cubin == b"cubin\n"


def test_newest_ptx_version(add_ptxas):
    assert libpygwatch.newest_ptx_version(add_ptxas("a", "12.9")) == 88
    with pytest.raises(AssemblerError, match="cannot be run"):
        libpygwatch.newest_ptx_version("/no/such/ptxas")
