"""``python -m maxmargin`` is the ``maxmargin`` command."""

from __future__ import annotations

import sys

from maxmargin.cli import main

if __name__ == "__main__":
    sys.exit(main())
