"""Where CUPTI is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gwatch import libraries


def _library(folder: Path, name: str = "libcupti.so.13") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.touch()
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty machine: packages in ``site``, toolkits in ``local``."""
    monkeypatch.setattr("sys.path", [str(tmp_path / "site"), ""])
    monkeypatch.setattr(libraries, "_TOOLKIT_PARENT", tmp_path / "local")
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_without_any_there_are_none(machine: Path) -> None:
    assert libraries.cupti_paths() == []


def test_wheels_stand_before_toolkits_and_those_before_tritons(machine: Path) -> None:
    triton = _library(machine / "site/triton/backends/nvidia/lib/cupti-blackwell", "libcupti.so.13")
    toolkit = _library(machine / "local/cuda-13.0/extras/CUPTI/lib64")
    wheel = _library(machine / "site/nvidia/cu13/lib")
    assert libraries.cupti_paths() == [str(wheel), str(toolkit), str(triton)]


def test_the_wheel_of_cuda_12_is_found_too(machine: Path) -> None:
    old = _library(machine / "site/nvidia/cuda_cupti/lib", "libcupti.so.12")
    new = _library(machine / "site/nvidia/cu13/lib", "libcupti.so.13")
    assert libraries.cupti_paths() == [str(new), str(old)]


def test_links_to_one_library_count_once(machine: Path) -> None:
    real = _library(machine / "local/cuda/lib64", "libcupti.so.2025.3.1")
    (real.parent / "libcupti.so.13").symlink_to(real)
    (real.parent / "libcupti.so").symlink_to("libcupti.so.13")
    assert len(libraries.cupti_paths()) == 1


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_a_toolkit_named_in_the_environment(
    machine: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    library = _library(machine / "elsewhere/targets/x86_64-linux/lib")
    monkeypatch.setenv(variable, str(machine / "elsewhere"))
    assert libraries.cupti_paths() == [str(library)]
