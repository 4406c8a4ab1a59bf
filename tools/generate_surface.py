"""Writes what the front says before the server runs, from the server itself.

``python tools/generate_surface.py`` writes; ``--check`` fails when the file is stale.
"""

from __future__ import annotations

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SURFACE = os.path.join(ROOT, "server", "aforesaid", "bootstrap", "surface.json")


def surface() -> dict[str, object]:
    """Return what `initialize` and the lists answer."""
    sys.path.insert(0, os.path.join(ROOT, "server"))
    from aforesaid.entrypoints.mcp.server import describe

    return describe()


def main() -> int:
    """Write or check the file; return the exit code."""
    text = json.dumps(surface(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        with open(SURFACE, encoding="utf-8") as file:
            if file.read() != text:
                print("surface.json is stale: run python tools/generate_surface.py")
                return 1
        return 0
    with open(SURFACE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
