"""From a kernel about to be launched to its traced build: source, instrument, assemble."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gwatch import assemblers, auto_scopes, libpygwatch
from gwatch.errors import AssemblerError, NoMarkersError
from gwatch.sources import FoundPtx, KernelSource, find_ptx, may_be_of_generation

if TYPE_CHECKING:
    from gwatch.cuda.trace._fidelity import Comparison


@dataclass
class TracedBuild:
    """What is known of one kernel's traced build."""

    found: FoundPtx
    facts: libpygwatch.PtxFacts
    """Of the kernel's own PTX."""
    instrumented: libpygwatch.Instrumented
    assembled: libpygwatch.Assembled | None
    """None when the driver's own compiler takes the text."""
    stage_seconds: dict[str, float] = field(default_factory=dict)
    comparison: Comparison | None = None
    """With the original build, once it is made."""


Answer = tuple[bytes, bool, int, list[str], bool, tuple[int, int] | None]


class Preparer:
    """Makes traced builds for the capture, which calls it on the launching thread."""

    def __init__(self, sources: Sequence[KernelSource], auto_kinds: Sequence[str] = ()) -> None:
        self._sources = sources
        self._auto_kinds = auto_kinds
        self.builds: list[TracedBuild] = []
        self._answers: dict[tuple[object, ...], Answer] = {}

    def again(self, launch: libpygwatch.LaunchInfo) -> Answer:
        """Answer as before for a kernel that was launched before, without making another build."""
        return self._answers.get(_identity(launch)) or self(launch)

    def __call__(self, launch: libpygwatch.LaunchInfo) -> Answer:
        """Make the traced build of a launch's kernel.

        Returns:
            The image (a cubin, or PTX for the driver), whether it uses lane cursors, the index into
            ``builds``, the variables it names, whose values the capture copies, whether the
            launch's grid counts clusters, and where the kernel gets the launch constants.
        """
        seconds: dict[str, float] = {}
        started = time.perf_counter()
        found = find_ptx(self._sources, launch)
        facts = libpygwatch.ptx_facts(found.ptx)
        target = _target_that_loads(facts.targets, launch.compute_capability)
        seconds["source"] = time.perf_counter() - started

        started = time.perf_counter()
        instrumented = _instrument(found, launch, self._auto_kinds)
        seconds["instrument"] = time.perf_counter() - started

        started = time.perf_counter()
        assembled = _assemble(found, instrumented, launch, target)
        if assembled and assembled.resources.spill_store_bytes > 0:
            leaner = _instrument(found, launch, self._auto_kinds, series=False)
            again = _assemble(found, leaner, launch, target)
            if again and _spills(again) < _spills(assembled):
                instrumented, assembled = leaner, again
        seconds["assemble"] = time.perf_counter() - started

        self.builds.append(TracedBuild(found, facts, instrumented, assembled, seconds))
        image = assembled.cubin if assembled else instrumented.ptx
        answer = (
            image,
            instrumented.uses_lane_cursors,
            len(self.builds) - 1,
            instrumented.variables,
            instrumented.grid_counts_clusters,
            instrumented.parameter,
        )
        self._answers[_identity(launch)] = answer
        return answer


def _identity(launch: libpygwatch.LaunchInfo) -> tuple[object, ...]:
    return (
        launch.kernel,
        launch.resolved_function,
        launch.image,
        launch.block,
        launch.every_warp,
    )


def _spills(assembled: libpygwatch.Assembled) -> int:
    return assembled.resources.spill_store_bytes + assembled.resources.spill_load_bytes


def _instrument(
    found: FoundPtx,
    launch: libpygwatch.LaunchInfo,
    auto_kinds: Sequence[str],
    series: bool = True,
) -> libpygwatch.Instrumented:
    """Instrument a kernel; without series it takes fewer registers and more records."""
    ptx: str | bytes = found.ptx
    if auto_kinds:
        ptx = auto_scopes.mark(ptx, [launch.kernel], auto_kinds, found.where).ptx
    try:
        return libpygwatch.instrument(
            ptx,
            launch.kernel,
            found.where,
            launch.block,
            series=series,
            every_warp=launch.every_warp,
        )
    except NoMarkersError as error:
        if auto_kinds:
            auto_scopes.say_what_was_sought(error, auto_kinds)
        raise


def _assemble(
    found: FoundPtx,
    instrumented: libpygwatch.Instrumented,
    launch: libpygwatch.LaunchInfo,
    target: str,
) -> libpygwatch.Assembled | None:
    candidates = assemblers.candidates(found.assemblers)
    if not candidates:
        return None
    try:
        return libpygwatch.assemble(instrumented.ptx, launch.kernel, candidates, target)
    except AssemblerError as error:
        error.message = f"kernel {launch.kernel}: {error.message}"
        raise


def _target_that_loads(targets: Sequence[str], compute_capability: int) -> str:
    """The GPU's own target for text of an older generation, as the driver would compile it.

    Empty where the text's target is one of the GPU's.
    """
    numbers = re.fullmatch(r"sm_(\d+)", targets[0]) if targets else None
    if numbers is None or may_be_of_generation(int(numbers[1]), compute_capability):
        return ""
    return f"sm_{compute_capability}"
