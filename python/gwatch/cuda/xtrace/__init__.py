"""The second name of :mod:`gwatch.cuda.trace`, kept for scripts that use it."""

from gwatch.cuda.trace import TraceResult, do_trace

__all__ = ["TraceResult", "do_trace"]
