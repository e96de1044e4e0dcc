"""Where a kernel's PTX comes from: one module a DSL, each with a `KernelSource`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gwatch.errors import SourceError, UsageError
from gwatch.libpygwatch import Candidate


class Launch(Protocol):
    """What a source may know of a launch; `libpygwatch.LaunchInfo` is one."""

    @property
    def kernel(self) -> str:
        """Mangled name."""

    @property
    def function(self) -> int:
        """The handle in the launch call: a CUfunction or a CUkernel."""

    @property
    def resolved_function(self) -> int:
        """The CUfunction behind it."""

    @property
    def image(self) -> bytes:
        """The cubin, fat binary or PTX text it was loaded from; empty when that was not seen."""

    @property
    def compute_capability(self) -> int:
        """90 for 9.0."""


@dataclass(frozen=True)
class FoundPtx:
    """The PTX of a kernel, and how its DSL assembles it."""

    ptx: str | bytes
    where: str
    """For people: "compiled kernel object of triton 3.9.0 (cache /.../kernel.ptx)"."""
    assemblers: tuple[Candidate, ...]
    """The DSL's own, with the flags it passed for this kernel."""
    cubin: bytes
    """The untraced build; empty when it is not known."""
    dsl: str


@dataclass(frozen=True)
class NotFound:
    """Why a source has no PTX for a kernel."""

    reason: str


class KernelSource(Protocol):
    """Finds the PTX of one DSL's kernels."""

    @property
    def name(self) -> str:
        """As in ``do_trace(dsl=...)``."""

    def install_hooks(self) -> None:
        """Starts to note the kernels that the DSL loads. May be called again and again."""

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Looks for the PTX of a launched kernel, without importing the DSL."""


def may_be_of_generation(target: int, compute_capability: int) -> bool:
    """Whether a target (80 for sm_80) and a GPU are of one generation, within which cubins run.

    True where the GPU is not known (0).
    """
    return not compute_capability or target // 10 == compute_capability // 10


def sources_for(dsl: str | None) -> list[KernelSource]:
    """Return the sources to ask, in order, with their hooks installed.

    Args:
        dsl: the name of one; None or ``""`` for all.

    Raises:
        UsageError: if there is no such source.
    """
    from gwatch.sources.cuda import CudaSource
    from gwatch.sources.cupy import CupySource
    from gwatch.sources.cute import CuteSource
    from gwatch.sources.numba import NumbaSource
    from gwatch.sources.tilelang import TileLangSource
    from gwatch.sources.triton import TritonSource

    known: dict[str, KernelSource] = {
        "triton": TritonSource(),
        "cute": CuteSource(),
        "cuda": CudaSource(),
        "cupy": CupySource(),
        "numba": NumbaSource(),
        "tilelang": TileLangSource(),
    }
    if dsl and dsl not in known:
        names = ", ".join(f"'{name}'" for name in known)
        raise UsageError(
            f"dsl='{dsl}' is unknown", hint=f"Known are {names}; leave it out to try all of them."
        )
    chosen = [known[dsl]] if dsl else list(known.values())
    for source in chosen:
        source.install_hooks()
    return chosen


def find_ptx(sources: Sequence[KernelSource], launch: Launch) -> FoundPtx:
    """Ask the sources in order for the PTX of a launched kernel.

    Raises:
        SourceError: if none has it; its detail holds the reason of each.
    """
    reasons: list[str] = []
    for source in sources:
        found = source.find(launch)
        if isinstance(found, FoundPtx):
            return found
        reasons.append(f"{source.name}: {found.reason}")
    raise SourceError(
        f"no PTX was found for kernel {launch.kernel}",
        detail="\n".join(reasons),
        hint="Call init_cupti_hooks() before the kernel is loaded: its cubin then tells its PTX.",
    )
