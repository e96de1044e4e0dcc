"""PTX of TileLang kernels, which TileLang compiles from the CUDA C++ that its live kernels keep.

TileLang is never imported here: a process that has not done so has no TileLang kernel.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile

from gwatch import libpygwatch
from gwatch.sources import FoundPtx, Launch, NotFound


class TileLangSource:
    """Finds the PTX of kernels that ``tilelang.compile`` or ``tilelang.jit`` made."""

    name = "tilelang"

    def install_hooks(self) -> None:
        """Do nothing: TileLang keeps its kernels."""

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Look through the live kernels for one whose source has the name of the launch."""
        module = sys.modules.get("tilelang.jit.kernel")
        if module is None:
            return NotFound("tilelang is not imported in this process")
        failures: list[str] = []
        for kernel in [thing for thing in gc.get_objects() if type(thing) is module.JITKernel]:
            try:
                if f" {launch.kernel}(" not in kernel.get_kernel_source():
                    continue
                ptx = _ptx_of(kernel)
            except Exception as error:  # whatever TileLang or its compiler raises
                failures.append(f"TileLang could not make its PTX: {error}")
                continue
            if libpygwatch.defines_entry(ptx, launch.kernel):
                where = "CUDA C++ of TileLang, compiled to PTX by its nvcc"
                return FoundPtx(ptx, where, (), launch.image, self.name)
        return NotFound(failures[-1] if failures else "no live TileLang kernel has its name")


def _ptx_of(kernel: object) -> str:
    with tempfile.TemporaryDirectory(prefix="gwatch-") as folder:
        path = os.path.join(folder, "kernel.ptx")
        kernel.export_ptx(path)  # type: ignore[attr-defined]
        if not os.path.exists(path):  # TileLang 0.1.15 logs what went wrong and returns
            raise FileNotFoundError("export_ptx() wrote nothing, and TileLang's log says why")
        with open(path, encoding="utf-8") as file:
            return file.read()
