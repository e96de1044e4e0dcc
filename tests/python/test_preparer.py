"""From a kernel's PTX to its traced build and the facts of it, without a GPU."""

from importlib import resources
from types import SimpleNamespace

from gwatch import libpygwatch
from gwatch.cuda.trace import _do_trace
from gwatch.cuda.trace._preparer import Preparer
from gwatch.sources import FoundPtx

KERNEL = "attention_forward_kernel"


def prepared():
    ptx = (resources.files("gwatch.data") / "demo" / "attention.ptx").read_bytes()
    found = FoundPtx(ptx, "a test", (), b"", "triton")
    preparer = Preparer([SimpleNamespace(name="test", find=lambda launch: found)])
    answer = preparer(
        SimpleNamespace(
            kernel=KERNEL, block=(128, 1, 1), resolved_function=1, image=b"", every_warp=True
        )
    )
    return answer, preparer.builds


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
    assert variables == own.variables
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
