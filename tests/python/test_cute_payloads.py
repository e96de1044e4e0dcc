"""Values that the CuTe DSL's markers carry, and scope() as a context manager."""

import re
from pathlib import Path

import pytest

pytest.importorskip("cutlass")

from kernels import cute_offline
from kernels.sass import find_nvdisasm, opcode_histogram
from test_cute_markers import ARCHS, kernel_of, run_script

import gwatch.cuda.trace.cute as gw_trace
from gwatch import assemblers, libpygwatch
from gwatch.errors import UsageError

BLOCK = (128, 1, 1)


@pytest.fixture
def compile_kernel(tmp_path):
    return lambda body, **settings: cute_offline.compile_body(tmp_path, body, **settings)


def carriers(ptx):
    """Scope and carrier's type of each marker with a value, "" without one."""
    pattern = r"// gwatch:\w+ (\S+)[^\n]*\n\s*mov\.(?:u32 %\w+, 0;|(\w+) %\w+, %)"
    found = re.findall(pattern, ptx)
    assert len(found) == ptx.count("// gwatch:"), ptx
    return found


KINDS = [
    ("n", "s32"),
    ("cutlass.Int8(n)", "s32"),
    ("cutlass.Uint16(n)", "u32"),
    ("cutlass.Uint32(n)", "u32"),
    ("n > 5", "u32"),
    ("cutlass.Boolean(True)", "u32"),
    ("cutlass.Int64(n)", "s64"),
    ("cutlass.Uint64(n)", "u64"),
    ("x[0]", "f32"),
    ("x[0].to(cutlass.Float16)", "f32"),
    ("x[0].to(cutlass.BFloat16)", "f32"),
    ("x[0].to(cutlass.Float64)", "f64"),
    ("cute.arch.thread_idx()[0]", "s32"),
    ("x.iterator", "b64"),
    ("0", "s32"),
    ("-(2**31)", "s32"),
    ("2**31", "u32"),
    ("2**32", "s64"),
    ("2**63", "u64"),
    ("True", "u32"),
    ("2.5", "f32"),
    ("1e300", "f64"),
    ("cutlass.Int32(7)", "s32"),
    ("cutlass.Float16(0.5)", "f32"),
    ("None", ""),
]
EVERY_KIND = "".join(f"gw_trace.mark({i}, {value})\n" for i, (value, _) in enumerate(KINDS))


def test_kind_of_every_value(compile_kernel):
    ptx = compile_kernel(EVERY_KIND).__ptx__

    assert carriers(ptx) == [(str(i), kind) for i, (_, kind) in enumerate(KINDS)]


WIDENED = """
gw_trace.mark(1, cutlass.Int8(n))
gw_trace.mark(2, cutlass.Uint8(n))
gw_trace.mark(3, x[0].to(cutlass.Float16))
gw_trace.mark(4, n > 5)
gw_trace.mark(5, -(2**40))
gw_trace.mark(6, 2.5)
gw_trace.mark(7, True)
gw_trace.mark(8, 2**31 + 1)
"""


def test_narrow_values_are_widened_and_constants_are_exact(compile_kernel):
    ptx = compile_kernel(WIDENED).__ptx__

    found = dict(re.findall(r"gwatch:mark (\d).*\n\s*mov\.\w+ %\w+, (%\w+);", ptx))
    made = {
        mark: re.search(rf"(\S+)\s+{re.escape(name)}, ([^;]*);", ptx)
        for mark, name in found.items()
    }
    assert made["1"][1] == "cvt.s32.s8"
    assert made["2"][1] == "and.b32"
    assert made["3"][1] == "cvt.f32.f16"
    assert (made["4"][1], made["4"][2][:5]) == ("selp.b32", "1, 0,")
    assert made["5"][2] == str(-(2**40))
    assert int(made["6"][2], 0) == 0x40200000
    assert made["7"][2] == "1"
    assert int(made["8"][2]) % 2**32 == 2**31 + 1


ALLOCATOR = """
    import cutlass.utils
    home = cutlass.memory if hasattr(cutlass, "memory") else cutlass.utils  # before 4.8
    Allocator = home.SmemAllocator
"""
SHARED = """
shared = Allocator().allocate_tensor(
    cutlass.Float32, cute.make_layout(4), byte_alignment=16
)
shared[0] = x[0]
gw_trace.mark("shared", shared.iterator)
x[1] = shared[0]
"""


def test_address_in_shared_memory_is_widened(compile_kernel):
    ptx = compile_kernel(SHARED, before=ALLOCATOR).__ptx__

    assert carriers(ptx) == [("shared", "b64")]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "one value a warp"),
        ("x.load()", "one value a warp"),
        ("'text'", "a value of type str cannot be recorded"),
        ("2**64", "has more than 64 bits"),
        ("(1, 2)", "a value of type tuple cannot be recorded"),
        ("cutlass.Int128(n)", "a value of type Int128 cannot be recorded"),
    ],
)
def test_values_that_are_refused(compile_kernel, value, message):
    with pytest.raises(UsageError) as caught:
        compile_kernel(f"gw_trace.mark(1, {value})\n")
    assert message in str(caught.value)


SCOPES = """
with gw_trace.scope("outer", n):
    with gw_trace.scope(7):
        x[n] = 1.0
    value = x[0]
    for turn in cutlass.range(n, unroll=1):
        with gw_trace.scope("turn", turn):
            value = value + x[turn]
            if turn > 3:
                with gw_trace.scope("rare"):
                    x[turn] = value
    for constant in cutlass.range_constexpr(2):
        with gw_trace.scope("unrolled", constant):
            x[constant] = value
"""


@pytest.mark.parametrize("arch", ARCHS)
def test_scope_is_a_start_and_an_end(compile_kernel, tmp_path, arch):
    ptx = compile_kernel(SCOPES, arch=arch, options="--generate-line-info").__ptx__
    found = libpygwatch.list_markers(ptx)

    starts = {"outer": "s32", "7": "", "turn": "s32", "rare": "", "unrolled": "s32"}
    assert {(marker.verb, marker.scope, marker.payload) for marker in found} == {
        *(("start", scope, kind) for scope, kind in starts.items()),
        *(("end", scope, "") for scope in starts),
    }
    lines = (tmp_path / "marked_cute_kernel.py").read_text().splitlines()
    assert all("with gw_trace.scope(" in lines[marker.line - 1] for marker in found)
    order = [(marker.verb, marker.scope) for marker in found]
    assert order[:3] == [("start", "outer"), ("start", "7"), ("end", "7")]
    assert order[-1] == ("end", "outer")


def test_several_scopes_of_one_statement_end_in_reverse(compile_kernel):
    body = "with gw_trace.scope('a', n), gw_trace.scope('b'):\n    x[0] = 1.0\n"
    ptx = compile_kernel(body).__ptx__

    assert re.findall(r"// gwatch:(\w+ \w+)", ptx) == ["start a", "start b", "end b", "end a"]


# A return and an exception, as far as Python's own flow of control goes.
LEFT_EARLY = """
    @cute.jit
    def helper(x: cute.Tensor, is_early: cutlass.Constexpr):
        with gw_trace.scope("helper"):
            x[5] = 1.0
            if cutlass.const_expr(is_early):
                return
            x[6] = 1.0

    def raising(x):
        try:
            with gw_trace.scope("raising"):
                x[7] = 1.0
                raise KeyError("mine")
        except KeyError:
            x[8] = 1.0
"""


def test_scope_that_is_left_early_has_an_end(compile_kernel):
    body = "helper(x, True)\nhelper(x, False)\nraising(x)\n"
    ptx = compile_kernel(body, before=LEFT_EARLY).__ptx__

    order = re.findall(r"gwatch:(.*)|(st\.global)", ptx)
    assert [marker or store for marker, store in order] == [
        "start helper", "st.global", "end helper",
        "start helper", "st.global", "st.global", "end helper",
        "start raising", "st.global", "end raising", "st.global",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("with gw_trace.scope(n):\n    x[0] = 1.0", "scope: `scope` is a run-time value"),
        ("with gw_trace.scope(65536):\n    x[0] = 1.0", "scope id 65536 is out of range"),
        ("with gw_trace.scope(1, x):\n    x[0] = 1.0", "one value a warp"),
    ],
)
def test_wrong_scopes(compile_kernel, body, message):
    with pytest.raises(UsageError) as caught:
        compile_kernel(f"{body}\n")
    assert message in str(caught.value)


def test_scope_outside_of_a_kernel_is_an_error():
    with (
        pytest.raises(UsageError, match=r"scope was called outside of a @cute\.kernel function"),
        gw_trace.scope(1),
    ):
        pass


@pytest.mark.parametrize("arch", ARCHS)
def test_instrumented_and_assembled(compile_kernel, arch):
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc")
    ptx = compile_kernel(EVERY_KIND + SCOPES, arch=arch).__ptx__
    kernel = kernel_of(ptx)

    made = libpygwatch.instrument(ptx, kernel, "payloads", BLOCK)
    assert {marker.payload for marker in made.markers} == {
        "", "s32", "u32", "f32", "s64", "u64", "f64", "bits"
    }  # fmt: skip
    assert libpygwatch.assemble(made.ptx, kernel, found).cubin
    plain = libpygwatch.instrument(ptx, kernel, "payloads", (0, 0, 0), prove=False)
    assert libpygwatch.assemble(plain.ptx, kernel, found).cubin


VALUED = """
value = x[0]
gw_trace.mark("n", n)
for turn in cutlass.range(n, unroll=1):
    with gw_trace.scope("turn", turn):
        value = value * x[turn] + cutlass.Float32(turn)
    gw_trace.mark("sum", value)
    x[turn] = value
gw_trace.mark("thread", cute.arch.thread_idx()[0])
x[cute.arch.thread_idx()[0]] = value
"""
UNMARKED = """
value = x[0]
for turn in cutlass.range(n, unroll=1):
    value = value * x[turn] + cutlass.Float32(turn)
    x[turn] = value
x[cute.arch.thread_idx()[0]] = value
"""


@pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")
@pytest.mark.parametrize("arch", ARCHS)
def test_values_leave_the_instruction_mix(compile_kernel, tmp_path, arch):
    marked = compile_kernel(VALUED, arch=arch)
    assert {kind for _, kind in carriers(marked.__ptx__)} == {"", "s32", "f32"}
    mixes = [
        opcode_histogram(one.__cubin__, tmp_path)
        for one in (compile_kernel(UNMARKED, arch=arch), marked)
    ]
    assert mixes[0] == mixes[1]
    assert mixes[0].total() > 20


SCRIPT = """
import sys
from pathlib import Path
import test_cute_payloads as t
print(t.cute_offline.compile_body(Path(sys.argv[1]), t.VALUED).__ptx__)
"""


def test_switched_off_markers_compute_nothing(tmp_path, compile_kernel):
    off = run_script(SCRIPT, tmp_path, GWATCH_MARKERS="0")

    assert off == compile_kernel(UNMARKED).__ptx__ + "\n"
    assert len(carriers(run_script(SCRIPT, tmp_path))) == 5
    assert Path(tmp_path, "marked_cute_kernel.py").exists()
