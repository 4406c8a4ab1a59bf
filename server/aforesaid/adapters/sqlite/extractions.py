"""Watermarks of extraction in their table, beside the sessions."""

from __future__ import annotations

from aforesaid.domain.model.extraction_progress import ExtractionProgress

from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session

_COLUMNS = ("session", "until_ms", "bytes_extracted", "attempts", "asked_at")


class ExtractionRepository(Repository):
    """The sessions of the store, and how far each was extracted."""

    def get(self, session_id: str) -> ExtractionProgress:
        """Return a session's watermark; one at the start where there is none yet."""
        rows = self._db.rows(
            f"SELECT {', '.join(_COLUMNS)} FROM extractions WHERE session = ?", (session_id,)
        )
        if not rows:
            return ExtractionProgress(session=session_id)
        return ExtractionProgress(**dict(zip(_COLUMNS, rows[0], strict=True)))

    def put(self, extraction: ExtractionProgress) -> None:
        """Keep a session's watermark."""
        self._db.rows(
            f"INSERT OR REPLACE INTO extractions ({', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?)",
            tuple(getattr(extraction, name) for name in _COLUMNS),
        )

    def pending(self) -> list[Session]:
        """Return ended sessions that have a digest and more to extract, newest first."""
        rows = self._db.rows(
            "SELECT s.id FROM sessions s LEFT JOIN extractions e ON e.session = s.id "
            "WHERE s.ended_at IS NOT NULL AND s.digest IS NOT NULL AND s.digest_refused = 0 "
            "AND s.bytes_ingested > ifnull(e.bytes_extracted, 0) ORDER BY s.started_at DESC, s.id"
        )
        found = [self._store.sessions.get(row[0]) for row in rows]
        return [session for session in found if session is not None]
