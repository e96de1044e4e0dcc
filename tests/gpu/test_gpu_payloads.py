"""Values that markers carry arrive exactly, one for each record, whoever made the kernel."""

from __future__ import annotations

import ctypes
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import gwatch
from gwatch import libpygwatch

HERE = Path(__file__).parent
BLOCKS, WARPS, TURNS = 16, 4, 50
THREADS = 32 * WARPS
EXACT_IN_JSON = 1 << 53


def value_of(number):
    """A number as mark_payload() gives it: text where JSON holds no exact number."""
    if isinstance(number, int) and abs(number) > EXACT_IN_JSON:
        return str(number)
    return number


def marks_of(run):
    """Lane, mask and value of each mark, by scope."""
    names = [scope.name for scope in run.scopes]
    found = defaultdict(list)
    marks = run.marks
    for row in range(len(marks)):
        lane = run.lanes[marks.lane[row]]
        value = libpygwatch.mark_payload(run, row)
        found[names[marks.scope[row]]].append((lane, marks.mask[row], value))
    return found


def slices_of(run):
    """Lane, mask and value of each slice in order of start, by scope."""
    names = [scope.name for scope in run.scopes]
    found = defaultdict(list)
    for lane in run.lanes:
        for row in range(lane.first_slice, lane.end_slice):
            value = libpygwatch.slice_payload(run, row)
            found[names[run.slices.scope[row]]].append((lane, run.slices.mask[row], value))
    return found


def check_marks(run, expected, warps=WARPS * BLOCKS):
    """Each warp has each mark once, with what `expected` makes of its block."""
    found = marks_of(run)
    assert set(found) == set(expected)
    for name, of_block in expected.items():
        values = [(lane.block, value) for lane, _, value in found[name]]
        assert len(values) == warps, name
        wrong = [pair for pair in values if pair[1] != value_of(of_block(pair[0]))]
        assert not wrong, f"{name}: {wrong[:8]}"


def check_turns(run, name="turn", turns=TURNS):
    """Each warp passed the scope once a turn, in order, with the turn's number."""
    of_lane = defaultdict(list)
    for lane, _, value in slices_of(run)[name]:
        of_lane[lane.block, lane.warp].append(value)
    assert len(of_lane) == len(run.lanes)
    assert all(values == list(range(turns)) for values in of_lane.values())


def check_complete(run):
    assert run.counts.dropped_events == run.counts.dropped_records == 0
    assert run.counts.orphan_starts == run.counts.orphan_ends == 0
    assert run.counts.warps_recorded == run.counts.warps_in_grid


def kinds_of(run):
    """The kind of value that each scope carries, by name."""
    summary = libpygwatch.summarise_payloads(run, 4)
    names = [scope.name for scope in run.scopes]
    return {names[entry.scope]: entry.kind for entry in [*summary.slices, *summary.marks]}


# Triton


TRITON_MARKS = {
    "tile": lambda tile: tile,
    "negative": lambda tile: -tile - 1,
    "unsigned": lambda tile: (tile - 1) % 2**32,
    "narrow": lambda tile: -tile,
    "even": lambda tile: int(tile % 2 == 0),
    "wide": lambda tile: tile * 10000000000 - 5,
    "single": lambda tile: tile * 0.5,
    "half": lambda tile: tile * 0.25,
    "double": lambda tile: tile / 3,
    "reduced": lambda tile: THREADS * (THREADS - 1) // 2,
    "constant": lambda tile: -7,
    "big": lambda tile: 1 << 40,
    "fraction": lambda tile: 2.5,
    "nothing": lambda tile: None,
}

TRITON_KINDS = {
    "tile": "s32",
    "negative": "s32",
    "unsigned": "u32",
    "narrow": "s32",
    "even": "u32",
    "wide": "s64",
    "single": "f32",
    "half": "f32",
    "double": "f64",
    "reduced": "s32",
    "constant": "s32",
    "big": "s64",
    "fraction": "f32",
    "all": "bits",
    "turn": "s32",
}


def launch_triton(kernel, count, blocks=BLOCKS, size=BLOCKS * THREADS):
    import torch

    out = torch.zeros(size, device="cuda", dtype=torch.int32)
    return out, lambda: kernel[(blocks,)](out, count, block=THREADS, num_warps=WARPS)


def test_triton_values_of_every_kind(workloads):
    import gpu_payload_kernels as kernels
    import torch

    expected, launch = launch_triton(kernels.unmarked_tiles_kernel, TURNS)
    launch()
    out, launch = launch_triton(kernels.tiles_kernel, TURNS)

    (run,) = workloads.do_trace(launch, "^tiles_kernel$", "triton").runs

    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    check_complete(run)
    check_marks(run, TRITON_MARKS)
    check_turns(run)
    assert {int(value, 16) for _, _, value in slices_of(run)["all"]} == {out.data_ptr()}
    assert kinds_of(run) == TRITON_KINDS


def test_triton_tiles_of_a_persistent_kernel(workloads):
    import gpu_payload_kernels as kernels
    import torch

    tiles = 100
    out, launch = launch_triton(kernels.persistent_kernel, tiles, size=tiles * THREADS)

    (run,) = workloads.do_trace(launch, "^persistent_kernel$", "triton").runs

    torch.cuda.synchronize()
    expected = torch.arange(tiles * THREADS, device="cuda", dtype=torch.int32) * 3 + 1
    assert torch.equal(out, expected)
    check_complete(run)
    found = slices_of(run)
    assert Counter(value for _, _, value in found["tile"]) == {t: WARPS for t in range(tiles)}
    assert all(value % BLOCKS == lane.block for lane, _, value in found["tile"])
    assert len(found["store"]) == tiles * WARPS
    (summary,) = libpygwatch.summarise_payloads(run, tiles).slices
    assert (summary.kind, summary.count, summary.distinct) == ("s32", tiles * WARPS, tiles)
    assert [value.count for value in summary.values] == [WARPS] * tiles


def test_triton_scopes_over_turns_and_branches(workloads):
    import gpu_payload_kernels as kernels
    import torch

    out, launch = launch_triton(kernels.across_turns_kernel, TURNS)
    launch()
    torch.cuda.synchronize()
    expected = out.clone()

    (run,) = workloads.do_trace(launch, "^across_turns_kernel$", "triton").runs

    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    check_complete(run)
    check_turns(run, "overlap")
    of_lane = defaultdict(list)
    for lane, _, value in slices_of(run)["next"]:
        of_lane[lane.block, lane.warp].append(value)
    assert len(of_lane) == BLOCKS * WARPS
    assert all(values == list(range(-1, TURNS)) for values in of_lane.values())


def test_triton_values_in_a_function(workloads):
    import gpu_payload_kernels as kernels
    import torch

    value = torch.arange(BLOCKS, device="cuda", dtype=torch.int32)
    for _ in range(TURNS):
        value = value * 1664525 + 1013904223
    expected = value.repeat_interleave(THREADS)
    out, launch = launch_triton(kernels.calling_kernel, TURNS)

    (run,) = workloads.do_trace(launch, "^calling_kernel$", "triton").runs

    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    check_complete(run)
    assert {site.placement for site in run.sites} >= {"function"}
    check_turns(run, "in function")
    wide = Counter(value for _, _, value in marks_of(run)["wide"])
    assert wide == {value_of(turn << 40): BLOCKS * WARPS for turn in range(TURNS)}


def test_triton_turns_of_a_pipelined_loop(workloads):
    import gpu_payload_kernels as kernels
    import torch

    size, depth = 64, 32
    torch.manual_seed(0)
    a = torch.randn(BLOCKS * size, TURNS * depth, device="cuda", dtype=torch.float16)
    b = torch.randn(TURNS * depth, size, device="cuda", dtype=torch.float16)
    c = torch.zeros(BLOCKS * size, size, device="cuda")

    def launch():
        kernels.pipelined_kernel[(BLOCKS,)](
            a, b, c, TURNS, size=size, depth=depth, num_warps=WARPS, num_stages=3
        )

    launch()
    torch.cuda.synchronize()
    expected = c.clone()
    c.zero_()

    (run,) = workloads.do_trace(launch, "^pipelined_kernel$", "triton").runs

    torch.cuda.synchronize()
    assert torch.equal(c, expected)
    assert torch.allclose(c, a.float() @ b.float(), atol=0.5, rtol=1e-2)
    check_complete(run)
    check_turns(run, "load")
    check_turns(run, "dot")


def test_ten_runs_give_the_same_values(workloads):
    import gpu_payload_kernels as kernels

    _, launch = launch_triton(kernels.tiles_kernel, TURNS)
    seen = set()
    for _ in range(10):
        (run,) = workloads.do_trace(launch, "^tiles_kernel$", "triton", fidelity=False).runs
        marks = marks_of(run)
        seen.add(
            tuple(
                sorted(
                    (name, lane.block, lane.warp, str(value))
                    for name, rows in marks.items()
                    for lane, _, value in rows
                )
            )
        )
    assert len(seen) == 1


# CUDA C++


CPP_MARKS = {
    "block": lambda block: block,
    "negative": lambda block: -block - 1,
    "unsigned": lambda block: (block - 1) % 2**32,
    "narrow": lambda block: -block,
    "even": lambda block: int(block % 2 == 0),
    "wide": lambda block: 10000000000 * block - 5,
    "single": lambda block: block * 0.5,
    "double": lambda block: block / 3,
    "7": lambda block: None,
}


@pytest.fixture(scope="module")
def library(build):
    path = build(HERE / "gpu_payloads.cu", "payloads.so", "-shared", "-Xcompiler=-fPIC")
    return ctypes.CDLL(str(path))


def check_cpp_values(run, address):
    check_complete(run)
    found = marks_of(run)
    assert {int(value, 16) for _, _, value in found["address"]} == {address}
    check_marks(run, {**CPP_MARKS, "address": lambda block: found["address"][0][2]})
    check_turns(run)


def launch_cpp(library, name):
    import torch

    out = torch.zeros(BLOCKS * THREADS, device="cuda", dtype=torch.int32)

    def launch():
        pointer = ctypes.c_void_p(out.data_ptr())
        assert getattr(library, f"launch_{name}")(pointer, BLOCKS, THREADS, TURNS) == 0

    launch()
    torch.cuda.synchronize()
    expected = out.clone()
    out.zero_()
    torch.cuda.synchronize()
    return out, expected, launch


def test_cuda_cpp_values_of_every_kind(workloads, library):
    import torch

    out, expected, launch = launch_cpp(library, "payloads")

    (run,) = workloads.do_trace(launch, "payloads", "cuda").runs

    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    check_cpp_values(run, out.data_ptr())


def test_values_of_diverged_lanes(workloads, library):
    import torch

    out, expected, launch = launch_cpp(library, "diverged")

    (run,) = workloads.do_trace(launch, "diverged", "cuda").runs

    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    check_complete(run)
    lanes = marks_of(run)["lane"]
    assert len(lanes) == 32 * WARPS * BLOCKS
    assert all(mask == 1 << value for _, mask, value in lanes)
    trips = {trip * 10**12: [lane for lane in range(32) if lane % 4 > trip] for trip in range(3)}
    check_parts(run, "trip", trips)
    check_parts(run, "side", {0.5: range(16), 1.5: range(16, 32)})


def check_parts(run, scope, lanes_of_value):
    """In each warp the lanes of a value passed the scope with it, once each, together or not."""
    masks = defaultdict(list)
    for lane, mask, value in slices_of(run)[scope]:
        masks[lane.block, lane.warp, value].append(mask)
    assert len(masks) == WARPS * BLOCKS * len(lanes_of_value)
    for (_, _, value), found in masks.items():
        wanted = sum(1 << lane for lane in lanes_of_value[value])
        assert sum(found) == wanted
        assert sum(mask.bit_count() for mask in found) == wanted.bit_count()


def test_nvrtc_values_of_every_kind(workloads):
    cupy = pytest.importorskip("cupy")
    options = (f"-I{gwatch.get_include()}", "-lineinfo", "-std=c++17")
    code = (HERE / "gpu_payloads.cu").read_text()
    kernel = cupy.RawModule(code=code, options=options).get_function("payloads")
    out = cupy.zeros(BLOCKS * THREADS, dtype=cupy.uint32)

    (run,) = workloads.do_trace(
        lambda: kernel((BLOCKS,), (THREADS,), (out, cupy.int32(TURNS))), "payloads", "cupy"
    ).runs

    assert out.any()
    check_cpp_values(run, out.data.ptr)


# CuTe DSL


CUTE_MARKS = {
    "block": lambda block: block,
    "negative": lambda block: -block - 1,
    "unsigned": lambda block: (block - 1) % 2**32,
    "even": lambda block: int(block % 2 == 0),
    "wide": lambda block: block * 10000000000 - 5,
    "single": lambda block: block * 0.5,
    "half": lambda block: block * 0.25,
    "constant": lambda block: -7,
    "nothing": lambda block: None,
}


def test_cute_values_of_every_kind(workloads, tmp_path):
    pytest.importorskip("cutlass")
    import gpu_cute_payloads as kernels
    import torch
    import trace_cute_matmul as example
    from cutlass import cute

    x = torch.zeros(kernels.BLOCKS * kernels.THREADS, device="cuda")
    vector = cute.runtime.from_dlpack(x, assumed_align=16)
    options = f"--keep-ptx --dump-dir={tmp_path} --generate-line-info"
    compiled = cute.compile(
        kernels.payloads, vector, TURNS, example.current_stream(), options=options
    )

    (run,) = workloads.do_trace(
        lambda: compiled(vector, TURNS, example.current_stream()), "payloads_kernel", "cute"
    ).runs

    torch.cuda.synchronize()
    assert (x == sum(range(TURNS))).all()
    check_complete(run)
    address = marks_of(run)["address"][0][2]
    assert int(address, 16) == x.data_ptr()
    marks = {**CUTE_MARKS, "address": lambda block: address}
    check_marks(run, marks, warps=kernels.BLOCKS * kernels.THREADS // 32)
    check_turns(run)


# Numba


def test_numba_values_of_every_kind(workloads, numba_cuda):
    import gpu_numba_payloads as kernels
    import torch

    out = torch.zeros(BLOCKS * THREADS, dtype=torch.int32, device="cuda")

    def launch():
        kernels.numba_payloads[BLOCKS, THREADS](numba_cuda.as_cuda_array(out), TURNS)

    (run,) = workloads.do_trace(launch, "numba_payloads", "numba").runs

    torch.cuda.synchronize()
    check_complete(run)
    check_marks(run, kernels.MARKS)
    check_turns(run)


# What is shown of them


def test_archive_keeps_the_values(workloads, tmp_path):
    import gpu_payload_kernels as kernels

    from gwatch.common.format import File
    from gwatch.cuda.trace.format import Section_IntraKernelTrace

    _, launch = launch_triton(kernels.tiles_kernel, TURNS)
    result = workloads.do_trace(launch, "^tiles_kernel$", "triton")
    section = Section_IntraKernelTrace()
    section.add_run(result)
    report = File(title="values")
    report.add_section(section)
    report.render(str(tmp_path / "trace.json"))
    report.render(str(tmp_path / "trace.html"))

    (run,) = libpygwatch.read_archive(str(tmp_path / "trace.json")).runs

    check_marks(run, TRITON_MARKS)
    check_turns(run)
