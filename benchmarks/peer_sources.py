"""The examples' kernels with other markers: fewer, or those of other tracers. Needs no GPU."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Collection
from pathlib import Path
from types import ModuleType

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "cuda" / "trace"

GEMM_SCOPES = ("acquire", "issue", "wait", "mma", "epilogue")
"""Of the GEMM whose cost has a limit: those of its loops, and the epilogue as a whole."""

_IMPORT = re.compile(r"^import gwatch\.cuda\.trace\.\w+ as gw_trace$", re.MULTILINE)
_MARKER = re.compile(r"gw_trace\.scope_(start|end)\(\"?(\w+)\"?\)")
_NAMED_LINE = re.compile(r'^ *gw_trace\.scope_(?:start|end)\("([^"]+)"\).*$', re.MULTILINE)


def with_markers_of(source: str, module: str) -> str:
    """Import the markers from another module, which has functions of the same names."""
    text, count = _IMPORT.subn(f"import {module} as gw_trace", source)
    if count != 1:
        raise ValueError(f"the source imports gwatch's markers {count} times instead of once")
    return text


def with_scopes(source: str, names: Collection[str]) -> str:
    """Leave out the markers of all other scopes; the lines keep their numbers."""
    unknown = set(names) - set(_NAMED_LINE.findall(source))
    if unknown:
        raise ValueError(f"the source has no scope named {', '.join(sorted(unknown))}")
    return _NAMED_LINE.sub(lambda line: line[0] if line[1] in names else "", source)


def with_proton_scopes(source: str) -> str:
    """Triton's own scopes in place of gwatch's; they take names only."""
    text = with_markers_of(source, "triton.profiler.language")

    def scope(match: re.Match[str]) -> str:
        verb = "enter" if match[1] == "start" else "exit"
        return f'gw_trace.{verb}_scope("{match[2]}")'

    text, count = _MARKER.subn(scope, text)
    if count == 0 or "gw_trace.scope" in text or "gw_trace.mark" in text:
        raise ValueError("the source has markers that Proton has no counterpart of")
    return text


def load_text(name: str, text: str, folder: Path) -> ModuleType:
    """Import a module from a file made for it: the DSLs read a kernel's source again."""
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def example_source(file: str) -> str:
    return (EXAMPLES / file).read_text("utf-8")


def load_gemm(folder: Path, markers: str | None = None) -> ModuleType:
    """The CuTe DSL GEMM with GEMM_SCOPES alone, of a module's markers or gwatch's own."""
    text = with_scopes(example_source("cute_hopper_gemm.py"), GEMM_SCOPES)
    if markers is None:
        return load_text("gemm_with_few_scopes", text, folder)
    return load_text(f"gemm_with_{markers}", with_markers_of(text, markers), folder)
