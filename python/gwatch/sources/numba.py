"""PTX of Numba-CUDA kernels, from the compiled kernels in memory.

Numba is never imported here: a process that has not done so has no Numba kernel.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from typing import Any

from gwatch import libpygwatch
from gwatch.sources import FoundPtx, Launch, NotFound

_DISPATCHERS = ("numba.cuda.dispatcher", "numba_cuda.numba.cuda.dispatcher")


class NumbaSource:
    """Finds the PTX of kernels that Numba compiled."""

    name = "numba"

    def install_hooks(self) -> None:
        """Do nothing: Numba keeps its kernels."""

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Look through the live kernels for the name of the launch."""
        modules = [sys.modules[name] for name in _DISPATCHERS if name in sys.modules]
        if not modules:
            return NotFound("numba.cuda is not imported in this process")
        types = tuple(module._Kernel for module in modules)
        for kernel in [thing for thing in gc.get_objects() if type(thing) in types]:
            if kernel.entry_name != launch.kernel:
                continue
            for ptx in _texts(kernel, divmod(launch.compute_capability, 10)):
                if libpygwatch.defines_entry(ptx, launch.kernel):
                    return FoundPtx(ptx, "compiled kernel of numba", (), launch.image, self.name)
        return NotFound("no compiled Numba kernel has its name")


def _texts(kernel: Any, capability: tuple[int, int]) -> Iterable[str]:
    """The PTX texts that a kernel's cubin was linked from."""
    library = kernel._codelibrary
    if hasattr(library, "get_asm_strs"):
        texts: Iterable[str] = library.get_asm_strs(cc=capability)
        return texts
    return [library.get_asm_str(cc=capability)]
