"""Trace a CUDA C++ kernel that CuPy compiles with NVRTC.

    python trace_cupy_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without CuPy or GPU.
"""

from __future__ import annotations

import argparse
import sys

import gwatch
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


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--n", type=int, default=1 << 20, help="elements")
    arguments = parser.parse_args()
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        print(f"this example needs CuPy and an NVIDIA GPU: {error}", file=sys.stderr)
        return 2
    options = (f"-I{gwatch.get_include()}", "-lineinfo", "-std=c++17")
    kernel = cupy.RawKernel(CODE, "saxpy", options=options)
    x = cupy.arange(arguments.n, dtype=cupy.float32)
    y = cupy.zeros_like(x)

    def launch() -> None:
        y[:] = 1
        kernel((132,), (256,), (y, x, cupy.float32(2), cupy.int32(arguments.n)))

    launch()
    untraced = y.copy()
    result = do_trace(fn=launch, kernel_name_pattern="saxpy")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy by CuPy")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = bool((untraced == 2 * x + 1).all()) and bool((y == untraced).all())
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
