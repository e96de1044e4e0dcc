"""See when each part of a GPU kernel ran, on every warp and thread.

``gwatch.cuda.trace.do_trace`` traces a launch; ``gwatch.cuda.trace.triton`` has the markers;
``gwatch.common.format.File`` writes reports; ``gwatch show`` reads them.
"""

from pathlib import Path

from gwatch.errors import FileError, GwatchError

__version__ = "0.1.0"

PRODUCER = f"gwatch {__version__}"
"""What archives and reports name as their producer."""

__all__ = ["PRODUCER", "GwatchError", "__version__", "get_include"]


def get_include() -> str:
    """Return the folder that holds ``gwatch/cuda/trace.hpp``, for a C++ compiler's ``-I``.

    Raises:
        FileError: if the package was installed without it.
    """
    from gwatch import libpygwatch

    # Beside the extension when installed; in a checkout beside the folder `python`.
    parents = (Path(libpygwatch.__file__).parent, Path(__file__).resolve().parents[2])
    for folder in (parent / "include" for parent in parents):
        if (folder / "gwatch" / "cuda" / "trace.hpp").is_file():
            return str(folder)
    raise FileError(
        "the header gwatch/cuda/trace.hpp is not there",
        detail="\n".join(f"looked in {parent / 'include'}" for parent in parents),
        hint="Install gwatch again: pip install --force-reinstall gwatch",
    )
