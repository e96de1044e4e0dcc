"""Traced builds of kernels, made as at a launch, without a GPU."""

from types import SimpleNamespace

from gwatch.cuda.trace._preparer import Preparer


def prepare(found, kernel, threads, *, kinds=(), compute_capability=0):
    """What the preparer answers for PTX that was found, and the builds that it keeps."""
    preparer = Preparer([SimpleNamespace(name="test", find=lambda launch: found)], kinds)
    launch = SimpleNamespace(
        kernel=kernel,
        block=(threads, 1, 1),
        resolved_function=1,
        image=b"",
        every_warp=True,
        compute_capability=compute_capability,
    )
    return preparer(launch), preparer.builds
