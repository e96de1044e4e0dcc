"""Finds the assemblers (ptxas) of this machine. Imports no package that carries one."""

from __future__ import annotations

import functools
import os
import re
import shutil
import site
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gwatch.errors import GwatchError
from gwatch.libpygwatch import Candidate, newest_ptx_version

ENVIRONMENT_VARIABLE = "GWATCH_PTXAS"
_WHEEL_ORIGIN = "PyPI nvidia-cuda-nvcc"
_WHEEL_FOLDERS = ("nvidia/cu[0-9]*/bin", "nvidia/cuda_nvcc/bin")
_TOOLKIT_PARENT = Path("/usr/local")

# What changes the code a text becomes, or its line table. Other flags may be of one assembler only.
_PORTABLE_FLAG = re.compile(
    r"-lineinfo|--generate-line-info|-suppress-debug-info|-g|--device-debug"
    r"|(--fmad|-fmad|--opt-level|--gpu-name|-arch|--maxrregcount|-maxrregcount)(=.*)?|-O[0-4]"
)
_TAKES_VALUE = re.compile(r"--fmad|-fmad|--opt-level|--gpu-name|-arch|--maxrregcount|-maxrregcount")


def candidates(preferred: Sequence[Candidate]) -> list[Candidate]:
    """Return the assemblers to try, best first.

    The one named by ``GWATCH_PTXAS`` stands first, with the flags of the preferred one. Then come
    the preferred ones, then those of PyPI wheels, CUDA toolkits and PATH, newest first, with those
    flags of the first preferred one that every assembler knows.

    Args:
        preferred: the DSL's own assemblers, with its flags.
    """
    flags = _portable(preferred[0].flags) if preferred else []
    found = [*_from_environment(preferred), *preferred]
    found += (Candidate(str(path), origin, flags) for path, origin in _installed())
    return _without_repeats(found)


def _from_environment(preferred: Sequence[Candidate]) -> Iterator[Candidate]:
    path = os.environ.get(ENVIRONMENT_VARIABLE)
    if path:
        yield Candidate(path, ENVIRONMENT_VARIABLE, preferred[0].flags if preferred else [])


def _installed() -> list[tuple[Path, str]]:
    on_path = shutil.which("ptxas")
    found = [
        *((path, _WHEEL_ORIGIN) for path in _in_wheels()),
        *((path, "CUDA toolkit") for path in _in_toolkits()),
        *([(Path(on_path), "PATH")] if on_path else []),
    ]
    return sorted(found, key=lambda program: _newest_ptx_version(str(program[0])), reverse=True)


@functools.lru_cache
def _newest_ptx_version(path: str) -> int:
    try:
        return newest_ptx_version(path)
    except GwatchError:
        return 0  # tried last: the assembler's error then says what is wrong with it


def _in_wheels() -> Iterator[Path]:
    for folder in dict.fromkeys([*sys.path, *site.getsitepackages(), site.getusersitepackages()]):
        for pattern in _WHEEL_FOLDERS:
            yield from _programs(Path(folder or ".").glob(pattern))


def _in_toolkits() -> Iterator[Path]:
    named = (os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH"))
    yield from _programs(Path(folder) / "bin" for folder in named if folder)
    yield from _programs(_TOOLKIT_PARENT.glob("cuda*/bin"))


def _programs(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        program = folder / "ptxas"
        if os.access(program, os.X_OK):
            yield program


def _portable(flags: Sequence[str]) -> list[str]:
    kept: list[str] = []
    takes_next = False
    for flag in flags:
        if takes_next or _PORTABLE_FLAG.fullmatch(flag):
            kept.append(flag)
        takes_next = bool(not takes_next and _TAKES_VALUE.fullmatch(flag))
    return kept


def _without_repeats(found: Iterable[Candidate]) -> list[Candidate]:
    unique: dict[str, Candidate] = {}
    for candidate in found:
        unique.setdefault(os.path.realpath(candidate.path), candidate)
    return list(unique.values())
