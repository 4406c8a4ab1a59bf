"""How far each session was extracted, in the reference store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.extraction_progress import ExtractionProgress

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session


class ReferenceExtractions:
    """The extraction progress of sessions, in a dictionary."""

    _extractions: dict[str, ExtractionProgress]
    _sessions: dict[str, Session]

    def extractions_get(self, session_id: str) -> ExtractionProgress:
        return self._extractions.get(session_id, ExtractionProgress(session=session_id))

    def extractions_put(self, extraction: ExtractionProgress) -> None:
        self._extractions[extraction.session] = extraction

    def extractions_pending(self) -> list[Session]:
        sessions = [
            session
            for session in self._sessions.values()
            if session.ended_at is not None
            and session.digest is not None
            and not session.digest_refused
            and session.bytes_ingested > self.extractions_get(session.id).bytes_extracted
        ]
        return sorted(sessions, key=lambda session: (-session.started_at, session.id))
