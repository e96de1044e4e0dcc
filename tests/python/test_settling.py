"""A barrier holds a warp only some cycles after it was issued: clock reads must not be earlier."""

import re

import pytest
from kernels.sass import find_nvdisasm, stalls

from gwatch import assemblers, libpygwatch

# On an H200 a read 6 cycles behind a BAR.SYNC did not wait for it, and one 7 cycles behind it did.
LEAST_CYCLES = 7
MARK = "\t// gwatch:mark {}\n\tmov.u32 %r9, 0;\n"
WORK = "\tadd.u32 %r2, %r2, %r1;\n"
ON_THE_WAY = WORK + "\tst.shared.u32 [%r3], %r2;\n"
BODIES = {
    "at once": ON_THE_WAY + "\tbar.sync 0;\n" + MARK.format(1),
    "named": ON_THE_WAY + "\tbar.sync 3, 96;\n" + MARK.format(1),
    "after little work": ON_THE_WAY + "\tbar.sync 0;\n" + WORK + MARK.format(1),
    "after calculations": ON_THE_WAY + "\tbar.sync 0;\n" + 12 * WORK + MARK.format(1),
    "in a series": ON_THE_WAY + "\tbar.sync 0;\n" + MARK.format(1) + WORK + MARK.format(2),
    "of threads": ON_THE_WAY + "\tbarrier.sync 0;\n" + MARK.format(1),
    "that reduces": "\tbar.red.popc.u32 %r2, 0, %p1;\n" + MARK.format(1),
    "in a branch": "\t@%p1 bra OTHER;\n\tbar.sync 0;\n" + MARK.format(1) + "\tbra BACK;\n"
    "OTHER:\n" + MARK.format(2) + "\tbar.sync 0;\n" + MARK.format(3) + "BACK:\n",
    "in a loop": "LOOP:\n"
    + MARK.format(1)
    + "\tbar.sync 0;\n"
    + MARK.format(2)
    + WORK
    + "\tsetp.lt.u32 %p0, %r2, 999;\n\t@%p0 bra LOOP;\n",
    "over a back edge": "LOOP:\n"
    + MARK.format(1)
    + ON_THE_WAY
    + "\tbar.sync 0;\n\tsetp.lt.u32 %p0, %r2, 999;\n\t@%p0 bra LOOP;\n",
    "over a jump": ON_THE_WAY
    + "\tbar.sync 0;\n\t@%p1 bra OTHER;\n"
    + WORK
    + "OTHER:\n"
    + MARK.format(1),
    "at the exit": ON_THE_WAY + "\tst.global.u32 [%rd1], %r2;\n\tbar.sync 0;\n\tret;\n",
}

needs_tools = pytest.mark.skipif(
    not find_nvdisasm() or not assemblers.candidates([]), reason="ptxas or nvdisasm is missing"
)


def kernel(target, body):
    return (
        f".version 8.6\n.target {target}\n.address_size 64\n"
        ".shared .align 4 .b8 shared[4];\n"
        ".visible .entry k(.param .u64 out)\n.reqntid 96, 1, 1\n{\n"
        "\t.reg .b32 %r<12>;\n\t.reg .b64 %rd<2>;\n\t.reg .pred %p<2>;\n"
        "\tld.param.u64 %rd1, [out];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, %r1;\n"
        "\tsetp.lt.u32 %p1, %r1, 32;\n"
        f"\tmov.u32 %r3, shared;\n{MARK.format(0)}{body}\tst.global.u32 [%rd1], %r2;\n\tret;\n}}\n"
    )


def cycles_behind_barriers(listing):
    """From each barrier to the read of a clock or timer that follows it in the text."""
    found, since = [], None
    for text, stall in listing:
        if "BAR.SYNC" in text or "BAR.RED" in text:
            since = 0
        elif since is not None and re.search(r"SR_(CLOCK|GLOBALTIMER)", text):
            found.append(since)
            since = None
        if since is not None:
            since += stall
    return found


@needs_tools
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("prove", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_clock_reads_come_when_the_barrier_holds(name, prove, target, tmp_path):
    ptx = kernel(target, BODIES[name])
    traced = libpygwatch.instrument(ptx, "k", "here", (96, 1, 1), prove)
    cubin = libpygwatch.assemble(traced.ptx, "k", assemblers.candidates([])).cubin

    cycles = cycles_behind_barriers(stalls(cubin, tmp_path))

    assert cycles, "no clock is read behind a barrier"
    assert min(cycles) >= LEAST_CYCLES
