"""PTX of CUDA C++ kernels from images and from the files of a process, without a GPU."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from kernels.nvcc import MATMUL, find_tool, nvcc
from kernels.sass import find_nvdisasm, opcode_histogram

from gwatch import assemblers, libpygwatch
from gwatch.errors import SourceError
from gwatch.sources import FoundPtx, NotFound, _cuobjdump, sources_for
from gwatch.sources.cuda import CudaSource, loaded_files

pytestmark = pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")

KERNEL = "_Z6matmulPfPKfS1_ii"
PTX_AND_CODE = "-gencode=arch=compute_90a,code=[compute_90a,sm_90a]"


@dataclass(frozen=True)
class FakeLaunch:
    kernel: str = KERNEL
    function: int = 1
    resolved_function: int = 2
    image: bytes = b""
    compute_capability: int = 90


def fatbin(folder: Path, *arguments: str) -> bytes:
    compiled = nvcc("-fatbin", *arguments, "-o", folder / "kernel.fatbin", MATMUL)
    assert compiled.returncode == 0, compiled.stderr
    return (folder / "kernel.fatbin").read_bytes()


def statements(ptx: str) -> str:
    """The text without comments and white space, which nvcc does not keep."""
    return re.sub(r"\s+", "", re.sub(r"//.*", "", ptx))


def markers(ptx: bytes) -> list[tuple[str, str, str]]:
    return [(m.verb, m.scope, m.next_scope) for m in libpygwatch.list_markers(ptx, "matmul")]


def found(launch: FakeLaunch, source: CudaSource | None = None) -> FoundPtx:
    result = (source or CudaSource()).find(launch)
    assert isinstance(result, FoundPtx), result
    return result


def reason(launch: FakeLaunch) -> str:
    result = CudaSource().find(launch)
    assert isinstance(result, NotFound), result
    return result.reason


@pytest.mark.parametrize("mode", ["none", "speed", "balance", "size"])
def test_image_of_every_packing(tmp_path: Path, mode: str) -> None:
    image = fatbin(tmp_path, PTX_AND_CODE, f"--compress-mode={mode}", "-maxrregcount=64")
    nvcc("-ptx", "-arch=sm_90a", "-maxrregcount=64", "-o", tmp_path / "kernel.ptx", MATMUL)

    result = found(FakeLaunch(image=image))

    expected = (tmp_path / "kernel.ptx").read_text()
    assert statements(bytes(result.ptx).decode()) == statements(expected)
    assert markers(bytes(result.ptx)) == markers(expected.encode()) != []
    assert result.where == "the fat binary that was loaded (PTX for sm_90a)"
    assert result.dsl == "cuda"
    assert result.cubin.startswith(b"\x7fELF")
    assert f".text.{KERNEL}\0".encode() in result.cubin
    assert result.assemblers
    assert "-maxrregcount=64" in result.assemblers[0].flags


def test_flags_take_the_text_to_the_code_of_the_program(tmp_path: Path) -> None:
    if not find_nvdisasm():
        pytest.skip("nvdisasm is not installed")
    result = found(FakeLaunch(image=fatbin(tmp_path, PTX_AND_CODE, "-Xptxas=-O1")))
    assert result.assemblers[0].flags == ["-O1"]

    made = libpygwatch.assemble(result.ptx, KERNEL, list(result.assemblers))
    without = libpygwatch.assemble(result.ptx, KERNEL, assemblers.candidates([]))

    mix = opcode_histogram(made.cubin, tmp_path)
    assert mix == opcode_histogram(result.cubin, tmp_path)
    assert mix != opcode_histogram(without.cubin, tmp_path)


def test_newest_text_that_runs(tmp_path: Path) -> None:
    image = fatbin(
        tmp_path,
        PTX_AND_CODE,
        "-gencode=arch=compute_80,code=compute_80",
        "-gencode=arch=compute_100f,code=compute_100f",
    )

    for capability, target in ((90, "sm_90a"), (89, "sm_80"), (103, "sm_100f"), (120, "sm_80")):
        result = found(FakeLaunch(image=image, compute_capability=capability))
        assert f".target {target}".encode() in bytes(result.ptx)


def test_built_without_ptx(tmp_path: Path) -> None:
    said = reason(FakeLaunch(image=fatbin(tmp_path, "-gencode=arch=compute_90a,code=sm_90a")))

    assert "machine code for sm_90a, and was built without PTX" in said
    assert "-gencode arch=compute_90a,code=compute_90a" in said


def test_ptx_for_other_devices_alone(tmp_path: Path) -> None:
    said = reason(FakeLaunch(image=fatbin(tmp_path, "-arch=sm_100a")))

    assert "has PTX of the kernel for sm_100, sm_100a alone, which does not run on sm_90" in said


def test_text_as_image(tmp_path: Path) -> None:
    nvcc("-ptx", "-arch=sm_90a", "-o", tmp_path / "kernel.ptx", MATMUL)
    text = (tmp_path / "kernel.ptx").read_bytes()

    assert found(FakeLaunch(image=text)).ptx == text
    assert "does not define it" in reason(FakeLaunch(image=text, kernel="other"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the example's kernel, and fat binaries of other units before it."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "first.cu").write_text("__global__ void first(int* p) { *p = 1; }")
    built = nvcc(
        "-shared", "-Xcompiler=-fPIC", PTX_AND_CODE, "-o", folder / "lib.so", folder / "first.cu",
        MATMUL,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return folder / "lib.so"


def test_library_that_another_process_has_loaded(library: Path) -> None:
    program = f"import ctypes; ctypes.CDLL({str(library)!r}); print('loaded', flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    try:
        assert process.stdout.readline() == b"loaded\n"
        result = found(FakeLaunch(), CudaSource(process.pid))
    finally:
        process.communicate(b"\n")

    assert result.where == f"fat binary in {library} (PTX for sm_90a)"
    assert markers(bytes(result.ptx))


def test_relocatable_device_code(tmp_path: Path) -> None:
    """The linked image has no PTX; the program's file has it still."""
    built = nvcc("-rdc=true", "-arch=sm_90a", "-o", tmp_path / "program", MATMUL)
    assert built.returncode == 0, built.stderr
    linked = fatbin(tmp_path, "-gencode=arch=compute_90a,code=sm_90a")

    in_file = libpygwatch.find_in_files([str(tmp_path / "program")], KERNEL, 90)
    source = CudaSource()
    source._in_files = lambda launch: in_file  # type: ignore[method-assign]

    assert markers(in_file.ptx) != []
    assert found(FakeLaunch(image=linked), source).ptx == in_file.ptx
    assert libpygwatch.assemble(in_file.ptx, KERNEL, assemblers.candidates([])).cubin


def test_libraries_of_this_process() -> None:
    assert any("libc.so" in path or "libc-" in path for path in loaded_files())
    assert "neither the program nor a library" in reason(FakeLaunch())
    assert "loaded from a cubin" in reason(FakeLaunch(image=b"\x7fELF..."))


def test_cuobjdump_where_zstd_is_missing(tmp_path: Path, library: Path) -> None:
    if not _cuobjdump.find_cuobjdump():
        pytest.skip("cuobjdump is not installed")
    missing = SourceError("packed with zstd, and libzstd.so.1 is not there")
    image = fatbin(tmp_path, PTX_AND_CODE, "-gencode=arch=compute_80,code=compute_80")

    from_image = _cuobjdump.after(missing, FakeLaunch(), image=image)
    from_file = _cuobjdump.after(missing, FakeLaunch(), files=["/dev/null", str(library)])

    assert from_image.target == from_file.target == "sm_90a"
    assert from_image.ptx.strip() == bytes(found(FakeLaunch(image=image)).ptx).strip()
    assert str(library) in from_file.where
    with pytest.raises(SourceError, match="zstd"):
        _cuobjdump.after(missing, replace(FakeLaunch(), kernel="none"), image=image)
    with pytest.raises(SourceError, match="other"):
        _cuobjdump.after(SourceError("other"), FakeLaunch(), image=image)


def test_is_one_of_the_sources() -> None:
    assert [source.name for source in sources_for("cuda")] == ["cuda"]
    assert "cuda" in [source.name for source in sources_for(None)]
