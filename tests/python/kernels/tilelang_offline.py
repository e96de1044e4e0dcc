"""Compiles TileLang kernels without a GPU."""

from pathlib import Path

import tilelang
import tvm

from kernels.nvcc import compile_to, find_tool


def lower(function: object) -> str:
    """The CUDA C++ that TileLang makes of a function."""
    target = {"kind": "cuda", "arch": "sm_90"}
    with tvm.target.Target(target):
        return str(tilelang.lower(function, target=target).kernel_source)


def compile_lowered(text: str, folder: Path, target: str) -> bytes:
    """Compile that text to PTX with the folders that TileLang names."""
    path = folder / "kernel.cu"
    path.write_text(text)
    package = Path(tilelang.__file__).parent
    toolkit = Path(find_tool("nvcc")).parents[1] / "include"
    folders = [package / "src", package / "3rdparty/cutlass/include", toolkit, toolkit / "cccl"]
    flags = [f"-I{folder}" for folder in folders]
    return compile_to("ptx", path, folder, f"-arch={target}", "-std=c++20", "-w", *flags)
