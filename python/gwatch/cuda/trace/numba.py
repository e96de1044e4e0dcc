"""Markers for Numba-CUDA kernels.

``import gwatch.cuda.trace.numba as gw_trace``, then ``gw_trace.scope_start(100)`` or
``gw_trace.scope_start("load")`` in a function with ``@cuda.jit``; with ``lineinfo=True`` reports
show source lines. A marker compiles to nothing in an untraced kernel; ``GWATCH_MARKERS=0``, set
before the import, leaves even its comment out of the PTX.
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

_WORDS = {"b32": "r", "b64": "l", "f32": "f", "f64": "d"}
"""LLVM's constraint for a register of each kind of value."""

_Codegen = Callable[[Any, Any, Any, Any], Any]


def _literals(*scopes: Any) -> list[object]:
    """The values of scopes; Numba asks again with literal types where this raises."""
    for scope in scopes:
        if not isinstance(scope, types.Literal):
            raise RequireLiteralValue(f"a scope must be a constant, not a value of type {scope}")
    return [scope.literal_value for scope in scopes]


def _emit(verb: _markers.Verb, *scopes: Any, value: Any = None) -> _Codegen:
    """Makes what puts a marker into the code; checks its scopes now."""
    comment = _markers.comment(verb, *_literals(*scopes))
    # Operands of inline assembly begin with a $.
    comment = comment.replace("$", "$$")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _markers.ENABLED and value is None:
            _call(builder, ir.IntType(32), f"{comment}\n\tmov.u32 $0, 0;", "=r,~{memory}")
        elif _markers.ENABLED:
            _emit_value(builder, comment, arguments[-1])
        return context.get_dummy_value()

    return generate


def _emit_value(builder: Any, comment: str, value: Any) -> None:
    """A marker whose carrier copies a value; narrow integers are widened."""
    if isinstance(value.type, ir.IntType) and value.type.width not in (32, 64):
        value = builder.zext(value, ir.IntType(32))
    kinds = {"i32": "b32", "i64": "b64", "float": "f32", "double": "f64"}
    kind = kinds[str(value.type)]
    bits = 64 if kind.endswith("64") else 32
    result = "=l" if bits == 64 else "=r"
    text = f"{comment}\n\tmov.b{bits} $0, $1;"
    _call(builder, ir.IntType(bits), text, f"{result},{_WORDS[kind]},~{{memory}}", value)


def _call(builder: Any, result: Any, text: str, constraints: str, *operands: Any) -> None:
    kind = ir.FunctionType(result, [operand.type for operand in operands])
    builder.call(ir.InlineAsm(kind, text, constraints, side_effect=True), operands)


def _check_value(value: Any) -> None:
    if not isinstance(value, types.Integer | types.Float | types.Boolean):
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
    plain = types.unliteral(value)
    _check_value(plain)
    return types.void(scope, plain), _emit(verb, scope, value=plain)
