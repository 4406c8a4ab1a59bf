"""The journal of maintenance: the changes of each transaction, so that a run can be undone.

SQLite's session extension records rows before and after; undoing applies the inverse in reverse
order. Not in the journal: the full-text index and vectors, which follow the rows by trigger and
key, and the log, to which an undo adds lines instead of removing them.
"""

from __future__ import annotations

import json
from contextlib import contextmanager

import apsw

from .database import translate_error
from .filters import placeholders
from .old_names import rename_tables
from .relations import end_chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from aforesaid.domain.maintenance.run import PhaseAction

    from .database import Database
    from .vocabulary import Vocabulary

#: Tables whose rows a run may change.
JOURNALED = ("topics", "memories", "tags", "relations", "expired_links", "anchors", "suggestions")
#: Columns with the keys of the memories that a row is about; a JSON list in suggestions.
_MEMORY_COLUMNS = {
    "memories": ("key",),
    "tags": ("memory",),
    "relations": ("source", "target"),
    "expired_links": ("source", "target"),
    "anchors": ("memory",),
    "suggestions": ("memories",),
}
#: Tables without texts, whose missing rows do not prevent undoing.
_LINK_TABLES = ("tags", "relations", "expired_links", "anchors")
#: Columns that mere use changes: such a change does not prevent undoing.
_USAGE_COLUMNS = frozenset(
    ("access_count", "last_accessed_at", "last_reinforced_at", "confidence", "weight",
     "reinforced_at", "answered_at", "answer")
)  # fmt: skip


@contextmanager
def journaled(database: Database, run: int, phase: str, at: int) -> Iterator[list[PhaseAction]]:
    """Open a transaction whose changes are journalled.

    Yields:
        A list for the actions that are carried out.
    """
    actions: list[PhaseAction] = []
    with database.transaction():
        last_line = database.value("SELECT ifnull(max(key), 0) FROM log")
        session = apsw.Session(database.connection(), "main")
        try:
            for table in JOURNALED:
                session.attach(table)
            yield actions
            changes = session.changeset()
        finally:
            session.close()
        database.rows("UPDATE log SET run = ? WHERE key > ?", (run, last_line))
        if changes:
            _store_step(database, run, phase, at, actions, changes)


def _store_step(
    database: Database,
    run: int,
    phase: str,
    at: int,
    actions: Sequence[PhaseAction],
    changes: bytes,
) -> None:
    counts: dict[str, int] = {}
    for action in actions:
        counts[action.what] = counts.get(action.what, 0) + 1
    keys = {key for action in actions for key in action.keys} | _memories_in(changes)
    database.rows(
        "INSERT INTO steps (run, phase, at, counts, memories, changes) VALUES (?, ?, ?, ?, ?, ?)",
        (run, phase, at, json.dumps(counts), json.dumps(sorted(keys)), changes),
    )


def undo_step(database: Database, vocabulary: Vocabulary, key: int, at: int) -> bool:
    """Revert a step; return False, changing nothing, if its rows were changed since."""
    with database.transaction():
        row = database.row("SELECT changes, undone_at FROM steps WHERE key = ?", (key,))
        changes, undone_at = row or (None, None)
        if undone_at is not None or changes is None:
            return undone_at is not None
        changes = rename_tables(changes)
        inserted = _inserted_memories(changes)
        if _is_used(database, inserted, changes):
            return False
        texts = [text for memory in inserted for text in vocabulary.texts_of(memory)]
        names = _column_names(database)
        try:
            apsw.Changeset.apply(
                apsw.Changeset.invert(changes),
                database.connection(),
                conflict=lambda reason, change: _resolve_conflict(reason, change, names),
            )
        except (apsw.AbortError, apsw.ConstraintError):  # changed since, or something refers to it
            return False
        except apsw.Error as error:
            raise translate_error(error, database.path) from error
        vocabulary.unlearn(texts)
        for memory in _newly_superseded(changes, names):  # versions added since get the head too
            end_chain(database, memory)
        # drop the changes: erasing a source could no longer find the removed rows in them
        database.rows("UPDATE steps SET undone_at = ?, changes = NULL WHERE key = ?", (at, key))
        return True


def forget_rows(database: Database, memory: int) -> None:
    """Remove the rows of an erased memory from the journal.

    With a step's last memory the whole step is removed: topic names may repeat the text.
    """
    steps = database.rows(
        "SELECT s.key, s.changes, EXISTS (SELECT 1 FROM json_each(s.memories) j "
        "JOIN memories m ON m.key = j.value WHERE m.key <> ?1) FROM steps s "
        "WHERE s.changes IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM json_each(s.memories) j WHERE j.value = ?1)",
        (memory,),
    )
    names = _column_names(database)

    def is_about(table: str, row: Mapping[str, object]) -> bool:
        values = [row[column] for column in _MEMORY_COLUMNS.get(table, ())]
        return any(
            memory in json.loads(value) if isinstance(value, str) else value == memory
            for value in values
        )

    for key, changes, has_other_memories in steps:
        rest = (
            _without_rows(database, rename_tables(changes), names, is_about)
            if has_other_memories
            else None
        )
        database.rows("UPDATE steps SET changes = ? WHERE key = ?", (rest, key))


def forget_row(database: Database, table: str, key: object) -> None:
    """Remove a row that is not a memory's, such as a topic's, from the journal."""
    if table not in JOURNALED:
        return
    names = _column_names(database)

    def matches(changed_table: str, row: Mapping[str, object]) -> bool:
        return changed_table == table and row["key"] == key

    for step, changes in _steps(database):
        if any((name, row[0]) == (table, key) for name, _op, row in _changed_rows(changes)):
            rest = _without_rows(database, changes, names, matches)
            database.rows("UPDATE steps SET changes = ? WHERE key = ?", (rest, step))


def forget_repeated(database: Database, repeats: Callable[[str], bool]) -> int:
    """Remove rows that repeat an erased text from the journal; return the number of steps."""
    names = _column_names(database)
    changed_steps = 0

    def repeats_text(_table: str, row: Mapping[str, object]) -> bool:
        return any(isinstance(value, str) and repeats(value) for value in row.values())

    for key, changes in _steps(database):
        texts = [
            value
            for change in apsw.Changeset.iter(changes)
            for row in (change.old, change.new)
            for value in row or ()
            if isinstance(value, str)
        ]
        if any(map(repeats, texts)):
            rest = _without_rows(database, changes, names, repeats_text)
            database.rows("UPDATE steps SET changes = ? WHERE key = ?", (rest, key))
            changed_steps += 1
    return changed_steps


def _steps(database: Database) -> list[tuple[int, bytes]]:
    rows = database.rows("SELECT key, changes FROM steps WHERE changes IS NOT NULL")
    return [(key, rename_tables(changes)) for key, changes in rows]


def _without_rows(
    database: Database,
    changes: bytes,
    names: Mapping[str, Sequence[str]],
    is_removed: Callable[[str, Mapping[str, object]], bool],
) -> bytes:
    builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]
    builder.schema(database.connection(), "main")
    for change in apsw.Changeset.iter(changes):
        rows = [
            dict(zip(names[change.name], row, strict=False))
            for row in (change.old, change.new)
            if row
        ]
        if not any(is_removed(change.name, row) for row in rows):
            builder.add_change(change)
    rest: bytes = builder.output()
    return rest


def _column_names(database: Database) -> dict[str, list[str]]:
    return {
        table: [column[1] for column in database.rows(f"PRAGMA table_info({table})")]
        for table in JOURNALED
    }


def _is_used(database: Database, inserted: Sequence[int], changes: bytes) -> bool:
    """Tell whether something else was linked to, or put below, what a step created."""
    if not inserted:
        return False
    marks = placeholders(inserted)
    links = database.value(
        f"SELECT count(*) FROM relations WHERE source IN ({marks}) OR target IN ({marks})",
        (*inserted, *inserted),
    )
    own_links = sum(
        (table, op) == ("relations", "INSERT") and not {row[0], row[1]}.isdisjoint(inserted)
        for table, op, row in _changed_rows(changes)
    )
    details = database.value(
        f"SELECT count(*) FROM memories WHERE parent IN ({marks})", tuple(inserted)
    )
    return bool(links > own_links or details)


def _changed_rows(changes: bytes) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Yield (table, operation, row) of each change: the new row, for a deletion the old one.

    The row of an update has its key and the old values of the changed columns.
    """
    for change in apsw.Changeset.iter(changes):
        row = change.old if change.new is None or change.op == "UPDATE" else change.new
        yield change.name, change.op, tuple(row or ())


def _memories_in(changes: bytes) -> set[int]:
    return {row[0] for table, _op, row in _changed_rows(changes) if table == "memories"}


def _inserted_memories(changes: bytes) -> list[int]:
    return [
        row[0] for table, op, row in _changed_rows(changes) if (table, op) == ("memories", "INSERT")
    ]


def _newly_superseded(changes: bytes, names: Mapping[str, Sequence[str]]) -> list[int]:
    """Return the keys of the memories that these changes superseded."""
    column = names["memories"].index("superseded_by")
    return [
        row[0]
        for table, op, row in _changed_rows(changes)
        if (table, op) == ("memories", "UPDATE") and row[column] is None
    ]


def _resolve_conflict(reason: int, change: Any, names: dict[str, list[str]]) -> int:
    """Decide about a row that is no longer as a run left it.

    A row that is gone, or as it was before the run, is skipped; one that was only used since is
    restored anyway; any other change prevents undoing the step.
    """
    if reason == apsw.SQLITE_CHANGESET_NOTFOUND:
        is_fine = change.op == "DELETE" or change.name in _LINK_TABLES
        return apsw.SQLITE_CHANGESET_OMIT if is_fine else apsw.SQLITE_CHANGESET_ABORT
    if reason != apsw.SQLITE_CHANGESET_DATA:
        return apsw.SQLITE_CHANGESET_ABORT
    for name, old, new, current in zip(
        names[change.name],
        change.old,
        change.new or (apsw.no_change,) * len(change.old),
        change.conflict,
        strict=True,
    ):
        if old is apsw.no_change or current in (old, new) or name in _USAGE_COLUMNS:
            continue
        return apsw.SQLITE_CHANGESET_ABORT
    return apsw.SQLITE_CHANGESET_REPLACE
