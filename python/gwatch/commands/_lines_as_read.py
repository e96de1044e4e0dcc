"""Line numbers of a PTX text that was marked, told as those of the text that was read."""

from __future__ import annotations

import re

_REACHES = (64, 1024, 1 << 20)
"""Lines to look ahead for the next common one: few behind a marker, many behind many of IKET."""

_LINE_NUMBER = re.compile(r"\bline (\d+)")


class LinesAsRead:
    """Where each line of a marked text stood before; one that is new, where it was put."""

    def __init__(self, read: bytes, marked: bytes) -> None:
        self._numbers = [] if read == marked else _numbers(_lines(read), _lines(marked))

    def number(self, marked_line: int) -> int:
        """The line, from 1, of the text that was read."""
        within = 0 < marked_line <= len(self._numbers)
        return self._numbers[marked_line - 1] if within else marked_line

    def reason(self, text: str) -> str:
        """The same in words that name lines: "branch at line 12 depends on %p3"."""
        return _LINE_NUMBER.sub(lambda found: f"line {self.number(int(found[1]))}", text)


def _lines(text: bytes) -> list[bytes]:
    return [line.strip() for line in text.splitlines()]


def _numbers(read: list[bytes], marked: list[bytes]) -> list[int]:
    numbers: list[int] = []
    at = 0
    while len(numbers) < len(marked):
        if at == len(read) or read[at] != marked[len(numbers)]:
            skipped, added = _until_common(read, at, marked, len(numbers))
            at += skipped
            numbers += [at + 1] * added
        if len(numbers) < len(marked):
            at += 1
            numbers.append(at)
    return numbers


def _until_common(read: list[bytes], at: int, marked: list[bytes], begin: int) -> tuple[int, int]:
    """How many lines to leave out of each text until both go on alike, as few as can be."""
    for reach in _REACHES:
        behind = read[at : at + reach]
        places = {line: place for place, line in reversed(list(enumerate(behind))) if _tells(line)}
        ahead = enumerate(marked[begin : begin + reach])
        common = [(places[line], added) for added, line in ahead if line in places]
        if common:
            return min(common, key=sum)
    return 0, len(marked) - begin


def _tells(line: bytes) -> bool:
    """Whether a line that both texts have is likely the same one."""
    return len(line) > 1 and not line.startswith(b".loc")
