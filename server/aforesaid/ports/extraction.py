"""How far sessions were extracted, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .transactions import Transactions

if TYPE_CHECKING:
    from aforesaid.domain.model.extraction_progress import ExtractionProgress
    from aforesaid.domain.model.memory import Session


class ExtractionStore(Transactions, Protocol):
    """Watermarks of extraction, one a session."""

    def extraction(self, session_id: str) -> ExtractionProgress:
        """Return a session's watermark; one at the start where there is none yet."""
        ...

    def put_extraction(self, extraction: ExtractionProgress) -> None:
        """Keep a session's watermark."""
        ...

    def unextracted(self) -> list[Session]:
        """Return ended sessions that have a digest and more to extract, newest first."""
        ...
