"""The text of a marker, shared by every DSL: a PTX comment, and the rules for what stands in it."""

from __future__ import annotations

import os
import re
from typing import Literal

from gwatch.errors import UsageError

Verb = Literal["start", "end", "switch", "mark"]

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
