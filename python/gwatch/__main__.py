"""``python -m gwatch`` is the command ``gwatch``."""

import sys

from gwatch.cli import main

if __name__ == "__main__":
    sys.exit(main())
