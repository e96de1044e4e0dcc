"""Micro-kernels of benchmarks/micro.cu as cases: compiled by nvcc, launched through the driver."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import torch
from gpu_cases import Case
from graphs import check, driver

import gwatch

SOURCE = Path(__file__).with_name("micro.cu")
TURNS = 1000
MANY_BLOCKS = 1_000_000


@cache
def _ptx() -> bytes:
    capability = "".join(map(str, torch.cuda.get_device_capability()))
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "micro.ptx"
        command = ["nvcc", f"-arch=sm_{capability}", "-ptx", "-I", gwatch.get_include()]
        subprocess.run([*command, str(SOURCE), "-o", str(ptx)], check=True)
        return ptx.read_bytes()


@cache
def _module() -> ctypes.c_void_p:
    """The kernels, loaded from PTX text, which is where gwatch then finds it."""
    torch.cuda.current_stream()
    module = ctypes.c_void_p()
    check(driver().cuModuleLoadData(ctypes.byref(module), _ptx()), "cuModuleLoadData")
    return module


def _launcher(
    kernel: str, blocks: int, threads: int, turns: int, out: torch.Tensor
) -> Callable[[], None]:
    function = ctypes.c_void_p()
    code = driver().cuModuleGetFunction(ctypes.byref(function), _module(), kernel.encode())
    check(code, "cuModuleGetFunction")
    pointer, count = ctypes.c_void_p(out.data_ptr()), ctypes.c_int(turns)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(pointer), ctypes.addressof(count))

    def launch(keep: object = (pointer, count)) -> None:  # the arguments point to them
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        code = driver().cuLaunchKernel(
            function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, None
        )
        check(code, "cuLaunchKernel")

    return launch


def micro_case(kernel: str, warps_an_sm: int) -> Case:
    """One of the kernels with so many warps on each SM."""
    blocks = torch.cuda.get_device_properties(0).multi_processor_count
    threads = warps_an_sm * 32
    out = torch.zeros(blocks * threads, device="cuda")
    events = blocks * threads // 32 * TURNS * 2 * (2 if kernel == "halves" else 1)
    name = f"{kernel}, {warps_an_sm} warps an SM"
    launch = _launcher(kernel, blocks, threads, TURNS, out)
    ptx = None if kernel == "device_function" else lambda: _ptx().decode()
    return Case(name, f"^{kernel}$", launch, out, events, dsl="cuda", ptx=ptx)


def many_blocks_case() -> Case:
    """A grid that needs sampling: events of the blocks that are recorded are not known before."""
    out = torch.zeros(MANY_BLOCKS * 128, device="cuda")
    launch = _launcher("full_warps", MANY_BLOCKS, 128, 1, out)
    return Case("1 million blocks", "^full_warps$", launch, out, 0, dsl="cuda")
