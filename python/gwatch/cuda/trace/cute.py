"""Markers for CuTe DSL kernels.

``import gwatch.cuda.trace.cute as gw_trace``, then ``gw_trace.scope_start(100)`` in a
``@cute.kernel`` function, or in what it calls. A marker compiles to nothing in an untraced kernel;
``GWATCH_MARKERS=0``, set before the import, leaves even its comment out of the PTX.

The DSL itself is imported when the first marker is compiled, so that the variables which it reads
at its own import (``CUTE_DSL_KEEP=ptx``) may still be set after this module's import.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias, TypeVar

from gwatch.cuda import _markers
from gwatch.errors import UsageError

__all__ = ["mark", "scope_end", "scope_start", "scope_switch"]

Scope: TypeAlias = int | str
_Function = TypeVar("_Function", bound=Callable[..., None])

_CONSTRAINTS = "=r,~{memory}"  # loads and stores stay on their side of the marker
_DEVICE_MODULE = "gpu.module"


def _marker(function: _Function) -> _Function:
    """Tells the DSL's Python front end to call this as it is, not to translate it."""
    function.__pyir_native__ = True  # type: ignore[attr-defined]
    return function


@_marker
def scope_start(scope: Scope) -> None:
    """Starts a scope: an id from 0 to 65535, or a name."""
    _emit("start", scope=scope)


@_marker
def scope_end(scope: Scope) -> None:
    """Ends a scope that this warp started."""
    _emit("end", scope=scope)


@_marker
def scope_switch(ending: Scope, starting: Scope) -> None:
    """Ends one scope and starts another at the same instant."""
    _emit("switch", ending=ending, starting=starting)


@_marker
def mark(scope: Scope) -> None:
    """Marks an instant."""
    _emit("mark", scope=scope)


def _emit(verb: _markers.Verb, **scopes: object) -> None:
    """Puts a marker at the line that called the caller of this."""
    marker = sys._getframe(1)
    constants = [_constant(marker, name, value) for name, value in scopes.items()]
    text = f"{_markers.comment(verb, *constants)}\n\tmov.u32 $0, 0;"
    _check_in_kernel(marker)
    if _markers.ENABLED:
        _insert_asm(text, marker.f_back)


def _constant(marker: FrameType, name: str, value: object) -> object:
    """A scope as Python's own value; the DSL wraps constants too."""
    if isinstance(value, int | str | float | None):
        return value
    inner = getattr(value, "value", None)
    if isinstance(inner, int | str):
        return inner
    if _is_dynamic(value):
        raise UsageError(
            f"{marker.f_code.co_name}: `{name}` is a run-time value of type "
            f"{type(value).__name__}, but a marker needs a constant",
            hint="Give a literal, a cutlass.Constexpr parameter, or the counter of a "
            "cutlass.range_constexpr loop.",
        )
    return value


def _is_dynamic(value: object) -> bool:
    cutlass_dsl = sys.modules.get("cutlass.cutlass_dsl")
    return cutlass_dsl is not None and bool(cutlass_dsl.is_dynamic_expression(value))


def _check_in_kernel(marker: FrameType) -> None:
    name = marker.f_code.co_name
    if not _is_in_device_code():
        raise UsageError(
            f"{name} was called outside of a @cute.kernel function",
            hint="A marker belongs in a kernel, or in a @cute.jit function that a kernel calls.",
        )


def _is_in_device_code() -> bool:
    if "cutlass" not in sys.modules:
        return False
    from cutlass._mlir import ir

    if ir.Context.current is None:
        return False
    try:
        operation: Any = ir.InsertionPoint.current.block.owner.operation
    except ValueError:  # nothing is being built
        return False
    while operation is not None:
        if operation.name == _DEVICE_MODULE:
            return True
        operation = operation.parent
    return False


def _insert_asm(text: str, caller: FrameType | None) -> None:
    from cutlass._mlir import ir
    from cutlass._mlir.dialects import llvm

    llvm.inline_asm(
        ir.IntegerType.get_signless(32),
        [],
        text,
        _CONSTRAINTS,
        has_side_effects=True,  # without it a statement whose result nobody uses is deleted
        is_align_stack=False,
        asm_dialect=llvm.AsmDialect.AD_ATT,
        loc=_location(caller),
    )


def _location(caller: FrameType | None) -> object:
    """Where a marker stands, in the form of the DSL's own locations: its text, file and line."""
    from cutlass._mlir import ir

    if caller is None:
        return None
    filename, line = caller.f_code.co_filename, caller.f_lineno
    text = linecache.getline(filename, line).strip() or caller.f_code.co_name
    return ir.Location.name(text, childLoc=ir.Location.file(filename, line, 0))
