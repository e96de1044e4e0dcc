"""Lines of text: safe names, labelled fields, colours for a terminal."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from dataclasses import dataclass
from itertools import accumulate

LABEL_WIDTH = 12
NO_BREAK = "\u00a0"
"""A space at which no line may end; field() writes it as a plain one."""
_FILLER = "\ue000"
"""Stands behind a character of two columns while lines are wrapped; names never hold it."""
_BACKGROUNDS = (75, 214, 114, 176, 180, 80, 210, 147, 150, 222, 109, 182)


@dataclass(frozen=True)
class Style:
    """How lines are written.

    Attributes:
        width: columns a line may take.
        colour: whether ANSI colours may be used; plain ASCII without them.
    """

    width: int = 100
    colour: bool = False

    def bold(self, text: str) -> str:
        """Write text strongly."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def warning(self, text: str) -> str:
        """Write text as a warning."""
        return f"\x1b[1;33m{text}\x1b[0m" if self.colour else text

    def scope(self, index: int, text: str) -> str:
        """Write text on the colour of a scope."""
        if not self.colour:
            return text
        return f"\x1b[30;48;5;{_BACKGROUNDS[index % len(_BACKGROUNDS)]}m{text}\x1b[0m"


def clean(name: str) -> str:
    """Make a name safe to print: what could control a terminal becomes an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def columns(text: str) -> int:
    """Count the columns that a terminal gives to text; East Asian letters and emoji take two."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def pad(text: str, width: int) -> str:
    """Fill text with spaces up to some columns."""
    return text + " " * (width - columns(text))


def shorten(name: str, width: int) -> str:
    """Cut a name to some columns, its middle replaced by ``..``."""
    if columns(name) <= width:
        return name
    front = (width - 1) // 2
    return _head(name, front) + ".." + _head(name[::-1], width - 2 - front)[::-1]


def _head(text: str, width: int) -> str:
    if text.isascii():
        return text[: max(width, 0)]
    ends = accumulate(map(_columns_of, text))
    return "".join(letter for letter, end in zip(text, ends, strict=True) if end <= width)


def field(label: str, text: str, style: Style) -> list[str]:
    """Lay out a labelled paragraph, wrapped under its text; figures stay beside their units."""
    indent = " " * LABEL_WIDTH
    text = re.sub(r"(?<=\d) (?=[A-Za-z%])", NO_BREAK, text)
    lines = textwrap.wrap(
        text if text.isascii() else "".join(map(_filled, text)),
        max(style.width, 2 * LABEL_WIDTH),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    if not lines:
        return []
    lines = [line.replace(NO_BREAK, " ").replace(_FILLER, "") for line in lines]
    if label:
        lines[0] = style.bold(label.ljust(LABEL_WIDTH)) + lines[0][LABEL_WIDTH:]
    return lines


def _filled(letter: str) -> str:
    return letter + _FILLER * (_columns_of(letter) - 1)
