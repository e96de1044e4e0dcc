"""Runs whose markers carried values, for tests of every report."""

import struct

from archives import Instant, Slice, Warp, run

SCOPES = ("tile", "mma", "fill", "plain")
KINDS = ("u32", "f32", "s64", "")
BIG = 2**64 - 1


def float32(value):
    """The bits of a float32."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def float64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def tiles():
    """Make two warps that work on tiles 0 to 3, the odd ones longer; marks tell a queue's fill."""
    warps, marks = [], []
    for number in range(2):
        slices = []
        for step in range(8):
            start, tile = 1000 * step, step % 4
            length = (700 if tile % 2 else 100) + 10 * number + step
            carried = None if step == 7 else tile
            slices.append(Slice(start, start + length, 0, payload=carried))
            slices.append(Slice(start + 10, start + 60, 1, 1, payload=float32(0.1 * step)))
            marks.append(Instant(number, start + 500, 2, payload=(step - 2) % 2**64))
        slices.append(Slice(8000, 8100, 3))
        warps.append(Warp(0, number, 0, 9000, slices, sm=3))
    return run(warps, SCOPES, kinds=KINDS, marks=sorted(marks, key=lambda mark: mark.time_ns))


def of_kind(kind, *bits):
    """Make a slice and a mark for each value of one kind."""
    slices = [Slice(100 * i, 100 * i + 50, 0, payload=value) for i, value in enumerate(bits)]
    marks = [Instant(0, 100 * i + 70, 1, payload=value) for i, value in enumerate(bits)]
    end = 100 * len(bits)
    return run([Warp(0, 0, 0, end, slices)], ("work", "fill"), kinds=(kind, kind), marks=marks)
