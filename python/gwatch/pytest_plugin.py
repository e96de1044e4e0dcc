"""The pytest plugin: the fixture ``gwatch_trace`` and the options of its baselines.

pytest loads it by itself where gwatch is installed; docs/pytest.md shows how to use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gwatch.cuda.trace import TraceResult
    from gwatch.regression import TracedCall


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of baselines."""
    group = parser.getgroup("gwatch", "tracing of GPU kernels")
    group.addoption(
        "--gwatch-baseline",
        metavar="DIR",
        help="compare traces with the archives that are stored there (assert_not_slower)",
    )
    group.addoption(
        "--gwatch-update",
        action="store_true",
        help="store the traces there instead of comparing with them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse options that cannot work together."""
    if config.getoption("--gwatch-update") and not config.getoption("--gwatch-baseline"):
        raise pytest.UsageError("--gwatch-update needs --gwatch-baseline DIR")


@pytest.fixture(scope="session")
def gwatch_do_trace() -> Callable[..., TraceResult[Any]]:
    """Give the function that traces; override this fixture to replay stored traces."""
    # Imported here, so that tests without a trace do not pay for it.
    from gwatch import libpygwatch
    from gwatch.cuda.trace import do_trace

    libpygwatch.init_cupti_hooks()
    return do_trace


@pytest.fixture
def gwatch_trace(
    request: pytest.FixtureRequest, gwatch_do_trace: Callable[..., TraceResult[Any]]
) -> Iterator[Callable[..., TracedCall[Any]]]:
    """Give ``gwatch_trace(fn, kernel=..., dsl=...)``, which traces the launches in ``fn``.

    ``kernel`` is a regular expression of the kernel's name; further arguments are those of
    ``do_trace``.
    """
    from gwatch.regression import Baseline, TracedCall

    folder = request.config.getoption("--gwatch-baseline")
    notes: list[str] = []
    calls = 0

    def trace(
        fn: Callable[[], Any],
        kernel: str = ".*",
        dsl: str | None = None,
        **options: Any,  # noqa: ANN401
    ) -> TracedCall[Any]:
        nonlocal calls
        calls += 1
        baseline = Baseline(
            folder=None if folder is None else Path(request.config.invocation_params.dir, folder),
            update=request.config.getoption("--gwatch-update"),
            key=request.node.nodeid if calls == 1 else f"{request.node.nodeid} {calls}",
            notes=notes,
        )
        result = gwatch_do_trace(fn=fn, kernel_name_pattern=kernel, dsl=dsl, **options)
        return TracedCall(result, baseline)

    yield trace
    if notes:
        request.node.add_report_section("teardown", "gwatch", "\n".join(notes))
