"""Trace a CUDA C++ kernel that PyTorch compiles with NVRTC (torch.cuda._compile_kernel).

    python trace_torch_nvrtc_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without a GPU or a
PyTorch that compiles kernels.
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

extern "C" __global__ void saxpy(float* y, const float* x, double a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float loaded;
        {
            GWATCH_CUDA_KERNEL_SCOPE_NAMED("load", i);
            loaded = x[i];
        }
        GWATCH_CUDA_KERNEL_SCOPE_NAMED("update", i);
        y[i] += static_cast<float>(a) * loaded;
    }
}
"""


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--n", type=int, default=1 << 20, help="elements")
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.is_available() or not hasattr(torch.cuda, "_compile_kernel"):
        needs = "an NVIDIA GPU and a PyTorch with torch.cuda._compile_kernel"
        print(f"this example needs {needs}", file=sys.stderr)
        return 2
    x = torch.arange(arguments.n, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)

    def compile_and_launch() -> None:
        # Inside of what is traced: PyTorch keeps neither the source nor the PTX, so gwatch notes
        # the PTX while PyTorch compiles.
        kernel = torch.cuda._compile_kernel(
            CODE,
            "saxpy",
            cuda_include_dirs=[gwatch.get_include()],
            nvcc_options=["-lineinfo", "-std=c++17"],
        )
        y.fill_(1)
        kernel((132, 1, 1), (256, 1, 1), (y, x, 2.0, arguments.n))
        torch.cuda.synchronize()

    compile_and_launch()
    untraced = y.clone()
    result = do_trace(fn=compile_and_launch, kernel_name_pattern="saxpy", dsl="cuda")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy by PyTorch's NVRTC")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = torch.equal(untraced, 2 * x + 1) and torch.equal(y, untraced)
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
