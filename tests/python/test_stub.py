"""The stub says what the built extension has."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_stub_equals_the_built_module():
    spec = importlib.util.spec_from_file_location("make_stub", ROOT / "scripts" / "make_stub.py")
    make_stub = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_stub)

    assert make_stub.STUB.read_text("utf-8") == make_stub.generate(), "run `make stub`"
