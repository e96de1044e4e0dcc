"""Compiles CUDA C++ without a GPU, with the compilers of the PyPI wheels or of a toolkit."""

from __future__ import annotations

import ctypes
import shutil
import site
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"
MATMUL = ROOT / "examples" / "cuda" / "trace" / "trace_cuda_matmul.cu"
TARGETS = ("sm_80", "sm_90a", "sm_100a")


def find_tool(name: str) -> str:
    """Find a CUDA program in the PyPI wheels, else in PATH, else give ""."""
    for folder in [*sys.path, *site.getsitepackages()]:
        for path in Path(folder or ".").glob(f"nvidia/c*/bin/{name}"):
            return str(path)
    return shutil.which(name) or ""


def nvcc(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the compiler; it may fail."""
    command = [find_tool("nvcc"), "-I", INCLUDE, *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)


def compile_to(kind: str, source: Path, folder: Path, *arguments: str) -> bytes:
    """Compile to "ptx" or "cubin"."""
    output = folder / f"kernel.{kind}"
    compiled = nvcc(f"-{kind}", *arguments, "-o", output, source)
    assert compiled.returncode == 0, compiled.stderr
    assert not compiled.stderr, compiled.stderr
    return output.read_bytes()


def find_nvrtc() -> ctypes.CDLL | None:
    """Load NVRTC of the PyPI wheels."""
    for folder in site.getsitepackages():
        for path in Path(folder).glob("nvidia/c*/lib/libnvrtc.so.1?"):
            return ctypes.CDLL(str(path))
    return None


def nvrtc_to_ptx(nvrtc: ctypes.CDLL, text: str, *options: str) -> str:
    """Compile to PTX as a program does that has the text of a kernel."""
    program = ctypes.c_void_p()
    flags = [f"-I{INCLUDE}".encode(), *(option.encode() for option in options)]
    source = text.encode()
    made = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None)
    assert made == 0
    compiled = nvrtc.nvrtcCompileProgram(
        program, len(flags), (ctypes.c_char_p * len(flags))(*flags)
    )
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert compiled == 0, log.value.decode()
    assert nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
    ptx = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetPTX(program, ptx) == 0
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx.value.decode()
