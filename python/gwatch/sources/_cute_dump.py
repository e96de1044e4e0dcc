"""CuTe DSL: the folder where it leaves the PTX that ``CUTE_DSL_KEEP=ptx`` asks for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gwatch.sources import Launch, NotFound, may_be_of_generation
from gwatch.sources._cute_objects import holds_entry

FOLDER_VARIABLE = "CUTE_DSL_DUMP_DIR"
HOW_TO_KEEP = (
    f"set CUTE_DSL_KEEP=ptx (or CUTE_DSL_KEEP_PTX=1) and {FOLDER_VARIABLE}=FOLDER "
    "before `import cutlass`, and compile the kernel again"
)

_TARGET = re.compile(rb"(?m)^\s*\.target\s+sm_(\d+)")


@dataclass(frozen=True)
class Dump:
    """A file of the folder."""

    path: Path
    ptx: bytes
    cubin: bytes
    """Of the file beside it, which ``CUTE_DSL_KEEP=cubin`` asks for; may be empty."""


def folder() -> Path:
    """Where the DSL leaves its files."""
    return Path(os.environ.get(FOLDER_VARIABLE) or ".").absolute()


def find_dumped(launch: Launch) -> Dump | NotFound:
    """Find the file of a kernel: the one whose cubin was loaded, else the newest that has it."""
    dumps = [dump for dump in map(_read, _newest_first()) if _is_of(dump, launch)]
    if not dumps:
        return NotFound(f"no .ptx file in {folder()} has this kernel: {HOW_TO_KEEP}")
    loaded = (dump for dump in dumps if launch.image and dump.cubin == launch.image)
    return next(loaded, dumps[0])


def _newest_first() -> list[Path]:
    def time(path: Path) -> int:
        try:
            return path.stat().st_mtime_ns
        except OSError:
            return 0

    return sorted(folder().glob("*.ptx"), key=time, reverse=True)


def _is_of(dump: Dump, launch: Launch) -> bool:
    target = _TARGET.search(dump.ptx)
    if target is None or not holds_entry(dump.ptx, launch.kernel):
        return False
    return may_be_of_generation(int(target[1]), launch.compute_capability)


def _read(path: Path) -> Dump:
    return Dump(path, _bytes_of(path), _bytes_of(path.with_suffix(".cubin")))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
