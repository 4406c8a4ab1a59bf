"""What the store holds about a memory besides its row: log entries, vectors, anchors.

Collected by services/recall/inspect.py.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LogLine(Value):
    """One entry of the log: a change of a memory."""

    at: int  #: ms since the epoch
    operation: str
    details: dict[str, Any] = {}


class StorageDetails(Value):
    """Vectors and anchors of a memory."""

    windows: dict[str, int] = {}  #: number of vectors by model
    anchors: tuple[tuple[str, int], ...] = ()  #: path and line; 0 for the whole file
