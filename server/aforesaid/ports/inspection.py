"""What is known of one memory, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.inspection import LogLine, Traces


class InspectionStore(Protocol):
    """What the store knows about a memory beside its row."""

    def traces(self, key: int) -> Traces:
        """Return what the store holds about a memory beside its row."""
        ...

    def usage(self, projects: Sequence[int]) -> list[dict[str, int]]:
        """Return for each project with sessions or recalls what was shown, recalled and used."""
        ...

    def log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        """Return the latest changes of a memory, oldest of them first."""
        ...
