"""CuTe DSL markers: what they emit, what they refuse, and that they can be switched off."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cutlass")

from kernels import cute_offline

import gwatch.cuda.trace.cute as gw_trace
import gwatch.cuda.xtrace.cute as second_name
from gwatch import libpygwatch
from gwatch.errors import UsageError

ARCHS = ["sm_80", "sm_90a", "sm_100a"]
KERNEL = re.compile(r"\.entry\s+([\w$]+)")


@pytest.fixture
def ptx_of(tmp_path):
    """Compiles a kernel body; `before` stands in the module, in front of the kernel."""
    return lambda body, **settings: cute_offline.compile_body(tmp_path, body, **settings).__ptx__


def markers(ptx):
    return re.findall(r"// (gwatch:.*)", ptx)


EVERY_VERB = """
    gw_trace.scope_start(100)
    x[0] = 1.0
    gw_trace.scope_switch(100, "store")
    gw_trace.mark("here")
    x[1] = 2.0
    gw_trace.scope_end("store")
"""


@pytest.mark.parametrize("arch", ARCHS)
def test_every_verb(ptx_of, arch):
    assert markers(ptx_of(EVERY_VERB, arch=arch)) == [
        "gwatch:start 100",
        "gwatch:switch 100 store",
        "gwatch:mark here",
        "gwatch:end store",
    ]


def test_carrier_follows_its_comment_at_once(ptx_of):
    assert re.search(r"// gwatch:mark 7\n\s*mov\.u32 %r\d+, 0;\n", ptx_of("gw_trace.mark(7)\n"))


def test_second_name_is_the_same_thing():
    for name in second_name.__all__:
        assert getattr(second_name, name) is getattr(gw_trace, name)
    assert second_name.__all__ == gw_trace.__all__


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ("0", "0"),
        ("65535", "65535"),
        ("'0012'", "12"),
        ("'a.b:c/d-e'", "a.b:c/d-e"),
        ("'two words'", "two%20words"),
        ("'$0 {a|b}'", "%240%20%7Ba%7Cb%7D"),
        ("'größe'", "gr%C3%B6%C3%9Fe"),
        ("cutlass.Int32(7)", "7"),
    ],
)
def test_ids_and_names(ptx_of, scope, text):
    assert markers(ptx_of(f"gw_trace.mark({scope})\n")) == [f"gwatch:mark {text}"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("gw_trace.scope_start(65536)", "scope id 65536 is out of range"),
        ("gw_trace.scope_start(-1)", "scope id -1 is out of range"),
        ("gw_trace.scope_start('')", "a scope's name is empty"),
        ("gw_trace.scope_start(1.5)", "a scope is an int or a string, not float: 1.5"),
        ("gw_trace.scope_start(True)", "a scope is an int or a string, not bool: True"),
        ("gw_trace.scope_start(n)", "scope_start: `scope` is a run-time value of type Int32"),
        (
            "gw_trace.scope_switch(1, cute.arch.thread_idx()[0])",
            "scope_switch: `starting` is a run-time value of type Int32",
        ),
        (
            "for i in cutlass.range(n):\n    gw_trace.mark(i)",
            "mark: `scope` is a run-time value of type Int32",
        ),
    ],
)
def test_wrong_arguments_are_compile_errors(ptx_of, body, message):
    with pytest.raises(UsageError) as caught:
        ptx_of(f"x[0] = 1.0\n{body}\n")
    assert message in str(caught.value)


def test_ids_out_of_constants(ptx_of):
    ptx = ptx_of(
        """
        gw_trace.mark(GLOBAL)
        gw_trace.mark(PARAMETER)
        gw_trace.mark(PARAMETER + 1)
        for i in cutlass.range_constexpr(2):
            gw_trace.mark(i)
        """,
        before="GLOBAL = 'global'",
        constants={"PARAMETER": 41},
    )
    assert [m.split()[1] for m in markers(ptx)] == ["global", "41", "42", "0", "1"]


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("from gwatch.cuda.trace.cute import mark", "mark(5)"),
        ("import gwatch.cuda.trace.cute", "gwatch.cuda.trace.cute.mark(5)"),
        ("import gwatch.cuda.xtrace.cute as g", "g.mark(5)"),
        ("", "gw_trace.mark(scope=5)"),
    ],
)
def test_every_way_to_name_a_marker(ptx_of, before, call):
    assert markers(ptx_of(f"{call}\n", before=before)) == ["gwatch:mark 5"]


HELPER = """
    @cute.jit
    def helper(x: cute.Tensor):
        gw_trace.mark("in_helper")
        x[3] = 1.0
"""


def test_source_line_is_the_callers(ptx_of, tmp_path):
    ptx = ptx_of(
        "helper(x)\nx[2] = 1.0\ngw_trace.mark('in_kernel')\n",
        before=HELPER,
        options="--generate-line-info",
    )
    lines = (tmp_path / "marked_cute_kernel.py").read_text().replace('"', "'").splitlines()
    found = {m.scope: m for m in libpygwatch.instrument(ptx, kernel_of(ptx), "<test>").markers}
    assert set(found) == {"in_helper", "in_kernel"}
    for name, marker in found.items():
        assert Path(marker.file).name == "marked_cute_kernel.py"
        assert f"mark('{name}')" in lines[marker.line - 1]


def kernel_of(ptx):
    (name,) = KERNEL.findall(ptx)
    return name


def test_marker_in_a_helper_that_is_used_twice_is_there_twice(ptx_of):
    assert markers(ptx_of("helper(x)\nhelper(x)\n", before=HELPER)) == ["gwatch:mark in_helper"] * 2


def test_stores_stay_on_their_side(ptx_of):
    ptx = ptx_of("x[0] = 1.0\ngw_trace.mark('between')\nx[0] = 2.0\n")
    assert re.search(r"st\.global.*// gwatch:mark between.*st\.global", ptx, re.DOTALL)


def test_equal_markers_do_not_merge_nor_leave_their_loop(ptx_of):
    ptx = ptx_of("""
        for i in cutlass.range(n, unroll=1):
            gw_trace.mark(1)
            gw_trace.mark(1)
            x[i] = x[i] + 1.0
        gw_trace.mark(1)
    """)
    loads = [m.start() for m in re.finditer(r"ld\.global", ptx)]
    found = [m.start() for m in re.finditer("// gwatch:", ptx)]
    assert len(loads) == 1
    assert len(found) == 3
    label = re.search(r"(?m)^\$L__BB", ptx).start()
    assert label < found[0] < found[1] < loads[0] < found[2]


def test_outside_of_a_kernel_is_an_error():
    with pytest.raises(UsageError, match=r"outside of a @cute\.kernel function"):
        gw_trace.scope_start(1)


def test_in_a_host_function_is_an_error(tmp_path):
    text = f"{cute_offline.HEADER}\n@cute.jit\ndef host(n: cutlass.Int32):\n    gw_trace.mark(1)\n"
    host = cute_offline.load_module("marked_host", text, tmp_path).host
    with pytest.raises(UsageError, match=r"outside of a @cute\.kernel function"):
        cute_offline.compile_host(host, tmp_path, 3)


# In processes of their own


SCRIPT = """
import sys
from pathlib import Path
import test_cute_markers as t
settings = dict(options="--generate-line-info")
if len(sys.argv) > 2: settings = {}
print(t.cute_offline.compile_body(Path(sys.argv[1]), t.EVERY_VERB, **settings).__ptx__)
"""


def run_script(script, *arguments, **environment):
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_switched_off_markers_leave_the_ptx_of_the_unmarked_kernel(tmp_path, ptx_of):
    off = run_script(SCRIPT, tmp_path, "plain", GWATCH_MARKERS="0")
    unmarked = ptx_of(re.sub(r".*gw_trace.*\n", "", EVERY_VERB))
    assert off == unmarked + "\n"
    assert "gwatch" not in run_script(SCRIPT, tmp_path, GWATCH_MARKERS="0")
    assert len(markers(run_script(SCRIPT, tmp_path))) == 4


IMPORT_ORDER = """
import sys
from pathlib import Path
{first}
{second}
import cutlass.cute as cute
from kernels import cute_offline
print(cute_offline.compile_body(Path(sys.argv[1]), "gw_trace.mark(1)").__ptx__)
"""


@pytest.mark.parametrize("cutlass_first", [True, False])
def test_any_import_order(tmp_path, cutlass_first):
    both = ["import gwatch.cuda.trace.cute as gw_trace", "import cutlass"]
    first, second = reversed(both) if cutlass_first else both
    script = IMPORT_ORDER.format(first=first, second=second)
    assert markers(run_script(script, tmp_path)) == ["gwatch:mark 1"]


def test_neither_gwatch_nor_its_markers_import_the_dsl():
    run_script(
        "import gwatch, gwatch.cuda.trace.cute, sys\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] == 'cutlass']\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] == 'cuda']\n"
    )
