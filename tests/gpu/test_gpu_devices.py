"""Launches on several GPUs in one call of `fn` are traced, each where it ran."""

import ctypes
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
import gpu_kernels  # noqa: E402

pytestmark = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="fewer than two CUDA devices")

BLOCKS, STEPS, WARPS = 64, 100, 4
EVENTS = BLOCKS * STEPS * WARPS * 2


HERE = Path(__file__).parent
CPP_STEPS, CPP_EVENTS = 100, 2 * 100 * BLOCKS * WARPS
M, N, K = 1024, 768, 512


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


def check(result, devices, events):
    """So many launches, each complete and where it ran."""
    assert [run.launch.device_index for run in result.runs] == list(devices)
    assert [run.counts.events for run in result.runs] == [events] * len(devices)
    for run in result.runs:
        assert run.counts.warps_recorded == run.counts.warps_in_grid
        assert run.counts.dropped_events == run.counts.dropped_records == 0
        assert run.counts.orphan_starts == run.counts.orphan_ends == 0


@pytest.fixture(scope="module")
def library(build):
    flags = ("-shared", "-Xcompiler=-fPIC")
    return ctypes.CDLL(str(build(HERE / "gpu_program.cu", "devices.so", *flags)))


@pytest.mark.parametrize("devices", [(1,), (0, 1), (1, 0)])
def test_cuda_cpp_kernel(workloads, library, devices):
    outs = outputs()

    def fn():
        for i in devices:
            pointer = ctypes.c_void_p(outs[i].data_ptr())
            assert library.launch_on(i, pointer, BLOCKS, 32 * WARPS, CPP_STEPS) == 0

    fn()
    synchronize()
    untraced = [out.clone() for out in outs]
    for out in outs:
        out.zero_()
    synchronize()

    result = workloads.do_trace(fn, "steps", "cuda", max_launches=len(devices))

    synchronize()
    check(result, devices, CPP_EVENTS)
    assert all(torch.equal(*pair) for pair in zip(untraced, outs, strict=True))
    expected = torch.arange(BLOCKS * 32 * WARPS)
    for _ in range(CPP_STEPS):
        expected = (expected * 1664525 + 1013904223) & 0xFFFFFFFF
    for i in range(2):
        assert torch.equal(outs[i].cpu().long() & 0xFFFFFFFF, expected * (i in devices))


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("devices", [(1,), (0, 1), (1, 0)])
def test_cute_gemm(workloads, devices, plain):
    pytest.importorskip("cutlass")
    import trace_cute_matmul as example

    launches, products = {}, {}
    for i in devices:
        with torch.cuda.device(i):
            torch.manual_seed(i)
            a = torch.randn(M, K, device="cuda", dtype=torch.float16)
            b = torch.randn(N, K, device="cuda", dtype=torch.float16)
            products[i] = torch.zeros(M, N, device="cuda", dtype=torch.float16)
            launches[i] = example.prepare(a, b, products[i], plain)
            launches[i]()
            assert torch.allclose(products[i].float(), (a @ b.T).float(), atol=0.2, rtol=1e-2)
    synchronize()
    untraced = {i: product.clone() for i, product in products.items()}
    for product in products.values():
        product.zero_()
    synchronize()

    def fn():
        for i in devices:
            with torch.cuda.device(i):
                launches[i]()

    capability = example.current_capability()
    _, kernel = example.KERNELS[example.kernel_for(capability, plain)]
    result = workloads.do_trace(fn, kernel, "cute", max_launches=len(devices))

    synchronize()
    check(result, devices, example.expected_events(M, N, K, capability, plain))
    assert all(torch.equal(products[i], untraced[i]) for i in devices)
    assert all(product.any() for product in products.values())
