"""CuTe DSL: the compiled functions that live in this process, and which of them a launch is of."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from gwatch.sources import Launch, NotFound

_EXECUTOR = "cutlass.base_dsl.jit_executor"
_DRIVER = "cuda.bindings.driver"


class CompiledFunction(Protocol):
    """The parts of the DSL's class of this purpose that are read."""

    function_name: str
    jit_module: object
    __ptx__: str | None
    __cubin__: str | bytes | None


def holds_entry(ptx: str | bytes, kernel: str) -> bool:
    """Whether a PTX text defines a kernel."""
    text = ptx.encode() if isinstance(ptx, str) else ptx
    return re.search(rb"\.entry\s+" + re.escape(kernel.encode()) + rb"\s*\(", text) is not None


def find_live(launch: Launch) -> CompiledFunction | NotFound:
    """Find the compiled function that launches a kernel, if it holds its PTX.

    By the library it loaded; else by its cubin; else by its name, if that leaves no choice.
    """
    functions = list(_live_functions())
    owner = next((one for one in functions if _has_loaded(one, launch)), None)
    if owner is not None:
        if _has_ptx(owner, launch):
            return owner
        return NotFound(f"the compiled object of {owner.function_name} has no PTX")
    named = [one for one in functions if _has_ptx(one, launch)]
    exact = [one for one in named if launch.image and cubin_of(one) == launch.image]
    return _only(exact or named)


def cubin_of(function: CompiledFunction) -> bytes:
    """The function's cubin, if the DSL was told to keep it."""
    cubin = function.__cubin__
    return cubin if isinstance(cubin, bytes) else b""


def _only(functions: Iterable[CompiledFunction]) -> CompiledFunction | NotFound:
    distinct = {one.__ptx__: one for one in functions}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    if not distinct:
        return NotFound("no compiled object in memory has PTX of this kernel")
    return NotFound(
        f"{len(distinct)} compiled objects in memory have different PTX of this kernel, "
        "and none of them loaded the one launched"
    )


def _live_functions() -> Iterator[CompiledFunction]:
    executor = sys.modules.get(_EXECUTOR)
    if executor is None:
        return
    base = executor.JitCompiledFunction
    # An object's own __class__ may be a lie, or an error once its referent is gone.
    yield from [thing for thing in gc.get_objects() if issubclass(type(thing), base)]


def _has_ptx(function: CompiledFunction, launch: Launch) -> bool:
    return holds_entry(function.__ptx__ or "", launch.kernel)


def _has_loaded(function: CompiledFunction, launch: Launch) -> bool:
    handles = {launch.function, launch.resolved_function} - {0}
    libraries = getattr(function.jit_module, "cuda_library", None) or []
    return any(
        handles & set(_handles(int(library), launch.kernel)) for library in libraries if handles
    )


def _handles(library: int, kernel: str) -> Iterator[int]:
    """The handles that a launch of a library's kernel may name."""
    driver: Any = sys.modules.get(_DRIVER)
    if driver is None:
        return
    failed, found = driver.cuLibraryGetKernel(driver.CUlibrary(library), kernel.encode())
    if failed:
        return
    yield int(found)
    failed, function = driver.cuKernelGetFunction(found)
    if not failed:
        yield int(function)
