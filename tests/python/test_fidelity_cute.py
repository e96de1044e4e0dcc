"""Scopes of CuTe DSL kernels in the machine code: TMA, mbarriers, warp specialisation."""

import re

import pytest

pytest.importorskip("cutlass")

from test_cute_gemm import Gemm
from test_fidelity import compared, kinds, needs_tools

pytestmark = needs_tools


def scopes_of(name, folder):
    gemm = Gemm(name, folder)
    kernel = re.search(r"\.entry\s+([\w$]+)", gemm.ptx)[1]
    facts = compared(gemm.ptx, kernel=kernel, threads=gemm.block[0], cubin=gemm.cubin).facts
    assert facts.unknown == ""
    names = re.findall(r"// gwatch:(?:start (\S+)|switch \S+ (\S+))", gemm.ptx)
    ordered = list(dict.fromkeys(start or switched for start, switched in names))
    assert all(check.unknown == "" for check in facts.scopes)
    assert not any(check.movements for check in facts.scopes)
    return {ordered[check.scope]: kinds(check) for check in facts.scopes}


def test_warp_specialised_gemm(tmp_path):
    scopes = scopes_of("hopper", tmp_path)

    assert scopes["issue"] == {"bulk copy (TMA)": (2, 2)}, "issued, not completed"
    # ptxas tries once ahead of the loop that tries again, and there with one instruction or two.
    assert scopes["wait"] == scopes["first%20wait"]
    assert scopes["wait"] in [{"mbarrier wait": (1, 2)}, {"mbarrier wait": (1, 3)}]
    before, after = scopes["mma"]["wgmma"]
    assert before == after > 0
    assert scopes["first%20mma"] == {"wgmma": (before, after)}
    assert scopes["mma"]["async wait"] == (1, 1)
    assert set(scopes["epilogue"]) == {*scopes["convert"], *scopes["store"]}
    assert scopes["store"]["bulk copy (TMA)"][0] > 0


def test_plain_gemm(tmp_path):
    scopes = scopes_of("plain-80", tmp_path)

    assert scopes["issue"] == {"async copy": (16, 16)}
    assert set(scopes["wait"]) == {"barrier", "async wait"}
    assert set(scopes["mma"]) == {"shared load", "mma"}
    assert scopes["mma"]["mma"] == (128, 128)
    assert set(scopes["store"]) == {"global store"}
