"""A letter for each scope."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

OTHER = "#"
"""Stands for every scope that found no letter of its own."""


def scope_letters(names: Sequence[str]) -> list[str]:
    """Give each name a letter: an initial of its words if free, else one of its own, else any."""
    taken: set[str] = set()
    letters = []
    for name in names:
        own = re.findall(r"(?<![A-Za-z])[A-Za-z]", name) + re.findall(r"[A-Za-z]", name)
        candidates = [*(c.upper() for c in own), *(c.lower() for c in own)]
        candidates += [*string.ascii_uppercase, *string.ascii_lowercase, *string.digits]
        letter = next((c for c in candidates if c not in taken), OTHER)
        taken.add(letter)
        letters.append(letter)
    return letters
