"""Launches on several GPUs in one call of `fn` are traced, each where it ran."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
import gpu_kernels  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="fewer than two CUDA devices")

BLOCKS, STEPS, WARPS = 64, 100, 4
EVENTS = BLOCKS * STEPS * WARPS * 2


def launch(out):
    with torch.cuda.device(out.device):
        gpu_kernels.steps_kernel[(BLOCKS,)](out, STEPS, block=32 * WARPS, num_warps=WARPS)


def outputs():
    return [
        torch.zeros(BLOCKS * 32 * WARPS, device=f"cuda:{i}", dtype=torch.int32) for i in range(2)
    ]


def synchronize():
    for i in range(2):
        torch.cuda.synchronize(i)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_one_launch_on_each_of_two_devices(workloads, order):
    untraced, traced = outputs(), outputs()
    for out in untraced:
        launch(out)
    synchronize()

    result = workloads.do_trace(
        fn=lambda: [launch(traced[i]) for i in order],
        kernel_name_pattern="^steps_kernel$",
        dsl="triton",
        max_launches=2,
    )
    synchronize()

    assert [run.launch.device_index for run in result.runs] == list(order)
    assert [run.counts.events for run in result.runs] == [EVENTS, EVENTS]
    assert all(torch.equal(*pair) for pair in zip(untraced, traced, strict=True))
    assert all(torch.any(out) for out in untraced)


def test_a_device_other_than_the_current_one(workloads):
    out = outputs()[1]

    result = workloads.do_trace(
        fn=lambda: launch(out), kernel_name_pattern="^steps_kernel$", dsl="triton"
    )

    (run,) = result.runs
    assert torch.cuda.current_device() == 0
    assert run.launch.device_index == 1
    assert run.counts.events == EVENTS
