"""Long-term memory for coding agents: ``from aforesaid import Memory``.

Importing this package costs nothing; ``Memory`` brings the rest along when it is first named.
"""

from __future__ import annotations

from aforesaid.version import __version__

__all__ = ["Memory", "__version__"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.entrypoints.library import Memory


def __getattr__(name: str) -> object:
    if name == "Memory":
        from aforesaid.entrypoints.library import Memory

        return Memory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
