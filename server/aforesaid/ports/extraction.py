"""How far sessions were extracted, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.model.extraction_progress import ExtractionProgress
    from aforesaid.domain.model.memory import Session


class ExtractionStore(Protocol):
    """Watermarks of extraction, one a session."""

    def get(self, session_id: str) -> ExtractionProgress:
        """Return a session's watermark; one at the start where there is none yet."""
        ...

    def put(self, extraction: ExtractionProgress) -> None:
        """Keep a session's watermark."""
        ...

    def pending(self) -> list[Session]:
        """Return ended sessions that have a digest and more to extract, newest first."""
        ...
