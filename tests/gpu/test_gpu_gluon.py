"""Gluon kernels: markers in the default partition and in the one of other warps."""

from collections import defaultdict

import pytest

from gwatch import libpygwatch

pytest.importorskip("triton.experimental.gluon")

BLOCKS, TURNS, SIZE, WARPS = 16, 30, 128, 4


@pytest.fixture
def data():
    import torch

    source = torch.randn(BLOCKS, TURNS + 1, SIZE, device="cuda")
    expected = source * 2
    expected[:, 0] = source[:, 0]
    return source, torch.zeros_like(source), expected


def values_by_scope(run):
    names = [scope.name for scope in run.scopes]
    found = defaultdict(lambda: defaultdict(list))
    for lane in run.lanes:
        for row in range(lane.first_slice, lane.end_slice):
            value = libpygwatch.slice_payload(run, row)
            found[names[run.slices.scope[row]]][lane.block, lane.warp].append(value)
    return found


def check_complete(run):
    assert run.counts.dropped_events == run.counts.dropped_records == 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    assert {scope.file.rpartition("/")[2] for scope in run.scopes} == {"gpu_gluon_kernels.py"}


def trace(workloads, kernel, data):
    import torch

    source, target, expected = data

    def launch():
        kernel[(BLOCKS,)](source, target, TURNS, block=SIZE, num_warps=WARPS)

    (run,) = workloads.do_trace(launch, f"^{kernel.__name__}$", "triton").runs
    torch.cuda.synchronize()
    assert torch.equal(target, expected)
    check_complete(run)
    return values_by_scope(run)


def test_partitions(workloads, data):
    import gpu_gluon_kernels as kernels

    found = trace(workloads, kernels.partitioned_kernel, data)

    assert set(found) == {"all", "first", "load", "store"}
    assert set(found["all"]) == set(found["first"])
    assert set(found["load"]) == set(found["store"])
    assert len(found["first"]) == len(found["load"]) == BLOCKS * WARPS
    assert not set(found["first"]) & set(found["load"]), "partitions have warps of their own"
    for (block, _), values in found["first"].items():
        assert values == [block * (TURNS + 1) * SIZE]
    assert all(values == list(range(TURNS)) for values in found["load"].values())
    assert all(values == [None] * TURNS for values in found["store"].values())


def test_kernel_without_partitions(workloads, data):
    import gpu_gluon_kernels as kernels

    found = trace(workloads, kernels.plain_kernel, data)

    assert set(found) == {"first", "load", "store"}
    assert set(found["first"]) == set(found["load"])
    assert len(found["first"]) == BLOCKS * WARPS
    assert all(values == list(range(TURNS)) for values in found["load"].values())
