"""The source for CuPy over CuPy's own NVRTC, which needs no GPU; where CuPy is installed."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest

import gwatch
from gwatch import libpygwatch
from gwatch.sources import FoundPtx, NotFound, cupy, sources_for

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that there is no GPU
    compiler = pytest.importorskip("cupy.cuda.compiler")

CODE = """
#include <gwatch/cuda/trace.hpp>
extern "C" __global__ void marked(unsigned* out, unsigned factor) {
    GWATCH_CUDA_KERNEL_SCOPE(7);
    out[threadIdx.x] = factor * FACTOR;
}
"""


def cubin(file: str, factor: int) -> bytes:
    """As CuPy compiles; its name for the text is another one in each folder that it makes."""
    program = compiler._NVRTCProgram(CODE.replace("FACTOR", str(factor)), file, method="cubin")
    options = ("-arch=sm_90", "-lineinfo", "-std=c++17", f"-I{gwatch.get_include()}")
    try:
        return bytes(program.compile(options)[0])
    except (ImportError, OSError, RuntimeError) as error:
        pytest.skip(f"NVRTC does not work: {error}")


def find(image: bytes) -> FoundPtx | NotFound:
    (source,) = sources_for("cupy")
    launch = SimpleNamespace(
        kernel="marked", function=1, resolved_function=2, image=image, compute_capability=90
    )
    return source.find(launch)


def test_ptx_is_found_by_the_image_that_the_driver_reads() -> None:
    cupy._noted.clear()
    sources_for("cupy")
    loaded = cubin("/first/kern.cu", 3)
    cubin("/first/kern.cu", 5)

    # A cubin ends where its headers say, which is one byte behind what CuPy passes on.
    found = find(loaded + b"\0")

    assert isinstance(found, FoundPtx)
    assert [one.verb for one in libpygwatch.list_markers(found.ptx, "marked")] == ["start", "end"]


def test_text_that_was_compiled_again_in_another_folder() -> None:
    loaded = cubin("/first/kern.cu", 3)
    cupy._noted.clear()
    sources_for("cupy")
    again = cubin("", 3)
    assert again != loaded

    assert isinstance(find(loaded + b"\0"), FoundPtx)
    assert isinstance(find(cubin("/first/kern.cu", 4) + b"\0"), FoundPtx)
    cupy._noted.clear()
    assert isinstance(find(loaded + b"\0"), NotFound)
