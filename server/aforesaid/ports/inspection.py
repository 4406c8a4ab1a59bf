"""Port for inspecting a memory, and for statistics of use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.inspection import LogLine, StorageDetails


class InspectionStore(Protocol):
    """What the store holds about memories besides their rows."""

    def traces(self, key: int) -> StorageDetails:
        """Return the vectors and anchors of a memory."""
        ...

    def usage(self, projects: Sequence[int]) -> list[dict[str, int]]:
        """Return counts of what was shown, recalled and used, for each project with any."""
        ...

    def session_usage(
        self,
        projects: Sequence[int],
        limit: int,
        ended_since: int | None = None,
        *,
        before: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return what sessions were shown, used and kept, latest first.

        Times in ms. ``used`` counts memories that were recalled after the session began, ``kept``
        those that were stored in it.

        Args:
            projects: whose sessions.
            limit: how many.
            ended_since: sessions of all projects that ended since then (ms), instead.
            before: only sessions that were last opened before then (ms).
        """
        ...

    def stored_by_week(self, projects: Sequence[int]) -> list[tuple[int, int]]:
        """Return how many memories were stored in each week with any, oldest first.

        A week is given by its Monday at 00:00 UTC, in ms.
        """
        ...

    def by_recalls(self, projects: Sequence[int]) -> list[tuple[int, int]]:
        """Return how many memories in force were recalled how often: ``(recalls, memories)``."""
        ...

    def times_shown(self, key: int) -> tuple[int, int | None]:
        """Return to how many sessions any version of a memory was shown, and when last (ms)."""
        ...

    def tags_of(self, projects: Sequence[int]) -> list[str]:
        """Return the tags of memories in force, most used first."""
        ...

    def log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        """Return the latest ``limit`` log entries of a memory, oldest first."""
        ...
