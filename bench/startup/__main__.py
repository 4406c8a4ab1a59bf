"""``python -m bench.startup`` from the root of the repository: see measure.py."""

from __future__ import annotations

import sys

from bench.startup.measure import main

if __name__ == "__main__":
    sys.exit(main())
