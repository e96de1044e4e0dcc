"""``do_trace``: runs a function once and traces the launches it makes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from gwatch import libpygwatch
from gwatch.auto_scopes import read_kinds
from gwatch.common import rank
from gwatch.cuda.trace import _fidelity
from gwatch.cuda.trace._overhead import measure
from gwatch.cuda.trace._preparer import Preparer, TracedBuild
from gwatch.cuda.trace._result import TraceResult
from gwatch.cuda.trace._selection import block_selection, warp_mask
from gwatch.errors import CaptureError, GwatchError, UsageError
from gwatch.sources import sources_for

Value = TypeVar("Value")

MAX_SEEN_KERNELS_SHOWN = 20


def do_trace(
    fn: Callable[[], Value],
    kernel_name_pattern: str,
    dsl: str | None = None,
    scope_name_map: Mapping[int | str, str] | None = None,
    instrumentation_tier: str = "ptx",
    *,
    auto_scopes: bool | Iterable[str] = False,
    max_launches: int = 1,
    buffer_bytes: int | None = None,
    blocks: int | range | None = None,
    warps: Iterable[int] | None = None,
    measure_overhead: bool = False,
    fidelity: bool = True,
    verbose: bool = False,
) -> TraceResult[Value]:
    """Run ``fn`` once and trace the kernel launches in it that match.

    Matching launches run a traced build of the same kernel, with the same results. All others run
    untouched. If anything fails, a wrong argument too, ``fn`` runs all the same, once, with its own
    kernels, and the error is raised afterwards; its ``value`` attribute is what ``fn`` returned.

    Args:
        fn: what launches the kernel; called without arguments.
        kernel_name_pattern: an ECMAScript regular expression, searched in the mangled and the
            demangled name.
        dsl: where the kernel's PTX comes from: ``"triton"`` (Gluon and Inductor too), ``"cute"``,
            ``"cuda"``, ``"cupy"``, ``"numba"`` or ``"tilelang"`` (docs/sources.md); None or ``""``
            tries all.
        scope_name_map: names for scope ids (or for names given in the kernel), as reports should
            show them.
        instrumentation_tier: ``"ptx"``; there is no other yet.
        auto_scopes: put scopes around waits and phases that are found in the PTX, besides the
            kernel's own markers: True, or some of ``"mbarrier"``, ``"barrier"``,
            ``"async_copy"``, ``"tma"`` and ``"mma"`` (docs/auto-scopes.md).
        max_launches: trace at most so many matching launches; further ones run untouched and are
            counted.
        buffer_bytes: device memory for the records of a launch, of which at most 4 GiB are used;
            None: 1 GiB or a quarter of the free memory, whichever is less.
        blocks: record only these blocks (x + nx * (y + ny * z)): one, or an ascending range such as
            ``range(0, 1000, 10)``, of which those beyond the grid do not matter; None: all.
        warps: record only these warps of each block (linear thread id / 32); None: all.
        measure_overhead: then run ``fn`` 82 times more and time its first matching launch on the
            device, with its records and without, by turns; the first run gets the ratio. What
            ``fn`` returns then is dropped. Ask for it only if ``fn`` may run again and again.
        fidelity: compare the machine code of the original and the traced kernel: about a second,
            once a kernel.
        verbose: print how long each stage took, to stderr.

    Raises:
        UsageError: a wrong argument.
        SourceError, PtxError, InstrumentError, AssemblerError, DriverError: the kernel could not be
            traced.
        CaptureError: CUPTI is missing or taken, or no launch matched.
    """
    started = time.perf_counter()
    warps = tuple(warps) if isinstance(warps, Iterable) else warps
    try:
        preparer = _begin(
            kernel_name_pattern,
            dsl,
            instrumentation_tier,
            auto_scopes=auto_scopes,
            max_launches=max_launches,
            buffer_bytes=buffer_bytes,
            blocks=blocks,
            warps=warps,
        )
    except GwatchError as error:
        error.value = fn()
        raise
    begin_seconds = time.perf_counter() - started
    try:
        value = fn()
    finally:
        captured = libpygwatch.end_capture()
    names = {str(key): name for key, name in (scope_name_map or {}).items()}
    try:
        runs, failures = _make_runs(captured, preparer.builds, names, fidelity)
        warnings = _check(runs, failures, captured, kernel_name_pattern, max_launches)
    except GwatchError as error:
        error.value = value
        raise
    if measure_overhead:
        measured = measure(
            fn,
            kernel_name_pattern,
            preparer,
            buffer_bytes or 0,
            warp_mask(warps),
            block_selection(blocks),
        )
        warnings += [measured.warning] if measured.warning else []
        if measured.overhead:
            _fidelity.add_overhead(runs[0], measured.overhead)
    for run in runs:
        run.stage_seconds = {**run.stage_seconds, "begin": begin_seconds}
        if verbose:
            _print_stages(run)
    return TraceResult(runs, value, warnings)


def _begin(
    pattern: str,
    dsl: str | None,
    tier: str,
    *,
    auto_scopes: bool | Iterable[str],
    max_launches: int,
    buffer_bytes: int | None,
    blocks: int | range | None,
    warps: Iterable[int] | None,
) -> Preparer:
    """Check the arguments and begin the capture."""
    if tier != "ptx":
        raise UsageError(
            f"instrumentation_tier='{tier}' is not available: gwatch instruments PTX, not SASS",
            hint="Use instrumentation_tier='ptx'.",
        )
    if max_launches < 1:
        raise UsageError(
            f"max_launches={max_launches}: at least one launch must be traced",
            hint="Leave it out to trace the first matching launch.",
        )
    if buffer_bytes is not None and buffer_bytes < 1:
        raise UsageError(
            f"buffer_bytes={buffer_bytes}: records need memory",
            hint="Leave it out for 1 GiB or a quarter of the free memory, whichever is less.",
        )
    selection = (warp_mask(warps), block_selection(blocks))
    preparer = Preparer(sources_for(dsl), read_kinds(auto_scopes))
    libpygwatch.init_cupti_hooks()
    libpygwatch.begin_capture(pattern, preparer, max_launches, buffer_bytes or 0, *selection)
    return preparer


def _make_runs(
    captured: libpygwatch.CaptureResult,
    builds: list[TracedBuild],
    names: Mapping[str, str],
    fidelity: bool,
) -> tuple[list[libpygwatch.Run], list[tuple[str, GwatchError]]]:
    """The runs of the traced launches, and kernel and error of each launch without one."""
    runs: list[libpygwatch.Run] = []
    failures = [(failure.kernel, failure.error) for failure in captured.failures]
    for launch in captured.launches:
        try:
            runs.append(_make_run(launch, builds, names, fidelity))
        except GwatchError as error:
            failures.append((launch.info.kernel, error))
    return runs, failures


def _check(
    runs: list[libpygwatch.Run],
    failures: list[tuple[str, GwatchError]],
    captured: libpygwatch.CaptureResult,
    pattern: str,
    max_launches: int,
) -> list[str]:
    """The warnings of a capture; raises when nothing at all was traced."""
    if not runs:
        if failures:
            raise failures[0][1]
        raise _nothing_matched(captured, pattern)
    warnings = [f"a launch of {kernel} was not traced: {error}" for kernel, error in failures]
    if captured.skipped_launches:
        warnings.append(
            f"{captured.skipped_launches} more matching launches ran untraced; "
            f"max_launches={max_launches}"
        )
    return warnings


def _nothing_matched(captured: libpygwatch.CaptureResult, pattern: str) -> CaptureError:
    detail = _seen_kernels(captured.seen_kernels)
    hint = "The pattern is a regular expression, searched in the mangled and the demangled name."
    if captured.graph_launches:
        detail += f"\nfn launched CUDA graphs ({captured.graph_launches} launches)."
        hint = (
            "The kernels of a CUDA graph are traced when it is captured: capture and replay the "
            f"graph inside fn. {hint}"
        )
    return CaptureError(
        f"no launch matched kernel_name_pattern '{pattern}'", detail=detail, hint=hint
    )


def _seen_kernels(seen: Mapping[str, int]) -> str:
    if not seen:
        return "fn launched no kernel at all."
    names = sorted(seen, key=lambda name: (-seen[name], name))
    lines = [f"  {name} ({seen[name]} launches)" for name in names[:MAX_SEEN_KERNELS_SHOWN]]
    if len(names) > MAX_SEEN_KERNELS_SHOWN:
        lines.append(f"  and {len(names) - MAX_SEEN_KERNELS_SHOWN} more kernels")
    return "Kernels that fn launched:\n" + "\n".join(lines)


def _make_run(
    launch: libpygwatch.TracedLaunch,
    builds: list[TracedBuild],
    names: Mapping[str, str],
    fidelity: bool,
) -> libpygwatch.Run:
    build = builds[launch.token]
    started = time.perf_counter()
    run = libpygwatch.decode(launch.records, build.instrumented.sites)
    decode_seconds = time.perf_counter() - started
    _fill_launch_facts(run, launch.info, build)
    run.warnings = [*run.warnings, *libpygwatch.clock_warnings(run)]
    _fill_compile_facts(run, launch, build)
    _rename_scopes(run, names)
    capture_seconds = dict(launch.stage_seconds)
    # The preparer's stages are parts of it; a second launch of the same build has none of its own.
    if capture_seconds.pop("prepare"):
        capture_seconds |= build.stage_seconds
    run.stage_seconds = {**capture_seconds, "decode": decode_seconds}
    if fidelity:
        started = time.perf_counter()
        build.comparison = build.comparison or _fidelity.compare(build, launch.info.kernel)
        _fidelity.fill(run, launch, build.comparison)
        compare_seconds = time.perf_counter() - started
        run.stage_seconds = {**run.stage_seconds, "fidelity": compare_seconds}
    return run


def _fill_launch_facts(
    run: libpygwatch.Run, info: libpygwatch.LaunchInfo, build: TracedBuild
) -> None:
    facts = run.launch
    facts.kernel = info.kernel
    facts.kernel_demangled = info.kernel_demangled
    facts.dsl = build.found.dsl
    facts.device = info.device_name
    facts.device_index = info.device
    facts.grid = info.grid
    facts.block = info.block
    facts.cluster = info.cluster
    facts.dynamic_shared_bytes = info.dynamic_shared_bytes
    facts.stream = info.stream
    facts.in_graph = info.in_stream_capture
    facts.sm_count = info.sm_count
    facts.max_clock_mhz = round(info.max_clock_khz / 1000) or None
    facts.rank = rank.rank()
    facts.host = rank.host()
    run.launch = facts


def _fill_compile_facts(
    run: libpygwatch.Run, launch: libpygwatch.TracedLaunch, build: TracedBuild
) -> None:
    facts = run.compile
    facts.ptx_source = build.found.where
    facts.ptx_version = build.facts.version
    facts.ptx_target = ", ".join(build.facts.targets)
    facts.original = _build_facts(launch.original)
    traced = _build_facts(launch.traced)
    assembled = build.assembled
    if assembled is None:
        facts.assembler_origin = "driver JIT"
    else:
        facts.assembler = assembled.path
        facts.assembler_origin = assembled.origin
        facts.assembler_version = assembled.version
        facts.assembler_flags = assembled.flags
        facts.lowered_from = assembled.lowered_from
        facts.remarks = assembled.remarks
        traced.spill_store_bytes = assembled.resources.spill_store_bytes
        traced.spill_load_bytes = assembled.resources.spill_load_bytes
    facts.traced = traced
    run.compile = facts


def _build_facts(facts: libpygwatch.FunctionFacts) -> libpygwatch.BuildFacts:
    build = libpygwatch.BuildFacts()
    build.registers = facts.registers
    build.local_bytes = facts.local_bytes
    if facts.local_bytes == 0:
        # Spills are local memory: without any there are none.
        build.spill_store_bytes = build.spill_load_bytes = 0
    build.static_shared_bytes = facts.static_shared_bytes
    return build


def _rename_scopes(run: libpygwatch.Run, names: Mapping[str, str]) -> None:
    scopes = run.scopes
    for scope in scopes:
        key = str(scope.id) if scope.id >= 0 else scope.name
        scope.name = names.get(key, scope.name)
    run.scopes = scopes


def _print_stages(run: libpygwatch.Run) -> None:
    seconds = run.stage_seconds
    print(f"gwatch: traced {run.launch.kernel} in {sum(seconds.values()):.3f} s", file=sys.stderr)
    for stage, spent in seconds.items():
        print(f"  {stage:<12} {spent * 1e3:9.1f} ms", file=sys.stderr)
