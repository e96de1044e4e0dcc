"""Finds the CUPTI libraries of this machine. Imports no package that carries one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_WHEELS = ("nvidia/cu[0-9]*/lib", "nvidia/cuda_cupti/lib")
_TRITON = "triton/backends/nvidia/lib/cupti*"
_TOOLKIT_FOLDERS = ("extras/CUPTI/lib64", "lib64", "targets/*/lib")
_TOOLKIT_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_TOOLKIT_PARENT = Path("/usr/local")


def cupti_paths() -> list[str]:
    """Return the CUPTI libraries to try, best first.

    Those of PyPI wheels (``nvidia-cuda-cupti``) come first, then those of CUDA toolkits, then
    those that Triton brings for its own profiler; of each the newest first. A library that the
    process has loaded already is not looked for here: the core prefers it to all of these.
    """
    found = [
        *_newest_first(_in_packages(_WHEELS)),
        *_newest_first(_in_toolkits()),
        *_newest_first(_in_packages((_TRITON,))),
    ]
    return [str(path) for path in dict.fromkeys(found)]


def _in_packages(folders: tuple[str, ...]) -> Iterator[Path]:
    for root in dict.fromkeys(sys.path):
        for folder in folders:
            if root:
                yield from Path(root).glob(f"{folder}/libcupti.so*")


def _in_toolkits() -> Iterator[Path]:
    named = [Path(os.environ[name]) for name in _TOOLKIT_VARIABLES if os.environ.get(name)]
    for toolkit in [*named, *_TOOLKIT_PARENT.glob("cuda*")]:
        for folder in _TOOLKIT_FOLDERS:
            yield from toolkit.glob(f"{folder}/libcupti.so*")


def _newest_first(paths: Iterator[Path]) -> list[Path]:
    """Each library once: of its links (``libcupti.so``, ``.so.13``) the one named last counts."""
    libraries = {path.resolve(): path for path in paths if path.is_file()}
    return sorted(libraries.values(), key=_version, reverse=True)


def _version(path: Path) -> tuple[int, ...]:
    numbers = re.search(r"\.so\.([0-9.]+)$", path.resolve().name)
    return tuple(map(int, numbers[1].split("."))) if numbers else ()
