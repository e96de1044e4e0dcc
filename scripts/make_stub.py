"""Write the stub of the extension, python/gwatch/libpygwatch.pyi, from the built module.

tests/python/test_stub.py fails when the two differ; `make stub` runs this.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python" / "gwatch" / "libpygwatch.pyi"


def generate() -> str:
    """The stub's text, formatted as the project formats Python."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pybind11_stubgen",
                "gwatch.libpygwatch",
                "--output-dir",
                folder,
                "--exit-code",
            ],
            check=True,
            capture_output=True,
        )
        raw = Path(folder, "gwatch", "libpygwatch.pyi")
        ruff = [sys.executable, "-m", "ruff"]
        config = ["--config", str(ROOT / "pyproject.toml")]
        subprocess.run([*ruff, "check", "--fix-only", "--quiet", *config, str(raw)], check=True)
        subprocess.run([*ruff, "format", "--quiet", *config, str(raw)], check=True)
        return raw.read_text("utf-8")


if __name__ == "__main__":
    STUB.write_text(generate(), "utf-8")
    print(f"wrote {STUB.relative_to(ROOT)}")
