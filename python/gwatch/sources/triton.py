"""PTX of Triton kernels: from Triton's compiled kernels in memory, else from its disk cache.

Triton is never imported here: a process that has not done so has no Triton kernel.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from types import ModuleType

from gwatch.sources import FoundPtx, Launch, NotFound
from gwatch.sources import _triton_build as builds
from gwatch.sources._triton_cache import find_in_cache
from gwatch.sources._triton_flags import assemblers
from gwatch.sources._triton_version import warn_if_untested

_loaded_files: dict[int, Mapping[str, str]] = {}
"""Function handle -> the cache files of the kernel that Triton last loaded there."""


class TritonSource:
    """Finds the PTX of kernels that Triton compiled."""

    name = "triton"

    def install_hooks(self) -> None:
        """Ask Triton to tell of the kernels it loads, beside the hooks of others."""
        triton = _imported_triton()
        if triton is None:
            return
        warn_if_untested(triton.__version__)
        chain = triton.knobs.runtime.kernel_load_end_hook
        # Where a program put a function of its own in the chain's place, live kernels must do.
        if hasattr(chain, "add"):
            chain.add(_note_loaded)

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Ask the load hook's notes, then the live kernels, then the disk cache."""
        triton = _imported_triton()
        if triton is None:
            return NotFound("triton is not imported in this process")
        warn_if_untested(triton.__version__)
        build = (
            _noted(launch)
            or _live(launch)
            or find_in_cache(triton.knobs.cache.dir, triton.__version__, launch)
        )
        if isinstance(build, NotFound):
            return NotFound(f"no compiled kernel in memory has its handle; {build.reason}")
        if not build.ptx:
            return NotFound(
                f"{build.where} has no PTX: unset TRITON_STORE_BINARY_ONLY and compile it again"
            )
        return FoundPtx(
            ptx=build.ptx,
            where=f"triton {triton.__version__}: {build.where}",
            assemblers=assemblers(triton, build),
            cubin=build.cubin,
            dsl=self.name,
        )


def _imported_triton() -> ModuleType | None:
    """Triton, if this process has imported all of it."""
    triton = sys.modules.get("triton")
    return triton if hasattr(triton, "knobs") and hasattr(triton, "compiler") else None


def _note_loaded(
    module: object, function: int, name: str, metadata_group: Mapping[str, str], hash: str
) -> None:
    _loaded_files[function] = metadata_group


def _noted(launch: Launch) -> builds.Build | None:
    for handle in (launch.function, launch.resolved_function):
        build = builds.from_files(_loaded_files.get(handle, {}), "kernel seen when it was loaded")
        if build and build.ptx and build.name == launch.kernel:
            return build
    return None


def _live(launch: Launch) -> builds.Build | None:
    """Kernels that were loaded before there was a hook."""
    kernel_type = sys.modules["triton.compiler.compiler"].CompiledKernel
    handles = {launch.function, launch.resolved_function} - {0, None}
    for kernel in [thing for thing in gc.get_objects() if type(thing) is kernel_type]:
        if kernel.function in handles and kernel.name == launch.kernel:
            return builds.from_object(kernel)
    return None
