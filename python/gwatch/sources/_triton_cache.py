"""Triton's disk cache: a folder for each compilation, with NAME.ptx, NAME.cubin and NAME.json."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

from gwatch.sources import Launch, NotFound
from gwatch.sources._triton_build import Build, from_files

_MAX_SHOWN = 4
_MAX_FILE_NAME = 150  # Triton cuts the names of its files to that
_SUFFIXES = (".json", ".ptx", ".cubin")


def find_in_cache(folder: str, triton_version: str, launch: Launch) -> Build | NotFound:
    """Find the compilation of a launched kernel.

    By the bytes of its cubin when they are known; else by its name, if that leaves no choice.
    """
    if launch.image:
        return _by_cubin(Path(folder), launch)
    return _by_name(Path(folder), triton_version, launch)


def _by_cubin(folder: Path, launch: Launch) -> Build | NotFound:
    for cubin in folder.glob("*/*.cubin"):
        build = _read(cubin) if _has_bytes(cubin, launch.image) else None
        if build:
            return build
    return NotFound(f"no cubin in the cache {folder} has the bytes of the loaded one")


def _by_name(folder: Path, triton_version: str, launch: Launch) -> Build | NotFound:
    target = (launch.kernel, launch.compute_capability, triton_version)
    distinct = {
        (build.ptx, build.cubin): build
        for build in _builds(folder, launch.kernel)
        if (build.name, build.compute_capability, build.triton_version) == target
    }
    if not distinct:
        return NotFound(f"the cache {folder} has no kernel of this name and target")
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    shown = sorted(build.where for build in distinct.values())[:_MAX_SHOWN]
    return NotFound(
        f"its cubin was not seen, and the cache {folder} has {len(distinct)} kernels of its name: "
        + ", ".join(shown)
    )


def _builds(folder: Path, kernel: str) -> Iterator[Build]:
    """Those in files of this name, else all: a kernel can be named otherwise than its function."""
    exact = list(folder.glob(f"*/{glob.escape(kernel[:_MAX_FILE_NAME])}.json"))
    for path in exact or folder.glob("*/*.json"):
        build = _read(path)
        if build:
            yield build


def _read(member: Path) -> Build | None:
    """The compilation that a file of the cache is of."""
    paths = [member.with_suffix(suffix) for suffix in _SUFFIXES]
    files = {path.name: str(path) for path in paths if path.exists()}
    return from_files(files, "compiled kernel")


def _has_bytes(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False
