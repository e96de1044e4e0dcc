"""PTX of CuTe DSL kernels: from the compiled functions in memory, else from the dump folder.

The DSL is never imported here. It compiles with an assembler of its own that is no program, so the
PTX it keeps is assembled by whichever ptxas of this machine takes its version. Events of its IKET
functions are found as markers.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

from gwatch import libpygwatch
from gwatch.sources import FoundPtx, Launch, NotFound
from gwatch.sources._cute_dump import FOLDER_VARIABLE, HOW_TO_KEEP, find_dumped
from gwatch.sources._cute_objects import cubin_of, find_live
from gwatch.sources._versions import warn_if_untested

TESTED = ("4.7", "4.8")


class CuteSource:
    """Finds the PTX of kernels that the CuTe DSL compiled."""

    name = "cute"

    def install_hooks(self) -> None:
        """Nothing to note: what launches a kernel lives while it runs, and knows its library."""

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Ask the live compiled functions, then the dump folder."""
        dsl = _imported_dsl()
        if dsl is None and FOLDER_VARIABLE not in os.environ:
            return NotFound(
                "the CuTe DSL is not imported in this process; for a kernel that it exported, "
                f"{HOW_TO_KEEP}"
            )
        version = str(getattr(dsl, "__version__", ""))
        if version:
            warn_if_untested("CuTe DSL", TESTED, version, stacklevel=2)
        return self._found(launch, f"CuTe DSL {version}".rstrip())

    def _found(self, launch: Launch, dsl: str) -> FoundPtx | NotFound:
        live = find_live(launch)
        if not isinstance(live, NotFound):
            where = f"{dsl}: compiled object of {live.function_name}"
            return self._ptx(live.__ptx__ or "", where, cubin_of(live) or launch.image)
        dumped = find_dumped(launch)
        if isinstance(dumped, NotFound):
            return NotFound(f"{live.reason}; {dumped.reason}")
        return self._ptx(dumped.ptx, f"{dsl}: file {dumped.path}", dumped.cubin or launch.image)

    def _ptx(self, ptx: str | bytes, where: str, cubin: bytes) -> FoundPtx:
        text = libpygwatch.iket_to_markers(ptx, where)
        return FoundPtx(ptx=text, where=where, assemblers=(), cubin=cubin, dsl=self.name)


def _imported_dsl() -> ModuleType | None:
    """The DSL's package, if this process has imported all of it; others have its name too."""
    dsl = sys.modules.get("cutlass")
    return dsl if hasattr(dsl, "cute") else None
