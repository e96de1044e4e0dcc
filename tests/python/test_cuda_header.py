"""gwatch/cuda/trace.hpp under nvcc, NVRTC and clang, without a GPU."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kernels.nvcc import (
    INCLUDE,
    MATMUL,
    TARGETS,
    compile_to,
    find_nvrtc,
    find_tool,
    nvcc,
    nvrtc_to_ptx,
)
from kernels.sass import find_nvdisasm, opcode_histogram

import gwatch
from gwatch import assemblers, cli, libpygwatch

pytestmark = pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")

EVERY_MARKER = """
enum class Id { kEight = 8 };
template <int Stage> __device__ float half_of(float x) {
    GWATCH_CUDA_KERNEL_SCOPE(Stage, x);
    return x * 0.5f;
}
extern "C" __global__ void kernel(float* p, int n, short s, long long l, double d) {
    GWATCH_CUDA_KERNEL_SCOPE_NAMED("whole");
    const gwatch::cuda::Scope<1> scope;
    GWATCH_CUDA_KERNEL_SCOPE_START(2);
    GWATCH_CUDA_KERNEL_SCOPE_SWITCH(2, 3);
    GWATCH_CUDA_KERNEL_SCOPE_END(3);
    GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("a_B_3");
    GWATCH_CUDA_KERNEL_SCOPE_SWITCH_NAMED("a_B_3", "4th");
    GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("4th");
    GWATCH_CUDA_KERNEL_MARK(65535);
    GWATCH_CUDA_KERNEL_MARK_NAMED("here");
    GWATCH_CUDA_KERNEL_SCOPE_START(5, n);
    GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("named", n + 1u);
    GWATCH_CUDA_KERNEL_MARK(Id::kEight, *p);
    GWATCH_CUDA_KERNEL_MARK_NAMED("wide", l);
    GWATCH_CUDA_KERNEL_MARK(9, d);
    GWATCH_CUDA_KERNEL_MARK(10, p);
    GWATCH_CUDA_KERNEL_MARK(11, s);
    GWATCH_CUDA_KERNEL_MARK(12, n > 3);
    {
        GWATCH_CUDA_KERNEL_SCOPE(13, n + l);
        GWATCH_CUDA_KERNEL_SCOPE_NAMED("block", *p);
    }
    p[threadIdx.x] = half_of<6>(p[threadIdx.x]);
}
"""
EXPECTED = [
    "start whole",
    "start 1",
    "start 2",
    "switch 2 3",
    "end 3",
    "start a_B_3",
    "switch a_B_3 4th",
    "end 4th",
    "mark 65535",
    "mark here",
    "start 5 s32",
    "start named u32",
    "mark 8 f32",
    "mark wide s64",
    "mark 9 f64",
    "mark 10 b64",
    "mark 11 s32",
    "mark 12 u32",
    "start 13 s64",
    "start block f32",
    "end block",
    "end 13",
    "start 6 f32",
    "end 6",
    "end 1",
    "end whole",
]
MARKER = re.compile(
    r"// gwatch:(?P<text>[^\n]+)\n\s*"
    r"mov\.(?:u32 %\w+, 0;|(?P<payload>[suf](?:32|64)|b64) %\w+, %\w+;)"
)


def markers_of(ptx: str) -> list[str]:
    """Verb, scopes and payload type of each marker with its carrier."""
    assert ptx.count("// gwatch:") == len(MARKER.findall(ptx)), ptx
    return [" ".join(filter(None, match.groups())) for match in MARKER.finditer(ptx)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.cu"
    # Names that other headers may give to macros.
    macros = "#define ID 0\n#define NAME 0\n#define VALUE 0\n"
    path.write_text(macros + "#include <gwatch/cuda/trace.hpp>\n" + EVERY_MARKER)
    return path


@pytest.mark.parametrize("standard", ["c++14", "c++17", "c++20"])
def test_every_marker(source: Path, standard: str) -> None:
    ptx = compile_to("ptx", source, source.parent, "-arch=sm_90a", f"-std={standard}").decode()

    assert markers_of(ptx) == EXPECTED
    assert len(libpygwatch.list_markers(ptx)) == len(EXPECTED)


def test_scopes_have_the_lines_of_their_users(source: Path) -> None:
    ptx = compile_to("ptx", source, source.parent, "-arch=sm_90a", "-lineinfo")

    lines = source.read_text().splitlines()
    for marker in libpygwatch.list_markers(ptx):
        assert marker.file == str(source)
        if marker.verb in ("start", "switch", "mark"):
            assert "GWATCH_CUDA_KERNEL" in lines[marker.line - 1] or marker.scope == "1"


def test_unoptimized_code_keeps_all_markers(source: Path) -> None:
    ptx = compile_to("ptx", source, source.parent, "-arch=sm_90a", "-G").decode()

    assert sorted(markers_of(ptx)) == sorted(EXPECTED)


@pytest.mark.parametrize("target", TARGETS)
def test_marked_example_has_the_code_of_the_unmarked(target: str, tmp_path: Path) -> None:
    if not find_nvdisasm():
        pytest.skip("nvdisasm is not installed")
    marked, unmarked = (
        opcode_histogram(
            compile_to("cubin", MATMUL, tmp_path, f"-arch={target}", f"-DGWATCH_MARKERS={on}"),
            tmp_path,
        )
        for on in (1, 0)
    )

    assert marked == unmarked
    assert marked.total() > 200


@pytest.mark.parametrize("target", TARGETS)
def test_example_is_instrumented_and_assembled(target: str, tmp_path: Path) -> None:
    ptx = compile_to("ptx", MATMUL, tmp_path, f"-arch={target}", "-lineinfo")

    (kernel,) = {marker.function for marker in libpygwatch.list_markers(ptx)}
    made = libpygwatch.instrument(ptx, kernel, "example", (256, 1, 1))
    assert libpygwatch.assemble(made.ptx, kernel, assemblers.candidates([])).cubin
    plain = libpygwatch.instrument(ptx, kernel, "example", (0, 0, 0), prove=False)
    assert libpygwatch.assemble(plain.ptx, kernel, assemblers.candidates([])).cubin


def test_switched_off_markers_are_nothing(source: Path) -> None:
    off = compile_to("ptx", source, source.parent, "-arch=sm_90a", "-DGWATCH_MARKERS=0")

    text = re.sub(r"GWATCH_CUDA_KERNEL_\w+\(.*\);|const gwatch::cuda.*", "", source.read_text())
    source.write_text(text)
    assert "GWATCH_CUDA_KERNEL" not in text
    assert compile_to("ptx", source, source.parent, "-arch=sm_90a") == off
    assert b"gwatch" not in off


def test_function_for_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "both.cu"
    path.write_text(
        "#include <gwatch/cuda/trace.hpp>\n"
        "__host__ __device__ int next(int x) {\n"
        "    GWATCH_CUDA_KERNEL_SCOPE(3, x); GWATCH_CUDA_KERNEL_MARK(4, x); return x + 1; }\n"
        "__global__ void kernel(int* p) { *p = next(*p); }\n"
        "int main() { return next(-1); }\n"
    )
    warnings = "-Xcompiler=-Wall,-Wextra,-Wshadow,-Werror"
    compiled = nvcc("-arch=sm_90a", warnings, "-o", tmp_path / "both", path)

    assert compiled.returncode == 0, compiled.stderr
    assert not compiled.stderr
    assert subprocess.run([tmp_path / "both"]).returncode == 0


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("GWATCH_CUDA_KERNEL_SCOPE_START(65536);", "a scope id is from 0 to 65535"),
        ("GWATCH_CUDA_KERNEL_SCOPE_END(-1);", "a scope id is from 0 to 65535"),
        ('GWATCH_CUDA_KERNEL_SCOPE_SWITCH_NAMED("a", "");', "is no number"),
        ('GWATCH_CUDA_KERNEL_MARK_NAMED("two words");', r"made of \[A-Za-z0-9_\]"),
        ('GWATCH_CUDA_KERNEL_MARK_NAMED("12");', "is no number"),
        ('GWATCH_CUDA_KERNEL_MARK_NAMED("a.b");', r"made of \[A-Za-z0-9_\]"),
        ("GWATCH_CUDA_KERNEL_SCOPE_START(threadIdx.x);", "constant"),
        ("GWATCH_CUDA_KERNEL_SCOPE(65536, 1);", "a scope id is from 0 to 65535"),
        ('GWATCH_CUDA_KERNEL_SCOPE_NAMED("two words", 1);', r"made of \[A-Za-z0-9_\]"),
        ("GWATCH_CUDA_KERNEL_MARK(1, *wide);", "a value has at most 64 bits"),
    ],
)
def test_wrong_argument(tmp_path: Path, statement: str, message: str) -> None:
    path = tmp_path / "wrong.cu"
    path.write_text(
        "#include <gwatch/cuda/trace.hpp>\nstruct Wide { int x[3]; };\n"
        f"__global__ void kernel(Wide* wide) {{ {statement} }}\n"
    )

    compiled = nvcc("-ptx", "-arch=sm_90a", "-o", tmp_path / "wrong.ptx", path)

    assert compiled.returncode != 0
    assert re.search(message, compiled.stderr), compiled.stderr


def test_header_alone_in_a_host_program(tmp_path: Path) -> None:
    compiler = shutil.which("c++") or shutil.which("g++")
    if not compiler:
        pytest.skip("no C++ compiler")
    path = tmp_path / "alone.cpp"
    path.write_text("#include <gwatch/cuda/trace.hpp>\nint main() { GWATCH_CUDA_KERNEL_MARK(1); }")

    flags = ["-std=c++14", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([compiler, *flags, "-I", str(INCLUDE), str(path)], check=True)


def test_clang(source: Path) -> None:
    clang = shutil.which("clang++")
    if not clang:
        pytest.skip("clang++ is not installed")
    attributes = [f"-D__{name}__=__attribute__(({name}))" for name in ("device", "host", "global")]
    forced = "-D__forceinline__=__inline__ __attribute__((always_inline))"
    flags = "-x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -std=c++17"
    flags += " -O2 -Wall -S -o -"
    source.write_text(source.read_text().replace("threadIdx.x", "0"))

    compiled = subprocess.run(
        [clang, *flags.split(), *attributes, forced, "-I", str(INCLUDE), str(source)],
        capture_output=True,
        text=True,
    )

    assert compiled.returncode == 0, compiled.stderr
    assert markers_of(compiled.stdout) == EXPECTED


def test_nvrtc(source: Path) -> None:
    nvrtc = find_nvrtc()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed: pip install nvidia-cuda-nvrtc")

    ptx = nvrtc_to_ptx(nvrtc, source.read_text(), "--gpu-architecture=compute_90a")

    assert markers_of(ptx) == EXPECTED


def test_where_the_header_is(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(gwatch.get_include())

    assert (folder / "gwatch" / "cuda" / "trace.hpp").read_bytes() == (
        INCLUDE / "gwatch" / "cuda" / "trace.hpp"
    ).read_bytes()
    assert cli.main(["include"]) == 0
    assert capsys.readouterr().out == f"{folder}\n"
