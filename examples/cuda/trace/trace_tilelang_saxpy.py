"""Trace a TileLang kernel.

    python trace_tilelang_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without a GPU or
TileLang.
"""

import argparse
import sys

from gwatch.common.format import File
from gwatch.cuda.trace import do_trace
from gwatch.cuda.trace.format import Section_IntraKernelTrace

BLOCKS, THREADS = 132, 256


def make_kernel(n: int):
    """A function of TileLang: y += a x for vectors of n elements."""
    import tilelang.language as T  # noqa: N812

    import gwatch.cuda.trace.tilelang as gw_trace

    @T.prim_func
    def saxpy(y: T.Tensor((n,), "float32"), x: T.Tensor((n,), "float32"), a: T.float32):
        with T.Kernel(BLOCKS, threads=THREADS) as block:
            thread = T.get_thread_binding()
            loaded = T.alloc_local((1,), "float32")
            for turn in T.serial(T.ceildiv(n, BLOCKS * THREADS)):
                i = (turn * BLOCKS + block) * THREADS + thread
                if i < n:
                    T.evaluate(gw_trace.scope_start("load", i))
                    loaded[0] = x[i]
                    T.evaluate(gw_trace.scope_switch("load", "update"))
                    y[i] = y[i] + a * loaded[0]
                    T.evaluate(gw_trace.scope_end("update"))

    return saxpy


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--n", type=int, default=1 << 20, help="elements")
    arguments = parser.parse_args()
    try:
        import tilelang
        import torch

        torch.cuda.current_device()
    except Exception as error:
        print(f"this example needs TileLang and an NVIDIA GPU: {error}", file=sys.stderr)
        return 2
    kernel = tilelang.compile(make_kernel(arguments.n), target="cuda")
    x = torch.arange(arguments.n, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)

    def launch() -> None:
        y.fill_(1)
        kernel(y, x, 2.0)

    launch()
    untraced = y.clone()
    result = do_trace(fn=launch, kernel_name_pattern="saxpy", dsl="tilelang")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy in TileLang")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = torch.equal(untraced, 2 * x + 1) and torch.equal(y, untraced)
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
