"""See when each part of a GPU kernel ran, on every warp and thread.

``gwatch.cuda.trace.do_trace`` traces a launch; ``gwatch.cuda.trace.triton`` has the markers;
``gwatch.common.format.File`` writes reports; ``gwatch show`` reads them.
"""

from gwatch.errors import GwatchError

__version__ = "0.1.0"

PRODUCER = f"gwatch {__version__}"
"""What archives and reports name as their producer."""

__all__ = ["PRODUCER", "GwatchError", "__version__"]
