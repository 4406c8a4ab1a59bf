"""The journal of maintenance: what each transaction changed, so that it can be undone.

The engine's own session extension writes the changes of a transaction as rows before and after; the
inverse is applied in reverse order. Not in the journal: words and vectors, which follow the rows by
trigger and key, and the log, which tells both ways.
"""

from __future__ import annotations

import json
from contextlib import contextmanager

import apsw

from .database import in_our_words
from .filters import placeholders
from .relations import end_chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from aforesaid.domain.maintenance.run import Action

    from .database import Database
    from .vocabulary import Vocabulary

#: Tables whose rows a run may change: those of an export, as far as maintenance touches them.
JOURNALED = ("topics", "memories", "tags", "relations", "faded", "anchors", "offers")
#: Columns of a row with the keys of the memories that it is about; a list of them in offers.
_ABOUT = {
    "memories": ("key",),
    "tags": ("memory",),
    "relations": ("source", "target"),
    "faded": ("source", "target"),
    "anchors": ("memory",),
    "offers": ("memories",),
}
#: Columns that change by mere use: they do not keep what a run made from being taken back.
_USED = frozenset(
    ("access_count", "last_accessed_at", "last_reinforced_at", "confidence", "weight",
     "reinforced_at", "settled_at", "answer")
)  # fmt: skip


@contextmanager
def journaled(database: Database, run: int, phase: str, at: int) -> Iterator[list[Action]]:
    """Open a transaction whose changes are kept in the journal, if there are any.

    Yields:
        A list that takes the actions that were carried out.
    """
    made: list[Action] = []
    with database.transaction():
        last_line = database.value("SELECT ifnull(max(key), 0) FROM log")
        session = apsw.Session(database.connection(), "main")
        try:
            for table in JOURNALED:
                session.attach(table)
            yield made
            changes = session.changeset()
        finally:
            session.close()
        database.rows("UPDATE log SET run = ? WHERE key > ?", (run, last_line))
        if changes:
            _keep(database, run, phase, at, made, changes)


def _keep(
    database: Database, run: int, phase: str, at: int, made: Sequence[Action], changes: bytes
) -> None:
    counts: dict[str, int] = {}
    for one in made:
        counts[one.what] = counts.get(one.what, 0) + 1
    about = {key for one in made for key in one.keys} | _memories_in(changes)
    database.rows(
        "INSERT INTO steps (run, phase, at, counts, memories, changes) VALUES (?, ?, ?, ?, ?, ?)",
        (run, phase, at, json.dumps(counts), json.dumps(sorted(about)), changes),
    )


def undo_step(database: Database, vocabulary: Vocabulary, key: int, at: int) -> bool:
    """Put back what a step changed; False, and nothing, where that was changed again since."""
    with database.transaction():
        row = database.row("SELECT changes, undone_at FROM steps WHERE key = ?", (key,))
        if row is None or row[1] is not None or row[0] is None:
            return row is not None and row[1] is not None
        made = _inserted_memories(row[0])
        if _is_used(database, made, row[0]):
            return False
        texts = [text for one in made for text in vocabulary.texts_of(one)]
        names = _columns(database)
        try:
            apsw.Changeset.apply(
                apsw.Changeset.invert(row[0]),
                database.connection(),
                conflict=lambda reason, change: _settle(reason, change, names),
            )
        except (apsw.AbortError, apsw.ConstraintError):  # or something new stands on it
            return False
        except apsw.Error as error:
            raise in_our_words(error, database.path) from error
        vocabulary.unlearn(texts)
        for one in _ended_before(row[0], names):  # for what was put before it since, too
            end_chain(database, one)
        # what it had made is gone, and could not be found here when what it was made of is erased
        database.rows("UPDATE steps SET undone_at = ?, changes = NULL WHERE key = ?", (at, key))
        return True


def forget_rows(database: Database, memory: int) -> None:
    """Take what the journal holds of a memory that is erased out of it: its rows, everywhere.

    With the last memory of a step goes all of it: names of topics may say what they said.
    """
    steps = database.rows(
        "SELECT s.key, s.changes, EXISTS (SELECT 1 FROM json_each(s.memories) j "
        "JOIN memories m ON m.key = j.value WHERE m.key <> ?1) FROM steps s "
        "WHERE s.changes IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM json_each(s.memories) j WHERE j.value = ?1)",
        (memory,),
    )
    names = _columns(database)

    def is_about(table: str, row: Mapping[str, object]) -> bool:
        told = [row[column] for column in _ABOUT.get(table, ())]
        return any(
            memory in json.loads(one) if isinstance(one, str) else one == memory for one in told
        )

    for key, changes, others in steps:
        kept = _without(database, changes, names, is_about) if others else None
        database.rows("UPDATE steps SET changes = ? WHERE key = ?", (kept, key))


def forget_row(database: Database, table: str, key: object) -> None:
    """Take what the journal holds of a row that is no memory's, such as a topic's, out of it."""
    if table not in JOURNALED:
        return
    names = _columns(database)

    def is_that(of: str, row: Mapping[str, object]) -> bool:
        return of == table and row["key"] == key

    for step, changes in database.rows("SELECT key, changes FROM steps WHERE changes IS NOT NULL"):
        if any((of, row[0]) == (table, key) for of, _op, row in _rows_of(changes)):
            kept = _without(database, changes, names, is_that)
            database.rows("UPDATE steps SET changes = ? WHERE key = ?", (kept, step))


def forget_repeated(database: Database, repeats: Callable[[str], bool]) -> int:
    """Take rows with a text that repeats what was erased out of the journal; return of how many."""
    names = _columns(database)
    found = 0

    def tells(_table: str, row: Mapping[str, object]) -> bool:
        return any(isinstance(one, str) and repeats(one) for one in row.values())

    for key, changes in database.rows("SELECT key, changes FROM steps WHERE changes IS NOT NULL"):
        told = [
            value
            for change in apsw.Changeset.iter(changes)
            for row in (change.old, change.new)
            for value in row or ()
            if isinstance(value, str)
        ]
        if any(repeats(one) for one in told):
            kept = _without(database, changes, names, tells)
            database.rows("UPDATE steps SET changes = ? WHERE key = ?", (kept, key))
            found += 1
    return found


def _without(
    database: Database,
    changes: bytes,
    names: Mapping[str, Sequence[str]],
    goes: Callable[[str, Mapping[str, object]], bool],
) -> bytes:
    """Return changes but those of rows that go."""
    builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]
    builder.schema(database.connection(), "main")
    for change in apsw.Changeset.iter(changes):
        rows = [
            dict(zip(names[change.name], row, strict=False))
            for row in (change.old, change.new)
            if row
        ]
        if not any(goes(change.name, row) for row in rows):
            builder.add_change(change)
    made: bytes = builder.output()
    return made


def _columns(database: Database) -> dict[str, list[str]]:
    """Return the names of the columns of each table that is journaled."""
    return {
        table: [column[1] for column in database.rows(f"PRAGMA table_info({table})")]
        for table in JOURNALED
    }


def _is_used(database: Database, made: Sequence[int], changes: bytes) -> bool:
    """Tell whether something else was linked to, or put below, what a step had made."""
    if not made:
        return False
    inside = placeholders(made)
    linked = database.value(
        f"SELECT count(*) FROM relations WHERE source IN ({inside}) OR target IN ({inside})",
        (*made, *made),
    )
    mine = sum(
        (table, op) == ("relations", "INSERT") and not {row[0], row[1]}.isdisjoint(made)
        for table, op, row in _rows_of(changes)
    )
    below = database.value(f"SELECT count(*) FROM memories WHERE parent IN ({inside})", tuple(made))
    return bool(linked > mine or below)


def _rows_of(changes: bytes) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Yield (table, operation, row) of each change: as it became, or of what went as it was.

    Of an update only what changed is told, and the key.
    """
    for change in apsw.Changeset.iter(changes):
        row = change.old if change.new is None or change.op == "UPDATE" else change.new
        yield change.name, change.op, tuple(row or ())


def _memories_in(changes: bytes) -> set[int]:
    """Return the keys of the memories whose rows a changeset changes."""
    return {row[0] for table, _op, row in _rows_of(changes) if table == "memories"}


def _inserted_memories(changes: bytes) -> list[int]:
    return [row[0] for table, op, row in _rows_of(changes) if (table, op) == ("memories", "INSERT")]


def _ended_before(changes: bytes, names: Mapping[str, Sequence[str]]) -> list[int]:
    """Return the keys of the memories that nothing superseded until these changes."""
    place = names["memories"].index("superseded_by")
    return [
        row[0]
        for table, op, row in _rows_of(changes)
        if (table, op) == ("memories", "UPDATE") and row[place] is None
    ]


def _settle(reason: int, change: Any, names: dict[str, list[str]]) -> int:
    """Decide about a row that is no longer as a run left it.

    What is gone already, or as it was before the run, needs nothing; what was only used since is
    put back all the same; anything else keeps its step from being undone.
    """
    if reason == apsw.SQLITE_CHANGESET_NOTFOUND:
        gone = change.op == "DELETE" or change.name in ("tags", "relations", "faded", "anchors")
        return apsw.SQLITE_CHANGESET_OMIT if gone else apsw.SQLITE_CHANGESET_ABORT
    if reason != apsw.SQLITE_CHANGESET_DATA:
        return apsw.SQLITE_CHANGESET_ABORT
    for name, old, new, here in zip(
        names[change.name],
        change.old,
        change.new or (apsw.no_change,) * len(change.old),
        change.conflict,
        strict=True,
    ):
        if old is apsw.no_change or here in (old, new) or name in _USED:
            continue
        return apsw.SQLITE_CHANGESET_ABORT
    return apsw.SQLITE_CHANGESET_REPLACE
