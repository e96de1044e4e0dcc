"""Markers for TileLang kernels.

``import gwatch.cuda.trace.tilelang as gw_trace``, then ``T.evaluate(gw_trace.scope_start(100))`` in
the kernel. A marker compiles to nothing in an untraced kernel; ``GWATCH_MARKERS=0``, set before the
import, leaves even its comment out of the PTX.
"""

from __future__ import annotations

from tilelang import language

from gwatch.cuda import _markers
from gwatch.errors import UsageError

__all__ = ["mark", "scope_end", "scope_start", "scope_switch"]

Scope = int | str
_CONSTRAINTS = {
    "int32": "r",
    "uint32": "r",
    "float32": "f",
    "int64": "l",
    "uint64": "l",
    "float64": "d",
}
"""Of inline assembly, for a value of each type."""

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
    """Marks an instant; a value is recorded with it."""
    return _marker(_markers.comment("mark", scope), value)


def _marker(comment: str, value: object = None) -> object:
    """A call whose name is C++ text: TileLang prints it into the kernel's source as it is."""
    if not _markers.ENABLED:
        return language.call_extern("handle", _NOTHING, 0)
    if value is None:
        # Without an operand nvcc would take %% as it is.
        assembly = _assembly(comment, 32)
        statement = f'asm volatile("{assembly}" :: "n"(0) : "memory"); {_NOTHING}'
        return language.call_extern("handle", statement, 0)
    kind = str(getattr(value, "dtype", {int: "int32", float: "float32"}.get(type(value), "")))
    if kind not in _CONSTRAINTS:
        raise UsageError(
            f"a value of type {kind or type(value).__name__} cannot be recorded",
            hint=f"Cast it to one of {', '.join(_CONSTRAINTS)}.",
        )
    bits = 64 if kind.endswith("64") else 32
    operand = f'"{_CONSTRAINTS[kind]}"(value)'
    statement = f'asm volatile("{_assembly(comment, bits)}" :: {operand} : "memory");'
    return language.call_extern("handle", f"[](auto value) {{ {statement} }}", value)


def _assembly(comment: str, bits: int) -> str:
    """The text of a marker inside a C++ string, with a register of its own as the carrier."""
    escaped = comment.replace("%", "%%")
    mov = f"mov.b{bits} gwatch$carrier, %0;"
    return rf"{{\n\t.reg .b{bits} gwatch$carrier;\n\t{escaped}\n\t{mov}\n\t}}"
