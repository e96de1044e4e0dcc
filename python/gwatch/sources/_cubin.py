"""Whether two cubins hold the same code of a kernel."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_MAGIC = b"\x7fELF\x02"
_SECTION = struct.Struct("<II16xQQ")
_NO_BITS = 8


def is_same(cubin: bytes, image: bytes, kernel: str) -> bool:
    """Whether a kernel is the same in both.

    What they say beside it may differ: the names of source files, and the zeros at their end.
    """
    if cubin.rstrip(b"\0") == image.rstrip(b"\0"):
        return True
    code = _code(cubin, kernel)
    return bool(code) and code == _code(image, kernel)


def _code(cubin: bytes, kernel: str) -> dict[str, bytes]:
    """The kernel's instructions, constants and attributes; none when the cubin lacks the kernel."""
    try:
        sections = dict(_sections(cubin))
    except (struct.error, IndexError, ValueError):
        return {}
    if f".text.{kernel}" not in sections:
        return {}
    return {
        name: content
        for name, content in sections.items()
        if name.endswith(f".{kernel}") and name.startswith((".text.", ".nv.constant", ".nv.shared"))
    }


def _sections(cubin: bytes) -> Iterator[tuple[str, bytes]]:
    if not cubin.startswith(_MAGIC):
        return
    (table,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names_index = struct.unpack_from("<HHH", cubin, 58)
    headers = [_SECTION.unpack_from(cubin, table + size * index) for index in range(count)]
    names_start = headers[names_index][2]
    for name, kind, offset, length in headers:
        start = names_start + name
        end = cubin.index(b"\0", start)
        content = b"" if kind == _NO_BITS else cubin[offset : offset + length]
        yield cubin[start:end].decode("utf-8", "replace"), content
