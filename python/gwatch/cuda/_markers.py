"""The text of a marker, shared by every DSL: a PTX comment, and the rules for what stands in it."""

from __future__ import annotations

import os
import re
from typing import Literal

from gwatch.errors import UsageError

Verb = Literal["start", "end", "switch", "mark"]
PayloadKind = Literal["s32", "u32", "f32", "s64", "u64", "f64", "b64"]
"""How a value that a marker records is read: as PTX types name it; b64 is an address."""

CONSTRAINTS: dict[PayloadKind, str] = {
    "s32": "r",
    "u32": "r",
    "f32": "f",
    "s64": "l",
    "u64": "l",
    "f64": "d",
    "b64": "l",
}
"""Of inline assembly, for a register of each kind."""

ONE_VALUE_A_WARP = "A payload is one value a warp: reduce it first, or pick one element."

MAX_ID = 65535
_BARE_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/-")
_DECIMAL = re.compile("[0-9]+")

ENABLED = os.environ.get("GWATCH_MARKERS", "1") != "0"
"""False when ``GWATCH_MARKERS=0`` was set at import: markers then emit nothing.

Read once, since a compiler's cache keys remember which of the two it saw.
"""


def encode_scope(scope: object) -> str:
    """Returns a scope's id or name as it stands in a marker.

    Args:
        scope: an id from 0 to 65535, or a name. A name that is a decimal number is an id. Bytes of
            a name outside ``[A-Za-z0-9_.:/-]`` become ``%XX``.

    Raises:
        UsageError: if it is neither, or out of range.
    """
    if isinstance(scope, str):
        if _DECIMAL.fullmatch(scope):
            return _encode_id(int(scope))
        return _encode_name(scope)
    if isinstance(scope, int) and not isinstance(scope, bool):
        return _encode_id(scope)
    raise UsageError(
        f"a scope is an int or a string, not {type(scope).__name__}: {scope!r}",
        hint=f"Give an id from 0 to {MAX_ID}, or a name.",
    )


def comment(verb: Verb, *scopes: object) -> str:
    """Returns the comment of a marker, without its line end: ``// gwatch:start 100``."""
    return f"// gwatch:{verb} " + " ".join(encode_scope(scope) for scope in scopes)


def carrier(kind: PayloadKind | None = None, target: str = "$0", source: str = "$1") -> str:
    """Returns the instruction behind a comment; its type names the kind of a payload.

    Without a kind there is no payload: the instruction only gives the assembly its result.
    """
    return f"mov.u32 {target}, 0;" if kind is None else f"mov.{kind} {target}, {source};"


def constraints(kind: PayloadKind | None = None) -> str:
    """Returns LLVM's constraints of a marker: loads and stores stay on their side of it."""
    if kind is None:
        return "=r,~{memory}"
    return f"={CONSTRAINTS[kind]},{CONSTRAINTS[kind]},~{{memory}}"


def number_kind(value: float) -> PayloadKind:
    """Returns how a number of Python's own is recorded: in 32 bits when they hold it.

    Raises:
        UsageError: an integer of more than 64 bits.
    """
    if isinstance(value, float):
        magnitude = abs(value)
        is_single = magnitude in (0.0, float("inf")) or value != value
        return "f32" if is_single or _MIN_FLOAT32 <= magnitude <= _MAX_FLOAT32 else "f64"
    if isinstance(value, bool):
        return "u32"
    for kind, low, high in _INTEGER_RANGES:
        if low <= value < high:
            return kind
    raise UsageError(
        f"the value {value} has more than 64 bits", hint="A payload has 32 or 64 bits."
    )


_MIN_FLOAT32 = 2.0**-126
_MAX_FLOAT32 = (2 - 2.0**-23) * 2.0**127
_INTEGER_RANGES: tuple[tuple[PayloadKind, int, int], ...] = (
    ("s32", -(2**31), 2**31),
    ("u32", 2**31, 2**32),
    ("s64", -(2**63), 2**63),
    ("u64", 2**63, 2**64),
)


def _encode_id(scope_id: int) -> str:
    if 0 <= scope_id <= MAX_ID:
        return str(int(scope_id))  # an enum's own str() would be its name
    raise UsageError(
        f"scope id {scope_id} is out of range",
        hint=f"An id is from 0 to {MAX_ID}; a name can be anything.",
    )


def _encode_name(name: str) -> str:
    if not name:
        raise UsageError("a scope's name is empty", hint=f"Give a name, or an id up to {MAX_ID}.")
    try:
        encoded = name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"scope name {name!r} is no valid text: {error.reason}") from error
    return "".join(chr(byte) if byte in _BARE_BYTES else f"%{byte:02X}" for byte in encoded)
