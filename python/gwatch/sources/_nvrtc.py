"""PTX that NVRTC made beside the cubins that libraries load."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections import deque
from collections.abc import Callable

from gwatch import libpygwatch
from gwatch.sources import Launch, _cubin


class Notes:
    """Cubins with their PTX, the last few hundred."""

    def __init__(self) -> None:
        """Nothing is noted yet."""
        self._noted: deque[tuple[bytes, bytes]] = deque(maxlen=256)

    def __len__(self) -> int:
        return len(self._noted)

    def clear(self) -> None:
        """Forget all."""
        self._noted.clear()

    def add(self, cubin: bytes, ptx: bytes) -> None:
        """Note the PTX, with zeros behind it or without, of a cubin."""
        self._noted.append((cubin, ptx.rstrip(b"\0")))

    def find(self, launch: Launch) -> bytes | None:
        """The newest PTX of the launched kernel; of its image, where that is known."""
        for cubin, ptx in reversed(self._noted):
            if launch.image and not _cubin.is_same(cubin, launch.image, launch.kernel):
                continue
            if libpygwatch.defines_entry(ptx, launch.kernel):
                return ptx
        return None


of_pytorch = Notes()
"""What ``torch.cuda._compile_kernel`` compiled since `note_pytorch` was called."""


class _Library:
    """PyTorch's handle of NVRTC; asked for a cubin, it notes the PTX, too."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def nvrtcGetCUBIN(  # noqa: N802
        self, program: ctypes.c_void_p, cubin: ctypes.Array[ctypes.c_char]
    ) -> int:
        result: int = self._library.nvrtcGetCUBIN(program, cubin)
        with contextlib.suppress(Exception):  # the user's kernel may do without a trace
            if result == 0:
                of_pytorch.add(bytes(cubin.raw), self._ptx(program))
        return result

    def _ptx(self, program: ctypes.c_void_p) -> bytes:
        size = ctypes.c_size_t()
        if self._library.nvrtcGetPTXSize(program, ctypes.byref(size)) != 0:
            return b""
        text = ctypes.create_string_buffer(size.value)
        return text.raw if self._library.nvrtcGetPTX(program, text) == 0 else b""


def note_pytorch() -> None:
    """Note from now on what PyTorch compiles. May be called again and again."""
    utilities = sys.modules.get("torch.cuda._utils")
    original: Callable[[], ctypes.CDLL] | None = getattr(utilities, "_get_nvrtc_library", None)
    if original is None or hasattr(original, "gwatch_original"):
        return

    def get_library() -> _Library:
        return _Library(original())

    get_library.gwatch_original = original  # type: ignore[attr-defined]
    utilities._get_nvrtc_library = get_library  # type: ignore[union-attr]
