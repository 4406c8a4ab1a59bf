"""What stands about one memory in other tables: vectors, anchors, the log."""

from __future__ import annotations

from .database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.inspection import LogLine, Traces


class InspectionTable:
    """What the store knows about a memory beside its row."""

    _db: Database

    def traces(self, key: int) -> Traces:
        """Return what the store holds about a memory beside its row."""
        from aforesaid.domain.inspection import Traces

        windows = self._db.rows(
            "SELECT t.name, count(*) FROM chunks c JOIN models t ON t.key = c.model "
            "WHERE c.memory = ? GROUP BY t.name ORDER BY t.name",
            (key,),
        )
        anchors = self._db.rows(
            "SELECT path, line FROM anchors WHERE memory = ? ORDER BY path, line", (key,)
        )
        return Traces(windows=dict(windows), anchors=tuple(anchors))

    def log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        """Return the latest changes of a memory, oldest of them first."""
        import json

        from aforesaid.domain.inspection import LogLine

        rows = self._db.rows(
            "SELECT at, operation, details FROM log WHERE memory = ? ORDER BY key DESC LIMIT ?",
            (memory_id, limit),
        )
        return [
            LogLine(at=at, operation=operation, details=json.loads(details))
            for at, operation, details in reversed(rows)
        ]
