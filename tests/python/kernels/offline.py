"""Compiles the kernels of this folder without a GPU, with their markers or without."""

import re
import textwrap
from pathlib import Path
from types import ModuleType

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

HEADER = """\
import triton
import triton.language as tl
import gwatch.cuda.trace.triton as gw_trace
"""

_ALIGNED_BY_16 = [["tt.divisibility", 16]]


def compile_kernel(module: ModuleType, capability: int, **options):
    """Compile a module's kernel as a launch with its SIGNATURE, CONSTANTS and OPTIONS would."""
    names = list(module.SIGNATURE)
    source = ASTSource(
        module.kernel,
        module.SIGNATURE,
        constexprs=module.CONSTANTS,
        attrs={(names.index(name),): _ALIGNED_BY_16 for name in module.ALIGNED},
    )
    target = GPUTarget("cuda", capability, 32)
    return triton.compile(source, target=target, options={**module.OPTIONS, **options})


def without_markers(module: ModuleType, folder: Path) -> ModuleType:
    """The same module without the lines that are markers."""
    text = Path(module.__file__).read_text()
    unmarked = re.sub(r"(?m)^ *gw_trace\..*\n", "", text)
    assert unmarked != text
    return load_module(f"unmarked_{module.__name__.rpartition('.')[2]}", unmarked, folder)


def load_module(name: str, text: str, folder: Path) -> ModuleType:
    """Run a module's text from a file, as Triton reads a kernel's source; no bytecode is kept."""
    path = folder / f"{name}.py"
    path.write_text(text)
    module = ModuleType(name)
    module.__file__ = str(path)
    exec(compile(text, path, "exec"), module.__dict__)
    return module


def compile_body(
    folder: Path,
    body: str,
    before: str = "",
    constants: dict[str, object] | None = None,
    signature: dict[str, str] | None = None,
    capability: int = 90,
):
    """The PTX of a kernel body over `x`, floats, and what the signature adds.

    `before` stands in the module, in front of the kernel.
    """
    constants = constants or {}
    signature = {"x": "*fp32", **(signature or {})}
    parameters = ", ".join([*signature, *(f"{name}: tl.constexpr" for name in constants)])
    text = (
        f"{HEADER}{textwrap.dedent(before)}\n\n@triton.jit\ndef kernel({parameters}):\n"
        + textwrap.indent(textwrap.dedent(body), "    ")
    )
    kernel = load_module("marked_kernel", text, folder).kernel
    signature |= dict.fromkeys(constants, "constexpr")
    source = ASTSource(kernel, signature, constexprs=constants)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["ptx"]
