"""The markers of `gwatch.cuda.trace.triton` under a second name."""

from gwatch.cuda.trace.triton import mark, scope, scope_end, scope_start, scope_switch

__all__ = ["mark", "scope", "scope_end", "scope_start", "scope_switch"]
