"""Compiles the kernels of this folder without a GPU, with their markers or without."""

import re
from pathlib import Path
from types import ModuleType

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

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
