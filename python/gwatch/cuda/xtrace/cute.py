"""The markers of `gwatch.cuda.trace.cute` under a second name."""

from gwatch.cuda.trace.cute import mark, scope, scope_end, scope_start, scope_switch

__all__ = ["mark", "scope", "scope_end", "scope_start", "scope_switch"]
