"""The capture calls of the core on a machine without a driver."""

from __future__ import annotations

import ctypes

import pytest

from gwatch import libpygwatch
from gwatch.errors import CaptureError


def _driver_is_here() -> bool:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


needs_no_driver = pytest.mark.skipif(_driver_is_here(), reason="a CUDA driver is installed")


@needs_no_driver
def test_without_a_driver_the_hooks_say_what_was_looked_for() -> None:
    with pytest.raises(CaptureError) as raised:
        libpygwatch.init_cupti_hooks()
    assert raised.value.message == "no CUDA driver: libcuda.so.1 cannot be opened"
    assert "libcuda.so.1" in raised.value.detail
    assert "NVIDIA driver" in raised.value.hint
    assert not libpygwatch.hooks_are_initialized()


@needs_no_driver
def test_a_failed_start_can_be_tried_again() -> None:
    for _ in range(2):
        with pytest.raises(CaptureError):
            libpygwatch.init_cupti_hooks([])


@needs_no_driver
def test_a_capture_needs_the_hooks() -> None:
    with pytest.raises(CaptureError, match=r"init_cupti_hooks\(\) first"):
        libpygwatch.begin_capture("mm", lambda launch: (b"", False, 0, []))


@needs_no_driver
def test_the_end_of_no_capture_is_empty() -> None:
    result = libpygwatch.end_capture()
    assert result.launches == []
    assert result.failures == []
    assert result.seen_kernels == {}
    assert (result.matching_launches, result.skipped_launches) == (0, 0)
