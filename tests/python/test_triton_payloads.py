"""Values that Triton's markers carry, and scope() as a context manager."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

triton = pytest.importorskip("triton")

from kernels import matmul  # noqa: E402
from kernels.offline import (  # noqa: E402
    HEADER,
    compile_body,
    compile_kernel,
    load_module,
    without_markers,
)
from kernels.sass import find_nvdisasm, opcode_histogram  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.compiler.errors import CompilationError, UnsupportedLanguageConstruct  # noqa: E402

import gwatch.cuda.trace.triton as gw_trace  # noqa: E402
from gwatch import assemblers, libpygwatch  # noqa: E402
from gwatch.errors import UsageError  # noqa: E402

SIGNATURE = {"n": "i32", "h": "*fp16", "u": "u32", "l": "i64", "d": "fp64"}


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


@pytest.fixture
def ptx_of(tmp_path):
    """Compiles a kernel body over the parameters of SIGNATURE."""
    return lambda body, **settings: compile_body(tmp_path, body, signature=SIGNATURE, **settings)


def carriers(ptx):
    """Scope and carrier's type of each marker with a value, "" without one."""
    pattern = (
        r"// gwatch:\w+ (\S+)[^\n]*\n(?:\s*\.loc[^\n]*\n)?\s*mov\.(?:u32 %\w+, 0;|(\w+) %\w+, %)"
    )
    found = re.findall(pattern, ptx)
    assert len(found) == ptx.count("// gwatch:"), ptx
    return found


KINDS = [
    ("n", "s32"),
    ("n.to(tl.int8)", "s32"),
    ("n.to(tl.int16)", "s32"),
    ("n.to(tl.uint8)", "u32"),
    ("u", "u32"),
    ("n > 5", "u32"),
    ("l", "s64"),
    ("l.to(tl.uint64)", "u64"),
    ("tl.load(h)", "f32"),
    ("tl.load(x).to(tl.bfloat16)", "f32"),
    ("tl.load(x).to(tl.float8e5)", "f32"),
    ("tl.load(x)", "f32"),
    ("d", "f64"),
    ("x", "b64"),
    ("x + n", "b64"),
    ("tl.sum(tl.arange(0, 64), axis=0)", "s32"),
    ("tl.max(tl.load(x + tl.arange(0, 64)), axis=0)", "f32"),
    ("tl.program_id(0)", "s32"),
    ("0", "s32"),
    ("-(2**31)", "s32"),
    ("2**31", "u32"),
    ("2**32", "s64"),
    ("-(2**31) - 1", "s64"),
    ("2**63", "u64"),
    ("True", "u32"),
    ("2.5", "f32"),
    ("1e300", "f64"),
    ("float('inf')", "f32"),
    ("CONSTANT", "s32"),
    ("CONSTANT + 1", "s32"),
    ("None", ""),
    ("ABSENT", ""),
]


def test_kind_of_every_value(ptx_of):
    body = "".join(f"gw_trace.mark({i}, {value})\n" for i, (value, _) in enumerate(KINDS))
    before = "CONSTANT = tl.constexpr(7)\nABSENT = tl.constexpr(None)"

    ptx = ptx_of(body, before=before)

    assert carriers(ptx) == [(str(i), kind) for i, (_, kind) in enumerate(KINDS)]


# What each mark of this reads: a register that was widened as its type says.
WIDENED = """
gw_trace.mark(1, n.to(tl.int8))
gw_trace.mark(2, n.to(tl.uint8))
gw_trace.mark(3, tl.load(h))
gw_trace.mark(4, n > 5)
gw_trace.mark(5, -(2**40))
gw_trace.mark(6, 2.5)
gw_trace.mark(7, True)
"""


def test_narrow_values_are_widened_and_constants_are_exact(ptx_of):
    ptx = ptx_of(WIDENED)

    found = dict(re.findall(r"gwatch:mark (\d).*\n.*\n?\s*mov\.\w+ %\w+, (%\w+);", ptx))
    made = {
        mark: re.search(rf"(\S+)\s+{re.escape(name)}, ([^;]*);", ptx)
        for mark, name in found.items()
    }
    assert made["1"][1] == "cvt.s32.s8"
    assert made["2"][1] == "and.b32"
    assert made["3"][1] == "cvt.f32.f16"
    assert made["4"][1] == "selp.b32"
    assert made["4"][2].startswith("1, 0,")
    assert made["5"][2] == str(-(2**40))
    assert int(made["6"][2], 0) == 0x40200000
    assert made["7"][2] == "1"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("tl.arange(0, 64)", "mark: `value` is a block of type <['64'], int32>"),
        ("tl.load(x + tl.arange(0, 64))", "reduce it first"),
        ("'text'", "a value of type str cannot be recorded"),
        ("2**64", "has more than 64 bits"),
        ("tl.int32", "a value of type dtype cannot be recorded"),
    ],
)
def test_values_that_are_refused(ptx_of, value, message):
    with pytest.raises(CompilationError) as caught:
        ptx_of(f"gw_trace.mark(1, {value})\n")
    assert message in str(caught.value)


SCOPES = """
with gw_trace.scope("outer", n):
    with gw_trace.scope(7):
        tl.store(x + n, 1.0)
    value = tl.load(x)
    for turn in range(n):
        with gw_trace.scope("turn", turn):
            value += tl.load(x + turn)
            if turn > 3:
                with gw_trace.scope("rare"):
                    tl.atomic_add(x, 1.0)
    tl.store(x, value)
"""


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_scope_is_a_start_and_an_end(ptx_of, capability, tmp_path):
    ptx = ptx_of(SCOPES, capability=capability)
    found = libpygwatch.list_markers(ptx, "kernel")

    verbs = {(marker.verb, marker.scope, marker.payload) for marker in found}
    assert verbs == {
        ("start", "outer", "s32"),
        ("start", "7", ""),
        ("start", "turn", "s32"),
        ("start", "rare", ""),
        *(("end", scope, "") for scope in ("outer", "7", "turn", "rare")),
    }
    lines = (tmp_path / "marked_kernel.py").read_text().splitlines()
    for marker in found:
        # Triton 3.6 gives what ends a `with` the line of its last statement.
        assert marker.verb == "end" or "with gw_trace.scope(" in lines[marker.line - 1]
    assert [(marker.verb, marker.scope) for marker in found[:3]] == [
        ("start", "outer"), ("start", "7"), ("end", "7")
    ]  # fmt: skip
    assert (found[-1].verb, found[-1].scope) == ("end", "outer")


def test_several_scopes_of_one_statement_end_in_reverse(ptx_of):
    ptx = ptx_of("with gw_trace.scope('a', n), gw_trace.scope('b'):\n    tl.store(x, 1.0)\n")

    assert re.findall(r"// gwatch:(\w+ \w+)", ptx) == ["start a", "start b", "end b", "end a"]


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_instrumented_and_assembled(ptx_of, capability):
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc")
    body = "".join(f"gw_trace.mark({i}, {value})\n" for i, (value, _) in enumerate(KINDS))
    before = "CONSTANT = tl.constexpr(7)\nABSENT = tl.constexpr(None)"
    ptx = ptx_of(
        body.replace("tl.float8e5", "tl.float16") + SCOPES, before=before, capability=capability
    )

    made = libpygwatch.instrument(ptx, "kernel", "payloads", (128, 1, 1))
    assert {marker.payload for marker in made.markers} == {
        "", "s32", "u32", "f32", "s64", "u64", "f64", "bits"
    }  # fmt: skip
    assert libpygwatch.assemble(made.ptx, "kernel", found).cubin
    plain = libpygwatch.instrument(ptx, "kernel", "payloads", (0, 0, 0), prove=False)
    assert libpygwatch.assemble(plain.ptx, "kernel", found).cubin


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("with gw_trace.scope('a'):\n    return", UnsupportedLanguageConstruct, "return"),
        ("gw_trace.scope('a')", CompilationError, "scope() was called without `with`"),
        ("with gw_trace.scope(n):\n    pass", CompilationError, "`scope` is a run-time value"),
        ("with gw_trace.scope():\n    pass", CompilationError, "missing a required argument"),
        (
            "with gw_trace.scope(1, tl.arange(0, 64)):\n    pass",
            CompilationError,
            "reduce it first",
        ),
    ],
)
def test_wrong_scopes(ptx_of, body, error, message):
    with pytest.raises(error) as caught:
        ptx_of(f"{body}\n")
    assert message in str(caught.value)


# A marker's values do not change the code of a kernel that is not traced


@pytest.fixture
def valued_matmul(tmp_path):
    """The matrix product, with values in its loop that it computes anyway."""
    text = Path(matmul.__file__).read_text()
    for before, after in (
        ("for _ in", "for turn in"),
        ("scope_start(1)", "scope_start(1, turn)"),
        ('scope_start("dot")', 'scope_start("dot", a)'),
        ("    sums = tl.zeros", '    gw_trace.mark("tile", tile)\n    sums = tl.zeros'),
    ):
        assert before in text
        text = text.replace(before, after)
    return load_module("valued_matmul", text, tmp_path)


@pytest.mark.skipif(not find_nvdisasm(), reason="nvdisasm is not installed")
@pytest.mark.parametrize("capability", [80, 90, 100])
def test_values_leave_the_instruction_mix(valued_matmul, capability, tmp_path):
    if triton.__version__[:3] == "3.6" and capability == 100:
        pytest.skip("this Triton cannot compile inline assembly in this loop")
    marked = compile_kernel(valued_matmul, capability)
    unmarked = compile_kernel(without_markers(valued_matmul, tmp_path), capability)

    assert {kind for _, kind in carriers(marked.asm["ptx"])} == {"", "s32", "b64"}
    before, after = (opcode_histogram(one.asm["cubin"], tmp_path) for one in (unmarked, marked))
    if capability == 100:  # LLVM counts the loop's turns otherwise when a marker reads the counter
        before, after = without_addresses(before), without_addresses(after)
    assert after == before
    assert sum(before.values()) > 100


def without_addresses(mix):
    """A mix without the integer arithmetic that addresses are made of."""
    return {op: n for op, n in mix.items() if not re.match("IMAD|IADD|LEA|SHF|UMOV|NOP", op)}


SCRIPT = """
import sys
from pathlib import Path
import test_triton_payloads as t
body = "v = tl.load(x)\\ngw_trace.mark(1, tl.load(h) * 3)\\nwith gw_trace.scope(2, n * 7):\\n"
print(t.compile_body(Path(sys.argv[1]), body + "    tl.store(x, v)\\n", signature=t.SIGNATURE))
"""


def test_switched_off_markers_compute_nothing(tmp_path, ptx_of):
    off = run_script(SCRIPT, tmp_path, GWATCH_MARKERS="0")
    plain = ptx_of("v = tl.load(x)\ntl.store(x, v)\n")

    def code(ptx):
        text = re.sub(r"(?m)^\s*\.loc.*\n", "", ptx.partition(".section")[0])
        return re.sub(r"\$L__tmp\d+:\n|\s*//.*", "", text)

    assert code(off).strip() == code(plain).strip()
    assert len(carriers(run_script(SCRIPT, tmp_path))) == 3


def run_script(script, *arguments, **environment):
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Caches, copies, the interpreter


def test_edited_carrier_is_never_stale(ptx_of, monkeypatch):
    body = "gw_trace.mark(1, n)\nwith gw_trace.scope(2, n):\n    tl.store(x, 1.0)\n"
    before = ptx_of(body)
    carrier = gw_trace._markers.carrier
    monkeypatch.setattr(
        gw_trace._markers, "carrier", lambda *a: carrier(*a).replace("mov.s32", "mov.b32")
    )
    after = ptx_of(body)

    assert [kind for _, kind in carriers(before)] == ["s32", "s32", ""]
    assert [kind for _, kind in carriers(after)] == ["b32", "b32", ""]


def test_scope_has_the_key_of_what_it_emits(monkeypatch):
    key = gw_trace.scope.cache_key
    comment = gw_trace._markers.comment
    assert key != gw_trace.scope_start.cache_key
    monkeypatch.setattr(
        gw_trace._markers, "comment", lambda verb, *s: comment("end", *s) if verb == "end" else "//"
    )
    assert gw_trace.scope.cache_key != key


@pytest.mark.parametrize("definition", ["VALUE = {}", "VALUE = {}.5", "VALUE = tl.constexpr({})"])
def test_edited_values_of_a_module_are_never_stale(ptx_of, tmp_path, monkeypatch, definition):
    seen = []
    for value in (1, 2):
        text = f"import triton.language as tl\n{definition.format(value)}\n"
        monkeypatch.setitem(sys.modules, "values", load_module("values", text, tmp_path))
        ptx = ptx_of("gw_trace.mark(1, values.VALUE)\n", before="import values")
        register = re.search(r"mov\.\w+ %\w+, (%\w+);", ptx)[1]
        seen.append(re.search(rf"mov\.b32\s+{register}, (\w+);", ptx)[1])
    assert len(set(seen)) == 2


INDUCTOR_COPY = """\
import triton
import triton.language as tl
@triton.jit
def kernel_0(x, n):
    mark("n", n)
    with scope(100, x):
        tl.store(x, 1.0)
"""


def test_inductors_copy_has_its_values(tmp_path):
    functions = [gw_trace.mark, gw_trace.scope]
    copied = "".join(f"\n@triton.constexpr_function\n{function.src}" for function in functions)
    kernel = load_module("inductor_copy", INDUCTOR_COPY + copied, tmp_path).kernel_0

    source = ASTSource(kernel, {"x": "*fp32", "n": "i32"}, constexprs={})
    ptx = triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]

    assert carriers(ptx) == [("n", "s32"), ("100", "b64"), ("100", "")]


INTERPRETED = """
gw_trace.mark("a", 5)
with gw_trace.scope("b", 2.5):
    gw_trace.scope_start(7, True)
    gw_trace.scope_end(7)
print("passed")
gw_trace.mark("a", {value})
"""


@pytest.mark.parametrize(
    ("value", "message"),
    [("2**64", "has more than 64 bits"), ("'text'", "a value of type str cannot be recorded")],
)
def test_interpreter_checks_and_skips_values(value, message):
    script = HEADER + textwrap.dedent(INTERPRETED.format(value=value))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "passed\n"
    assert message in done.stderr


def test_scope_outside_of_a_kernel_is_an_error():
    with pytest.raises(UsageError, match=r"outside of a @triton\.jit function"):
        gw_trace.scope(1)
