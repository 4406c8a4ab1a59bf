"""Which embedding model serves, which one comes, which were kept: a row each.

One row at most serves and one comes, by index; the change from one to the other is one transaction.
Not here: vectors (vectors.py), models themselves (adapters/embedding).
"""

from __future__ import annotations

from aforesaid.domain.model.embedding_model import COMING, KEPT, SERVING, Model

from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COLUMNS = "name, source, dimensions, state, low, high"


class ModelRepository(Repository):
    """The models of one store."""

    def list_all(self) -> list[Model]:
        """Return every model with its counts: the one that serves, the one that comes, others."""
        rows = self._db.rows(
            f"SELECT {_COLUMNS}, (SELECT count(*) FROM chunks WHERE model = t.key AND ordinal = 0),"
            " (SELECT count(*) FROM unembedded u JOIN memories m ON m.key = u.memory "
            "WHERE u.model = t.key AND m.forgotten_at IS NULL) FROM models t "
            "ORDER BY state = ? DESC, state = ? DESC, name",
            (SERVING, COMING),
        )
        return [_model(row[:6]).replace(vectors=row[6], missing=row[7]) for row in rows]

    def in_state(self, state: str) -> Model | None:
        """Return the model that serves, or comes, uncounted."""
        row = self._db.row(f"SELECT {_COLUMNS} FROM models WHERE state = ?", (state,))
        return None if row is None else _model(row)

    def announce(self, model: Model) -> None:
        """Make a model the one that comes; where none serves, it serves at once."""
        with self._db.transaction():
            serving = self.in_state(SERVING)
            if serving is not None and serving.name == model.name:
                self._drop_coming()
                return
            coming = self.in_state(COMING)
            if coming is None or coming.name != model.name:
                self._drop_coming()
            state = SERVING if serving is None else COMING
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

    def work_of(self, name: str) -> tuple[int, int]:
        """Return how many memories have no vectors of a model, and their characters."""
        row = self._db.row(
            "SELECT count(*), ifnull(sum(length(content)), 0) FROM memories m WHERE "
            "forgotten_at IS NULL AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory = m.key "
            "AND c.model = (SELECT key FROM models WHERE name = ?))",
            (name,),
        )
        return (0, 0) if row is None else (row[0], row[1])

    def let_serve(self, name: str) -> bool:
        """Let the model that comes serve, if nothing lacks its vectors; tell whether it does."""
        with self._db.transaction():
            found = {one.state: one for one in self.list_all()}
            if SERVING in found and found[SERVING].name == name:
                return True
            coming = found.get(COMING)
            if coming is None or coming.name != name or coming.missing:
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
        """Give up a model that comes: what it made is kept."""
        with self._db.transaction():
            coming = self.in_state(COMING)
            if coming is not None and coming.name == name:
                self._drop_coming()

    def drop_vectors(self, name: str, most: int) -> int:
        """Remove so many vectors of a model that is kept, and it with the last; return how many."""
        with self._db.transaction():
            key = self._db.value(
                "SELECT key FROM models WHERE name = ? AND state = ?", (name, KEPT)
            )
            if key is None:
                return 0
            chunks = self._db.rows(
                "SELECT key FROM chunks WHERE model = ? ORDER BY key LIMIT ?", (key, most)
            )
            self._db.many("DELETE FROM chunks WHERE key = ?", chunks)
            if len(chunks) < most:
                self._db.rows("DELETE FROM models WHERE key = ?", (key,))
            return len(chunks)

    def _drop_outdated(self) -> None:
        """Remove vectors of the serving model which were to be made anew: nothing says so later."""
        self._db.rows(
            "DELETE FROM chunks WHERE (model, memory) IN (SELECT u.model, u.memory "
            "FROM unembedded u JOIN models t ON t.key = u.model WHERE t.state = ?)",
            (SERVING,),
        )

    def _drop_coming(self) -> None:
        self._db.rows(
            "DELETE FROM unembedded WHERE model = (SELECT key FROM models WHERE state = ?)",
            (COMING,),
        )
        self._db.rows("UPDATE models SET state = ? WHERE state = ?", (KEPT, COMING))


def _model(row: tuple[Any, ...]) -> Model:
    return Model(**dict(zip(_COLUMNS.split(", "), row, strict=True)))
