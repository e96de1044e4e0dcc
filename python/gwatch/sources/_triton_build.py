"""A kernel as Triton compiled it: its text, its cubin and the facts of its compilation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Metadata = Mapping[str, object]
"""What Triton knows of a compilation: the target and every option by its name."""


@dataclass(frozen=True)
class Build:
    """One compilation of a kernel."""

    name: str
    """Mangled name of the entry."""
    ptx: str
    """Empty when Triton kept only the binary."""
    cubin: bytes
    metadata: Metadata
    where: str

    @property
    def compute_capability(self) -> int:
        """90 for 9.0; 0 when the target is no CUDA target."""
        target = self.metadata.get("target")
        arch = target.get("arch") if isinstance(target, Mapping) else getattr(target, "arch", 0)
        return arch if isinstance(arch, int) else 0

    @property
    def triton_version(self) -> str:
        """Of the Triton that compiled it."""
        return str(self.metadata.get("triton_version", ""))


class _NamedTuple(Protocol):
    def _asdict(self) -> dict[str, object]: ...


class CompiledKernel(Protocol):
    """The parts of Triton's class of this name that are read."""

    name: str
    asm: Mapping[str, str | bytes]
    metadata: _NamedTuple
    metadata_group: Mapping[str, str]
    function: int | None


def from_object(kernel: CompiledKernel) -> Build:
    """Read a compiled kernel that lives in this process."""
    ptx, cubin = kernel.asm.get("ptx", ""), kernel.asm.get("cubin", b"")
    path = _path_ending(kernel.metadata_group, ".ptx")
    return Build(
        name=kernel.name,
        ptx=ptx if isinstance(ptx, str) else ptx.decode(),
        cubin=cubin if isinstance(cubin, bytes) else b"",
        metadata=kernel.metadata._asdict(),
        where="compiled kernel object" + (f" (cache {path})" if path else ""),
    )


def from_files(files: Mapping[str, str], what: str) -> Build | None:
    """Read a compilation from its files in the cache.

    Args:
        files: name to path, as Triton's ``metadata_group``.
        what: what ``Build.where`` begins with.

    Returns:
        None when the metadata cannot be read.
    """
    try:
        metadata = json.loads(Path(_path_ending(files, ".json")).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(metadata, dict):
        return None
    ptx_path = _path_ending(files, ".ptx")
    return Build(
        name=str(metadata.get("name", "")),
        ptx=_read(ptx_path).decode(),
        cubin=_read(_path_ending(files, ".cubin")),
        metadata=metadata,
        where=f"{what} (cache {ptx_path or _path_ending(files, '.json')})",
    )


def _path_ending(files: Mapping[str, str], suffix: str) -> str:
    return next((path for name, path in files.items() if name.endswith(suffix)), "")


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes() if path else b""
    except OSError:
        return b""
