"""Markers for TileLang kernels.

``import gwatch.cuda.trace.tilelang as gw_trace``, then ``T.evaluate(gw_trace.scope_start(100))`` in
the kernel, or ``with gw_trace.scope(100):``. ``T.evaluate(gw_trace.mark("tile", tile))`` records a
value with an instant; a start may have one, too. A marker compiles to nothing in an untraced
kernel; ``GWATCH_MARKERS=0``, set before the import, leaves even its comment out of the PTX.
"""

from __future__ import annotations

import struct
from contextlib import AbstractContextManager
from types import TracebackType

from tilelang import language

from gwatch.cuda import _markers
from gwatch.errors import UsageError

__all__ = ["mark", "scope", "scope_end", "scope_start", "scope_switch"]

Scope = int | str

_KINDS: dict[str, _markers.PayloadKind] = {
    "bool": "u32",
    "int8": "s32",
    "int16": "s32",
    "int32": "s32",
    "int64": "s64",
    "uint8": "u32",
    "uint16": "u32",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f32",
    "bfloat16": "f32",
    "float32": "f32",
    "float64": "f64",
    "handle": "b64",
}
"""How a value of each of TileLang's types is recorded."""

_CPP_TYPES: dict[_markers.PayloadKind, str] = {
    "s32": "int",
    "u32": "unsigned",
    "f32": "float",
    "s64": "long long",
    "u64": "unsigned long long",
    "f64": "double",
    "b64": "const void*",
}

_NOTHING = "static_cast<void>"


def scope_start(scope: Scope, value: object = None) -> object:
    """Starts a scope: an id from 0 to 65535, or a name; a value is recorded with it."""
    return _marker(_markers.comment("start", scope), value)


def scope_end(scope: Scope) -> object:
    """Ends a scope that this warp started."""
    return _marker(_markers.comment("end", scope))


def scope_switch(ending: Scope, starting: Scope) -> object:
    """Ends one scope and starts another at the same instant."""
    return _marker(_markers.comment("switch", ending, starting))


def mark(scope: Scope, value: object = None) -> object:
    """Marks an instant; a value is recorded with it: a number, a scalar expression, an address."""
    return _marker(_markers.comment("mark", scope), value)


def scope(scope: Scope, value: object = None) -> AbstractContextManager[None]:
    """Makes a scope of the body of a `with` statement; a value is recorded with its start."""
    return _Block(scope_start(scope, value), scope_end(scope))


class _Block:
    def __init__(self, start: object, end: object) -> None:
        self._start = start
        self._end = end

    def __enter__(self) -> None:
        language.evaluate(self._start)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:  # after an error TileLang builds no kernel
            language.evaluate(self._end)


def _marker(comment: str, value: object = None) -> object:
    """A call whose name is C++ text: TileLang prints it into the kernel's source as it is."""
    kind = None if value is None else _kind(value)
    if not _markers.ENABLED:
        return language.call_extern("handle", _NOTHING, 0)
    if kind is None:
        # Without an operand nvcc would take %% as it is.
        text = f'{_assembly(comment, kind)} :: "n"(0) : "memory"); {_NOTHING}'
        return language.call_extern("handle", text, 0)
    cpp_type, operand = _CPP_TYPES[kind], _markers.CONSTRAINTS[kind]
    statement = f'{_assembly(comment, kind)} :: "{operand}"(value) : "memory");'
    if isinstance(value, int | float):
        number = f"const {cpp_type} value = {_literal(value, kind)};"
        return language.call_extern("handle", f"[](int) {{ {number} {statement} }}", 0)
    # The argument is converted to the type of the parameter.
    return language.call_extern("handle", f"[]({cpp_type} value) {{ {statement} }}", value)


def _kind(value: object) -> _markers.PayloadKind:
    if isinstance(value, int | float):
        return _markers.number_kind(value)
    name = str(getattr(value, "dtype", type(value).__name__))
    if name not in _KINDS:
        raise UsageError(
            f"a value of type {name} cannot be recorded",
            hint=f"Cast it to one of {', '.join(_KINDS)}.",
        )
    if hasattr(value, "shape"):
        raise UsageError(f"a value is a buffer of {name}", hint=_markers.ONE_VALUE_A_WARP)
    return _KINDS[name]


def _literal(value: float, kind: _markers.PayloadKind) -> str:
    """A number in C++, by its bits."""
    if kind == "f32":
        return f"__uint_as_float({struct.unpack('=I', struct.pack('=f', value))[0]:#x}u)"
    if kind == "f64":
        return f"__longlong_as_double({struct.unpack('=q', struct.pack('=d', value))[0]:#x}ll)"
    return f"static_cast<{_CPP_TYPES[kind]}>({int(value) & 0xFFFFFFFFFFFFFFFF:#x}ull)"


def _assembly(comment: str, kind: _markers.PayloadKind | None) -> str:
    """The start of an assembly statement, with a register of its own as the carrier."""
    bits = "b64" if kind and kind.endswith("64") else "b32"
    escaped = comment.replace("%", "%%")
    mov = "mov.u32 gwatch$carrier, %0;" if kind is None else _carrier(kind)
    text = rf"{{\n\t.reg .{bits} gwatch$carrier;\n\t{escaped}\n\t{mov}\n\t}}"
    return f'asm volatile("{text}"'


def _carrier(kind: _markers.PayloadKind) -> str:
    return _markers.carrier(kind, "gwatch$carrier", "%0")
