"""Watermarks of extraction in the reference store: a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.extraction_progress import ExtractionProgress

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session


class ReferenceExtractions:
    """How far each session was extracted."""

    _extractions: dict[str, ExtractionProgress]
    _sessions: dict[str, Session]

    def extractions_get(self, session_id: str) -> ExtractionProgress:
        return self._extractions.get(session_id, ExtractionProgress(session=session_id))

    def extractions_put(self, extraction: ExtractionProgress) -> None:
        self._extractions[extraction.session] = extraction

    def extractions_pending(self) -> list[Session]:
        waiting = [
            one
            for one in self._sessions.values()
            if one.ended_at is not None
            and one.digest is not None
            and not one.digest_refused
            and one.bytes_ingested > self.extractions_get(one.id).bytes_extracted
        ]
        return sorted(waiting, key=lambda one: (-one.started_at, one.id))
