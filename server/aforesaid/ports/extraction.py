"""Port for the progress of extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.model.extraction_progress import ExtractionProgress
    from aforesaid.domain.model.memory import Session


class ExtractionStore(Protocol):
    """The progress of extraction, one record per session."""

    def get(self, session_id: str) -> ExtractionProgress:
        """Return the progress of a session; a new record if there is none."""
        ...

    def put(self, extraction: ExtractionProgress) -> None:
        """Store the progress of a session."""
        ...

    def pending(self) -> list[Session]:
        """Return ended sessions with a digest and more to extract, newest first."""
        ...
