"""Where the PTX of a CuTe DSL kernel is found: compiled objects in memory, the dump folder."""

import ctypes
import gc
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("cutlass")

import cutlass
import cutlass.cute as cute
from kernels import cute_offline

from gwatch import assemblers, libpygwatch, sources
from gwatch.errors import SourceError
from gwatch.sources import _cute_objects, _versions

BODY = "gw_trace.scope_start(1)\nx[0] = {value}\ngw_trace.scope_end(1)\n"


@pytest.fixture(autouse=True)
def private_state(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path / "dump"))
    gc.collect()


def compiled_kernel(folder, value=1.0, **settings):
    folder.mkdir(exist_ok=True)
    return cute_offline.compile_body(folder, BODY.format(value=value), **settings)


def kernel_of(compiled):
    (name,) = re.findall(r"\.entry\s+(\w+)", compiled.__ptx__)
    return name


def launch(kernel, function=0, resolved_function=0, image=b"", compute_capability=90):
    return SimpleNamespace(
        kernel=kernel,
        function=function,
        resolved_function=resolved_function,
        image=image,
        compute_capability=compute_capability,
    )


def find(kernel, **what):
    return sources.find_ptx(sources.sources_for("cute"), launch(kernel, **what))


def reason(kernel, **what):
    with pytest.raises(SourceError) as caught:
        find(kernel, **what)
    return str(caught.value)


class FakeDriver:
    """Kernels of loaded libraries: {library: {name: (kernel, function)}}."""

    CUlibrary = int

    def __init__(self, libraries):
        self.libraries = libraries

    def cuLibraryGetKernel(self, library, name):  # noqa: N802
        found = self.libraries.get(library, {}).get(name.decode())
        return (0, found[0]) if found else (500, None)

    def cuKernelGetFunction(self, kernel):  # noqa: N802
        pairs = [pair for names in self.libraries.values() for pair in names.values()]
        return (0, dict(pairs)[kernel])


@pytest.fixture
def load(monkeypatch):
    """Makes a compiled object one that has loaded its library, with these handles."""
    driver = FakeDriver({})
    monkeypatch.setitem(sys.modules, _cute_objects._DRIVER, driver)

    def load_one(compiled, kernel, function, name=None):
        library = 0x1000 + len(driver.libraries)
        compiled.jit_module = SimpleNamespace(cuda_library=[library])
        driver.libraries[library] = {name or kernel_of(compiled): (kernel, function)}

    return load_one


# Compiled objects


def test_compiled_object_is_found_by_name(tmp_path):
    compiled = compiled_kernel(tmp_path / "a")
    found = find(kernel_of(compiled))
    assert found.ptx == compiled.__ptx__.encode()
    assert found.cubin == compiled.__cubin__
    assert (found.dsl, found.assemblers) == ("cute", ())
    assert found.where == (
        f"CuTe DSL {cutlass.__version__}: compiled object of {compiled.function_name}"
    )


def test_nothing_else_is_found_by_a_prefix_of_its_name(tmp_path):
    compiled = compiled_kernel(tmp_path / "a")
    assert "no compiled object in memory has PTX of this kernel" in reason(kernel_of(compiled)[:-1])


@pytest.mark.parametrize("handle", ["kernel", "function"])
def test_object_that_loaded_the_kernel_is_told_from_others_of_its_name(tmp_path, load, handle):
    first, second, third = (compiled_kernel(tmp_path / str(v), value=float(v)) for v in (1, 2, 3))
    assert kernel_of(first) == kernel_of(second) == kernel_of(third)
    load(first, 0x10, 0x11)
    load(second, 0x20, 0x21)
    what = {"function": 0x20} if handle == "kernel" else {"function": 9, "resolved_function": 0x21}
    assert find(kernel_of(second), **what).ptx == second.__ptx__.encode()


def test_object_is_told_from_others_of_its_name_by_its_cubin(tmp_path):
    first, second = (compiled_kernel(tmp_path / str(v), value=float(v)) for v in (1, 2))
    assert find(kernel_of(first), image=first.__cubin__).ptx == first.__ptx__.encode()
    assert find(kernel_of(first), image=second.__cubin__).ptx == second.__ptx__.encode()


def test_no_object_is_taken_when_several_have_the_name(tmp_path):
    objects = [compiled_kernel(tmp_path / str(v), value=float(v)) for v in (1, 2)]
    assert "2 compiled objects in memory have different PTX of this kernel" in reason(
        kernel_of(objects[0])
    )


def test_equal_objects_are_one(tmp_path):
    objects = [compiled_kernel(tmp_path / name) for name in ("a", "b")]
    assert objects[0].__ptx__ == objects[1].__ptx__
    assert find(kernel_of(objects[0])).ptx == objects[0].__ptx__.encode()


# The dump folder


@pytest.fixture
def dump(tmp_path):
    """Compiles into the dump folder and forgets the object; gives kernel, PTX and cubin."""

    def compile_and_forget(value=1.0, name=None, time=None, **settings):
        compiled = compiled_kernel(tmp_path / "dump", value=value, **settings)
        facts = kernel_of(compiled), compiled.__ptx__.encode(), compiled.__cubin__
        if name:
            for path in (tmp_path / "dump").glob("cutlass_*"):
                os.utime(path, ns=(time, time))
                path.rename(path.with_name(name + path.suffix))
        del compiled
        gc.collect()
        return facts

    return compile_and_forget


def test_file_of_the_dump_folder_is_found(dump, tmp_path):
    kernel, ptx, cubin = dump()
    found = find(kernel)
    assert (found.ptx, found.cubin) == (ptx, cubin)
    assert f"file {tmp_path / 'dump'}/cutlass_host_" in found.where


def test_object_without_ptx_sends_to_the_dump_folder(dump, load, tmp_path):
    """As an object is that was exported, and loaded again."""
    kernel, ptx, _ = dump()
    other = compiled_kernel(tmp_path / "other", value=2.0)
    load(other, 0x10, 0x11, name=kernel)
    other.artifacts = None
    assert find(kernel, function=0x10).ptx == ptx


def test_exported_and_loaded_object(dump, load, tmp_path):
    for library in cute.runtime.find_runtime_libraries(enable_tvm_ffi=False):
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
    compiled = compiled_kernel(tmp_path / "dump")
    kernel, ptx = kernel_of(compiled), compiled.__ptx__.encode()
    compiled.export_to_c(str(tmp_path), "exported", function_prefix="exported")
    del compiled
    gc.collect()
    loaded = cute.runtime.load_module(str(tmp_path / "exported.o"))["exported"]
    load(loaded, 0x10, 0x11, name=kernel)
    found = find(kernel, function=0x10)
    assert found.ptx == ptx
    assert f"file {tmp_path / 'dump'}/" in found.where


def test_newest_file_wins(dump):
    dump(value=1.0, name="b", time=2_000)
    kernel, newest, _ = dump(value=2.0, name="a", time=3_000)
    dump(value=3.0, name="c", time=1_000)
    assert find(kernel).ptx == newest


def test_file_whose_cubin_was_loaded_wins_over_the_newest(dump):
    kernel, ptx, cubin = dump(value=1.0, name="b", time=2_000)
    dump(value=2.0, name="a", time=3_000)
    assert find(kernel, image=cubin).ptx == ptx


def test_files_of_other_targets_do_not_count(dump):
    kernel, ptx, _ = dump(arch="sm_80", name="a", time=3_000)
    assert find(kernel, compute_capability=86).ptx == ptx
    assert "no .ptx file in" in reason(kernel, compute_capability=90)


def test_untraced_build_is_the_loaded_one_when_none_was_kept(dump, tmp_path):
    kernel, _, _ = dump()
    for path in (tmp_path / "dump").glob("*.cubin"):
        path.unlink()
    assert find(kernel, image=b"loaded").cubin == b"loaded"


def test_reason_names_the_variables(tmp_path):
    said = reason("some_kernel")
    assert f"no .ptx file in {tmp_path / 'dump'} has this kernel" in said
    assert (
        "set CUTE_DSL_KEEP=ptx (or CUTE_DSL_KEEP_PTX=1) and CUTE_DSL_DUMP_DIR=FOLDER before "
        "`import cutlass`, and compile the kernel again" in said
    )


def test_folder_is_the_working_one_by_default(dump, tmp_path, monkeypatch):
    kernel, ptx, _ = dump()
    monkeypatch.delenv("CUTE_DSL_DUMP_DIR")
    monkeypatch.chdir(tmp_path / "dump")
    assert find(kernel).ptx == ptx


NO_DSL = """
from types import SimpleNamespace
import sys
from gwatch import sources
launch = SimpleNamespace(kernel=sys.argv[1], function=0, resolved_function=0, image=b"",
                         compute_capability=90)
(source,) = sources.sources_for("cute")
found = source.find(launch)
assert "cutlass" not in sys.modules
print(getattr(found, "where", None) or found.reason)
"""


def run_without_dsl(kernel, **environment):
    path = os.pathsep.join(sys.path)
    base = {k: v for k, v in os.environ.items() if k != "CUTE_DSL_DUMP_DIR"}
    return subprocess.run(
        [sys.executable, "-c", NO_DSL, kernel],
        env={**base, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_process_without_the_dsl(dump, tmp_path):
    kernel, _, _ = dump()
    said = run_without_dsl(kernel)
    assert said.startswith("the CuTe DSL is not imported in this process")
    assert "CUTE_DSL_KEEP=ptx" in said
    said = run_without_dsl(kernel, CUTE_DSL_DUMP_DIR=str(tmp_path / "dump"))
    assert said.startswith(f"CuTe DSL: file {tmp_path / 'dump'}/")


def test_untested_version_warns_once(tmp_path, monkeypatch, recwarn):
    compiled = compiled_kernel(tmp_path / "a")
    monkeypatch.setattr(_versions, "_warned", set())
    monkeypatch.setattr(cutlass, "__version__", "4.8.9")
    find(kernel_of(compiled))
    assert not recwarn
    monkeypatch.setattr(cutlass, "__version__", "5.0.0")
    for _ in range(2):
        find(kernel_of(compiled))
    assert len(recwarn) == 1
    assert "tested with CuTe DSL 4.7 and 4.8, not with 5.0.0" in str(recwarn[0].message)


# What becomes of what was found


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a"])
def test_found_ptx_is_instrumented_and_assembled(tmp_path, arch):
    compiled = compiled_kernel(tmp_path / "a", arch=arch)
    found = find(kernel_of(compiled))
    instrumented = libpygwatch.instrument(found.ptx, kernel_of(compiled), found.where)
    candidates = assemblers.candidates(found.assemblers)
    made = libpygwatch.assemble(instrumented.ptx, kernel_of(compiled), candidates)
    assert f"--gpu-name={arch}" in made.flags
    assert made.cubin[:4] == b"\x7fELF"
    assert not made.lowered_from


def test_old_assembler_takes_it_with_a_lower_version(tmp_path):
    """An assembler of CUDA 13.0, made of the newest one: it refuses what is newer than 9.0."""
    (newest, *_) = assemblers.candidates([])
    old = tmp_path / "ptxas"
    old.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = --version ]; then\n'
        '    echo "ptxas: NVIDIA (R) Ptx optimizing assembler"\n'
        '    echo "Cuda compilation tools, release 13.0, V13.0.88"\n'
        "    exit\n"
        "fi\n"
        f'exec "{newest.path}" "$@"\n'
    )
    old.chmod(0o755)
    compiled = compiled_kernel(tmp_path / "a")
    instrumented = libpygwatch.instrument(compiled.__ptx__, kernel_of(compiled), "<test>")
    candidates = [libpygwatch.Candidate(str(old), "CUDA toolkit", [])]
    made = libpygwatch.assemble(instrumented.ptx, kernel_of(compiled), candidates)
    version = re.search(r"\.version (\S+)", compiled.__ptx__)[1]
    assert made.lowered_from == version
    assert Path(made.path) == old
