"""Where the PTX of a Triton kernel is found: load hook, live kernels, disk cache."""

import gc
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

triton = pytest.importorskip("triton")

from kernels import attention, matmul  # noqa: E402
from kernels.offline import compile_kernel, load_module  # noqa: E402

from gwatch import assemblers, libpygwatch, sources  # noqa: E402
from gwatch.errors import SourceError, UsageError  # noqa: E402
from gwatch.sources import triton as triton_source  # noqa: E402

SMALL = """\
import triton
import triton.language as tl

SIGNATURE = {"x": "*fp32", "value": "constexpr"}
CONSTANTS = {"value": 1}
ALIGNED = ()
OPTIONS = {}


@triton.jit
def kernel(x, value: tl.constexpr):
    y = tl.load(x)
    tl.store(x, y * y + value)
"""


@pytest.fixture(autouse=True)
def private_state(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    monkeypatch.setattr(triton_source, "_loaded_files", {})


@pytest.fixture
def small(tmp_path):
    return load_module("small", SMALL, tmp_path)


def launch(kernel="kernel", function=0, resolved_function=0, image=b"", compute_capability=90):
    return SimpleNamespace(
        kernel=kernel,
        function=function,
        resolved_function=resolved_function,
        image=image,
        compute_capability=compute_capability,
    )


def find(**what):
    return sources.find_ptx(sources.sources_for("triton"), launch(**what))


def reason(**what):
    with pytest.raises(SourceError) as caught:
        find(**what)
    return str(caught.value)


def load(compiled, handle):
    """What Triton does when the driver has loaded a kernel."""
    compiled.function = handle
    triton.knobs.runtime.kernel_load_end_hook(
        None, handle, compiled.name, compiled.metadata_group, compiled.hash
    )


# Live kernels


def test_live_kernel_is_found_by_its_handle(small):
    other = compile_kernel(small, 80)
    compiled = compile_kernel(small, 90)
    other.function, compiled.function = 0x10, 0x20
    found = find(function=0x20)
    assert found.ptx == compiled.asm["ptx"]
    assert found.cubin == compiled.asm["cubin"]
    assert found.dsl == "triton"
    assert found.where.startswith(f"triton {triton.__version__}: compiled kernel object (cache /")
    assert found.where.endswith("/kernel.ptx)")


def test_resolved_handle_counts_too(small):
    compiled = compile_kernel(small, 90)
    compiled.function = 0x20
    assert find(function=0x999, resolved_function=0x20).ptx == compiled.asm["ptx"]


def test_live_kernel_of_another_name_is_not_it(small):
    compiled = compile_kernel(small, 90)
    compiled.function = 0x20
    assert "no compiled kernel in memory has its handle" in reason(kernel="other", function=0x20)


def test_kernel_that_is_not_loaded_never_matches(small):
    compiled = compile_kernel(small, 90)
    assert compiled.function is None
    found = find(function=0)
    assert "compiled kernel object" not in found.where


# The load hook


def test_hook_tells_of_loaded_kernels(small, monkeypatch):
    sources.sources_for("triton")
    compiled = compile_kernel(small, 90)
    load(compiled, 0x30)
    monkeypatch.setattr(gc, "get_objects", lambda: pytest.fail("the hook's note was enough"))
    found = find(function=0x30)
    assert found.ptx == compiled.asm["ptx"]
    assert found.cubin == compiled.asm["cubin"]
    assert "kernel seen when it was loaded" in found.where


def test_handle_used_again_is_the_newest_kernel(small):
    sources.sources_for("triton")
    first, second = compile_kernel(small, 90), compile_kernel(small, 90, num_warps=8)
    load(first, 0x30)
    first.function = None
    load(second, 0x30)
    assert find(function=0x30).ptx == second.asm["ptx"]


def test_note_of_a_handle_that_went_to_another_kernel_is_not_believed(small):
    sources.sources_for("triton")
    compiled = compile_kernel(small, 90)
    load(compiled, 0x30)
    compiled.function = None
    assert "has no kernel of this name" in reason(kernel="other", function=0x30)


def test_vanished_cache_leaves_the_live_kernel(small, tmp_path):
    sources.sources_for("triton")
    compiled = compile_kernel(small, 90)
    load(compiled, 0x30)
    for file in (tmp_path / "cache").rglob("kernel.*"):
        file.unlink()
    assert find(function=0x30).ptx == compiled.asm["ptx"]


def test_hooks_of_others_stay_and_ours_is_there_once(small):
    chain = triton.knobs.runtime.kernel_load_end_hook
    seen = []

    def others(*arguments):
        seen.append(arguments[2])

    chain.add(others)
    try:
        for _ in range(3):
            sources.sources_for("triton")
        assert chain.calls.count(triton_source._note_loaded) == 1
        load(compile_kernel(small, 90), 0x30)
        assert seen == ["kernel"]
    finally:
        chain.remove(others)


def test_function_in_the_place_of_the_chain_is_left_alone(small, monkeypatch):
    def mine(*arguments):
        raise AssertionError("not called here")

    monkeypatch.setattr(triton.knobs.runtime, "kernel_load_end_hook", mine)
    compiled = compile_kernel(small, 90)
    compiled.function = 0x30
    assert find(function=0x30).ptx == compiled.asm["ptx"]
    assert triton.knobs.runtime.kernel_load_end_hook is mine


# The disk cache


def test_cache_is_searched_by_the_cubin(small, tmp_path):
    texts = {}
    for warps in (1, 4, 8):
        compiled = compile_kernel(small, 90, num_warps=warps)
        texts[compiled.asm["cubin"]] = compiled.asm["ptx"]
    assert len(texts) == 3
    for cubin, ptx in texts.items():
        found = find(image=cubin)
        assert found.ptx == ptx
        assert found.cubin == cubin
        assert "compiled kernel (cache" in found.where


def test_unknown_cubin_is_not_replaced_by_one_of_the_same_name(small):
    compiled = compile_kernel(small, 90)
    image = compiled.asm["cubin"][:-1] + b"?"
    assert "no cubin in the cache" in reason(image=image)


def test_only_kernel_of_its_name_is_taken_without_a_cubin(small, tmp_path):
    compiled = compile_kernel(small, 90)
    compile_kernel(small, 80)
    text = SMALL.replace("def kernel(", "def other(") + "\n\nkernel = other\n"
    compile_kernel(load_module("other", text, tmp_path), 90)
    assert find().ptx == compiled.asm["ptx"]


def test_two_kernels_of_one_name_are_ambiguous(small):
    compile_kernel(small, 90)
    compile_kernel(small, 90, num_warps=8)
    text = reason()
    assert "its cubin was not seen" in text
    assert "2 kernels of its name" in text
    assert text.count("/kernel.ptx") == 2
    assert "init_cupti_hooks() before the kernel is loaded" in text


def test_kernel_of_another_triton_is_not_taken_by_name(small, tmp_path):
    compile_kernel(small, 90)
    (file,) = (tmp_path / "cache").rglob("kernel.json")
    metadata = json.loads(file.read_text())
    file.write_text(json.dumps({**metadata, "triton_version": "2.1.0"}))
    assert "has no kernel of this name and target" in reason()


def test_entry_named_by_repr_is_found_in_the_file_of_its_function(tmp_path):
    text = SMALL.replace("@triton.jit", "@triton.jit(repr=lambda _: 'kernel_special')")
    compiled = compile_kernel(load_module("special", text, tmp_path), 90)
    assert compiled.name == "kernel_special"
    assert list((tmp_path / "cache").rglob("kernel.ptx"))
    assert find(kernel="kernel_special").ptx == compiled.asm["ptx"]


def test_broken_files_in_the_cache_are_passed_over(small, tmp_path):
    compiled = compile_kernel(small, 90)
    for number, content in enumerate([b"", b"{", b"[]", b"\xff\xfe"]):
        folder = tmp_path / "cache" / f"broken{number}"
        folder.mkdir()
        (folder / "kernel.json").write_bytes(content)
        (folder / "kernel.cubin").write_bytes(compiled.asm["cubin"])
    assert find().ptx == compiled.asm["ptx"]
    assert find(image=compiled.asm["cubin"]).ptx == compiled.asm["ptx"]


def test_missing_cache_is_a_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "nowhere"))
    assert f"the cache {tmp_path / 'nowhere'} has no kernel" in reason()


def test_binary_only_cache_says_what_to_do(small, monkeypatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    compiled = compile_kernel(small, 90)
    compiled.function = 0x40
    for what in ({"function": 0x40}, {"image": compiled.asm["cubin"]}):
        assert "has no PTX: unset TRITON_STORE_BINARY_ONLY" in reason(**what)


# The assembler


@pytest.mark.parametrize(
    ("capability", "options", "environment"),
    [
        (80, {}, {}),
        (90, {}, {}),
        (90, {"enable_fp_fusion": False}, {}),
        (100, {}, {}),
        (90, {"ptx_options": "--maxrregcount 32"}, {}),
        (90, {}, {"TRITON_DISABLE_LINE_INFO": "1"}),
    ],
)
def test_assembling_again_gives_the_same_cubin(
    small, monkeypatch, capability, options, environment
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    compiled = compile_kernel(small, capability, **options)
    for place in ("memory", "cache"):
        compiled.function = 0x50 if place == "memory" else None
        found = find(function=0x50, image=found_image(place, compiled))
        (own,) = found.assemblers
        assert own.origin == f"triton {triton.__version__}"
        made = libpygwatch.assemble(found.ptx, "kernel", assemblers.candidates(found.assemblers))
        assert made.path == own.path
        assert made.cubin == compiled.asm["cubin"]


def found_image(place, compiled):
    return compiled.asm["cubin"] if place == "cache" else b""


def test_flags_of_an_unoptimized_build(small, monkeypatch):
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    compiled = compile_kernel(small, 90)
    compiled.function = 0x50
    (own,) = find(function=0x50).assemblers
    assert own.flags[:3] == ["-g", "--opt-level", "0"]
    made = libpygwatch.assemble(compiled.asm["ptx"], "kernel", [own])
    # -g writes the path of the text into the cubin, so its bytes differ.
    assert abs(len(made.cubin) - len(compiled.asm["cubin"])) < 256


@pytest.mark.parametrize("capability", [80, 90])
@pytest.mark.parametrize("module", [matmul, attention])
def test_traced_build_assembles_as_the_original_did(module, capability):
    compiled = compile_kernel(module, capability)
    compiled.function = 0x60
    found = find(function=0x60, compute_capability=capability)
    tools = assemblers.candidates(found.assemblers)
    traced = libpygwatch.instrument(found.ptx, "kernel", found.where)
    original = libpygwatch.assemble(found.ptx, "kernel", tools)
    made = libpygwatch.assemble(traced.ptx, "kernel", tools)
    assert original.cubin == compiled.asm["cubin"]
    assert (made.path, made.flags) == (original.path, original.flags)
    assert made.earlier_failures == ""
    assert made.remarks == original.remarks
    assert min(made.resources.registers, original.resources.registers) > 0
    assert made.resources.shared_bytes == original.resources.shared_bytes


# The face of the sources


def test_unknown_dsl_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"dsl='cuda9' is unknown\nKnown are 'triton'"):
        sources.sources_for("cuda9")


@pytest.mark.parametrize("dsl", [None, ""])
def test_no_dsl_means_all(dsl):
    assert [source.name for source in sources.sources_for(dsl)][:2] == ["triton", "cute"]


def test_error_shows_the_reason_of_each_source():
    class Stubborn:
        name = "stubborn"

        def find(self, launch):
            return sources.NotFound("will not say")

    with pytest.raises(SourceError) as caught:
        sources.find_ptx([Stubborn(), Stubborn()], launch(kernel="k"))
    assert caught.value.message == "no PTX was found for kernel k"
    assert caught.value.detail == "stubborn: will not say\nstubborn: will not say"


def test_process_without_triton_does_not_import_it():
    script = (
        "import sys\n"
        "from types import SimpleNamespace as L\n"
        "from gwatch import sources\n"
        "(source,) = sources.sources_for('triton')\n"
        "found = source.find(L(kernel='k', function=1, resolved_function=1, image=b'', "
        "compute_capability=90))\n"
        "print(found.reason, 'triton' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "triton is not imported in this process False\n", done.stderr
