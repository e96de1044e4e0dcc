"""From a kernel's PTX to its traced build and the facts of it, without a GPU."""

from importlib import resources
from types import SimpleNamespace

import pytest
import traced_builds

from gwatch import libpygwatch
from gwatch.cuda.trace import _do_trace
from gwatch.sources import FoundPtx

KERNEL = "attention_forward_kernel"


def prepared(ptx=None, kernel=KERNEL, compute_capability=90):
    ptx = ptx or (resources.files("gwatch.data") / "demo" / "attention.ptx").read_bytes()
    found = FoundPtx(ptx, "a test", (), b"", "triton")
    return traced_builds.prepare(found, kernel, 128, compute_capability=compute_capability)


def test_a_build_is_an_image_with_its_place_among_the_builds():
    (image, uses_lane_cursors, token, _, grid_counts_clusters, parameter), builds = prepared()

    assert image.startswith(b"\x7fELF")
    assert image == builds[token].assembled.cubin
    assert not uses_lane_cursors
    assert not grid_counts_clusters
    assert parameter == builds[token].instrumented.parameter
    assert parameter is not None
    assert {marker.placement for marker in builds[token].instrumented.markers} == {"proven"}
    assert list(builds[token].stage_seconds) == ["source", "instrument", "assemble"]


def test_facts_of_a_run_come_from_its_build():
    (_, _, token, variables, *_), builds = prepared()
    build = builds[token]
    driver = SimpleNamespace(registers=255, local_bytes=0, static_shared_bytes=0)
    run = libpygwatch.Run()

    _do_trace._fill_compile_facts(run, SimpleNamespace(original=driver, traced=driver), build)

    own = libpygwatch.ptx_facts(build.found.ptx)
    assert variables == build.instrumented.variables
    assert run.compile.ptx_version == own.version
    assert run.compile.ptx_target == ", ".join(own.targets)
    assert run.compile.ptx_source == "a test"
    assert run.compile.assembler == build.assembled.path
    assert run.compile.original.registers == 255
    assert run.compile.original.spill_store_bytes == 0, "no local memory, no spills"


def test_without_an_assembler_the_driver_gets_the_text(monkeypatch):
    monkeypatch.setattr("gwatch.assemblers.candidates", lambda preferred: [])

    (image, *_), builds = prepared()

    assert builds[0].assembled is None
    assert image == builds[0].instrumented.ptx


def marked_kernel(target, before="", body=""):
    marks = "".join(f"\t// gwatch:{verb} s\n\tmov.u32 %r1, 0;\n" for verb in ("start", "end"))
    return (
        f".version 8.0\n.target {target}\n.address_size 64\n{before}"
        f".visible .entry k()\n{{\n\t.reg .b32 %r<2>;\n{body}{marks}\tret;\n}}\n"
    )


def test_only_variables_that_the_kernel_names_are_copied():
    """Others it can write by the address of the original alone, which a copy would undo."""
    variables = ".global .align 4 .b32 named;\n.global .align 4 .b32 passed_by_address;\n"
    ptx = marked_kernel("sm_90", variables, "\tld.global.u32 %r0, [named];\n")

    (_, _, _, copied, *_), _ = prepared(ptx, "k")

    assert copied == ["named"]


@pytest.mark.parametrize(
    ("target", "compute_capability", "assembled_for"),
    [
        ("sm_80", 90, "sm_90"),
        ("sm_80", 86, "sm_80"),
        ("sm_90", 90, "sm_90"),
        ("sm_90a", 90, "sm_90a"),
        ("sm_80", 0, "sm_80"),
    ],
)
def test_text_of_an_older_generation_is_assembled_for_the_gpu(
    target, compute_capability, assembled_for
):
    _, builds = prepared(marked_kernel(target), "k", compute_capability)

    assert f"--gpu-name={assembled_for}" in builds[0].assembled.flags
