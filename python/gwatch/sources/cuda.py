"""PTX of CUDA C++ kernels: out of the image that a program loaded, else of its files.

A ``<<<>>>`` launch's kernel is in a fat binary inside the program or a library. When its load was
seen, that is the image; else the files that the process has loaded are searched.
"""

from __future__ import annotations

import contextlib
import os
import shlex

from gwatch import assemblers, libpygwatch
from gwatch.errors import SourceError
from gwatch.libpygwatch import Candidate
from gwatch.sources import FoundPtx, Launch, NotFound, _cuobjdump, _nvrtc

_FATBIN_MAGIC = b"\x50\xed\x55\xba"
_ELF_MAGIC = b"\x7fELF"


class CudaSource:
    """Finds the PTX of kernels that nvcc or clang compiled into a program."""

    name = "cuda"

    def __init__(self, process_id: int | None = None) -> None:
        """Looks into this process, or another one."""
        self._process_id = process_id

    def install_hooks(self) -> None:
        """Note what PyTorch compiles; the capture notes what is loaded."""
        _nvrtc.note_pytorch()

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Look into the loaded image, then into the files of the process."""
        image = launch.image
        if image and not image.startswith((_FATBIN_MAGIC, _ELF_MAGIC)):
            return self._in_text(launch)
        noted = _nvrtc.of_pytorch.find(launch) if image.startswith(_ELF_MAGIC) else None
        if noted:
            return FoundPtx(noted, "NVRTC, as PyTorch compiled it", (), image, self.name)
        try:
            found = self._search(launch)
        except SourceError as error:
            return NotFound(" ".join(part for part in (error.message, error.hint) if part))
        return FoundPtx(
            ptx=found.ptx,
            where=f"{found.where} (PTX for {found.target})",
            assemblers=_assemblers(found.flags),
            cubin=found.cubin,
            dsl=self.name,
        )

    def _in_text(self, launch: Launch) -> FoundPtx | NotFound:
        if not libpygwatch.defines_entry(launch.image, launch.kernel):
            return NotFound("it was loaded from a text that does not define it")
        return FoundPtx(
            ptx=launch.image,
            where="PTX text that the program loaded",
            assemblers=(),
            cubin=b"",
            dsl=self.name,
        )

    def _search(self, launch: Launch) -> libpygwatch.KernelPtx:
        if not launch.image.startswith(_FATBIN_MAGIC):
            return self._in_files(launch)
        try:
            return _in_image(launch)
        except SourceError as error:
            # Relocatable device code is linked without its PTX, which stays in the program's file.
            with contextlib.suppress(SourceError):
                return self._in_files(launch)
            raise error

    def _in_files(self, launch: Launch) -> libpygwatch.KernelPtx:
        files = loaded_files(self._process_id)
        try:
            return libpygwatch.find_in_files(
                files, launch.kernel, launch.compute_capability, launch.image
            )
        except SourceError as error:
            if launch.image:
                error.message = f"it was loaded from a cubin, without PTX; {error.message}"
            return _cuobjdump.after(error, launch, files=files)


def _in_image(launch: Launch) -> libpygwatch.KernelPtx:
    try:
        return libpygwatch.find_in_fatbin(launch.image, launch.kernel, launch.compute_capability)
    except SourceError as error:
        return _cuobjdump.after(error, launch, image=launch.image)


def loaded_files(process_id: int | None = None) -> list[str]:
    """The program of a process and the libraries that it has loaded."""
    process = process_id or os.getpid()
    paths: dict[str, None] = {}
    try:
        paths[os.readlink(f"/proc/{process}/exe")] = None
        with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                columns = line.rstrip("\n").split(maxsplit=5)
                if len(columns) == 6 and columns[5].startswith("/") and "x" in columns[1]:
                    paths[columns[5]] = None
    except OSError:
        pass  # the process is gone, or not ours: what was read until then is searched
    return list(paths)


def _assemblers(flags: str) -> tuple[Candidate, ...]:
    """The assemblers of this machine with the flags that nvcc passes for a kernel."""
    split = shlex.split(flags)
    return tuple(Candidate(one.path, one.origin, split) for one in assemblers.candidates(()))
