"""Trace a Gluon kernel with two partitions, each with warps of its own.

    python trace_gluon_saxpy.py --report trace.html --report trace.json

Exit code: 0 when the result is right traced and untraced, 1 when it is not, 2 without a GPU that
has partitions (compute capability 9.0 or later).
"""

from __future__ import annotations

import argparse
import sys

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

import gwatch.cuda.trace.triton as gw_trace
from gwatch.common.format import File
from gwatch.cuda.trace import do_trace
from gwatch.cuda.trace.format import Section_IntraKernelTrace

SIZE = 1024
WARPS = 4
TURNS = 32


@gluon.jit
def update(y, x, a, first, turns, size: gl.constexpr, layout: gl.constexpr):
    """Update every second stretch of `size` elements from `first` on."""
    for turn in range(turns):
        offsets = (first + 2 * turn) * size + gl.arange(0, size, layout=layout)
        with gw_trace.scope("load", turn):
            loaded = gl.load(x + offsets)
        with gw_trace.scope("update", turn):
            gl.store(y + offsets, gl.load(y + offsets) + a * loaded)


@gluon.jit
def even(y, x, a, first, turns, size: gl.constexpr, layout: gl.constexpr):
    """What the default partition does."""
    update(y, x, a, first, turns, size, layout)


@gluon.jit
def odd(y, x, a, first, turns, size: gl.constexpr, layout: gl.constexpr):
    """What the other warps do."""
    update(y, x, a, first + 1, turns, size, layout)


@gluon.jit
def saxpy_kernel(y, x, a, turns, size: gl.constexpr, warps: gl.constexpr):
    """Add a x to y; a block has 2 * turns stretches."""
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [warps], [0])
    first = gl.program_id(0) * turns * 2
    gl.warp_specialize(
        [
            (even, (y, x, a, first, turns, size, layout)),
            (odd, (y, x, a, first, turns, size, layout)),
        ],
        [warps],
        [64],
    )


def main() -> int:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="append", default=[], metavar="PATH")
    parser.add_argument("--blocks", type=int, default=132, help="blocks of threads")
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.is_available() or torch.cuda.get_device_capability() < (9, 0):
        print("this example needs an NVIDIA GPU of compute capability 9.0", file=sys.stderr)
        return 2
    x = torch.arange(arguments.blocks * 2 * TURNS * SIZE, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)

    def launch() -> None:
        y.fill_(1)
        saxpy_kernel[(arguments.blocks,)](y, x, 2.0, TURNS, size=SIZE, warps=WARPS, num_warps=WARPS)

    launch()
    untraced = y.clone()
    result = do_trace(fn=launch, kernel_name_pattern="saxpy_kernel", dsl="triton")
    print(result.summary())
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="saxpy in Gluon")
    report.add_section(section)
    for path in arguments.report:
        report.render(path)
        print(f"wrote {path}")
    right = torch.equal(untraced, 2 * x + 1) and torch.equal(y, untraced)
    print("the result is right" if right else "the result is wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
