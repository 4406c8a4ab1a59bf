"""Embedding models: which is active, pending or retired.

At most one row is active and one pending, enforced by an index; a change from one to the other is
one transaction. Not here: vectors (vectors.py), the models themselves (adapters/embedding).
"""

from __future__ import annotations

from aforesaid.domain.model.embedding_model import COMING, KEPT, SERVING, Model

from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COLUMNS = "name, source, dimensions, state, low, high"


class ModelRepository(SqliteRepository):
    """The embedding models of the store."""

    def list_all(self) -> list[Model]:
        """Return every model with its counts: active, pending, then retired ones."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS}, (SELECT count(*) FROM chunks WHERE model = t.key AND ordinal = 0),"
            " (SELECT count(*) FROM unembedded u JOIN memories m ON m.key = u.memory "
            "WHERE u.model = t.key AND m.forgotten_at IS NULL) FROM models t "
            "ORDER BY state = ? DESC, state = ? DESC, name",
            (SERVING, COMING),
        )
        return [_model(row[:6]).replace(vectors=row[6], missing=row[7]) for row in rows]

    def in_state(self, state: str) -> Model | None:
        """Return the active or the pending model, without counts."""
        row = self._db.row(f"SELECT {_COLUMNS} FROM models WHERE state = ?", (state,))
        return None if row is None else _model(row)

    def announce(self, model: Model) -> None:
        """Make a model pending; if none is active, active at once."""
        with self._db.transaction():
            active = self.in_state(SERVING)
            if active is not None and active.name == model.name:
                self._retire_pending()
                return
            pending = self.in_state(COMING)
            if pending is None or pending.name != model.name:
                self._retire_pending()
            state = SERVING if active is None else COMING
            key = self._db.value("SELECT key FROM models WHERE name = ?", (model.name,))
            if key is None:
                key = self._db.insert(
                    "INSERT INTO models (name, state) VALUES (?, ?)", (model.name, KEPT)
                )
            self._db.rows(
                "UPDATE models SET source = ?, dimensions = ?, low = ?, high = ?, state = ? "
                "WHERE key = ?",
                (model.source, model.dimensions, model.low, model.high, state, key),
            )
            self._db.rows(
                "INSERT OR IGNORE INTO unembedded SELECT ?1, key FROM memories m WHERE NOT EXISTS "
                "(SELECT 1 FROM chunks c WHERE c.memory = m.key AND c.model = ?1)",
                (key,),
            )

    def embedding_workload(self, name: str) -> tuple[int, int]:
        """Return how many memories have no vectors of a model, and their total length."""
        row = self._db.row(
            "SELECT count(*), ifnull(sum(length(content)), 0) FROM memories m WHERE "
            "forgotten_at IS NULL AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory = m.key "
            "AND c.model = (SELECT key FROM models WHERE name = ?))",
            (name,),
        )
        return (0, 0) if row is None else (row[0], row[1])

    def activate(self, name: str) -> bool:
        """Activate the pending model if it has all vectors; tell whether it is active."""
        with self._db.transaction():
            by_state = {model.state: model for model in self.list_all()}
            if SERVING in by_state and by_state[SERVING].name == name:
                return True
            pending = by_state.get(COMING)
            if pending is None or pending.name != name or pending.missing:
                return False
            self._drop_outdated()
            self._db.rows(
                "DELETE FROM unembedded WHERE model = (SELECT key FROM models WHERE state = ?)",
                (SERVING,),
            )
            self._db.rows("UPDATE models SET state = ? WHERE state = ?", (KEPT, SERVING))
            self._db.rows("UPDATE models SET state = ? WHERE state = ?", (SERVING, COMING))
            return True

    def keep(self, name: str) -> None:
        """Give up a pending model; its vectors are kept."""
        with self._db.transaction():
            pending = self.in_state(COMING)
            if pending is not None and pending.name == name:
                self._retire_pending()

    def drop_vectors(self, name: str, limit: int) -> int:
        """Remove vectors of a retired model, with the last also the model; return how many."""
        with self._db.transaction():
            key = self._db.value(
                "SELECT key FROM models WHERE name = ? AND state = ?", (name, KEPT)
            )
            if key is None:
                return 0
            chunks = self._db.rows(
                "SELECT key FROM chunks WHERE model = ? ORDER BY key LIMIT ?", (key, limit)
            )
            self._db.many("DELETE FROM chunks WHERE key = ?", chunks)
            if len(chunks) < limit:
                self._db.rows("DELETE FROM models WHERE key = ?", (key,))
            return len(chunks)

    def _drop_outdated(self) -> None:
        """Remove outdated vectors of the active model: once retired, it has no list of them."""
        self._db.rows(
            "DELETE FROM chunks WHERE (model, memory) IN (SELECT u.model, u.memory "
            "FROM unembedded u JOIN models t ON t.key = u.model WHERE t.state = ?)",
            (SERVING,),
        )

    def _retire_pending(self) -> None:
        self._db.rows(
            "DELETE FROM unembedded WHERE model = (SELECT key FROM models WHERE state = ?)",
            (COMING,),
        )
        self._db.rows("UPDATE models SET state = ? WHERE state = ?", (KEPT, COMING))


def _model(row: tuple[Any, ...]) -> Model:
    return Model(**dict(zip(_COLUMNS.split(", "), row, strict=True)))
