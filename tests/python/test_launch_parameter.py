"""Where the launch constants stand among the parameters: as in the cubin that ptxas makes."""

from __future__ import annotations

import random
import struct

import pytest

from gwatch import assemblers, libpygwatch
from gwatch.sources._cubin import _sections

CANDIDATES = assemblers.candidates([])

pytestmark = pytest.mark.skipif(not CANDIDATES, reason="no ptxas: pip install nvidia-cuda-nvcc")

CONSTANTS_BYTES = 72
LISTS = [
    "",
    "( /* none */ )",
    "// no list\n",
    ".minnctapersm 1",
    "/*a*/(/*b*/.param/*,*/.u64/*)*/a/*e*/)/*f*/",
    '(\n# 3 "k.cu"\n.param.u64 a,.param.u32 b\n)',
    "(.param .b8 a[010], .param .u8 b)",
    "(.param .b8 a[0x10], .param .b8 b[0b11], .param .b8 c[5U])",
    "(.param .u32 a, .param .align 0x10 .b8 b[3])",
    "(.param .b8 .align 8 a[24], .param .u8 b)",
    "(.param .u8 a, .param .align 2 .u64 b)",
    "(.param .u64 a, .param .align 1 .b128 b, .param .align 2 .v2 .f32 c[3], .param .u8 d)",
    "(.param .u8 a, .param .v4 .u8 b[3], .param .b128 c, .param .f16 d)",
    "(.param .u64 .ptr .global .align 64 a, .param .u32 .ptr .shared .align 8 b)",
    "(.param .u64 k)",
]
WITHOUT_AN_OFFSET = [
    "(.param .u8 a, .param .align 64 .b8 map[128])",
    "(.param .align 128 .b8 map[128], .param .align 32 .b8 b[1])",
]
WITHOUT_A_PARAMETER = ["(.param .texref a)", "(.param .b8 a[WARP_SZ])", "(.param .b8 a[4032])"]
TYPES = ["u8", "s16", "b32", "f32", "u64", "f64", "b128"]


def a_list(seed: int) -> str:
    """Parameters of any type, some of them aligned arrays."""
    chance = random.Random(seed)

    def one(number: int) -> str:
        alignment = chance.choice(["", "", ".align 1 ", ".align 4 ", ".align 16 "])
        size = chance.choice(["", "", f"[{chance.randint(1, 40)}]"])
        return f".param {alignment}.{chance.choice(TYPES)} p{number}{size}"

    return f"({', '.join(one(i) for i in range(chance.randint(1, 9)))})"


def text_of(parameters: str, target: str) -> str:
    return (
        f".version 8.7\n.target {target}\n.address_size 64\n.visible .entry k{parameters}\n"
        "{\n\t.reg .b32 %r<4>;\n\t// gwatch:mark 1\n\tmov.u32 %r1, 0;\n\tret;\n}\n"
    )


def parameters_of(cubin: bytes) -> dict[int, tuple[int, int]]:
    """Index -> offset and bytes, out of the records of kind 0x17 of the kernel's attributes."""
    attributes = dict(_sections(cubin))[".nv.info.k"]
    found: dict[int, tuple[int, int]] = {}
    at = 0
    while at < len(attributes):
        form, kind, size = struct.unpack_from("<BBH", attributes, at)
        if (form, kind) == (4, 0x17):
            ordinal, offset, facts = struct.unpack_from("<4xHHI", attributes, at + 4)
            found[ordinal] = (offset, facts >> 18)
        at += 4 + (size if form == 4 else 0)
    return found


def built(
    parameters: str, target: str
) -> tuple[tuple[int, int] | None, dict[int, tuple[int, int]]]:
    """The place that the instrumenter tells, and the parameters that the traced kernel has."""
    made = libpygwatch.instrument(text_of(parameters, target), "k")
    return made.parameter, parameters_of(libpygwatch.assemble(made.ptx, "k", CANDIDATES).cubin)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("parameters", LISTS)
def test_place_is_that_of_the_cubin(parameters: str, target: str) -> None:
    place, found = built(parameters, target)
    assert place is not None
    assert found[place[0]] == (place[1], CONSTANTS_BYTES)
    assert len(found) == place[0] + 1


@pytest.mark.parametrize("seed", range(25))
def test_place_behind_any_parameters(seed: int) -> None:
    place, found = built(a_list(seed), "sm_90a")
    assert place is not None
    assert found[place[0]] == (place[1], CONSTANTS_BYTES)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("parameters", WITHOUT_AN_OFFSET)
def test_place_that_only_the_driver_knows(parameters: str, target: str) -> None:
    place, found = built(parameters, target)
    assert place == (2, 0)
    assert found[2][1] == CONSTANTS_BYTES


@pytest.mark.parametrize("parameters", WITHOUT_A_PARAMETER)
def test_kernel_that_reads_the_variable_instead(parameters: str) -> None:
    place, found = built(parameters, "sm_90a")
    assert place is None
    assert set(found) == {0}
