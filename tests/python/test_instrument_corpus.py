"""Every trap module of tests/data/ptx, marked, is instrumented and assembles, or is refused."""

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from gwatch import assemblers, libpygwatch
from gwatch.errors import GwatchError, InstrumentError, NoMarkersError

CORPUS = Path(__file__).parent.parent / "data" / "ptx"
MODULES = sorted(path.stem for path in CORPUS.glob("*.ptx"))
ASSEMBLE = [name for name in MODULES if not name.startswith("reject-") and name != "no-markers"]
REJECT = [name for name in MODULES if name.startswith("reject-")]

_SLOT = re.compile(rb"/\*GW_(BEGIN|END) (\d+)\*/")
_DECOY = re.compile(rb"GW_DECOY_(BEGIN|END) (\d+)")
_FLAGS = re.compile(r"\| ptxas ([^|]*) \|")


@pytest.fixture(scope="module")
def ptxas():
    found = assemblers.candidates([])
    if not found:
        pytest.skip("no ptxas here: pip install nvidia-cuda-nvcc")
    return found[0].path


CARRIERS = [
    (b"b32", b"s32", b"-7", "s32"),
    (b"b32", b"u32", b"%laneid", "u32"),
    (b"b32", b"f32", b"0f3F800000", "f32"),
    (b"b64", b"s64", b"0", "s64"),
    (b"b64", b"u64", b"%clock64", "u64"),
    (b"b64", b"f64", b"0d3FF0000000000000", "f64"),
    (b"b64", b"b64", b"0x123456789abcdef", "bits"),
]
"""Type of the carrier's register and of its mov, what it moves, and the kind of the value."""


def marked(name: str, *, payloads: bool = False) -> bytes:
    """The module with real markers in the slots and in the decoys; starts may have a value."""
    text = (CORPUS / f"{name}.ptx").read_bytes()
    carriers = itertools.cycle(CARRIERS)

    def slot(match: re.Match[bytes]) -> bytes:
        register, kind, value = b"b32", b"u32", b"0"
        if payloads and match[1] == b"BEGIN":
            register, kind, value, _ = next(carriers)
        carrier = b"mov." + kind + b" carrier, " + value
        return (
            b"\n{ .reg ." + register + b" carrier;\n" + _comment(match) + b"\n" + carrier + b"; }\n"
        )

    return _DECOY.sub(_comment, _SLOT.sub(slot, text))


def _comment(match: re.Match[bytes]) -> bytes:
    verb = b"start" if match[1] == b"BEGIN" else b"end"
    return b"// gwatch:" + verb + b" " + match[2]


def flags(name: str) -> list[str]:
    first = (CORPUS / f"{name}.ptx").read_bytes().splitlines()[0].decode("latin-1")
    found = _FLAGS.search(first)
    return found[1].split() if found else ["-arch=sm_90a"]


def assemble(ptxas: str, text: bytes, name: str, folder: Path) -> tuple[int, str]:
    source = folder / "module.ptx"
    source.write_bytes(text)
    command = [ptxas, *flags(name), "-v", str(source), "-o", str(folder / "module.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def remarks(log: str) -> set[str]:
    return set(re.findall(r"\bC7\d{3}\b", log))


def test_the_corpus_is_whole():
    assert len(MODULES) == 55
    assert len(ASSEMBLE) == 42
    assert len(REJECT) == 12


@pytest.mark.parametrize("name", ASSEMBLE)
def test_instrumented_modules_assemble(name, ptxas, tmp_path):
    text = marked(name)
    code, plain_log = assemble(ptxas, text, name, tmp_path)
    assert code == 0, plain_log
    instrumented = libpygwatch.instrument_matching(text, "", name)
    code, log = assemble(ptxas, instrumented.ptx, name, tmp_path)
    assert code == 0, log
    assert remarks(log) <= remarks(plain_log)


@pytest.mark.parametrize("name", ASSEMBLE)
def test_instrumented_modules_with_values_assemble(name, ptxas, tmp_path):
    text = marked(name, payloads=True)
    code, plain_log = assemble(ptxas, text, name, tmp_path)
    assert code == 0, plain_log
    instrumented = libpygwatch.instrument_matching(text, "", name)
    kinds = [marker.payload for marker in instrumented.markers if marker.verb == "start"]
    expected = [carrier[3] for carrier, _ in zip(itertools.cycle(CARRIERS), kinds, strict=False)]
    assert sorted(kinds) == sorted(expected)
    assert not any(marker.payload for marker in instrumented.markers if marker.verb == "end")
    code, log = assemble(ptxas, instrumented.ptx, name, tmp_path)
    assert code == 0, log
    assert remarks(log) <= remarks(plain_log)


VALUES = """
.version 8.8
.target {target}
.address_size 64
.func helper(.param .b64 value)
{{
    .reg .b64 %rd<3>, $_pool;
    .reg .f64 %fd<2>;
    ld.param.b64 %rd1, [value];
    // gwatch:start inside
    mov.b64 %rd2, %rd1;
    mov.b64 %fd1, %rd1;
    // gwatch:mark float
    mov.f64 $_pool, %fd1;
    ret;
}}
.visible .entry k(.param .u64 p)
{{
    .reg .pred %p<3>, %_fits;
    .reg .b32 %r<9>, %_a;
    .reg .f32 %f<3>;
    .reg .u32 %u<3>;
    .reg .s64 %sd<3>;
    .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    cvt.s64.s32 %sd1, %r1;
    ld.param.u64 %rd1, [p];
    // gwatch:mark f
    mov.f32 %r2, %f1;
    setp.lt.u32 %p1, %r1, 7;
    mov.b32 %_a, %r1;
    setp.lt.u32 %_fits, %r1, 3;
    @%p1 bra PART;
    // gwatch:start s
    mov.s64 %rd2, %sd1;
PART:
    // gwatch:mark a
    @%_fits mov.s32 %u1, %_a;
    // gwatch:mark p
    mov.b64 %rd3, {{%r1, %r2}};
    {{
    .param .b64 value;
    st.param.b64 [value], %rd1;
    call helper, (value);
    }}
    ret;
}}
"""


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100a"])
def test_values_of_every_type_and_placement_assemble(target, ptxas, tmp_path):
    text = VALUES.format(target=target).encode()
    for prove in (True, False):
        instrumented = libpygwatch.instrument(text, "k", prove=prove)
        kinds = {marker.scope: marker.payload for marker in instrumented.markers}
        assert kinds == {
            "inside": "bits",
            "float": "f64",
            "f": "f32",
            "s": "s64",
            "a": "s32",
            "p": "bits",
        }
        source = tmp_path / "module.ptx"
        source.write_bytes(instrumented.ptx)
        command = [ptxas, f"-arch={target}", str(source), "-o", str(tmp_path / "module.cubin")]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ASSEMBLE)
def test_all_slots_and_no_decoy_are_markers(name):
    slots = _SLOT.findall((CORPUS / f"{name}.ptx").read_bytes())
    markers = libpygwatch.list_markers(marked(name), "", name)
    expected = [("start" if kind == b"BEGIN" else "end", scope.decode()) for kind, scope in slots]
    assert [(marker.verb, marker.scope) for marker in markers] == expected
    assert all(marker.site > 0 for marker in markers)


@pytest.mark.parametrize("name", ASSEMBLE)
def test_nothing_of_the_module_is_changed(name):
    text = marked(name)
    rest = iter(libpygwatch.instrument_matching(text, "", name).ptx)
    assert all(byte in rest for byte in text), "the text is not a part of the instrumented one"


@pytest.mark.parametrize("name", ASSEMBLE)
def test_one_entry_alone_keeps_the_others(name):
    text = marked(name)
    markers = libpygwatch.list_markers(text, "", name)
    entries = [
        e for e in libpygwatch.ptx_facts(text).entries if any(m.function == e for m in markers)
    ]
    for entry in entries:
        instrumented = libpygwatch.instrument(text, entry, name)
        assert {m.function for m in instrumented.markers if m.in_entry} == {entry}
        assert instrumented.ptx.count(b"mov.u64 %gwatch_enter_timer, %globaltimer;") == 1


@pytest.mark.parametrize("name", ASSEMBLE)
def test_an_instrumented_module_is_refused(name):
    once = libpygwatch.instrument_matching(marked(name), "", name).ptx
    with pytest.raises(InstrumentError, match="instrumented already"):
        libpygwatch.instrument_matching(once, "", name)


def test_without_markers_there_is_nothing_to_record():
    with pytest.raises(NoMarkersError, match="no marker in k"):
        libpygwatch.instrument(marked("no-markers"), "k")


@pytest.mark.parametrize("name", REJECT)
def test_a_module_that_is_wrong_is_refused_somewhere(name, ptxas, tmp_path):
    try:
        text = libpygwatch.instrument_matching(marked(name), "", name).ptx
    except GwatchError:
        return
    code, log = assemble(ptxas, text, name, tmp_path)
    assert code != 0
    assert "error" in log or "fatal" in log


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("reject-address-size-32", "32-bit addresses"),
        ("reject-double-semicolon", "got ';'"),
        ("reject-stray-brace", "got '}'"),
        ("reject-not-ptx", "an ELF image"),
    ],
)
def test_what_we_refuse_ourselves(name, reason):
    with pytest.raises(GwatchError, match=re.escape(reason)):
        libpygwatch.instrument_matching(marked(name), "", name)


def test_a_function_that_two_kernels_share_is_reached_from_each():
    text = marked("marker-in-func-two-callers")
    for entry in ("k1", "k2"):
        instrumented = libpygwatch.instrument(text, entry)
        assert instrumented.uses_lane_cursors
        assert [m.function for m in instrumented.markers] == ["helper", "helper", entry, entry]
        assert {m.placement for m in instrumented.markers} == {"function", "proven"}


def test_wgmma_is_not_serialised(ptxas, tmp_path):
    instrumented = libpygwatch.instrument(marked("wgmma-pipeline"), "k").ptx
    code, log = assemble(ptxas, instrumented, "wgmma-pipeline", tmp_path)
    assert code == 0
    assert "wgmma" not in log
    first, mma, rest = instrumented.rpartition(b"\twgmma.mma_async")
    reading = first + b"\tst.global.f32 [%rd1], %f0;\n" + mma + rest
    code, log = assemble(ptxas, reading, "wgmma-pipeline", tmp_path)
    assert code == 0
    assert "wgmma" in log
    assert remarks(log), "reading an accumulator there draws a remark: such remarks are seen"
