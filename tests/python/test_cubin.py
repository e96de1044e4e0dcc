"""When two cubins hold the same code of a kernel, with cubins of nvcc."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels.nvcc import find_tool, nvcc

from gwatch.sources._cubin import is_same

pytestmark = pytest.mark.skipif(not find_tool("nvcc"), reason="nvcc is not installed")

CODE = """
extern "C" __global__ void scaled(int* out, int factor) { out[threadIdx.x] = factor * FACTOR; }
extern "C" __global__ void other(int* out) { out[threadIdx.x] = FACTOR; }
"""


def cubin(path: Path, factor: int, *flags: str) -> bytes:
    path.write_text(CODE.replace("FACTOR", str(factor)))
    built = nvcc("-cubin", "-arch=sm_90", "-lineinfo", *flags, "-o", f"{path}.cubin", path)
    assert built.returncode == 0, built.stderr
    return Path(f"{path}.cubin").read_bytes()


def test_file_names_and_padding_are_no_difference(tmp_path: Path) -> None:
    one = cubin(tmp_path / "one.cu", 3)
    (tmp_path / "elsewhere").mkdir()
    renamed = cubin(tmp_path / "elsewhere" / "renamed.cu", 3)
    assert one != renamed

    assert is_same(one, renamed, "scaled")
    assert is_same(one[:-1], one, "scaled")
    assert is_same(renamed[:-1], one, "scaled")


def test_other_code_is_a_difference(tmp_path: Path) -> None:
    one = cubin(tmp_path / "one.cu", 3)
    changed = cubin(tmp_path / "one.cu", 5)

    assert not is_same(one, changed, "scaled")
    assert not is_same(one, changed, "other")
    assert not is_same(one, changed, "missing")


@pytest.mark.parametrize("bytes_kept", [0, 4, 63, 64, 500])
def test_what_is_no_whole_cubin_is_not_the_same(tmp_path: Path, bytes_kept: int) -> None:
    one = cubin(tmp_path / "one.cu", 3)
    renamed = cubin(tmp_path / "renamed.cu", 3)

    assert not is_same(one[:bytes_kept], renamed, "scaled")
    assert not is_same(renamed, one[:bytes_kept], "scaled")
