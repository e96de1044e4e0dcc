"""Lines of text: safe names, labelled fields, colours for a terminal."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

LABEL_WIDTH = 12
NO_BREAK = "\u00a0"
"""A space at which no line may end; field() writes it as a plain one."""
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


def shorten(name: str, width: int) -> str:
    """Cut a name to a width, its middle replaced by ``..``."""
    if len(name) <= width:
        return name
    front = (width - 1) // 2
    return name[:front] + ".." + name[len(name) - (width - 2 - front) :]


def field(label: str, text: str, style: Style) -> list[str]:
    """Lay out a labelled paragraph, wrapped under its text; figures stay beside their units."""
    indent = " " * LABEL_WIDTH
    lines = textwrap.wrap(
        re.sub(r"(?<=\d) (?=[A-Za-z%])", NO_BREAK, text),
        max(style.width, 2 * LABEL_WIDTH),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    if not lines:
        return []
    lines = [line.replace(NO_BREAK, " ") for line in lines]
    if label:
        lines[0] = style.bold(label.ljust(LABEL_WIDTH)) + lines[0][LABEL_WIDTH:]
    return lines
