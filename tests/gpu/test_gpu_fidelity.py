"""What tracing does to a kernel, and what it costs, on a GPU."""

import subprocess
import sys

import pytest

from gwatch import disassemblers, libpygwatch
from gwatch.cuda.trace import do_trace

RUNS_TO_MEASURE = 82
MOST_PLAUSIBLE = 1.5


def only_run(workloads, work, **options):
    (run,) = workloads.trace(work, **options).runs
    return run


def test_builds_are_compared_with_the_drivers_figures(workloads, matmul):
    run = only_run(workloads, matmul)

    facts = run.fidelity
    for part, build in ((facts.original, run.compile.original), (facts.traced, run.compile.traced)):
        assert part.blocks_per_sm >= 1
        assert part.warps_per_sm <= part.max_warps_per_sm
        assert part.limited_by in ("registers", "shared memory", "threads", "blocks", "")
        assert build.registers > 0
    assert facts.traced.blocks_per_sm <= facts.original.blocks_per_sm
    assert facts.new_remarks == []


@pytest.mark.skipif(not disassemblers.programs(), reason="no nvdisasm")
def test_every_scope_of_the_matmul_is_found_in_the_machine_code(workloads, matmul):
    run = only_run(workloads, matmul)

    facts = run.fidelity
    assert facts.unknown == ""
    assert facts.scopes
    assert all(check.unknown == "" for check in facts.scopes)
    assert all(check.start_reads >= 1 and check.end_reads >= 1 for check in facts.scopes)
    # Between a dot's markers stand its matrix instructions; ptxas may have unrolled the loop.
    dots = [
        count
        for check in facts.scopes
        for count in check.counts
        if count.kind in ("mma", "wgmma", "tcgen05 mma")
    ]
    assert dots
    assert all(count.sass >= count.ptx > 0 for count in dots)
    assert all(count.moved_out == 0 for count in dots)
    own = {row.family: row.own for row in facts.mix}
    assert own["STG"] >= 1


def test_overhead_is_measured_in_pairs_and_results_stay(matmul):
    calls = []

    def fn():
        calls.append(None)
        matmul.launch()
        return len(calls)

    matmul.clear()
    result = do_trace(fn, matmul.pattern, dsl="triton", measure_overhead=True)

    assert matmul.is_right(), "bit-identical after all runs"
    assert result.value == 1, "that of the first run"
    assert len(calls) == 1 + RUNS_TO_MEASURE
    assert result.warnings == []
    (run,) = result.runs
    assert run.counts.events == matmul.events, "the trace is that of the first run"
    overhead = run.fidelity.overhead
    print(
        f"ratio {overhead.ratio:.4f} (p10 {overhead.ratio_p10:.4f}, p90 {overhead.ratio_p90:.4f}), "
        f"{overhead.original_ns / 1e3:.1f} us untraced"
    )
    assert overhead.pairs == 40
    assert 0.9 < overhead.ratio < MOST_PLAUSIBLE
    assert overhead.ratio_p10 <= overhead.ratio <= overhead.ratio_p90
    # 4096 ^ 3 takes 100 us to some ms on any GPU that runs this.
    assert 50e3 < overhead.original_ns < 1e9
    assert overhead.traced_ns == pytest.approx(overhead.ratio * overhead.original_ns, rel=0.2)


def test_fn_that_fails_when_it_runs_again_keeps_its_trace(steps):
    calls = []

    def fn():
        calls.append(None)
        if len(calls) == 3:
            raise RuntimeError("only twice")
        steps.launch()

    steps.clear()
    result = do_trace(fn, steps.pattern, dsl="triton", measure_overhead=True)

    assert len(result.runs) == 1
    assert result.runs[0].fidelity.overhead is None
    assert "RuntimeError when it ran again: only twice" in result.warnings[0]
    assert steps.is_right()


def test_tracing_works_as_before_once_the_overhead_was_measured(workloads, steps):
    steps.clear()
    do_trace(steps.launch, steps.pattern, dsl="triton", measure_overhead=True)

    run = only_run(workloads, steps, fidelity=False)

    assert run.fidelity is None
    assert run.counts.events == steps.events
    assert run.counts.dropped_events == 0


def test_archive_keeps_it_and_show_prints_it(steps, tmp_path):
    steps.clear()
    result = do_trace(steps.launch, steps.pattern, dsl="triton", measure_overhead=True)
    path = tmp_path / "trace.json"
    libpygwatch.write_archive(result.to_trace(), "gwatch test", str(path))

    shown = subprocess.run(
        [sys.executable, "-m", "gwatch", "show", "--fidelity", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert shown.returncode == 0, shown.stderr
    assert "median of 40 interleaved pairs" in shown.stdout
    assert "occupancy of an SM" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 100
