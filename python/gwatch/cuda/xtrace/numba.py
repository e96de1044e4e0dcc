"""The markers of `gwatch.cuda.trace.numba` under a second name."""

from gwatch.cuda.trace.numba import mark, scope_end, scope_start, scope_switch

__all__ = ["mark", "scope_end", "scope_start", "scope_switch"]
