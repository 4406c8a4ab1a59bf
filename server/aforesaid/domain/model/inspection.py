"""What is known about one memory besides itself: lines of the log, places that it cites.

Here: the values. Not here: gathering them (services/recall/inspect.py), showing them
(entrypoints/serialize/memories.py).
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LogLine(Value):
    """One change of a memory."""

    at: int  #: ms
    operation: str
    details: dict[str, Any] = {}


class StorageDetails(Value):
    """What the store holds about a memory beside its row."""

    windows: dict[str, int] = {}  #: vectors, by the model that made them
    anchors: tuple[tuple[str, int], ...] = ()  #: cited path and line, 0 for the whole file
