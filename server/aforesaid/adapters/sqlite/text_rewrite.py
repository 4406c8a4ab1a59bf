"""Every text column of the store, read and rewritten: for texts that must be removed.

Here: which columns contain free text, and the consequences of changing one. Not here: what is wrong
with a text (services/maintenance/secret_scan.py).
"""

from __future__ import annotations

import apsw

from aforesaid.domain.model import topic
from aforesaid.domain.model.entity import normalise_name
from aforesaid.domain.model.text_fields import StoredText
from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.lean_json import read_json

from .journal import forget_row, forget_rows
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Columns without free text, or derived from another column.
_WITHOUT_FREE_TEXT = frozenset(
    """id code type scope terms provenance content_hash keyed_hash print model operation kind
    normalised status priority""".split()  # noqa: SIM905 - a list of names reads better so
)
_JSON = frozenset(("metadata", "details", "keywords"))
_SKIPPED_TABLES = ("meta", "erased", "import_items", "chunks", "vocabulary")
_PAGE = 500


class TextRepository(SqliteRepository):
    """All texts of the store."""

    def read(self, *tables: str) -> Iterator[StoredText]:
        """Yield every free text of these tables, by default of all."""
        for table in tables or self._tables():
            rows = self._db.rows(f"PRAGMA table_info({table})")
            key = self._key_of(table)
            columns = [
                row[1] for row in rows if row[2] == "TEXT" and row[1] not in _WITHOUT_FREE_TEXT
            ]
            if columns:
                yield from self._texts_of(table, key, columns)

    def count(self) -> int:
        """Return how many rows ``read`` goes through."""
        counted = (self._db.value(f"SELECT count(*) FROM {table}") for table in self._tables())
        return sum(int(count) for count in counted)

    def _tables(self) -> list[str]:
        rows = self._db.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "AND name NOT LIKE 'memories_fts%' AND name NOT LIKE 'vectors%' ORDER BY name"
        )
        return [name for (name,) in rows if name not in _SKIPPED_TABLES]

    def _texts_of(self, table: str, key: list[str], columns: list[str]) -> Iterator[StoredText]:
        order = ", ".join(key)
        after: tuple[Any, ...] | None = None
        while True:
            beyond = f"WHERE ({order}) > ({', '.join('?' * len(key))})" if after else ""
            rows = self._db.rows(
                f"SELECT {order}, {', '.join(columns)} FROM {table} {beyond} "
                f"ORDER BY {order} LIMIT {_PAGE}",
                after or (),
            )
            for row in rows:
                row_key = tuple(row[: len(key)])
                for column, text in zip(columns, row[len(key) :], strict=True):
                    if text:
                        yield StoredText(
                            table=table, column=column, key=row_key, text=text,
                            is_json=column in _JSON, memory=_memory_of(table, row_key),
                        )  # fmt: skip
            if len(rows) < _PAGE:
                return
            after = tuple(rows[-1][: len(key)])

    def at(self, stored: StoredText) -> str | None:
        """Return the current value of a text's column; None if its row is gone."""
        key = " AND ".join(f"{name} = ?" for name in self._key_of(stored.table))
        value: str | None = self._db.value(
            f"SELECT {stored.column} FROM {stored.table} WHERE {key}", stored.key
        )
        return value

    def _key_of(self, table: str) -> list[str]:
        columns = self._db.rows(f"PRAGMA table_info({table})")
        return [row[1] for row in sorted(columns, key=lambda row: row[5]) if row[5]]

    def rewrite(self, stored: StoredText, text: str, *, keep_journal: bool = False) -> None:
        """Replace a text, and update everything that depends on it.

        Index terms follow, vectors are dropped to be recomputed, and a number keeps names unique.
        The journal's copies of the memory or row are removed, unless ``keep_journal``.
        """
        if not keep_journal and self._db.value("SELECT 1 FROM steps LIMIT 1") is not None:
            if stored.memory is not None:
                forget_rows(self._db, stored.memory)
            else:
                forget_row(self._db, stored.table, stored.key[0])
        if stored.table == "memories":
            self._rewrite_memory(stored, text)
            return
        if stored.table == "tags":
            (memory,) = self._store.memories.get([stored.key[0]])
            tags = [text if tag == stored.text else tag for tag in memory.tags]
            self._store.memories.change(memory.key, tags=dict.fromkeys(tags))
            return
        self._update(stored, text)
        if stored.table == "topics":
            self._refresh_topic_terms(stored.key[0])

    def _rewrite_memory(self, stored: StoredText, text: str) -> None:
        key = stored.key[0]
        value: Any = read_json(text) if stored.column == "metadata" else text
        if stored.column == "summary":
            value = text or None
        [before] = self._store.memories.get([key])
        self._store.memories.change(key, **{stored.column: value})
        [after] = self._store.memories.get([key])
        if stored.column == "content":
            self._store.memories.change(key, content_hash=content_hash(text))
        if (before.content, before.cues) != (after.content, after.cues):
            self._store.vectors.drop([key])

    def _refresh_topic_terms(self, topic_key: int) -> None:
        """Recompute the index terms of a topic's memories, which include its name."""
        rows = self._db.rows(
            "SELECT key, topic FROM memories WHERE topic IN "
            "(SELECT key FROM topics WHERE key = ?1 OR parent = ?1)",
            (topic_key,),
        )
        for key, node in rows:
            self._store.memories.change(key, topic=node)

    def _update(self, stored: StoredText, text: str) -> None:
        key = self._key_of(stored.table)
        names = {row[1] for row in self._db.rows(f"PRAGMA table_info({stored.table})")}
        for number in range(1, 1_000):
            value = text if number == 1 else f"{text} {number}"
            fields: dict[str, Any] = {stored.column: value}
            if stored.column == "name" and "normalised" in names:
                fields["normalised"] = _normalised(stored.table, value)
            if stored.table == "entities":
                fields |= {"model": None, "embedding": None}
            try:
                self._db.rows(
                    f"UPDATE {stored.table} SET {', '.join(f'{name} = ?' for name in fields)} "
                    f"WHERE {' AND '.join(f'{name} = ?' for name in key)}",
                    (*fields.values(), *stored.key),
                )
            except apsw.ConstraintError:
                continue  # the name is taken: try the next number
            return


def _memory_of(table: str, key: tuple[Any, ...]) -> int | None:
    return int(key[0]) if table in {"memories", "tags", "anchors"} else None


def _normalised(table: str, name: str) -> str:
    return topic.normalise_name(name) if table == "topics" else normalise_name(name)
