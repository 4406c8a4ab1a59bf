"""What is known of one memory, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.inspection import LogLine, Traces


class InspectionStore(Protocol):
    """What the store knows about a memory beside its row."""

    def traces(self, key: int) -> Traces:
        """Return what the store holds about a memory beside its row."""
        ...

    def log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        """Return the latest changes of a memory, oldest of them first."""
        ...
