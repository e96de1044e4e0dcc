"""Which process of a distributed job this is, and on which machine."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK")
"""Where launchers say it: torchrun, Open MPI, MPICH, Slurm; the first that is set counts."""


def rank() -> int | None:
    """The rank of this process; None outside of a distributed job."""
    for variable in RANK_VARIABLES:
        value = os.environ.get(variable, "")
        if value.isdecimal():
            return int(value)
    return None


def with_rank(path: str) -> str:
    """Put this process's rank (0 outside of a distributed job) where the path says ``{rank}``."""
    return path.replace("{rank}", str(rank() or 0))


def host() -> str:
    """Digits that tell this machine, since it was booted, from others; they name nobody."""
    try:
        # Containers of one machine share it, as they share the timers of its GPUs.
        told = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    except OSError:
        told = socket.gethostname()
    return hashlib.sha256(told.encode()).hexdigest()[:12]
