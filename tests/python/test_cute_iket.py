"""Kernels annotated with the CuTe DSL's own IKET functions are read as if they had markers."""

import gc
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("cutlass")

from kernels import cute_offline
from kernels.sass import find_nvdisasm, opcode_histogram

from gwatch import assemblers, libpygwatch, sources
from gwatch.cli import main
from gwatch.errors import InstrumentError

IMPORT = "from cutlass.cute.experimental import iket"
ARCHS = ["sm_90a", "sm_100a"]

BODY = """
    thread, _, _ = cute.arch.thread_idx()
    iket.range_push("outer")
    for i in cutlass.range(n, unroll=1):
        load = iket.range_start("load step")
        value = x[thread + i]
        iket.range_end(load)
        iket.mark("here")
        x[thread + i] = value * 2.0 + 1.0
    if thread < 4:
        iket.mark("payload", n)
    store = iket.range_start("store", n)
    x[0] = 1.0
    iket.range_end(store, n)
    iket.range_pop()
"""
MARKERS = [
    "start outer",
    "start load step",
    "end load step",
    "mark here",
    "mark payload",
    "start store",
    "end store",
    "end outer",
]

VALUES = """
    thread, _, _ = cute.arch.thread_idx()
    iket.mark("i8", cutlass.Int8(n))
    iket.mark("i16", cutlass.Int16(n))
    iket.mark("i32", cutlass.Int32(n))
    iket.mark("u32", cutlass.Uint32(n))
    iket.mark("i64", cutlass.Int64(n))
    iket.mark("f32", x[thread])
    iket.mark("f64", cutlass.Float64(x[thread]))
    iket.mark("none")
    store = iket.range_start("store", thread)
    x[0] = 1.0
    iket.range_end(store, thread)
"""
KINDS = {
    "i8": "s32",
    "i16": "s32",
    "i32": "s32",
    "u32": "u32",
    "i64": "s64",
    "f32": "f32",
    "f64": "f64",
    "none": "",
    "store": "s32",
}

CARRIED = """
    thread, _, _ = cute.arch.thread_idx()
    turn = iket.sentinel_token("turn")
    for i in cutlass.range(n, unroll=1):
        iket.range_end(turn)
        turn = iket.range_start("turn")
        x[thread + i] = x[thread + i] * 2.0 + 1.0
    iket.range_end(turn)
"""

UNROLLED = """
    thread, _, _ = cute.arch.thread_idx()
    for i in cutlass.range(n, unroll=4):
        token = iket.range_start("turn")
        x[thread + i] = x[thread + i] * 2.0 + 1.0
        iket.range_end(token)
"""

MANY = """
    for i in cutlass.range_constexpr(40):
        iket.mark(f"event {i}")
    iket.range_push("last")
    iket.range_pop()
"""


@pytest.fixture
def compiled(tmp_path):
    """Compiles a body with its annotations, or, with `options=""`, without them."""

    def compile_it(body, options="iket", **settings):
        return cute_offline.compile_body(tmp_path, body, before=IMPORT, options=options, **settings)

    return compile_it


def kernel_of(ptx):
    (name,) = re.findall(r"\.entry\s+(\w+)", ptx)
    return name


def instrument(ptx):
    text = libpygwatch.iket_to_markers(ptx, "<test>")
    return libpygwatch.instrument(text, kernel_of(ptx), "<test>", (128, 1, 1))


def markers_of(ptx):
    return [f"{marker.verb} {marker.scope}" for marker in instrument(ptx).markers]


def assemble(ptx, kernel):
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas here: pip install nvidia-cuda-nvcc")
    return libpygwatch.assemble(ptx, kernel, found)


@pytest.mark.parametrize("arch", ARCHS)
def test_events_become_markers(compiled, arch):
    ptx = compiled(BODY, arch=arch).__ptx__
    assert "gwatch" not in ptx
    assert markers_of(ptx) == MARKERS


@pytest.mark.parametrize("arch", ARCHS)
def test_payloads_are_values(compiled, arch):
    markers = instrument(compiled(VALUES, arch=arch).__ptx__).markers
    kinds = {marker.scope: marker.payload for marker in markers if marker.verb != "end"}
    assert kinds == KINDS
    assert [marker.payload for marker in markers if marker.verb == "end"] == [""]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("body", [BODY, VALUES, CARRIED, UNROLLED, MANY])
def test_they_are_instrumented_and_assembled(compiled, arch, body):
    ptx = compiled(body, arch=arch).__ptx__
    made = assemble(instrument(ptx).ptx, kernel_of(ptx))
    assert made.cubin[:4] == b"\x7fELF"
    assert made.resources.spill_store_bytes == 0


@pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")
@pytest.mark.parametrize("body", [BODY, MANY])
def test_nothing_of_the_events_is_left(compiled, body, tmp_path):
    annotated, plain = compiled(body).__ptx__, compiled(body, options="").__ptx__
    text = libpygwatch.iket_to_markers(annotated)
    assert b"pmevent" not in text
    before, after = assemble(plain, kernel_of(plain)), assemble(text, kernel_of(annotated))
    assert opcode_histogram(after.cubin, tmp_path) == opcode_histogram(before.cubin, tmp_path)


def test_range_that_ends_in_the_next_turn(compiled):
    ptx = compiled(CARRIED).__ptx__
    assert markers_of(ptx) == ["end turn", "start turn", "end turn"]


def test_ranges_of_an_unrolled_loop(compiled):
    found = markers_of(compiled(UNROLLED).__ptx__)
    assert len(found) >= 2 * 4
    assert found == ["start turn", "end turn"] * (len(found) // 2)


def test_more_events_than_fit_the_short_form(compiled):
    expected = [f"mark event {i}" for i in range(40)] + ["start last", "end last"]
    assert markers_of(compiled(MANY).__ptx__) == expected


def test_source_lines(compiled, tmp_path):
    ptx = compiled(BODY, options="iket --generate-line-info").__ptx__
    lines = (tmp_path / "marked_cute_kernel.py").read_text().splitlines()
    calls = {"start": "range_start|range_push", "end": "range_end|range_pop", "mark": "mark"}
    for marker in instrument(ptx).markers:
        assert re.search(rf"iket\.({calls[marker.verb]})\(", lines[marker.line - 1])


def test_source_finds_them_marked(compiled, tmp_path):
    from types import SimpleNamespace

    gc.collect()  # those of the tests before
    one = compiled(BODY)
    launch = SimpleNamespace(
        kernel=kernel_of(one.__ptx__),
        function=0,
        resolved_function=0,
        image=b"",
        compute_capability=90,
    )
    found = sources.find_ptx(sources.sources_for("cute"), launch)
    assert found.ptx == libpygwatch.iket_to_markers(one.__ptx__)
    assert found.ptx.count(b"// gwatch:") == len(MARKERS)


def test_command_lists_them(compiled, tmp_path, capsys):
    path = tmp_path / "kernel.ptx"
    path.write_text(compiled(BODY).__ptx__)
    assert main(["instrument", "--list", str(path)]) == 0
    said = capsys.readouterr().out
    assert all(marker.partition(" ")[2] in said for marker in MARKERS)


FROM_THE_ENVIRONMENT = """
import sys
from pathlib import Path
import test_cute_iket as t
made = t.cute_offline.compile_body(Path(sys.argv[1]), t.BODY, before=t.IMPORT)
print(t.markers_of(made.__ptx__))
"""


def test_environment_asks_for_them_too(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FROM_THE_ENVIRONMENT, tmp_path],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CUTE_DSL_COMPILER_OPT": "iket"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{MARKERS}\n"


def test_own_markers_stay_among_them(compiled):
    body = 'gw_trace.mark("own")\niket.mark("theirs")\nx[0] = 1.0\ngw_trace.mark("own too")\n'
    assert markers_of(compiled(body).__ptx__) == ["mark own", "mark theirs", "mark own too"]


def test_unknown_version_is_refused(compiled):
    ptx = compiled(BODY).__ptx__
    other = re.sub(r"(__iket_meta_info\[48\] = \{48, 0, 0, 0, 0, 0, 0, 0), 5,", r"\1, 6,", ptx)
    assert other != ptx
    with pytest.raises(InstrumentError, match="IKET tables are of an unknown version") as caught:
        libpygwatch.iket_to_markers(other, "<test>")
    assert caught.value.detail == "word 2 of __iket_meta_info is 6 instead of 5"


def test_other_texts_stay_as_they_are(compiled):
    ptx = compiled(BODY, options="").__ptx__
    assert libpygwatch.iket_to_markers(ptx) == ptx.encode()
