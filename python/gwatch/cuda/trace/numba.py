"""Markers for Numba-CUDA kernels.

``import gwatch.cuda.trace.numba as gw_trace``, then ``gw_trace.scope_start(100)`` or
``gw_trace.scope_start("load")`` in a function with ``@cuda.jit``;
with ``lineinfo=True`` reports show source lines. ``gw_trace.mark("tile", tile)`` records a value
with an instant; a start may have one, too. A marker compiles to nothing in an untraced kernel;
``GWATCH_MARKERS=0``, set before the import, leaves even its comment out of the PTX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.cuda.extending import intrinsic

from gwatch.cuda import _markers

try:
    from numba.cuda import types
    from numba.cuda.core.errors import RequireLiteralValue
except ImportError:  # before numba-cuda had its own
    from numba.core import types
    from numba.core.errors import RequireLiteralValue

__all__ = ["mark", "scope_end", "scope_start", "scope_switch"]

_Codegen = Callable[[Any, Any, Any, Any], Any]


def _literals(*scopes: Any) -> list[object]:
    """The values of scopes; Numba asks again with literal types where this raises."""
    for scope in scopes:
        if not isinstance(scope, types.Literal):
            raise RequireLiteralValue(f"a scope must be a constant, not a value of type {scope}")
    return [scope.literal_value for scope in scopes]


def _emit(verb: _markers.Verb, *scopes: Any, kind: _markers.PayloadKind | None = None) -> _Codegen:
    """Makes what puts a marker into the code; checks its scopes now."""
    comment = _markers.comment(verb, *_literals(*scopes))
    # Operands of inline assembly begin with a $.
    text = f"{comment.replace('$', '$$')}\n\t{_markers.carrier(kind)}"

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _markers.ENABLED:
            operands = [] if kind is None else [arguments[-1]]
            result = operands[0].type if operands else ir.IntType(32)
            called = ir.FunctionType(result, [operand.type for operand in operands])
            assembly = ir.InlineAsm(called, text, _markers.constraints(kind), side_effect=True)
            builder.call(assembly, operands)
        return context.get_dummy_value()

    return generate


def _payload(value: Any) -> tuple[_markers.PayloadKind, Any]:
    """How a value of a type is recorded, and the type that Numba casts it to for that."""
    if isinstance(value, types.Boolean):
        return "u32", types.uint32
    if isinstance(value, types.Integer):
        is_wide = value.bitwidth > 32
        if value.signed:
            return ("s64", types.int64) if is_wide else ("s32", types.int32)
        return ("u64", types.uint64) if is_wide else ("u32", types.uint32)
    if isinstance(value, types.Float):
        return ("f64", types.float64) if value.bitwidth == 64 else ("f32", types.float32)
    if isinstance(value, types.Array):
        raise TypeError(f"a value of type {value}: {_markers.ONE_VALUE_A_WARP}")
    raise TypeError(f"a value is an integer or a floating-point number, not {value}")


@intrinsic  # type: ignore[untyped-decorator]
def scope_start(typing_context: Any, scope: Any, value: Any = None) -> Any:
    """Starts a scope: an id from 0 to 65535, or a name; a value is recorded with it."""
    return _with_value("start", scope, value)


@intrinsic  # type: ignore[untyped-decorator]
def scope_end(typing_context: Any, scope: Any) -> Any:
    """Ends a scope that this warp started."""
    return types.void(scope), _emit("end", scope)


@intrinsic  # type: ignore[untyped-decorator]
def scope_switch(typing_context: Any, ending: Any, starting: Any) -> Any:
    """Ends one scope and starts another at the same instant."""
    return types.void(ending, starting), _emit("switch", ending, starting)


@intrinsic  # type: ignore[untyped-decorator]
def mark(typing_context: Any, scope: Any, value: Any = None) -> Any:
    """Marks an instant; a value is recorded with it."""
    return _with_value("mark", scope, value)


def _with_value(verb: _markers.Verb, scope: Any, value: Any) -> Any:
    if value is None or isinstance(value, types.Omitted | types.NoneType):
        # Numba passes what is left out, too.
        left_out = types.Omitted(None) if value is None else value
        return types.void(scope, left_out), _emit(verb, scope)
    kind, taken = _payload(types.unliteral(value))
    return types.void(scope, taken), _emit(verb, scope, kind=kind)


def __getattr__(name: str) -> Any:
    if name == "scope":
        raise AttributeError(
            "gwatch has no scope() for Numba-CUDA, which compiles no `with` statement: "
            "use scope_start() and scope_end()"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
