"""The errors that gwatch raises: one tree, so that ``except GwatchError`` catches all of them.

The C++ core returns errors as data; its binding raises the class of each kind
(``src/python/raise.cpp``).
"""

from __future__ import annotations


class GwatchError(Exception):
    """A failure: what failed and where, the evidence, and what to do.

    Attributes:
        message: what failed and where.
        detail: longer evidence, such as a source line with a caret or an assembler's log; may be
            empty.
        hint: what to do; may be empty.
        value: when ``do_trace`` raises it after it called ``fn``, what ``fn`` returned; else None.
    """

    value: object = None

    def __init__(self, message: str, detail: str = "", hint: str = "") -> None:
        super().__init__(message, detail, hint)
        self.message = message
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(part for part in (self.message, self.detail, self.hint) if part)


class UsageError(GwatchError, ValueError):
    """A wrong argument: an unknown dsl or tier, a bad pattern or range."""


class PtxError(GwatchError):
    """A PTX text that cannot be parsed."""


class InstrumentError(GwatchError):
    """A module that parsed, but cannot be instrumented."""


class NoMarkersError(InstrumentError):
    """A kernel without any marker."""


class AssemblerError(GwatchError):
    """No assembler was found, or it refused or crashed."""


class SourceError(GwatchError):
    """No PTX was found for a kernel."""


class CaptureError(GwatchError):
    """CUPTI is missing or taken, or no launch matched."""


class DriverError(GwatchError):
    """A call of the CUDA driver failed."""


class ArchiveError(GwatchError):
    """A trace file that is broken or of an unknown version."""


class FileError(GwatchError, OSError):
    """A file that cannot be read or written."""
