"""Nothing is lost unseen: orphans, divergence, too little memory, too many blocks."""

import itertools
from collections import Counter

MEBIBYTE = 1 << 20


def test_orphans_are_counted_and_kept(workloads):
    work = workloads.make_orphans(blocks=16, steps=5, warps=2)

    (run,) = workloads.trace(work).runs

    warps = 16 * 2
    assert run.counts.events == work.events
    assert run.counts.orphan_ends == warps * 5
    assert run.counts.orphan_starts == warps * 5
    assert len(run.orphan_ends.lane) == warps * 5
    assert len(run.orphan_starts.lane) == warps * 5


def test_halves_of_a_warp_in_different_branches_lose_nothing(workloads):
    work = workloads.make_halves(blocks=64, steps=50)

    (run,) = workloads.trace(work).runs

    assert run.counts.events == work.events
    assert run.counts.dropped_events == 0
    names = [scope.name for scope in run.scopes]
    threads = Counter()
    for scope, mask in zip(run.slices.scope, run.slices.mask, strict=True):
        threads[names[scope], int(mask)] += 1
    assert threads == {("lower", 0x0000FFFF): 64 * 50, ("upper", 0xFFFF0000): 64 * 50}


def test_drops_are_exact_and_the_size_that_would_have_done_does(workloads):
    work = workloads.make_steps(blocks=64, steps=4096, warps=4)

    (small,) = workloads.trace(work, buffer_bytes=MEBIBYTE).runs

    assert small.counts.dropped_events > 0
    assert small.counts.events + small.counts.dropped_events == work.events
    assert small.counts.buffer_bytes <= MEBIBYTE
    assert any("dropped" in warning for warning in small.warnings)

    needed = small.counts.buffer_bytes_needed
    assert needed > MEBIBYTE
    (enough,) = workloads.trace(work, buffer_bytes=needed).runs

    assert enough.counts.dropped_events == 0
    assert enough.counts.events == work.events


def test_a_warp_with_more_events_than_its_region_goes_on_in_the_pool(workloads):
    work = workloads.make_uneven(blocks=64, steps=5000, warps=4)

    (run,) = workloads.trace(work, buffer_bytes=MEBIBYTE).runs

    assert run.counts.dropped_events == 0
    assert run.counts.events == work.events
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    assert {site.placement for site in run.sites} == {"proven"}
    events = Counter(lane.events for lane in run.lanes)
    assert events == {2 * 5000: 4, 2 * 10: 63 * 4}
    (first, *_) = run.lanes
    starts = run.slices.start_ns[first.first_slice : first.end_slice]
    assert all(earlier < later for earlier, later in itertools.pairwise(starts))


def test_tensor_core_kernels_go_on_in_the_pool_and_drop_exactly(workloads):
    for work in (
        workloads.make_matmul(2048),
        workloads.make_attention(False, 64, batch=1, heads=4, seqlen=4096),
        workloads.make_attention(True, 128, batch=1, heads=4, seqlen=4096),
    ):
        (run,) = workloads.trace(work).runs
        assert run.counts.events == work.events
        workloads.trace_with_too_little_memory(work, "triton", run.counts.warps_in_grid)


def test_grid_too_big_for_the_memory_is_sampled_over_all_of_it(workloads):
    blocks = 1 << 20
    work = workloads.make_steps(blocks=blocks, steps=2, warps=1)

    (run,) = workloads.trace(work, buffer_bytes=MEBIBYTE).runs

    counts = run.counts
    assert counts.blocks_in_grid == counts.warps_in_grid == blocks
    assert 1000 < counts.blocks_selected < blocks
    assert counts.warps_recorded == counts.blocks_selected == len(run.lanes)
    assert counts.events == counts.blocks_selected * 2 * 2
    assert counts.dropped_events == 0
    recorded = [lane.block for lane in run.lanes]
    assert recorded[0] < blocks // 100
    assert recorded[-1] > blocks - blocks // 100
    assert any("blocks were recorded" in warning for warning in run.warnings)


def test_archive_keeps_the_counts(workloads, matmul, tmp_path):
    from gwatch import libpygwatch
    from gwatch.common.format import File
    from gwatch.cuda.trace.format import Section_IntraKernelTrace

    result = workloads.trace(matmul)
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="matmul")
    report.add_section(section)
    for name in ("trace.json", "trace.json.gz", "trace.html"):
        report.render(tmp_path / name)

    for name in ("trace.json", "trace.json.gz"):
        archive = libpygwatch.read_archive(str(tmp_path / name))
        assert [run.counts.events for run in archive.runs] == [matmul.events]
    assert "matmul_kernel" in result.summary()
