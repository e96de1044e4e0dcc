"""What tracing did to a kernel: its original build against its traced one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gwatch import disassemblers, libpygwatch
from gwatch.cuda.trace._preparer import TracedBuild
from gwatch.errors import GwatchError

_LINE_FLAGS = ("-lineinfo", "--generate-line-info")
_NO_LINE_FLAGS = ("-suppress-debug-info", "--suppress-debug-info")


@dataclass
class Comparison:
    """The code of one kernel's builds, compared; the same for all of its launches."""

    facts: libpygwatch.FidelityFacts
    original: libpygwatch.Assembled | None
    """The original text, assembled as the traced one was; None when that was not needed."""


def compare(build: TracedBuild, kernel: str) -> Comparison:
    """Compare the builds of a kernel. What cannot be compared the facts say."""
    assembled = build.assembled
    if assembled is None:
        facts = libpygwatch.FidelityFacts()
        facts.unknown = (
            "the driver's own compiler made the traced build, and its machine code cannot be read. "
            "Install an assembler with: pip install nvidia-cuda-nvcc"
        )
        return Comparison(facts, None)
    original, problem = _assemble_original(build, assembled, kernel)
    facts = libpygwatch.compare_builds(
        kernel,
        build.found.cubin or (original.cubin if original else b""),
        assembled.cubin,
        build.instrumented,
        disassemblers.programs(),
        _with_lines(build, assembled, kernel),
    )
    facts.new_remarks = libpygwatch.new_remarks(
        original.remarks if original else [], assembled.remarks
    )
    facts.notes = [*facts.notes, *_notes(build, assembled, problem)]
    return Comparison(facts, original)


def fill(run: libpygwatch.Run, launch: libpygwatch.TracedLaunch, comparison: Comparison) -> None:
    """Give a run the facts of its builds, and the warnings that follow."""
    facts = comparison.facts
    facts.original = _occupancy(launch, launch.original)
    facts.traced = _occupancy(launch, launch.traced)
    run.fidelity = facts
    if comparison.original:
        compile_facts = run.compile
        resources = comparison.original.resources
        if compile_facts.original.spill_store_bytes < 0:
            compile_facts.original.spill_store_bytes = resources.spill_store_bytes
            compile_facts.original.spill_load_bytes = resources.spill_load_bytes
        run.compile = compile_facts
    warn(run)


def add_overhead(run: libpygwatch.Run, overhead: libpygwatch.Overhead) -> None:
    """Give a run the measured overhead, and its warning."""
    facts = run.fidelity
    if facts is None:
        facts = libpygwatch.FidelityFacts()
        facts.unknown = "The code of the builds was not compared: do_trace(fidelity=False)."
    facts.overhead = overhead
    run.fidelity = facts
    warn(run)


def warn(run: libpygwatch.Run) -> None:
    """Put what a reader must know of the run's fidelity on top of its warnings, once."""
    known = run.warnings
    fresh = [text for text in libpygwatch.fidelity_warnings(run) if text not in known]
    run.warnings = [*fresh, *known]


def _assemble_original(
    build: TracedBuild, assembled: libpygwatch.Assembled, kernel: str
) -> tuple[libpygwatch.Assembled | None, str]:
    """The original text as the traced one was assembled, if only that tells what is asked.

    Its cubin may be unknown; and the log of the traced one may tell what the original's does too.
    """
    spills = max(assembled.resources.spill_store_bytes, assembled.resources.spill_load_bytes)
    if build.found.cubin and not assembled.remarks and spills == 0:
        return None, ""
    same = libpygwatch.Candidate(assembled.path, assembled.origin, assembled.flags)
    try:
        return libpygwatch.assemble(build.found.ptx, kernel, [same]), ""
    except GwatchError as error:
        return None, f"The original PTX could not be assembled for comparison: {error.message}"


def _with_lines(build: TracedBuild, assembled: libpygwatch.Assembled, kernel: str) -> bytes:
    """The traced build once more, with the line table that the launched one was made without."""
    flags = assembled.flags
    has_lines = any(flag in _LINE_FLAGS for flag in flags)
    if has_lines and not any(flag in _NO_LINE_FLAGS for flag in flags):
        return b""
    wanted = [flag for flag in flags if flag not in (*_LINE_FLAGS, *_NO_LINE_FLAGS)]
    candidate = libpygwatch.Candidate(assembled.path, assembled.origin, [*wanted, "-lineinfo"])
    try:
        return libpygwatch.assemble(build.instrumented.ptx, kernel, [candidate]).cubin
    except GwatchError:
        return b""  # the comparison says that lines are missing


def _notes(build: TracedBuild, assembled: libpygwatch.Assembled, problem: str) -> list[str]:
    notes = [problem] if problem else []
    own = build.found.assemblers
    if build.found.cubin and own and own[0].path != assembled.path:
        notes.append(
            f"The traced build was assembled by {assembled.path} and the original by "
            f"{own[0].path}: the assemblers themselves may differ."
        )
    return notes


def _occupancy(
    launch: libpygwatch.TracedLaunch, facts: libpygwatch.FunctionFacts
) -> libpygwatch.Occupancy:
    static = facts.static_shared_bytes
    return libpygwatch.occupancy(
        launch.info.compute_capability,
        facts.registers,
        static + launch.info.dynamic_shared_bytes if static >= 0 else -1,
        math.prod(launch.info.block),
        facts.blocks_per_sm,
    )
