"""Compiles CUDA C++ without a GPU, with the compiler of the PyPI wheels or of a toolkit."""

from __future__ import annotations

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
