"""Tracing inside a kernel: ``do_trace`` and what it returns."""

from gwatch.cuda.trace._do_trace import do_trace
from gwatch.cuda.trace._result import TraceResult

__all__ = ["TraceResult", "do_trace"]
