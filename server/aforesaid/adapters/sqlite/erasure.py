"""What repeats an erased text, in rows that are no memory's and in the bytes of files.

Here: finding candidates by words, taking a text out of logs, names and the journal, and searching
files for what is left. Not here: what counts as repeating (domain/text/distinctive_phrases.py),
which memories go (services/memories/footprint.py).
"""

from __future__ import annotations

import os

import apsw

from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from aforesaid.domain.model.text_fields import StoredText
    from aforesaid.domain.text.distinctive_phrases import Marks

_PHRASES = 50  #: in one query of the index
_CHUNK = 8 * 1024 * 1024  #: bytes of a file read at once
_AROUND = 600  #: bytes on each side of a word that are compared
_SURE_CHARS = 6  #: an identifier this long is no accident among binary data
#: Tables of names and notes: (table, what stands where nothing of a text is left).
_NAMED = {"topics": "topic", "entities": "entity", "entity_aliases": "alias"}
_NOTES = ("log", "runs")


class ErasureRepository(Repository):
    """What quotes memories."""

    def memories_quoting(self, phrases: Iterable[Sequence[str]], tags: Sequence[str]) -> list[int]:
        """Return keys of memories that may hold one of these word sequences, and of more.

        Args:
            phrases: words in a row, folded.
            tags: memories with one of these are returned anyway, and so are forgotten ones.
        """
        found: set[int] = set()
        queries = ['"' + " ".join(words) + '"' for words in phrases]
        for start in range(0, len(queries), _PHRASES):
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?",
                (" OR ".join(queries[start : start + _PHRASES]),),
            )
            found.update(key for (key,) in rows)
        rows = self._db.rows("SELECT key FROM memories WHERE forgotten_at IS NOT NULL")
        found.update(key for (key,) in rows)
        for tag in tags:
            rows = self._db.rows("SELECT memory FROM tags WHERE tag = ?", (tag,))
            found.update(key for (key,) in rows)
        return sorted(found)

    def details_quoting(self, marks: Marks) -> list[int]:
        """Return keys of memories whose metadata or tags may hold any of this, and of more."""
        from aforesaid.domain.text.distinctive_phrases import words_of

        parts = set(marks.anchors())
        parts.update(word for one in marks.identifiers for word in words_of(one)[:1])
        if not parts:
            return []
        rows = self._db.rows("SELECT key, metadata FROM memories WHERE metadata <> '{}'")
        found = {key for key, text in rows if "\\u" in text or not parts.isdisjoint(words_of(text))}
        for (tag,) in self._db.rows("SELECT DISTINCT tag FROM tags"):
            if marks.repeated_by(tag):
                keys = self._db.rows("SELECT memory FROM tags WHERE tag = ?", (tag,))
                found.update(key for (key,) in keys)
        return sorted(found)

    def links_quoting(self, marks: Marks) -> list[tuple[int, int, str]]:
        """Return (source, target, kind) of the links whose kind holds any of this."""
        kinds = [kind for (kind,) in self._db.rows("SELECT DISTINCT kind FROM relations")]
        return [
            row
            for kind in kinds
            if marks.repeated_by(kind)
            for row in self._db.rows(
                "SELECT source, target, kind FROM relations WHERE kind = ?", (kind,)
            )
        ]

    def names_in_use(self) -> list[str]:
        """Return names and places that are kept for themselves, whatever memories say."""
        queries = (
            "SELECT identity || ' ' || name FROM projects",
            "SELECT identity FROM project_aliases",
            "SELECT name FROM entities",
            "SELECT name FROM entity_aliases",
            "SELECT name FROM topics",
            "SELECT DISTINCT path FROM anchors",
            "SELECT DISTINCT folder FROM sessions",
            "SELECT DISTINCT branch FROM sessions",
            "SELECT transcript_path FROM sessions",
        )
        return [text for query in queries for (text,) in self._db.rows(query) if text]

    def edit_records(self) -> list[tuple[int, dict[str, Any]]]:
        """Return (number, details) of lines of the log that keep edited texts, oldest first."""
        from aforesaid.domain.text.lean_json import read_json

        rows = self._db.rows(
            "SELECT key, details FROM log WHERE operation = 'forget' "
            "AND json_type(details, '$.edits') = 'array' ORDER BY key"
        )
        return [(key, read_json(details)) for key, details in rows]

    def set_record(self, number: int, details: dict[str, Any]) -> None:
        """Replace the details of a line of the log."""
        import json

        told = json.dumps(details, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        self._db.rows("UPDATE log SET details = ? WHERE key = ?", (told, number))

    def task_is_used(self, task: int) -> bool:
        """Tell whether a memory is inside a task."""
        return self._db.value("SELECT 1 FROM memories WHERE task = ?", (task,)) is not None

    def remove_task(self, task: int) -> None:
        """Remove a task that nothing is inside of."""
        self._db.rows("DELETE FROM tasks WHERE key = ?", (task,))

    def refuse_again(self, hashes: Iterable[str], memory_id: str, at: int) -> None:
        """Keep keyed hashes of texts that must not come back by themselves."""
        self._db.many(
            "INSERT OR IGNORE INTO erased VALUES (?, ?, ?)",
            [(one, memory_id, at) for one in hashes],
        )

    def purge(self, marks: Marks) -> int:
        """Take what repeats a text out of names, logs, offers, and what runs keep.

        Returns:
            How many rows it was taken out of.
        """
        purged = self._purge_journal(marks) + self._purge_rows(marks)
        for one in list(self._store.texts.read(*_NAMED, *_NOTES)):
            if one.table in _NAMED and one.column == "name" and marks.repeated_by(one.text):
                left, _ = marks.removed_from(one.text)
                self._store.texts.rewrite(one, left or _NAMED[one.table])
                purged += 1
            elif one.table in _NOTES and marks.repeated_by(one.text):
                purged += self._purge_note(one, marks)
        return purged

    def count_quotes(self, marks: Marks) -> int:
        """Return how many rows ``purge`` would take a text out of; inside a transaction."""
        self._db.rows("SAVEPOINT quotes")
        try:
            return self.purge(marks)
        finally:
            self._db.rows("ROLLBACK TO quotes")
            self._db.rows("RELEASE quotes")

    def _purge_note(self, one: StoredText, marks: Marks) -> int:
        from aforesaid.domain.model.text_fields import redacted

        note = one.replace(is_json=True)
        left, removed = redacted(note, marks.removed_from)
        if removed:
            self._db.rows(f"UPDATE {one.table} SET details = ? WHERE key = ?", (left, one.key[0]))
        return int(bool(removed))

    def _purge_rows(self, marks: Marks) -> int:
        """Delete offers and summaries of topics that repeat a text: both are made again."""
        purged = 0
        for table, columns, key in (
            ("offers", "name || ' ' || commands || ' ' || answer", "key"),
            ("topic_summaries", "text", "topic"),
        ):
            rows = self._db.rows(f"SELECT {key}, {columns} FROM {table}")
            gone = [(number,) for number, text in rows if marks.repeated_by(text)]
            self._db.many(f"DELETE FROM {table} WHERE {key} = ?", gone)
            purged += len(gone)
        return purged

    def _purge_journal(self, marks: Marks) -> int:
        from .journal import forget_repeated

        return forget_repeated(self._db, marks.repeated_by)

    # -- files

    def files_holding(self, marks: Marks, beside: Sequence[str] = ()) -> list[str]:
        """Return the paths of the store's files, and of others beside it, that hold any of this.

        Args:
            marks: what is searched for.
            beside: paths of other files.
        """
        store = self._db.path
        found = [store] if _holds(_chunks_of_store(store), marks) else []
        # not the -shm: it holds no text, and closing it would drop the locks on it
        return found + [path for path in (f"{store}-wal", *beside) if file_holds(path, marks)]

    def rows_holding(self, marks: Marks) -> list[str]:
        """Return the table and column of each text in the store that holds any of this."""
        found = {one.where for one in self._store.texts.read() if marks.repeated_by(one.text)}
        return sorted(found | ({"relations.kind"} if self.links_quoting(marks) else set()))

    def copies(self) -> list[str]:
        """Return the names of older copies of the file, which keep what was erased since."""
        from .backup_files import list_copies

        return list_copies(self._db.path)

    def copies_holding(self, marks: Marks) -> list[str]:
        """Return the paths of backups, snapshots and files set aside that hold any of this."""
        folder = os.path.dirname(self._db.path)
        paths = [os.path.join(folder, name) for name in self.copies()]
        return [path for path in paths if any(file_holds(one, marks) for one in _with_log(path))]

    def remove_copies(self, paths: Sequence[str]) -> list[str]:
        """Delete copies of this store; return those of another store, or in use, which stay."""
        left = []
        for path in paths:
            in_use = any(os.path.lexists(f"{path}{end}") for end in ("-wal", "-ledger"))
            if not self._is_own(path) or (in_use and ".before-" not in os.path.basename(path)):
                left.append(path)
                continue
            for one in _with_log(path):
                if os.path.lexists(one):
                    os.unlink(one)
        return left

    def _is_own(self, path: str) -> bool:
        """Tell whether a copy was made of this store: both have one secret, or it is damaged."""
        try:
            copy = apsw.Connection(path, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW)
            try:
                found = copy.execute("SELECT value FROM meta WHERE name = 'install_secret'").get
            finally:
                copy.close()
        except apsw.Error:
            return os.path.basename(path).startswith(os.path.basename(self._db.path))
        own: str | None = self._store.meta("install_secret")
        return bool(found == own)


def _with_log(path: str) -> tuple[str, ...]:
    return (path, f"{path}-wal", f"{path}-shm")


def file_holds(path: str, marks: Marks) -> bool:
    """Tell whether a run, identifier or number stands anywhere in the bytes of a file."""
    return _holds(_chunks_of(path), marks)


def _chunks_of(path: str) -> Iterator[bytes]:
    """Yield the bytes of a file; a file that is gone holds nothing."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError:
        return
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _chunks_of_store(path: str) -> Iterator[bytes]:
    """Yield the bytes of a store that this process has open.

    The engine reads them: closing the file by other means would drop its locks on it, and another
    process would delete the log that this one writes to. Source: SQLite, How To Corrupt, 2.2.
    """
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    file = apsw.VFSFile("", path, [flags, 0])
    try:
        size = file.xFileSize()
        for at in range(0, size, _CHUNK):
            yield file.xRead(min(_CHUNK, size - at), at)
    finally:
        file.xClose()


def _holds(chunks: Iterator[bytes], marks: Marks) -> bool:
    runs = {
        form: joined
        for word, joined in marks.anchors().items()
        for form in {word.encode(), word.upper().encode().lower()}
    }
    identifiers = {one.encode() for one in marks.identifiers}
    if not runs and not identifiers:
        return False
    data = b""
    for chunk in chunks:
        data = (data[-2 * _AROUND :] + chunk).lower()
        if any(_holds_identifier(data, one) for one in identifiers):
            return True
        if any(_holds_run(data, word, joined) for word, joined in runs.items()):
            return True
    return False


def _holds_identifier(data: bytes, identifier: bytes) -> bool:
    at = data.find(identifier)
    while at >= 0:
        around = data[max(at - 1, 0) : at] + data[at + len(identifier) : at + len(identifier) + 1]
        if len(identifier) >= _SURE_CHARS or not any(chr(one).isalnum() for one in around):
            return True
        at = data.find(identifier, at + 1)
    return False


def _holds_run(data: bytes, word: bytes, runs: Sequence[str]) -> bool:
    from aforesaid.domain.text.distinctive_phrases import words_of

    at = data.find(word)
    while at >= 0:
        start = max(at - _AROUND, 0)
        around = data[start : at + len(word) + _AROUND].decode("utf-8", "replace")
        said = " ".join(words_of(around))
        if any(run in said for run in runs):
            return True
        at = data.find(word, at + 1)
    return False
