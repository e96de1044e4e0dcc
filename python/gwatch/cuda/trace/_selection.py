"""Which blocks and warps of a launch to record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsIndex

from gwatch.errors import UsageError

WARPS_OF_LARGEST_BLOCK = 32
LARGEST_BLOCK_NUMBER = 2**32 - 1


def warp_mask(warps: Iterable[int] | None) -> int:
    """Bit w for warp w; 0 for all.

    Raises:
        UsageError: if it names no warp, or one that no block has.
    """
    if warps is None:
        return 0
    if not isinstance(warps, Iterable):
        raise UsageError(f"warps={warps!r} is no list of warps", hint="Pass a list: warps=[0, 3].")
    mask = 0
    for warp in warps:
        if not isinstance(warp, SupportsIndex):
            raise UsageError(f"warps: {warp!r} is no number", hint="Pass a list: warps=[0, 3].")
        warp = warp.__index__()
        if not 0 <= warp < WARPS_OF_LARGEST_BLOCK:
            raise UsageError(f"warps: {warp} is no warp of a block: they count from 0 to 31")
        mask |= 1 << warp
    if not mask:
        raise UsageError("warps: no warp is named", hint="Leave it out to record all warps.")
    return mask


def block_selection(blocks: int | range | None) -> tuple[int, int, int]:
    """First, stride and count; a count of 0 for all.

    Raises:
        UsageError: if it is neither a number nor an ascending range, or names no block.
    """
    if blocks is None:
        return (0, 1, 0)
    if isinstance(blocks, int) and not isinstance(blocks, bool):
        blocks = range(blocks, blocks + 1)
    if not isinstance(blocks, range) or blocks.step < 1:
        raise UsageError(
            f"blocks={blocks!r} is neither a block nor an ascending range of blocks",
            hint="Pass blocks=7, or blocks=range(0, 1000, 10); leave it out for all.",
        )
    if not blocks or blocks[0] < 0 or blocks[-1] > LARGEST_BLOCK_NUMBER:
        raise UsageError(
            f"blocks={blocks!r} names no block of a launch",
            hint="Blocks count from 0: x + nx * (y + ny * z).",
        )
    return (blocks.start, blocks.step, len(blocks))
