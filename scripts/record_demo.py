"""Record what `gwatch demo` shows on a machine without a GPU: a small attention launch.

    python scripts/record_demo.py [--folder python/gwatch/data/demo]

Needs an NVIDIA GPU, PyTorch and Triton. Writes the raw records of the launch with their site table
and facts (attention.raw), and the PTX that Triton made of the kernel (attention.ptx).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from types import ModuleType

import torch
import triton

from gwatch import libpygwatch
from gwatch.cuda.trace import _do_trace
from gwatch.cuda.trace._preparer import Preparer, TracedBuild
from gwatch.sources import sources_for

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = "examples/cuda/trace/trace_triton_attention.py"
KERNEL = "attention_forward_kernel"
SHAPE = (1, 8, 1024, 64)  # batch, heads, seqlen, head dimension
BUFFER_BYTES = 8 << 20


def load_example(cache: str) -> ModuleType:
    """The example under its path in the repository, for that path stands in the PTX.

    Args:
        cache: an empty folder; Triton's own cache may hold the kernel under another path.
    """
    os.environ["TRITON_CACHE_DIR"] = cache
    os.chdir(ROOT)
    module = ModuleType("attention_example")
    sys.modules[module.__name__] = module
    exec(compile(Path(EXAMPLE).read_text("utf-8"), EXAMPLE, "exec"), module.__dict__)
    return module


def trace(fn: Callable[[], object]) -> tuple[libpygwatch.TracedLaunch, list[TracedBuild]]:
    """As do_trace does, but the raw records stay."""
    preparer = Preparer(sources_for("triton"))
    libpygwatch.init_cupti_hooks()
    libpygwatch.begin_capture(f"^{KERNEL}$", preparer, 1, BUFFER_BYTES, 0)
    try:
        fn()
    finally:
        captured = libpygwatch.end_capture()
    for failure in captured.failures:
        raise failure.error
    (launch,) = captured.launches
    return launch, preparer.builds


def without_paths(run: libpygwatch.Run) -> libpygwatch.Run:
    """Where things lay on the recording machine tells nobody anything."""
    facts = run.compile
    facts.assembler = Path(facts.assembler).name
    facts.ptx_source = f"triton {triton.__version__}"
    run.compile = facts
    compared = run.fidelity
    compared.disassembler = Path(compared.disassembler).name
    run.fidelity = compared
    return run


def check(run: libpygwatch.Run, expected_events: int, same: bool) -> None:
    """Stop unless the traced launch was right and its records are complete."""
    counts = run.counts
    if not same:
        sys.exit("the traced result differs from the untraced one")
    if counts.events != expected_events or counts.dropped_events:
        sys.exit(f"{counts.events} events of {expected_events}, {counts.dropped_events} dropped")


def write_ptx(path: Path, text: str | bytes) -> None:
    """Write the PTX; Triton's own files lie elsewhere on each machine."""
    text = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(text.replace(str(Path(triton.__file__).parent).encode(), b"triton"))


def record(example: ModuleType, folder: Path) -> None:
    """Trace one launch, check it, and write what it left."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(SHAPE, device="cuda", dtype=torch.float16) for _ in range(3))
    untraced = example.attention_forward(q, k, v, True)
    out = torch.empty_like(q)

    launch, builds = trace(lambda: example.attention_forward(q, k, v, True, out))
    build = builds[launch.token]
    run = without_paths(_do_trace._make_run(launch, builds, {}, True))
    check(run, example.expected_events(*SHAPE, True), torch.equal(out, untraced))

    raw, ptx = folder / "attention.raw", folder / "attention.ptx"
    libpygwatch.write_raw_capture(str(raw), launch.records, build.instrumented.sites, run)
    write_ptx(ptx, build.found.ptx)
    created = datetime.now(timezone.utc).isoformat(timespec="seconds")
    (folder / "recording.json").write_text(json.dumps({"created": created}) + "\n", "utf-8")
    read_back = libpygwatch.read_raw_capture(str(raw))
    assert libpygwatch.decode(read_back.records, read_back.sites).counts.events == run.counts.events
    for path in (raw, ptx):
        print(f"wrote {path}: {path.stat().st_size} bytes")
    print(f"{run.counts.events} events of {len(run.lanes)} warps on {run.launch.device}")


def main() -> None:
    """Record into a folder."""
    parser = argparse.ArgumentParser(description="Record what `gwatch demo` shows without a GPU.")
    parser.add_argument("--folder", default=str(ROOT / "python" / "gwatch" / "data" / "demo"))
    folder = Path(parser.parse_args().folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        record(load_example(cache), folder)


if __name__ == "__main__":
    main()
