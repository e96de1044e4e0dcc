"""The extension shares no C++ symbol with the other libraries of a process."""

import shutil
import subprocess

import pytest

from gwatch import libpygwatch


def dynamic_symbols(kind):
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed")
    command = [nm, "--dynamic", "--demangle", f"--{kind}-only", libpygwatch.__file__]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_only_the_entry_is_exported():
    assert [line.split()[-1] for line in dynamic_symbols("defined")] == ["PyInit_libpygwatch"]


def test_std_filesystem_is_not_used():
    """PyTorch exports an older copy of it: a call would land there and crash."""
    assert not [line for line in dynamic_symbols("undefined") if "std::filesystem" in line]
