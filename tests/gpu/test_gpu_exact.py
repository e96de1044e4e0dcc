"""A traced launch gives the untraced result, and every event of it is recorded."""

import pytest

ATTENTION_CASES = [
    pytest.param(causal, head_dim, seqlen, id=f"{name}-{head_dim}-{seqlen}")
    for name, causal in (("full", False), ("causal", True))
    for head_dim in (64, 128)
    for seqlen in (1024, 1000)
]


def assert_complete(run, events):
    counts = run.counts
    assert counts.events == events
    assert counts.dropped_events == 0
    assert counts.dropped_records == 0
    assert counts.orphan_starts == 0
    assert counts.orphan_ends == 0
    assert counts.warps_recorded == counts.warps_in_grid == len(run.lanes)
    assert counts.blocks_selected == counts.blocks_in_grid


def test_matmul_records_every_event_and_fuses_neighbours(workloads, matmul):
    (run,) = workloads.trace(matmul, scope_name_map={1: "load", 2: "dot"}).runs

    assert matmul.events == 2_097_152
    assert_complete(run, 2_097_152)
    assert run.counts.records < 2_097_152
    assert [scope.name for scope in run.scopes] == ["load", "dot"]
    assert run.launch.kernel == "matmul_kernel"
    assert list(run.launch.grid) == [1024, 1, 1]
    assert list(run.launch.block) == [256, 1, 1]
    assert not run.warnings


def test_ten_runs_of_matmul_give_the_same_counts(workloads, matmul):
    counts = [workloads.trace(matmul).runs[0].counts for _ in range(10)]

    assert {c.events for c in counts} == {2_097_152}
    assert len({c.records for c in counts}) == 1


def test_ten_runs_of_attention_give_the_same_counts(workloads):
    attention = workloads.make_attention(True, 64, seqlen=1024)

    counts = [workloads.trace(attention).runs[0].counts for _ in range(10)]

    assert {c.events for c in counts} == {attention.events}
    assert len({c.records for c in counts}) == 1


@pytest.mark.parametrize(("causal", "head_dim", "seqlen"), ATTENTION_CASES)
def test_attention_records_what_its_loops_pass(workloads, causal, head_dim, seqlen):
    work = workloads.make_attention(causal, head_dim, seqlen=seqlen)

    (run,) = workloads.trace(work).runs

    assert_complete(run, work.events)
    assert {scope.name for scope in run.scopes} == {
        "load_q", "load_kv", "qk", "softmax", "pv", "store",
    }  # fmt: skip
    assert all(scope.file.endswith("trace_triton_attention.py") for scope in run.scopes)
    assert all(scope.line > 0 for scope in run.scopes)


def test_facts_of_both_builds_are_known(workloads, matmul):
    (run,) = workloads.trace(matmul).runs

    for build in (run.compile.original, run.compile.traced):
        assert 0 < build.registers <= 255
        assert build.static_shared_bytes >= 0
    assert run.compile.traced.spill_store_bytes == 0
    assert run.compile.assembler_version
    assert run.compile.ptx_source
    assert run.launch.device
    assert run.launch.sm_count > 0


def test_lanes_lie_on_one_time_axis(workloads, matmul):
    (run,) = workloads.trace(matmul).runs

    assert min(lane.enter_ns for lane in run.lanes) == 0
    assert all(0 <= lane.enter_ns < lane.exit_ns <= run.time.span_ns for lane in run.lanes)
    sms = {lane.sm for lane in run.lanes}
    assert run.launch.sm_count // 2 < len(sms) <= run.launch.sm_count
    assert run.time.clock_mhz > 100


def test_warps_selects_rows_of_the_result(workloads, steps):
    (run,) = workloads.trace(steps, warps=[1, 3]).runs

    assert {lane.warp for lane in run.lanes} == {1, 3}
    assert run.counts.events == steps.events // 2
