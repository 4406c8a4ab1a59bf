"""What is known of memories beside recall: one by one, all in turn, and their use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.inspection import LogLine, StorageDetails


class InspectionStore(Protocol):
    """What the store knows about a memory beside its row."""

    def traces(self, key: int) -> StorageDetails:
        """Return what the store holds about a memory beside its row."""
        ...

    def usage(self, projects: Sequence[int]) -> list[dict[str, int]]:
        """Return for each project with sessions or recalls what was shown, recalled and used."""
        ...

    def session_usage(self, projects: Sequence[int], limit: int) -> list[dict[str, Any]]:
        """Return of each session in these projects what it was shown and used, latest first."""
        ...

    def log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        """Return the latest changes of a memory, oldest of them first."""
        ...
