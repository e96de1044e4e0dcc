"""How Triton calls its assembler: what ``make_cubin`` of its NVIDIA backend passes for a kernel."""

from __future__ import annotations

import functools
import inspect
import sys
from types import ModuleType

from gwatch.libpygwatch import Candidate
from gwatch.sources._triton_build import Build

_BACKEND = "triton.backends.nvidia.compiler"
_REGISTER_ALLOCATION = "--regAllocOptLevel=2"
_SANITIZERS = ("consan", "fpsan")
_SANITIZER_FLAGS = '["--opt-level", "1"]'


def assemblers(triton: ModuleType, build: Build) -> tuple[Candidate, ...]:
    """Return Triton's own assembler for a kernel, with the flags it passed."""
    backend = sys.modules.get(_BACKEND)
    if backend is None or not build.compute_capability:
        return ()
    path = backend.get_ptxas(build.compute_capability).path
    return (Candidate(path, f"triton {triton.__version__}", _flags(triton, backend, build)),)


def _flags(triton: ModuleType, backend: ModuleType, build: Build) -> list[str]:
    unoptimized = triton.knobs.nvidia.disable_ptxas_opt
    flags = _debug_info(triton, unoptimized)
    if not build.metadata.get("enable_fp_fusion", True):
        flags.append("--fmad=false")
    if unoptimized:
        flags += ["--opt-level", "0"]
    source = _make_cubin_source(backend)
    if _REGISTER_ALLOCATION in source:
        flags.append(_REGISTER_ALLOCATION)
    flags += str(build.metadata.get("ptx_options") or "").split()
    mode = str(build.metadata.get("instrumentation_mode") or "")
    if not unoptimized and _SANITIZER_FLAGS in source and any(name in mode for name in _SANITIZERS):
        flags += ["--opt-level", "1"]
    return [*flags, f"--gpu-name={backend.sm_arch_from_capability(build.compute_capability)}"]


def _debug_info(triton: ModuleType, unoptimized: bool) -> list[str]:
    if triton.knobs.compilation.disable_line_info:
        return ["-lineinfo", "-suppress-debug-info"]
    return ["-g"] if unoptimized else ["-lineinfo"]


@functools.lru_cache
def _make_cubin_source(backend: ModuleType) -> str:
    """Some flags are constants that came with one version or another, so its text is asked."""
    return inspect.getsource(backend.CUDABackend.make_cubin)
