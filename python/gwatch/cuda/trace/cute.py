"""Markers for CuTe DSL kernels.

``import gwatch.cuda.trace.cute as gw_trace``, then ``gw_trace.scope_start(100)`` in a
``@cute.kernel`` function, or in what it calls, or ``with gw_trace.scope(100):``.
``gw_trace.mark("tile", tile)`` records a value with an instant; a start may have one, too. A marker
compiles to nothing in an untraced kernel; ``GWATCH_MARKERS=0``, set before the import, leaves even
its comment out of the PTX.

The DSL itself is imported when the first marker is compiled, so that the variables which it reads
at its own import (``CUTE_DSL_KEEP=ptx``) may still be set after this module's import.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any, TypeAlias, TypeVar

from gwatch.cuda import _markers
from gwatch.errors import UsageError

__all__ = ["mark", "scope", "scope_end", "scope_start", "scope_switch"]

Scope: TypeAlias = int | str
_Function = TypeVar("_Function", bound=Callable[..., Any])

_DEVICE_MODULE = "gpu.module"


def _marker(function: _Function) -> _Function:
    """Tells the DSL's Python front end to call this as it is, not to translate it."""
    function.__pyir_native__ = True  # type: ignore[attr-defined]
    return function


@_marker
def scope_start(scope: Scope, value: object = None) -> None:
    """Starts a scope: an id from 0 to 65535, or a name; a value is recorded with it."""
    _emit("start", value, scope=scope)


@_marker
def scope_end(scope: Scope) -> None:
    """Ends a scope that this warp started."""
    _emit("end", scope=scope)


@_marker
def scope_switch(ending: Scope, starting: Scope) -> None:
    """Ends one scope and starts another at the same instant."""
    _emit("switch", ending=ending, starting=starting)


@_marker
def mark(scope: Scope, value: object = None) -> None:
    """Marks an instant; a value is recorded with it: a number, a Numeric of the DSL, a pointer."""
    _emit("mark", value, scope=scope)


@_marker
def scope(scope: Scope, value: object = None) -> AbstractContextManager[None]:
    """Makes a scope of the body of a `with` statement; a value is recorded with its start.

    The scope ends however the body is left: at its end, by a `return`, by an exception.
    """
    return _Block(_constant("scope", "scope", scope), value)


class _Block:
    def __init__(self, scope: object, value: object) -> None:
        self._scope = scope
        self._value = value

    @_marker
    def __enter__(self) -> None:
        _emit("start", self._value, scope=self._scope)

    @_marker
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _emit("end", scope=self._scope)


def _emit(verb: _markers.Verb, value: object = None, **scopes: object) -> None:
    """Puts a marker at the line that called the caller of this."""
    marker = sys._getframe(1)
    name = marker.f_code.co_name if marker.f_code.co_name in __all__ else "scope"
    constants = [_constant(name, parameter, scope) for parameter, scope in scopes.items()]
    comment = _markers.comment(verb, *constants)
    if not _is_in_device_code():
        raise UsageError(
            f"{name} was called outside of a @cute.kernel function",
            hint="A marker belongs in a kernel, or in a @cute.jit function that a kernel calls.",
        )
    if _markers.ENABLED:
        location = _location(marker.f_back)
        kind, operand = (None, None) if value is None else _payload(name, value, location)
        _insert_asm(f"{comment}\n\t{_markers.carrier(kind)}", kind, operand, location)


def _payload(name: str, value: object, location: Any) -> tuple[_markers.PayloadKind, Any]:
    """How a value is recorded, and the operand that holds it; narrow ones are widened."""
    import cutlass
    from cutlass import cute

    if isinstance(value, cute.Pointer):
        address = value.toint(loc=location)
        if address.width == 32:
            address = cutlass.Uint32(address, loc=location)
        return "b64", cutlass.Uint64(address, loc=location).ir_value(loc=location)
    number = value if isinstance(value, int | float) else _numeric(name, value)
    kind = _kind(name, number)
    if isinstance(number, cutlass.Boolean):
        number = cutlass.Uint8(number, loc=location)  # a boolean counts as signed
    types = {
        "s32": cutlass.Int32,
        "u32": cutlass.Uint32,
        "f32": cutlass.Float32,
        "s64": cutlass.Int64,
        "u64": cutlass.Uint64,
        "f64": cutlass.Float64,
    }
    return kind, types[kind](number, loc=location).ir_value(loc=location)


def _numeric(name: str, value: object) -> Any:
    """A value as a Numeric of the DSL."""
    import cutlass
    from cutlass import cute

    if isinstance(value, cute.Tensor | cute.TensorSSA):
        raise UsageError(
            f"{name}: `value` is a {type(value).__name__}", hint=_markers.ONE_VALUE_A_WARP
        )
    try:
        return cutlass.cutlass_dsl.as_numeric(value)
    except (TypeError, ValueError, cutlass.DSLRuntimeError) as error:
        raise _no_payload(name, value) from error


def _kind(name: str, number: Any) -> _markers.PayloadKind:
    import cutlass

    if isinstance(number, int | float):
        return _markers.number_kind(number)
    numeric = type(number)
    if numeric.width > 64:
        raise _no_payload(name, number)
    if issubclass(numeric, cutlass.Float):
        return "f64" if numeric.width == 64 else "f32"
    is_signed = numeric.signed and numeric.width > 1
    if numeric.width == 64:
        return "s64" if is_signed else "u64"
    return "s32" if is_signed else "u32"


def _no_payload(name: str, value: object) -> UsageError:
    return UsageError(
        f"{name}: a value of type {type(value).__name__} cannot be recorded",
        hint="Give a number, a Numeric of the DSL of up to 64 bits, or a pointer.",
    )


def _constant(marker: str, name: str, value: object) -> object:
    """A scope as Python's own value; the DSL wraps constants too."""
    if isinstance(value, int | str | float | None):
        return value
    inner = getattr(value, "value", None)
    if isinstance(inner, int | str):
        return inner
    if _is_dynamic(value):
        raise UsageError(
            f"{marker}: `{name}` is a run-time value of type "
            f"{type(value).__name__}, but a marker needs a constant",
            hint="Give a literal, a cutlass.Constexpr parameter, or the counter of a "
            "cutlass.range_constexpr loop.",
        )
    return value


def _is_dynamic(value: object) -> bool:
    cutlass_dsl = sys.modules.get("cutlass.cutlass_dsl")
    return cutlass_dsl is not None and bool(cutlass_dsl.is_dynamic_expression(value))


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


def _insert_asm(text: str, kind: _markers.PayloadKind | None, operand: Any, location: Any) -> None:
    from cutlass._mlir import ir
    from cutlass._mlir.dialects import llvm

    llvm.inline_asm(
        ir.IntegerType.get_signless(32) if operand is None else operand.type,
        [] if operand is None else [operand],
        text,
        _markers.constraints(kind),
        has_side_effects=True,  # without it a statement whose result nobody uses is deleted
        is_align_stack=False,
        asm_dialect=llvm.AsmDialect.AD_ATT,
        loc=location,
    )


def _location(caller: FrameType | None) -> object:
    """Where a marker stands, in the form of the DSL's own locations: its text, file and line."""
    from cutlass._mlir import ir

    if caller is None:
        return None
    filename, line = caller.f_code.co_filename, caller.f_lineno
    text = linecache.getline(filename, line).strip() or caller.f_code.co_name
    return ir.Location.name(text, childLoc=ir.Location.file(filename, line, 0))
