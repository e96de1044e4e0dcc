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
