"""The demo without a GPU: builds the attention kernel here, and shows a recorded capture."""

from __future__ import annotations

import importlib.util
import json
import warnings
from importlib import resources

from gwatch import assemblers, libpygwatch
from gwatch.cuda.trace._result import make_trace
from gwatch.sources import _triton_build, _triton_flags

KERNEL = "attention_forward_kernel"
COMPUTE_CAPABILITY = 90


DATA = resources.files("gwatch.data") / "demo"


def build_here() -> None:
    """Compile, instrument and assemble the attention kernel for sm_90, and say what came out."""
    ptx, origin, own = _kernel_ptx()
    instrumented = libpygwatch.instrument(ptx, KERNEL, origin)
    scopes = sorted({marker.scope for marker in instrumented.markers})
    print(f"Built here, for sm_{COMPUTE_CAPABILITY}, not run: {KERNEL}")
    print(f"  PTX           {origin}")
    print(f"  instrumented  {len(instrumented.markers)} markers of {len(scopes)} scopes:")
    print(f"                {', '.join(scopes)}")
    candidates = assemblers.candidates(own)
    if not candidates:
        print("  assembled     no: there is no ptxas here (pip install nvidia-cuda-nvcc)")
        return
    plain = libpygwatch.assemble(ptx, KERNEL, candidates)
    traced = libpygwatch.assemble(instrumented.ptx, KERNEL, candidates)
    print(f"  assembled     ptxas {traced.version} ({traced.origin})")
    print(
        f"  registers     {plain.resources.registers} -> {traced.resources.registers} traced, "
        f"spilled bytes {plain.resources.spill_store_bytes} -> {traced.resources.spill_store_bytes}"
    )


def _kernel_ptx() -> tuple[bytes, str, list[libpygwatch.Candidate]]:
    """The kernel's PTX, where it is from, and the assemblers that its compiler brings."""
    if importlib.util.find_spec("triton") is None:
        text = (DATA / "attention.ptx").read_bytes()
        return text, "as shipped; triton, which would compile it here, is not installed", []
    import triton

    import gwatch.demo.attention as attention

    with warnings.catch_warnings():
        # Triton 3.9 tells of a default that Triton 3.10 changes.
        warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION")
        compiled = attention.compile_offline(COMPUTE_CAPABILITY)
    origin = f"compiled here by triton {triton.__version__}"
    build = _triton_build.from_object(compiled)
    return build.ptx.encode(), origin, list(_triton_flags.assemblers(triton, build))


def recorded_trace() -> libpygwatch.Trace:
    """Decode the shipped capture."""
    with resources.as_file(DATA / "attention.raw") as path:
        capture = libpygwatch.read_raw_capture(str(path))
    run = libpygwatch.decode(capture.records, capture.sites)
    libpygwatch.set_facts(run, capture.facts)
    recording = json.loads((DATA / "recording.json").read_text("utf-8"))
    compiled = run.compile
    print(
        f"Recorded on an {run.launch.device} on {recording['created'][:10]} and decoded here: one "
        f"launch of the same kernel,\n  compiled there by {compiled.assembler_origin} with ptxas "
        f"{compiled.assembler_version}."
    )
    trace = make_trace(f"gwatch demo: attention, recorded on an {run.launch.device}", [run])
    trace.created = recording["created"]
    return trace
