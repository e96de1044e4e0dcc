"""Trace the Triton kernel that PyTorch's Inductor makes of a marked one.

    python trace_inductor_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without a GPU.
"""

from __future__ import annotations

import argparse
import sys

import triton
import triton.language as tl

from gwatch.common.format import File
from gwatch.cuda.trace import do_trace
from gwatch.cuda.trace.format import Section_IntraKernelTrace

# Inductor copies functions, not modules: by their own names.
from gwatch.cuda.trace.triton import scope

SIZE = 1024
TURNS = 16


@triton.jit
def saxpy_kernel(y, x, a, turns, size: tl.constexpr):
    """Add a x to y; a block has `turns` stretches of `size` elements."""
    for turn in range(turns):
        offsets = (tl.program_id(0) * turns + turn) * size + tl.arange(0, size)
        with scope("load", turn):
            loaded = tl.load(x + offsets)
        with scope("update", turn):
            tl.store(y + offsets, tl.load(y + offsets) + a * loaded)


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--blocks", type=int, default=132, help="blocks of threads")
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        print("this example needs an NVIDIA GPU", file=sys.stderr)
        return 2
    x = torch.arange(arguments.blocks * TURNS * SIZE, device="cuda", dtype=torch.float32)

    @torch.compile(fullgraph=True)
    def compiled(x: torch.Tensor) -> torch.Tensor:
        y = torch.ones_like(x)
        saxpy_kernel[(arguments.blocks,)](y, x, 2.0, TURNS, size=SIZE)
        return y * 2

    untraced = compiled(x)
    result = do_trace(fn=lambda: compiled(x), kernel_name_pattern="saxpy_kernel", dsl="triton")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy by Inductor")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = torch.equal(untraced, 2 * (2 * x + 1)) and torch.equal(result.value, untraced)
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
