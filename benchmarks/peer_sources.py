"""The examples' kernels with the markers of other tracers in place of gwatch's. Needs no GPU."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "cuda" / "trace"

_IMPORT = re.compile(r"^import gwatch\.cuda\.trace\.\w+ as gw_trace$", re.MULTILINE)
_MARKER = re.compile(r"gw_trace\.scope_(start|end)\(\"?(\w+)\"?\)")


def with_markers_of(source: str, module: str) -> str:
    """Import the markers from another module, which has functions of the same names."""
    text, count = _IMPORT.subn(f"import {module} as gw_trace", source)
    if count != 1:
        raise ValueError(f"the source imports gwatch's markers {count} times instead of once")
    return text


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
