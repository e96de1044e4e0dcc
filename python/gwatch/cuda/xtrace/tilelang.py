"""The markers of `gwatch.cuda.trace.tilelang` under a second name."""

from gwatch.cuda.trace.tilelang import mark, scope, scope_end, scope_start, scope_switch

__all__ = ["mark", "scope", "scope_end", "scope_start", "scope_switch"]
