"""Compiles CuTe DSL kernels without a GPU, out of texts."""

import textwrap
from pathlib import Path
from types import ModuleType

import cutlass
import cutlass.cute as cute

HEADER = """\
import cutlass
import cutlass.cute as cute
import gwatch.cuda.trace.cute as gw_trace
"""


def load_module(name: str, text: str, folder: Path) -> ModuleType:
    """Run a module's text from a file, where the DSL reads a kernel's source."""
    path = folder / f"{name}.py"
    path.write_text(text)
    module = ModuleType(name)
    module.__file__ = str(path)
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def compile_host(host, folder: Path, *arguments, arch: str = "sm_90a", options: str = ""):
    """A compiled object that holds its PTX and its cubin."""
    kept = f"--gpu-arch={arch} --keep-ptx --keep-cubin --dump-dir={folder} {options}"
    return cute.compile(host, *arguments, options=kept)


def fake_vector(elements: int = 1024):
    return cute.runtime.make_fake_compact_tensor(cutlass.Float32, (elements,), assumed_align=16)


def compile_body(folder: Path, body: str, before: str = "", constants=None, **settings):
    """Compile a kernel body over `x`, a vector of floats, and `n`, an int."""
    constants = constants or {}
    parameters = "".join(f", {name}: cutlass.Constexpr" for name in constants)
    arguments = "".join(f", {name}" for name in constants)
    text = (
        f"{HEADER}{textwrap.dedent(before)}\n\n@cute.kernel\n"
        f"def kernel(x: cute.Tensor, n: cutlass.Int32{parameters}):\n"
        + textwrap.indent(textwrap.dedent(body), "    ")
        + f"\n\n@cute.jit\ndef host(x: cute.Tensor, n: cutlass.Int32{parameters}):\n"
        f"    kernel(x, n{arguments}).launch(grid=[4, 1, 1], block=[128, 1, 1])\n"
    )
    host = load_module("marked_cute_kernel", text, folder).host
    return compile_host(host, folder, fake_vector(), 3, *constants.values(), **settings)
