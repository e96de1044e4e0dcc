"""Trace a Numba-CUDA kernel.

    python trace_numba_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without a GPU or
Numba-CUDA.
"""

from __future__ import annotations

import argparse
import sys

from gwatch.common.format import File
from gwatch.cuda.trace import do_trace
from gwatch.cuda.trace.format import Section_IntraKernelTrace


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--n", type=int, default=1 << 20, help="elements")
    arguments = parser.parse_args()
    try:
        import numpy as np
        from numba import cuda

        import gwatch.cuda.trace.numba as gw_trace

        cuda.get_current_device()
    except Exception as error:
        print(f"this example needs numba-cuda and an NVIDIA GPU: {error}", file=sys.stderr)
        return 2

    @cuda.jit(lineinfo=True)
    def saxpy(y, x, a):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            gw_trace.scope_start("load", i)
            loaded = x[i]
            gw_trace.scope_switch("load", "update")
            y[i] += a * loaded
            gw_trace.scope_end("update")

    x = np.arange(arguments.n, dtype=np.float32)
    x_on_device = cuda.to_device(x)
    y_on_device = cuda.device_array_like(x)

    def launch() -> None:
        y_on_device.copy_to_device(np.ones_like(x))
        saxpy[132, 256](y_on_device, x_on_device, np.float32(2))

    launch()
    untraced = y_on_device.copy_to_host()
    result = do_trace(fn=launch, kernel_name_pattern="saxpy", dsl="numba")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy by Numba")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = bool((untraced == 2 * x + 1).all())
    right &= bool((y_on_device.copy_to_host() == untraced).all())
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
