"""PTX out of fat binaries through cuobjdump, where gwatch cannot unpack them itself."""

from __future__ import annotations

import re
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gwatch import libpygwatch
from gwatch.errors import SourceError
from gwatch.sources import Launch

_WHEEL_FOLDERS = ("nvidia/cu[0-9]*/bin", "nvidia/cuda_cuobjdump/bin")
_TIMEOUT_SECONDS = 120
_TARGET = re.compile(r"\.sm_(\d+)([af]?)\.ptx$")


def after(
    error: SourceError, launch: Launch, *, image: bytes = b"", files: Sequence[str] = ()
) -> libpygwatch.KernelPtx:
    """Try cuobjdump on an image or on files if gwatch lacked a library to unpack them.

    Raises:
        SourceError: the given one, if it has another reason or if cuobjdump finds nothing either.
    """
    program = find_cuobjdump()
    if "libzstd" not in error.message or not program:
        raise error
    with tempfile.TemporaryDirectory(prefix="gwatch-") as folder:
        if image:
            path = Path(folder) / "image.fatbin"
            path.write_bytes(image)
            files = [str(path)]
        for file in files:
            found = _best(_extract(program, file, Path(folder)), launch)
            if found:
                where = "the fat binary that was loaded" if image else f"fat binary in {file}"
                ptx, target = found
                return libpygwatch.KernelPtx(
                    libpygwatch.restore_markers(ptx), target, "", b"", f"{where}, by {program}"
                )
    raise error


def find_cuobjdump() -> str:
    """The program in PATH, in a toolkit or in a PyPI wheel; empty if there is none."""
    on_path = shutil.which("cuobjdump")
    if on_path:
        return on_path
    installed = [*Path("/usr/local").glob("cuda*/bin/cuobjdump"), *_in_wheels()]
    return str(installed[-1]) if installed else ""


def _in_wheels() -> Iterator[Path]:
    for folder in dict.fromkeys([*sys.path, *site.getsitepackages()]):
        for pattern in _WHEEL_FOLDERS:
            yield from Path(folder).glob(f"{pattern}/cuobjdump")


def _extract(program: str, file: str, folder: Path) -> list[Path]:
    """All PTX texts of a file; none if it has none or the program fails."""
    output = Path(tempfile.mkdtemp(dir=folder))
    command = [program, "-xptx", "all", str(Path(file).resolve())]
    try:
        subprocess.run(command, cwd=output, capture_output=True, timeout=_TIMEOUT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return list(output.glob("*.ptx"))


def _best(texts: Sequence[Path], launch: Launch) -> tuple[bytes, str] | None:
    """The text with the kernel for the newest target that runs on the device."""
    best: tuple[tuple[int, str], bytes] | None = None
    for path in texts:
        match = _TARGET.search(path.name)
        if not match:
            continue
        target = int(match[1]), match[2]
        if not libpygwatch.runs_on(*target, launch.compute_capability):
            continue
        ptx = path.read_bytes()
        if not libpygwatch.defines_entry(ptx, launch.kernel):
            continue
        # Of one architecture 'f' comes before none, and 'a' before 'f'.
        rank = (target[0], {"": "0", "f": "1", "a": "2"}[target[1]] + target[1])
        if best is None or rank > best[0]:
            best = rank, ptx
    return (best[1], f"sm_{best[0][0]}{best[0][1][1:]}") if best else None
