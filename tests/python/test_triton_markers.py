"""Triton markers: what they emit, what they refuse, and that no edit of one is served stale."""

import dataclasses
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

triton = pytest.importorskip("triton")

from kernels.offline import HEADER, compile_body, load_module  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.compiler.errors import CompilationError  # noqa: E402

import gwatch.cuda.trace.triton as gw_trace  # noqa: E402
import gwatch.cuda.xtrace.triton as second_name  # noqa: E402
from gwatch import libpygwatch  # noqa: E402
from gwatch.sources import _triton_version, _versions  # noqa: E402


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


@pytest.fixture
def ptx_of(tmp_path):
    """Compiles a kernel body; `before` stands in the module, in front of the kernel."""
    return lambda body, before="", constants=None: compile_body(tmp_path, body, before, constants)


def markers(ptx):
    return re.findall(r"// (gwatch:.*)", ptx)


def test_every_verb(ptx_of):
    ptx = ptx_of("""
        gw_trace.scope_start(100)
        tl.store(x, 1.0)
        gw_trace.scope_switch(100, "store")
        gw_trace.mark("here")
        tl.store(x + 1, 2.0)
        gw_trace.scope_end("store")
    """)
    assert markers(ptx) == [
        "gwatch:start 100",
        "gwatch:switch 100 store",
        "gwatch:mark here",
        "gwatch:end store",
    ]


def test_carrier_follows_its_comment_at_once(ptx_of):
    ptx = ptx_of("gw_trace.mark(7)\n")
    assert re.search(r"// gwatch:mark 7\n(\s*\.loc[^\n]*\n)?\s*mov\.u32 %r\d+, 0;\n", ptx)


def test_second_name_is_the_same_thing():
    for name in second_name.__all__:
        assert getattr(second_name, name) is getattr(gw_trace, name)
    assert second_name.__all__ == gw_trace.__all__


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ("0", "0"),
        ("65535", "65535"),
        ("'12'", "12"),
        ("'0012'", "12"),
        ("'load_kv'", "load_kv"),
        ("'a.b:c/d-e'", "a.b:c/d-e"),
        ("'two words'", "two%20words"),
        ("'100%'", "100%25"),
        ("'$0 {a|b}'", "%240%20%7Ba%7Cb%7D"),
        ("'a\\nb'", "a%0Ab"),
        ("'größe'", "gr%C3%B6%C3%9Fe"),
        ("'-1'", "-1"),
    ],
)
def test_ids_and_names(ptx_of, scope, text):
    assert markers(ptx_of(f"gw_trace.mark({scope})\n")) == [f"gwatch:mark {text}"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("gw_trace.scope_start(65536)", "scope id 65536 is out of range"),
        ("gw_trace.scope_start(-1)", "scope id -1 is out of range"),
        ("gw_trace.scope_start('70000')", "scope id 70000 is out of range"),
        ("gw_trace.scope_start('')", "a scope's name is empty"),
        ("gw_trace.scope_start(1.5)", "a scope is an int or a string, not float: 1.5"),
        ("gw_trace.scope_start(True)", "a scope is an int or a string, not bool: True"),
        ("gw_trace.scope_start()", "missing a required argument: 'scope'"),
        ("gw_trace.scope_start(1, 2, 3)", "too many positional arguments"),
        (
            "gw_trace.scope_start(tl.program_id(0))",
            "scope_start: `scope` is a run-time value of type int32",
        ),
        (
            "gw_trace.scope_switch(1, x)",
            "scope_switch: `starting` is a run-time value of type pointer<fp32>",
        ),
    ],
)
def test_wrong_arguments_are_compile_errors_at_their_line(ptx_of, body, message):
    with pytest.raises(CompilationError) as caught:
        ptx_of(f"tl.store(x, 1.0)\n{body}\n")
    assert message in str(caught.value)
    assert f"{body}\n" in str(caught.value)


def test_ids_out_of_constants(ptx_of):
    ptx = ptx_of(
        """
        gw_trace.mark(GLOBAL)
        gw_trace.mark(PARAMETER)
        gw_trace.mark(PARAMETER + 1)
        for i in tl.static_range(2):
            gw_trace.mark(i)
        """,
        before="GLOBAL = tl.constexpr('global')",
        constants={"PARAMETER": 41},
    )
    assert [m.split()[1] for m in markers(ptx)] == ["global", "41", "42", "0", "1"]


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("from gwatch.cuda.trace.triton import mark", "mark(5)"),
        ("import gwatch.cuda.trace.triton", "gwatch.cuda.trace.triton.mark(5)"),
        ("import gwatch.cuda.xtrace.triton as g", "g.mark(5)"),
        ("", "gw_trace.mark(scope=5)"),
    ],
)
def test_every_way_to_name_a_marker(ptx_of, before, call):
    assert markers(ptx_of(f"{call}\n", before=before)) == ["gwatch:mark 5"]


def test_source_line_in_force_at_the_comment_is_the_callers(ptx_of, tmp_path):
    before = """
        @triton.jit
        def helper(x):
            gw_trace.mark("in_helper")
            tl.store(x, 1.0)
    """
    ptx = ptx_of("helper(x)\ntl.store(x + 2, 1.0)\ngw_trace.mark('in_kernel')\n", before=before)
    lines = (tmp_path / "marked_kernel.py").read_text().replace('"', "'").splitlines()
    for name in ("in_helper", "in_kernel"):
        above = ptx[: ptx.index(f"// gwatch:mark {name}")]
        line = int(re.findall(r"\.loc\s+1 (\d+)", above)[-1])
        assert f"mark('{name}')" in lines[line - 1]


def test_marker_in_a_helper_that_is_used_twice_is_there_twice(ptx_of):
    ptx = ptx_of(
        "helper(x)\nhelper(x + 1)\n",
        before="""
            @triton.jit
            def helper(x):
                gw_trace.scope_start("twice")
                tl.store(x, 1.0)
                gw_trace.scope_end("twice")
        """,
    )
    assert markers(ptx) == ["gwatch:start twice", "gwatch:end twice"] * 2


def test_equal_markers_do_not_merge_nor_leave_their_loop(ptx_of):
    ptx = ptx_of("""
        for i in range(0, tl.program_id(0)):
            gw_trace.mark(1)
            gw_trace.mark(1)
            tl.atomic_add(x, 1.0)
        gw_trace.mark(1)
    """)
    atomics = [m.start() for m in re.finditer(r"\b(?:atom|red)\.", ptx)]
    in_loop = [m.start() for m in re.finditer("// gwatch:", ptx)][:-1]
    assert len(atomics) >= 1
    assert len(in_loop) == 2 * len(atomics)
    labels = [m.start() for m in re.finditer(r"(?m)^\$L__BB", ptx)]
    assert labels[0] < in_loop[0] < in_loop[1] < atomics[0]


def test_stores_stay_on_their_side(ptx_of):
    ptx = ptx_of("""
        tl.store(x, 1.0)
        gw_trace.mark("between")
        tl.store(x, 2.0)
    """)
    assert re.search(r"st\.global.*// gwatch:mark between.*st\.global", ptx, re.DOTALL)


INDUCTOR_COPY = """\
import triton
import triton.language as tl
@triton.jit
def kernel_0(x):
    scope_start(100)
    tl.store(x, 1.0)
    scope_end(100)
"""


def test_inductors_copy_of_a_kernel_has_its_markers(tmp_path):
    """Inductor writes a kernel's text, then that of each constexpr function, to a new module."""
    functions = [gw_trace.scope_start, gw_trace.scope_end]
    copied = "".join(f"\n@triton.constexpr_function\n{function.src}" for function in functions)
    kernel = load_module("inductor_copy", INDUCTOR_COPY + copied, tmp_path).kernel_0

    source = ASTSource(kernel, {"x": "*fp32"}, constexprs={})
    ptx = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]

    assert markers(ptx) == ["gwatch:start 100", "gwatch:end 100"]


def test_text_for_inductor_changes_with_what_is_emitted(monkeypatch):
    before = gw_trace.scope_start.src
    assert gw_trace.scope_start.src == before
    monkeypatch.setattr(gw_trace._markers, "ENABLED", not gw_trace._markers.ENABLED)
    assert gw_trace.scope_start.src != before


def test_outside_of_a_kernel_is_an_error():
    with pytest.raises(gw_trace.UsageError, match=r"outside of a @triton\.jit function"):
        gw_trace.scope_start(1)


# The disk cache


def test_same_markers_are_served_from_the_cache(ptx_of, tmp_path):
    first = ptx_of("gw_trace.mark(1)\n")
    entries = len(list((tmp_path / "cache").iterdir()))
    assert ptx_of("gw_trace.mark(1)\n") == first
    assert len(list((tmp_path / "cache").iterdir())) == entries


@pytest.mark.parametrize(
    "edit",
    [
        lambda asm: dataclasses.replace(
            asm, text=asm.text.replace("mov.u32 $0, 0", "mov.u32 $0, 3")
        ),
        lambda asm: dataclasses.replace(asm, text=asm.text.replace("// gwatch:", "// gwatch2:")),
    ],
)
def test_edited_helper_is_never_stale(ptx_of, monkeypatch, edit):
    original = gw_trace.inline_asm
    before = ptx_of("gw_trace.mark(1)\n")
    monkeypatch.setattr(gw_trace, "inline_asm", lambda *a, **k: edit(original(*a, **k)))
    after = ptx_of("gw_trace.mark(1)\n")
    assert after != before
    text = edit(original("mark", 1)).text
    assert text.splitlines()[0] in after
    assert re.search(text.splitlines()[1].replace("$0", r"%r\d+"), after)


def test_edited_encoding_is_never_stale(ptx_of, monkeypatch):
    before = ptx_of("gw_trace.mark('a b')\n")
    encode = gw_trace._markers.encode_scope
    monkeypatch.setattr(gw_trace._markers, "encode_scope", lambda s: encode(s).replace("%", "@"))
    assert markers(before) == ["gwatch:mark a%20b"]
    assert markers(ptx_of("gw_trace.mark('a b')\n")) == ["gwatch:mark a@20b"]


@pytest.mark.parametrize("attribute", ["constraints", "is_pure"])
def test_everything_handed_to_the_compiler_is_in_the_key(monkeypatch, attribute):
    original = gw_trace.inline_asm
    key = gw_trace.mark.cache_key
    changed = {"constraints": "=r", "is_pure": True}[attribute]
    monkeypatch.setattr(
        gw_trace,
        "inline_asm",
        lambda *a, **k: dataclasses.replace(original(*a, **k), **{attribute: changed}),
    )
    assert gw_trace.mark.cache_key != key


def test_verbs_have_keys_of_their_own():
    assert len({getattr(gw_trace, name).cache_key for name in gw_trace.__all__}) == 5


@pytest.mark.parametrize("value", ["2", "'two'"])
def test_edited_constants_are_never_stale(ptx_of, value):
    assert markers(ptx_of("gw_trace.mark(G)\n", before="G = tl.constexpr(1)")) == ["gwatch:mark 1"]
    after = markers(ptx_of("gw_trace.mark(G)\n", before=f"G = tl.constexpr({value})"))
    assert after == [f"gwatch:mark {value}".replace("'", "")]


@pytest.mark.parametrize(
    ("definition", "argument"),
    [
        ("LOAD = {}", "ids.LOAD"),
        ("LOAD = tl.constexpr({})", "ids.LOAD"),
        ("LOAD = {}", "scope=ids.LOAD"),
        ("LOAD = {}", "ids.LOAD + 5"),
        ("class Ids:\n    LOAD = {}", "ids.Ids.LOAD"),
        ("import enum\nclass Ids(enum.IntEnum):\n    LOAD = {}", "ids.Ids.LOAD"),
    ],
)
def test_edited_constants_of_a_module_are_never_stale(
    ptx_of, tmp_path, monkeypatch, definition, argument
):
    seen = []
    for value in (1, 2, 2):
        text = f"import triton.language as tl\n{definition.format(value)}\n"
        monkeypatch.setitem(sys.modules, "ids", load_module("ids", text, tmp_path))
        seen += markers(ptx_of(f"gw_trace.mark({argument})\n", before="import ids"))
    first = 6 if "+" in argument else 1
    assert seen == [f"gwatch:mark {first + step}" for step in (0, 1, 1)]


def test_edited_helper_of_the_user_is_never_stale(ptx_of):
    helper = "@triton.jit\ndef helper():\n    gw_trace.mark({})"
    assert markers(ptx_of("helper()\n", before=helper.format(1))) == ["gwatch:mark 1"]
    assert markers(ptx_of("helper()\n", before=helper.format(2))) == ["gwatch:mark 2"]


# Settings


SCRIPT = """
import sys
from pathlib import Path
import test_triton_markers as t
print(t.compile_body(Path(sys.argv[1]), "gw_trace.scope_start(1)\\ntl.store(x, 1.0)\\n"))
"""


def compile_in_a_process(folder, **environment):
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_markers_can_be_switched_off_with_the_same_cache(tmp_path):
    on = compile_in_a_process(tmp_path, GWATCH_MARKERS="1")
    off = compile_in_a_process(tmp_path, GWATCH_MARKERS="0")
    assert markers(on) == ["gwatch:start 1"]
    assert "gwatch" not in off
    assert markers(compile_in_a_process(tmp_path)) == ["gwatch:start 1"]


def test_switched_off_markers_leave_the_ptx_of_the_unmarked_kernel(tmp_path, ptx_of):
    def without_lines(ptx):
        code = re.sub(r"(?m)^\s*\.loc.*\n", "", ptx.partition(".section")[0])
        return re.sub(r"\$L__tmp\d+:\n|\s*//.*", "", code)

    off = compile_in_a_process(tmp_path, GWATCH_MARKERS="0")
    assert without_lines(off) == without_lines(ptx_of("tl.store(x, 1.0)\n"))


def test_interpreter_checks_and_skips_markers():
    script = HEADER + textwrap.dedent("""
        gw_trace.scope_start("a")
        gw_trace.mark(-1)
    """)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
    )
    assert "UsageError: scope id -1 is out of range" in done.stderr


@pytest.mark.parametrize("version", ["3.6.0", "3.6.1", "3.9.0", "3.9.0+git123"])
def test_tested_versions_do_not_warn(version, recwarn):
    _triton_version.warn_if_untested(version)
    assert not recwarn


def test_untested_version_warns_once(monkeypatch, recwarn):
    monkeypatch.setattr(_versions, "_warned", set())
    for _ in range(3):
        _triton_version.warn_if_untested("3.10.0")
    assert len(recwarn) == 1
    assert "tested with Triton 3.6 and 3.9, not with 3.10.0" in str(recwarn[0].message)


# What the instrumenter makes of them


def test_instrumenter_finds_each_marker_with_its_line(ptx_of, tmp_path):
    ptx = ptx_of(
        """
        gw_trace.scope_start(100)
        helper(x)

        gw_trace.scope_switch(100, "store it")
        tl.store(x, 2.0)
        gw_trace.scope_end("store it")
        """,
        before="""
        @triton.jit
        def helper(x):
            gw_trace.mark("in helper")
            tl.store(x + 1, 1.0)
        """,
    )
    lines = (tmp_path / "marked_kernel.py").read_text().splitlines()
    found = libpygwatch.instrument(ptx, "kernel", "<test>").markers
    assert [(m.verb, m.scope) for m in found] == [
        ("start", "100"),
        ("mark", "in helper"),
        ("switch", "100"),
        ("end", "store it"),
    ]
    calls = ["scope_start(100)", 'mark("in helper")', "scope_switch(100", "scope_end("]
    for marker, call in zip(found, calls, strict=True):
        assert marker.file.endswith("marked_kernel.py")
        assert call in lines[marker.line - 1]
