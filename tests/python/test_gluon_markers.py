"""Triton's markers in Gluon kernels, warp-specialised partitions too."""

from __future__ import annotations

from pathlib import Path

import pytest

triton = pytest.importorskip("triton")
pytest.importorskip("triton.experimental.gluon")

from kernels import gluon_kernels  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.experimental.gluon._runtime import GluonASTSource  # noqa: E402

from gwatch import assemblers, libpygwatch  # noqa: E402

EXPECTED = {
    ("start", "all", ""),
    ("end", "all", ""),
    ("start", "first", ""),
    ("end", "first", ""),
    ("start", "7", ""),
    ("switch", "7", "8"),
    ("end", "8", ""),
    ("mark", "turn", ""),
}


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


# Without warp specialisation (sm_80) Gluon has no partitions.
@pytest.mark.parametrize("capability", [90, 100])
def test_every_partition_is_marked(capability):
    source = GluonASTSource(gluon_kernels.kernel, gluon_kernels.SIGNATURE, gluon_kernels.CONSTANTS)
    target = GPUTarget("cuda", capability, 32)
    compiled = triton.compile(source, target=target, options={"num_warps": 4})
    ptx = compiled.asm["ptx"]

    markers = libpygwatch.list_markers(ptx, "^kernel$")
    made = libpygwatch.instrument(ptx, "kernel", "gluon", (256, 1, 1))

    assert {(marker.verb, marker.scope, marker.next_scope) for marker in markers} == EXPECTED
    lines = Path(gluon_kernels.__file__).read_text().splitlines()
    for marker in markers:
        assert marker.file == gluon_kernels.__file__
        assert "gw_trace." in lines[marker.line - 1]
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc")
    assert libpygwatch.assemble(made.ptx, "kernel", found).cubin
