"""Every text of the store, read and rewritten where it stands: for what should not be there.

Here: which columns hold somebody's words, and what follows from changing one. Not here: what is
wrong with a text (services/maintenance/secret_scan.py).
"""

from __future__ import annotations

import apsw

from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from aforesaid.domain.model.text_fields import StoredText

#: Columns of made values, and of what follows from another column.
_MADE = frozenset(
    """id code type scope terms provenance content_hash keyed_hash print model operation kind
    normalised status priority""".split()  # noqa: SIM905 - a list of names reads better so
)
_JSON = frozenset(("metadata", "details", "keywords"))
_LEFT_OUT = ("meta", "erased", "pieces", "chunks", "vocabulary")
_PAGE = 500


class TextRepository(Repository):
    """All texts, whatever they are of."""

    def read(self, *tables: str) -> Iterator[StoredText]:
        """Yield every text that may hold somebody's words, of some tables or of all."""
        for table in tables or self._tables():
            rows = self._db.rows(f"PRAGMA table_info({table})")
            key = self._key_of(table)
            columns = [row[1] for row in rows if row[2] == "TEXT" and row[1] not in _MADE]
            if columns:
                yield from self._texts_of(table, key, columns)

    def count(self) -> int:
        """Return how many rows ``texts`` goes through."""
        counted = (self._db.value(f"SELECT count(*) FROM {table}") for table in self._tables())
        return sum(int(count) for count in counted)

    def _tables(self) -> list[str]:
        rows = self._db.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "AND name NOT LIKE 'memories_fts%' AND name NOT LIKE 'vectors%' ORDER BY name"
        )
        return [name for (name,) in rows if name not in _LEFT_OUT]

    def _texts_of(self, table: str, key: list[str], columns: list[str]) -> Iterator[StoredText]:
        from aforesaid.domain.model.text_fields import StoredText

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
                held = tuple(row[: len(key)])
                for column, text in zip(columns, row[len(key) :], strict=True):
                    if text:
                        yield StoredText(
                            table=table, column=column, key=held, text=text,
                            is_json=column in _JSON, memory=_memory_of(table, held),
                        )  # fmt: skip
            if len(rows) < _PAGE:
                return
            after = tuple(rows[-1][: len(key)])

    def at(self, one: StoredText) -> str | None:
        """Return what stands in the place of a text now; None where its row is gone."""
        key = " AND ".join(f"{name} = ?" for name in self._key_of(one.table))
        found: str | None = self._db.value(
            f"SELECT {one.column} FROM {one.table} WHERE {key}", one.key
        )
        return found

    def _key_of(self, table: str) -> list[str]:
        columns = self._db.rows(f"PRAGMA table_info({table})")
        return [row[1] for row in sorted(columns, key=lambda row: row[5]) if row[5]]

    def rewrite(self, one: StoredText, text: str, *, keep_journal: bool = False) -> None:
        """Put another text in the place of one, with all that follows from it.

        Words follow; vectors are dropped, to be made again; names stay unique by a number. What
        runs of maintenance keep of the memory, or of that row, to be undone, goes, unless it is
        to be kept.
        """
        if not keep_journal and self._db.value("SELECT 1 FROM steps LIMIT 1") is not None:
            from .journal import forget_row, forget_rows

            if one.memory is not None:
                forget_rows(self._db, one.memory)
            else:
                forget_row(self._db, one.table, one.key[0])
        if one.table == "memories":
            self._rewrite_memory(one, text)
            return
        if one.table == "tags":
            (memory,) = self._store.memories.get([one.key[0]])
            tags = [text if tag == one.text else tag for tag in memory.tags]
            self._store.memories.change(memory.key, tags=dict.fromkeys(tags))
            return
        self._put(one, text)
        if one.table == "topics":
            self._follow_topic(one.key[0])

    def _rewrite_memory(self, one: StoredText, text: str) -> None:
        from aforesaid.domain.text.hashing import content_hash
        from aforesaid.domain.text.lean_json import read_json

        key = one.key[0]
        value: Any = read_json(text) if one.column == "metadata" else text
        if one.column == "summary":
            value = text or None
        [before] = self._store.memories.get([key])
        self._store.memories.change(key, **{one.column: value})
        [after] = self._store.memories.get([key])
        if one.column == "content":
            self._store.memories.change(key, content_hash=content_hash(text))
        if (before.content, before.cues) != (after.content, after.cues):
            self._store.vectors.drop([key])

    def _follow_topic(self, topic: int) -> None:
        """Make the words of a topic's memories again: its name is among them."""
        rows = self._db.rows(
            "SELECT key, topic FROM memories WHERE topic IN "
            "(SELECT key FROM topics WHERE key = ?1 OR parent = ?1)",
            (topic,),
        )
        for key, node in rows:
            self._store.memories.change(key, topic=node)

    def _put(self, one: StoredText, text: str) -> None:
        key = self._key_of(one.table)
        names = {row[1] for row in self._db.rows(f"PRAGMA table_info({one.table})")}
        for number in range(1, 1_000):
            shown = text if number == 1 else f"{text} {number}"
            changed: dict[str, Any] = {one.column: shown}
            if one.column == "name" and "normalised" in names:
                changed["normalised"] = _normalised(one.table, shown)
            if one.table == "entities":
                changed |= {"model": None, "embedding": None}
            try:
                self._db.rows(
                    f"UPDATE {one.table} SET {', '.join(f'{name} = ?' for name in changed)} "
                    f"WHERE {' AND '.join(f'{name} = ?' for name in key)}",
                    (*changed.values(), *one.key),
                )
            except apsw.ConstraintError:
                continue  # another has that name: the next number
            return


def _memory_of(table: str, key: tuple[Any, ...]) -> int | None:
    return int(key[0]) if table in {"memories", "tags", "anchors"} else None


def _normalised(table: str, name: str) -> str:
    from aforesaid.domain.model.entity_names import normalise_name
    from aforesaid.domain.model.topic import normalise_name as normalise_topic

    return normalise_topic(name) if table == "topics" else normalise_name(name)
