"""Compiles the kernels of this folder without a GPU, with their markers or without."""

import importlib.util
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
    """Write a module and import it; Triton reads a kernel's source from its file."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
