"""Finds the disassemblers (nvdisasm) of this machine. Imports no package that carries one."""

from __future__ import annotations

import os
import shutil
import site
import sys
from collections.abc import Iterator
from pathlib import Path

ENVIRONMENT_VARIABLE = "GWATCH_NVDISASM"
_PACKAGE_FOLDERS = (
    "nvidia/cu[0-9]*/bin",
    "nvidia/cuda_nvdisasm/bin",
    "nvidia/cuda_nvcc/bin",
    "triton/backends/nvidia/bin",
)
_TOOLKIT_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_TOOLKIT_PARENT = Path("/usr/local")


def programs() -> list[str]:
    """Return the paths of the nvdisasm programs to try, best first.

    The one named by ``GWATCH_NVDISASM`` stands first, then those of PyPI wheels (the one that
    Triton brings last), of CUDA toolkits and of PATH. Which is new enough shows when it is run.
    """
    found = [*_named(), *_in_packages(), *_in_toolkits(), *_on_path()]
    unique: dict[str, str] = {}
    for path in found:
        unique.setdefault(os.path.realpath(path), str(path))
    return list(unique.values())


def _named() -> Iterator[Path]:
    path = os.environ.get(ENVIRONMENT_VARIABLE)
    if path:
        yield Path(path)


def _in_packages() -> Iterator[Path]:
    folders = dict.fromkeys([*sys.path, *site.getsitepackages(), site.getusersitepackages()])
    for pattern in _PACKAGE_FOLDERS:
        for folder in folders:
            newest_first = sorted(Path(folder or ".").glob(f"{pattern}/nvdisasm"), reverse=True)
            yield from filter(_is_program, newest_first)


def _in_toolkits() -> Iterator[Path]:
    named = [Path(os.environ[name]) for name in _TOOLKIT_VARIABLES if os.environ.get(name)]
    for toolkit in [*named, *sorted(_TOOLKIT_PARENT.glob("cuda*"), reverse=True)]:
        yield from filter(_is_program, [toolkit / "bin" / "nvdisasm"])


def _on_path() -> Iterator[Path]:
    path = shutil.which("nvdisasm")
    if path:
        yield Path(path)


def _is_program(path: Path) -> bool:
    return os.access(path, os.X_OK)
