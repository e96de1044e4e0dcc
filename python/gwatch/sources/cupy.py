"""PTX of CuPy's raw kernels, from NVRTC.

CuPy keeps the cubin that NVRTC makes and drops its PTX. From the first ``do_trace`` on the PTX is
noted beside it; a kernel that was compiled before, or that came from CuPy's disk cache, is compiled
once more from its live ``RawKernel`` or ``RawModule``. CuPy is never imported here.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import sys
from collections.abc import Iterator
from typing import Any

from gwatch.sources import FoundPtx, Launch, NotFound, _nvrtc

_CACHE_VARIABLE = "CUPY_CACHE_IN_MEMORY"
_noted = _nvrtc.Notes()
_turns = itertools.count()


class CupySource:
    """Finds the PTX of ``cupy.RawKernel`` and ``cupy.RawModule`` kernels."""

    name = "cupy"

    def install_hooks(self) -> None:
        """Note the PTX of what CuPy compiles from now on."""
        compiler = sys.modules.get("cupy.cuda.compiler")
        program = getattr(compiler, "_NVRTCProgram", None)
        if program is None or hasattr(program.compile, "gwatch_original"):
            return
        original = program.compile

        def compile(self: Any, *arguments: Any, **named: Any) -> Any:
            compiled = original(self, *arguments, **named)
            if getattr(self, "method", "") == "cubin":
                _note(compiler, self, compiled)
            return compiled

        compile.gwatch_original = original  # type: ignore[attr-defined]
        program.compile = compile

    def find(self, launch: Launch) -> FoundPtx | NotFound:
        """Look among what was noted, else compile the live kernels of that name again."""
        if "cupy.cuda.compiler" not in sys.modules:
            return NotFound("cupy is not imported in this process")
        self.install_hooks()
        ptx = _noted.find(launch) or _compile_again(launch)
        if ptx is None:
            return NotFound("no live RawKernel or RawModule with source code defines it")
        return FoundPtx(ptx, "NVRTC, as CuPy compiled it", (), launch.image, self.name)


def _note(compiler: Any, program: Any, compiled: tuple[bytes, object]) -> None:
    with contextlib.suppress(Exception):  # the user's kernel is compiled; its trace may do without
        _noted.add(bytes(compiled[0]), bytes(compiler.nvrtc.getPTX(program.ptr)))


def _compile_again(launch: Launch) -> bytes | None:
    """Compile the sources of live objects that may hold the kernel, until one does."""
    raw = sys.modules.get("cupy._core.raw")
    types = (getattr(raw, "RawKernel", None), getattr(raw, "RawModule", None))
    for thing in [thing for thing in gc.get_objects() if type(thing) in types]:
        if not _may_hold(thing, launch.kernel):
            continue
        with contextlib.suppress(Exception), _without_disk_cache():
            _compile(thing)
        ptx = _noted.find(launch)
        if ptx is not None:
            return ptx
    return None


def _may_hold(thing: Any, kernel: str) -> bool:
    name = getattr(thing, "name", None)
    return bool(thing.code) and thing.backend == "nvrtc" and (name is None or name in kernel)


def _compile(thing: Any) -> None:
    # CuPy remembers what it has compiled by the text, so this one must be new.
    again = f"{thing.code}\n// compiled again for gwatch: {next(_turns)}\n"
    module = sys.modules["cupy"].RawModule(
        code=again,
        options=thing.options,
        backend="nvrtc",
        enable_cooperative_groups=thing.enable_cooperative_groups,
        name_expressions=getattr(thing, "name_expressions", None),
    )
    module.compile()


@contextlib.contextmanager
def _without_disk_cache() -> Iterator[None]:
    before = os.environ.get(_CACHE_VARIABLE)
    os.environ[_CACHE_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE_VARIABLE]
        else:
            os.environ[_CACHE_VARIABLE] = before
