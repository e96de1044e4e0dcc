"""Original against traced kernels, as ptxas and nvdisasm of this machine see them."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import traced_builds
from archives import Slice, Warp, archive, run

from gwatch import assemblers, disassemblers, libpygwatch
from gwatch.cuda.trace import _do_trace, _fidelity
from gwatch.cuda.trace._overhead import overhead_of, pairs_of
from gwatch.sources import FoundPtx

DATA = Path(__file__).parents[1] / "data"
INVARIANT = (DATA / "fidelity" / "invariant.ptx").read_text()

needs_tools = pytest.mark.skipif(
    not (assemblers.candidates([]) and disassemblers.programs()),
    reason="no ptxas or no nvdisasm: pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm",
)


def build(ptx, kernel, threads, *, cubin=b"", flags=("-lineinfo",), prove=True):
    """The traced build of a kernel, made as do_trace makes it."""
    ptxas = assemblers.candidates([])[0].path
    own = libpygwatch.Candidate(ptxas, "a test", list(flags))
    found = FoundPtx(ptx, "a test", (own,), cubin, "triton")
    return traced_builds.prepare(found, kernel, threads)[1][0]


def compared(*arguments, kernel="k", threads=128, **options):
    return _fidelity.compare(build(*arguments, kernel, threads, **options), kernel)


def kinds(check):
    """Kind -> (in the PTX, in the machine code)."""
    return {count.kind: (count.ptx, count.sass) for count in check.counts}


def compile_triton(name, capability, monkeypatch, tmp_path):
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    from kernels import attention, matmul
    from kernels.offline import compile_kernel

    module = {"attention": attention, "matmul": matmul}[name]
    compiled = compile_kernel(module, capability)
    return compiled.asm["ptx"], compiled.asm["cubin"], 32 * module.OPTIONS["num_warps"]


@needs_tools
@pytest.mark.parametrize(
    ("name", "capability", "dot", "loads"),
    [("matmul", 80, "mma", 0), ("matmul", 90, "wgmma", 0), ("attention", 90, "wgmma", 8)],
)
def test_scopes_of_triton_kernels_hold_what_their_markers_enclose(
    name, capability, dot, loads, monkeypatch, tmp_path
):
    ptx, cubin, threads = compile_triton(name, capability, monkeypatch, tmp_path)

    facts = compared(ptx, kernel="kernel", threads=threads, cubin=cubin).facts

    assert facts.unknown == ""
    assert all(check.unknown == "" for check in facts.scopes)
    moved = [count for check in facts.scopes for count in check.counts if count.moved_out]
    assert moved == []
    dots = [kinds(check)[dot] for check in facts.scopes if dot in kinds(check)]
    assert dots, "a dot's scope holds its matrix instructions"
    assert all(before == after > 0 for before, after in dots)
    first = kinds(facts.scopes[0])
    assert first.get("global load", (0, 0)) == (loads, loads)
    if name == "matmul":
        # Triton pipelines the loop: between the markers around the loads stands their wait alone.
        assert first["async wait"] == (1, 1)
        assert "async copy" not in first


@needs_tools
def test_mix_tells_what_gwatch_adds_from_what_else_changed(monkeypatch, tmp_path):
    ptx, cubin, threads = compile_triton("matmul", 90, monkeypatch, tmp_path)

    facts = compared(ptx, kernel="kernel", threads=threads, cubin=cubin).facts

    mix = {row.family: row for row in facts.mix}
    for family in ("HGMMA", "LDGSTS", "BAR", "WARPGROUP"):
        assert mix[family].original == mix[family].traced > 0, family
        assert mix[family].own == 0, family
    assert mix["STG"].own > 0, "the records"
    assert mix["STG"].traced - mix["STG"].own == mix["STG"].original
    assert sum(row.own for row in facts.mix) < sum(row.traced for row in facts.mix) / 2


@needs_tools
def test_a_load_that_the_assembler_hoists_is_moved_out():
    facts = compared(INVARIANT).facts

    invariant, twice = facts.scopes
    # ptxas loads what does not change once, ahead of the loop, and unrolls the loop.
    (count,) = invariant.counts
    assert (count.kind, count.waits, count.ptx) == ("global load", False, 2)
    assert count.moved_out >= 1
    assert invariant.start_reads == invariant.end_reads >= 1
    (movement,) = invariant.movements
    assert movement.opcode.startswith("LDG")
    assert not movement.into
    assert "[%rd4+4096]" in INVARIANT.splitlines()[movement.ptx_line - 1]
    # The second load of the same address is merged with the first.
    assert [(c.ptx, c.sass, c.gone) for c in twice.counts] == [(1, 0, 1)]


@needs_tools
def test_movements_become_a_warning():
    made = libpygwatch.from_json(
        archive(run([Warp(0, 0, 0, 100, [Slice(0, 60, 0)])], ("invariant", "twice")))
    ).runs[0]
    made.fidelity = compared(INVARIANT).facts

    warnings = libpygwatch.fidelity_warnings(made)

    assert len(warnings) == 1
    assert warnings[0].startswith("Scope invariant does not time all that its markers enclose")
    assert "out of it" in warnings[0]


@needs_tools
def test_lines_are_taken_from_another_build_when_the_launched_one_has_none():
    without = compared(INVARIANT, flags=())
    suppressed = compared(INVARIANT, flags=("-lineinfo", "-suppress-debug-info"))

    reference = compared(INVARIANT).facts
    for facts in (without.facts, suppressed.facts):
        assert facts.notes == []
        assert [kinds(check) for check in facts.scopes] == [
            kinds(check) for check in reference.scopes
        ]


@needs_tools
def test_the_original_is_assembled_only_when_that_tells_something():
    unknown_cubin = compared(INVARIANT)
    known_cubin = compared(INVARIANT, cubin=unknown_cubin.original.cubin)

    assert known_cubin.original is None
    assert [(row.family, row.original) for row in known_cubin.facts.mix] == [
        (row.family, row.original) for row in unknown_cubin.facts.mix
    ]


@needs_tools
def test_new_spills_are_found_and_warned_of(monkeypatch, tmp_path):
    ptx, cubin, threads = compile_triton("attention", 80, monkeypatch, tmp_path)
    # Few registers: the original fits, with records it does not.
    made = build(ptx, "kernel", threads, cubin=cubin, prove=False)
    comparison = _fidelity.compare(made, "kernel")
    traced = made.assembled.resources
    if traced.spill_store_bytes == 0:
        pytest.skip("this assembler needs no spills")

    assert comparison.original.resources.spill_store_bytes == 0
    spills = sum(
        count.added
        for check in comparison.facts.scopes
        for count in check.counts
        if count.kind in ("local load", "local store")
    )
    mix = {row.family: row for row in comparison.facts.mix}
    assert 0 < spills <= mix["STL"].traced + mix["LDL"].traced


def test_without_nvdisasm_the_facts_say_so(monkeypatch):
    if not assemblers.candidates([]):
        pytest.skip("no ptxas")
    monkeypatch.setattr(disassemblers, "programs", list)

    facts = compared(INVARIANT).facts

    assert "there is no nvdisasm on this machine" in facts.unknown
    assert "pip install nvidia-cuda-nvdisasm" in facts.unknown
    assert not facts.mix
    assert not facts.scopes


def test_without_an_assembler_there_is_no_machine_code_to_compare(monkeypatch):
    found = FoundPtx(INVARIANT, "a test", (), b"", "triton")
    monkeypatch.setattr(assemblers, "candidates", lambda preferred: [])
    _, builds = traced_builds.prepare(found, "k", 128)

    facts = _fidelity.compare(builds[0], "k").facts

    assert "the driver's own compiler" in facts.unknown


def test_disassembler_of_the_environment_comes_first_and_none_comes_twice(monkeypatch, tmp_path):
    named = tmp_path / "nvdisasm"
    named.write_text("#!/bin/sh\n")
    named.chmod(0o755)
    monkeypatch.setenv("GWATCH_NVDISASM", str(named))
    monkeypatch.setenv("PATH", str(tmp_path))

    found = disassemblers.programs()

    assert found[0] == str(named)
    assert len(set(found)) == len(found)


def timed(turn, traced, duration_ns):
    return SimpleNamespace(turn=turn, traced=traced, duration_ns=duration_ns)


def test_overhead_is_the_median_of_the_pairs_but_the_first():
    launches = [timed(0, False, 1.0), timed(1, True, 900.0)]  # warms up
    for pair in range(1, 41):
        both = [(False, 100.0), (True, 100.0 + pair)]
        for place, (traced, duration) in enumerate(both if pair % 2 else reversed(both)):
            launches.append(timed(2 * pair + place, traced, duration))

    overhead = overhead_of(pairs_of(launches))

    assert overhead.pairs == 40
    assert overhead.ratio == pytest.approx(1.205)
    assert overhead.ratio_p10 == pytest.approx(1.049)
    assert overhead.ratio_p90 == pytest.approx(1.361)
    assert overhead.original_ns == 100
    assert overhead.traced_ns == pytest.approx(120.5)


def test_pairs_without_their_other_half_do_not_count():
    assert pairs_of([timed(2, False, 100.0), timed(5, True, 100.0)]) == []
    assert pairs_of([timed(2, True, 100.0), timed(3, True, 100.0)]) == []
    assert pairs_of([timed(2, True, 110.0), timed(3, False, 100.0)]) == [(100.0, 110.0)]


def launch_of(registers, blocks):
    """A traced launch as the capture tells of it."""

    def facts(registers, blocks):
        return SimpleNamespace(
            registers=registers, local_bytes=0, static_shared_bytes=0, blocks_per_sm=blocks
        )

    info = SimpleNamespace(
        kernel="k",
        kernel_demangled="k",
        device_name="Some GPU",
        device=0,
        grid=(8, 1, 1),
        block=(128, 1, 1),
        cluster=(1, 1, 1),
        dynamic_shared_bytes=0,
        stream=0,
        in_stream_capture=False,
        sm_count=132,
        compute_capability=90,
        max_clock_khz=1_980_000,
    )
    return SimpleNamespace(
        info=info,
        token=0,
        records=None,
        original=facts(168, 3),
        traced=facts(registers, blocks),
        stage_seconds={"prepare": 0.0},
    )


@needs_tools
def test_every_run_of_a_build_is_compared_and_the_code_only_once(monkeypatch):
    monkeypatch.setattr(libpygwatch, "decode", lambda records, sites: libpygwatch.Run())
    builds = [build(INVARIANT, "k", 128)]

    first = _do_trace._make_run(launch_of(168, 3), builds, {}, True)
    comparison = builds[0].comparison
    second = _do_trace._make_run(launch_of(172, 2), builds, {}, True)
    third = _do_trace._make_run(launch_of(168, 3), builds, {}, False)

    assert builds[0].comparison is comparison
    assert first.fidelity.traced.blocks_per_sm == 3
    assert first.fidelity.traced.limited_by == "registers"
    assert second.fidelity.traced.blocks_per_sm == 2
    assert first.fidelity.traced.blocks_per_sm == 3, "each run has facts of its own"
    assert len(first.fidelity.scopes) == len(second.fidelity.scopes) == 2
    assert "fidelity" in first.stage_seconds
    assert any("fell from 3 to 2" in text for text in second.warnings)
    assert not any("fell from" in text for text in first.warnings)
    assert any("global load" in text for text in first.warnings)
    assert third.warnings == []
    assert third.fidelity is None
    assert "fidelity" not in third.stage_seconds


def test_overhead_goes_to_a_run_that_was_not_compared_too():
    made = libpygwatch.Run()

    _fidelity.add_overhead(made, overhead_of([(100.0, 107.0)] * 5))

    assert made.fidelity.overhead.ratio == pytest.approx(1.07)
    assert "do_trace(fidelity=False)" in made.fidelity.unknown
    (warning,) = made.warnings
    assert warning.startswith("Tracing slows the kernel by 7.0 %")
