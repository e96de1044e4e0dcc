"""Launches of every kind are traced: first and hundredth, on streams, from threads, in graphs."""

import threading

import pytest

CACHE_SCRIPT = """
import gpu_kernels, torch
from gwatch.cuda.trace import do_trace

out = torch.zeros(64 * 128, device="cuda", dtype=torch.int32)
launch = lambda: gpu_kernels.steps_kernel[(64,)](out, 100, block=128, num_warps=4)
result = do_trace(fn=launch, kernel_name_pattern="^steps_kernel$", dsl="triton")
traced = out.clone()
out.zero_()
launch()
assert torch.equal(traced, out) and out.any()
print("events", result.runs[0].counts.events)
"""
THREAD_SECONDS = 60


def test_kernel_that_ran_many_times_before(workloads, steps):
    for _ in range(100):
        steps.launch()

    (run,) = workloads.trace(steps).runs

    assert run.counts.events == steps.events


def test_first_execution_with_a_cold_and_a_warm_disk_cache(workloads, tmp_path):
    expected = f"events {64 * 4 * 100 * 2}\n"
    for temperature in ("cold", "warm"):
        ran = workloads.run_script(CACHE_SCRIPT, TRITON_CACHE_DIR=str(tmp_path))

        assert ran.returncode == 0, f"{temperature}: {ran.stderr}"
        assert ran.stdout.endswith(expected), temperature


def test_only_the_first_launch_is_traced_by_default(workloads, steps):
    def fn():
        for _ in range(3):
            steps.launch()

    steps.clear()
    result = workloads.do_trace(fn=fn, kernel_name_pattern=steps.pattern, dsl="triton")

    assert steps.is_right()
    assert [run.counts.events for run in result.runs] == [steps.events]
    assert any(warning.startswith("2 more matching launches") for warning in result.warnings)


def test_value_of_fn_is_returned(workloads, steps):
    def fn():
        steps.launch()
        return "value"

    result = workloads.do_trace(fn=fn, kernel_name_pattern=steps.pattern, dsl="triton")

    assert result.value == "value"


def test_other_kernels_of_fn_are_left_alone(workloads, steps, matmul):
    def fn():
        matmul.launch()
        steps.launch()

    steps.clear()
    matmul.clear()
    result = workloads.do_trace(fn=fn, kernel_name_pattern=steps.pattern, dsl="triton")

    assert steps.is_right()
    assert matmul.is_right()
    assert [run.launch.kernel for run in result.runs] == ["steps_kernel"]


def test_two_kernels_match_one_pattern(workloads, steps, matmul):
    def fn():
        matmul.launch()
        steps.launch()

    steps.clear()
    matmul.clear()
    result = workloads.do_trace(
        fn=fn, kernel_name_pattern="matmul_kernel|steps_kernel", dsl="triton", max_launches=2
    )

    assert steps.is_right()
    assert matmul.is_right()
    assert {run.launch.kernel: run.counts.events for run in result.runs} == {
        "matmul_kernel": matmul.events,
        "steps_kernel": steps.events,
    }


def test_launches_on_two_streams(workloads):
    import torch

    works = [workloads.make_steps(blocks=64, steps=100 + i, warps=4) for i in range(2)]
    streams = [torch.cuda.Stream() for _ in works]

    def fn():
        for stream, work in zip(streams, works, strict=True):
            with torch.cuda.stream(stream):
                work.launch()

    for work in works:
        work.clear()
    result = workloads.do_trace(
        fn=fn, kernel_name_pattern="^steps_kernel$", dsl="triton", max_launches=3
    )

    assert all(work.is_right() for work in works)
    assert [run.counts.events for run in result.runs] == [work.events for work in works]
    assert len({run.launch.stream for run in result.runs}) == 2


def test_launches_from_two_threads(workloads):
    import torch

    works = [workloads.make_steps(blocks=64, steps=200 + i, warps=4) for i in range(2)]
    launched = []

    def launch(work):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(3):
                work.launch()
        launched.append(work)

    def fn():
        threads = [threading.Thread(target=launch, args=(work,), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(THREAD_SECONDS)

    for work in works:
        work.clear()
    result = workloads.do_trace(
        fn=fn, kernel_name_pattern="^steps_kernel$", dsl="triton", max_launches=6
    )

    assert len(launched) == 2, "a launching thread hangs"
    assert all(work.is_right() for work in works)
    assert sorted(run.counts.events for run in result.runs) == sorted(
        work.events for work in works for _ in range(3)
    )


def test_graph_captured_inside_fn(workloads, matmul):
    import torch

    graph = torch.cuda.CUDAGraph()

    def fn():
        with torch.cuda.graph(graph):
            matmul.launch()
        graph.replay()

    matmul.clear()
    result = workloads.do_trace(fn=fn, kernel_name_pattern=matmul.pattern, dsl="triton")

    assert matmul.is_right()
    (run,) = result.runs
    assert run.launch.in_graph
    assert run.counts.events == matmul.events


def test_graph_with_a_traced_kernel_outlives_do_trace(workloads, matmul):
    import torch

    graph = torch.cuda.CUDAGraph()

    def fn():
        with torch.cuda.graph(graph):
            matmul.launch()
        graph.replay()

    workloads.do_trace(fn=fn, kernel_name_pattern=matmul.pattern, dsl="triton")
    for _ in range(3):
        matmul.clear()
        graph.replay()

        assert matmul.is_right()


def test_fn_that_raises_keeps_its_exception_and_frees_the_hooks(workloads, steps):
    def fn():
        steps.launch()
        raise KeyError("mine")

    steps.clear()
    with pytest.raises(KeyError, match="mine"):
        workloads.do_trace(fn=fn, kernel_name_pattern=steps.pattern, dsl="triton")

    assert steps.is_right()
    assert workloads.trace(steps).runs[0].counts.events == steps.events


@pytest.mark.parametrize(
    ("options", "cluster"), [({"launch_cooperative_grid": True}, 1), ({"num_ctas": 2}, 2)]
)
def test_cooperative_and_cluster_launches(options, cluster):
    import gpu_kernels
    import torch

    from gwatch.cuda.trace import do_trace

    blocks, steps, warps = 64, 50, 4
    untraced = torch.zeros(blocks * 32 * warps, device="cuda", dtype=torch.int32)
    traced = torch.zeros_like(untraced)

    def launch(out):
        gpu_kernels.steps_kernel[(blocks,)](
            out, steps, block=32 * warps, num_warps=warps, **options
        )

    launch(untraced)
    (run,) = do_trace(lambda: launch(traced), "^steps_kernel$", "triton").runs

    assert torch.equal(untraced, traced)
    assert untraced.any()
    assert run.launch.cluster[0] == cluster
    assert run.counts.warps_in_grid == blocks * cluster * warps
    assert run.counts.events == run.counts.warps_in_grid * steps * 2
    assert run.counts.dropped_events == 0


def test_do_trace_inside_do_trace_is_refused_and_the_outer_one_goes_on(workloads, steps):
    from gwatch.errors import UsageError

    def fn():
        with pytest.raises(UsageError):
            workloads.do_trace(fn=steps.launch, kernel_name_pattern=steps.pattern, dsl="triton")
        steps.launch()

    steps.clear()
    result = workloads.do_trace(fn=fn, kernel_name_pattern=steps.pattern, dsl="triton")

    assert steps.is_right()
    assert [run.counts.events for run in result.runs] == [steps.events]
