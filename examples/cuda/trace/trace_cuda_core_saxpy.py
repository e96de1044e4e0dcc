"""Trace a CUDA C++ kernel that cuda.core compiles with NVRTC.

    python trace_cuda_core_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without a GPU,
PyTorch or cuda.core.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
from types import ModuleType
from typing import Any

import gwatch
from gwatch import libpygwatch as pygwatch
from gwatch.common.format import File
from gwatch.cuda.trace import do_trace
from gwatch.cuda.trace.format import Section_IntraKernelTrace

CODE = """
#include <gwatch/cuda/trace.hpp>

extern "C" __global__ void saxpy(float* y, const float* x, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        GWATCH_CUDA_KERNEL_SCOPE_START_NAMED("load", i);
        const float loaded = x[i];
        GWATCH_CUDA_KERNEL_SCOPE_SWITCH_NAMED("load", "update");
        y[i] += a * loaded;
        GWATCH_CUDA_KERNEL_SCOPE_END_NAMED("update");
    }
}
"""


def cuda_core() -> ModuleType:
    """The module, which was an experimental one before its version 1."""
    import cuda.core as core

    if hasattr(core, "Program"):
        return core
    from cuda.core import experimental

    return experimental


def compile_to_ptx(core: ModuleType, architecture: str) -> Any:
    """Compile for "sm_90" and the like: to PTX, because gwatch cannot trace a cubin."""
    options = core.ProgramOptions(
        std="c++17", arch=architecture, lineinfo=True, include_path=gwatch.get_include()
    )
    return core.Program(CODE, code_type="c++", options=options).compile("ptx")


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--n", type=int, default=1 << 20, help="elements")
    arguments = parser.parse_args()
    try:
        import torch

        core = cuda_core()
        torch.cuda.init()
        device = core.Device()
        device.set_current()
    except Exception as error:
        print(f"this example needs PyTorch, cuda.core and a GPU: {error}", file=sys.stderr)
        return 2
    pygwatch.init_cupti_hooks()  # before the program is loaded, for gwatch notes its PTX then
    capability = device.compute_capability
    compiled = compile_to_ptx(core, f"sm_{capability.major}{capability.minor}")
    kernel = compiled.get_kernel("saxpy")
    stream = device.create_stream()
    config = core.LaunchConfig(grid=132, block=256)
    x = torch.arange(arguments.n, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)
    scalars = (ctypes.c_float(2), ctypes.c_int(arguments.n))

    def launch() -> None:
        y.fill_(1)
        torch.cuda.synchronize()
        core.launch(stream, config, kernel, y.data_ptr(), x.data_ptr(), *scalars)
        stream.sync()

    launch()
    untraced = y.clone()
    result = do_trace(fn=launch, kernel_name_pattern="saxpy", dsl="cuda")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy by cuda.core")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = torch.equal(untraced, 2 * x + 1) and torch.equal(y, untraced)
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
