"""How far a summariser has read each session."""

from __future__ import annotations

from aforesaid.domain.model.extraction_progress import ExtractionProgress

from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session

_COLUMNS = ("session", "until_ms", "bytes_extracted", "attempts", "asked_at")


class ExtractionRepository(SqliteRepository):
    """The extraction progress of sessions."""

    def get(self, session_id: str) -> ExtractionProgress:
        """Return a session's progress, by default at its start."""
        rows = self._db.rows(
            f"SELECT {', '.join(_COLUMNS)} FROM extractions WHERE session = ?", (session_id,)
        )
        if not rows:
            return ExtractionProgress(session=session_id)
        return ExtractionProgress(**dict(zip(_COLUMNS, rows[0], strict=True)))

    def put(self, extraction: ExtractionProgress) -> None:
        """Store a session's progress."""
        self._db.rows(
            f"INSERT OR REPLACE INTO extractions ({', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?)",
            tuple(getattr(extraction, name) for name in _COLUMNS),
        )

    def pending(self) -> list[Session]:
        """Return ended sessions with a digest and turns left to extract, newest first."""
        rows = self._db.rows(
            "SELECT s.id FROM sessions s LEFT JOIN extractions e ON e.session = s.id "
            "WHERE s.ended_at IS NOT NULL AND s.digest IS NOT NULL AND s.digest_refused = 0 "
            "AND s.bytes_ingested > ifnull(e.bytes_extracted, 0) ORDER BY s.started_at DESC, s.id"
        )
        sessions = [self._store.sessions.get(row[0]) for row in rows]
        return [session for session in sessions if session is not None]
