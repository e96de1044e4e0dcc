"""The instructions of a cubin, by nvdisasm."""

import re
import shutil
import site
import subprocess
import sys
from collections import Counter
from pathlib import Path

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)")


def find_nvdisasm() -> str:
    """Of the PyPI wheel nvidia-cuda-nvdisasm, else of PATH, else ""."""
    for folder in [*sys.path, *site.getsitepackages()]:
        for path in Path(folder or ".").glob("nvidia/c*/bin/nvdisasm"):
            return str(path)
    return shutil.which("nvdisasm") or ""


def opcode_histogram(cubin: bytes, folder: Path) -> Counter:
    """Count the opcodes with all their suffixes: "LDG.E.128"."""
    path = folder / "kernel.cubin"
    path.write_bytes(cubin)
    listing = subprocess.run(
        [find_nvdisasm(), "-c", str(path)], check=True, capture_output=True, text=True
    ).stdout
    return Counter(_INSTRUCTION.findall(listing))


_LISTED = re.compile(
    r"/\*[0-9a-f]{4,}\*/\s+(\S.*?)\s*;?\s*/\* 0x[0-9a-f]{16} \*/\s+/\* 0x([0-9a-f]{16}) \*/"
)
_STALL_BIT = 41  # of the upper word: the cycles until the next instruction may be issued


def stalls(cubin: bytes, folder: Path) -> list[tuple[str, int]]:
    """Instructions in text order, each with its stall in cycles (sm_70 and later)."""
    path = folder / "kernel.cubin"
    path.write_bytes(cubin)
    listing = subprocess.run(
        [find_nvdisasm(), "-c", "-hex", str(path)], check=True, capture_output=True, text=True
    ).stdout
    return [(text, int(word, 16) >> _STALL_BIT & 15) for text, word in _LISTED.findall(listing)]
