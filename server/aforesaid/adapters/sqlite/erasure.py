"""Removes repetitions of an erased text from other rows, and searches files for the rest.

Here: finding candidates by words, removing a text from logs, names and the journal, and searching
files. Not here: what counts as a repetition (domain/text/distinctive_phrases.py), which memories
are erased (services/memories/footprint.py).
"""

from __future__ import annotations

import json
import os

import apsw

from aforesaid.domain.model.text_fields import redacted
from aforesaid.domain.text.distinctive_phrases import words_of
from aforesaid.domain.text.lean_json import read_json

from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from aforesaid.domain.model.text_fields import StoredText
    from aforesaid.domain.text.distinctive_phrases import Marks

_PHRASES = 50  #: in one full-text query
_CHUNK = 8 * 1024 * 1024  #: bytes of a file read at once
_CONTEXT_BYTES = 600  #: compared on each side of a word
_SURE_CHARS = 6  #: an identifier this long does not occur in binary data by chance
_PLACEHOLDER_NAMES = {"topics": "topic", "entities": "entity", "entity_aliases": "alias"}
_DETAILED = ("log", "runs")  #: tables with a column ``details``


class ErasureRepository(SqliteRepository):
    """Rows and files that quote a memory."""

    def memories_quoting(self, phrases: Iterable[Sequence[str]], tags: Sequence[str]) -> list[int]:
        """Return keys of memories that may contain one of these word sequences, and of others.

        Args:
            phrases: sequences of words, folded.
            tags: memories with one of these are always returned, and so are forgotten ones.
        """
        keys: set[int] = set()
        queries = ['"' + " ".join(words) + '"' for words in phrases]
        for start in range(0, len(queries), _PHRASES):
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?",
                (" OR ".join(queries[start : start + _PHRASES]),),
            )
            keys.update(key for (key,) in rows)
        rows = self._db.rows("SELECT key FROM memories WHERE forgotten_at IS NOT NULL")
        keys.update(key for (key,) in rows)
        for tag in tags:
            rows = self._db.rows("SELECT memory FROM tags WHERE tag = ?", (tag,))
            keys.update(key for (key,) in rows)
        return sorted(keys)

    def details_quoting(self, marks: Marks) -> list[int]:
        """Return keys of memories whose metadata or tags may contain the text, and of others."""
        parts = set(marks.anchors())
        parts.update(word for name in marks.identifiers for word in words_of(name)[:1])
        if not parts:
            return []
        rows = self._db.rows("SELECT key, metadata FROM memories WHERE metadata <> '{}'")
        keys = {key for key, text in rows if "\\u" in text or not parts.isdisjoint(words_of(text))}
        for (tag,) in self._db.rows("SELECT DISTINCT tag FROM tags"):
            if marks.repeated_by(tag):
                rows = self._db.rows("SELECT memory FROM tags WHERE tag = ?", (tag,))
                keys.update(key for (key,) in rows)
        return sorted(keys)

    def links_quoting(self, marks: Marks) -> list[tuple[int, int, str]]:
        """Return (source, target, kind) of the links whose kind contains the text."""
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
        """Return names and paths that are stored independently of memories."""
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
        """Return (log key, details) of log lines that keep edited texts, oldest first."""
        rows = self._db.rows(
            "SELECT key, details FROM log WHERE operation = 'forget' "
            "AND json_type(details, '$.edits') = 'array' ORDER BY key"
        )
        return [(key, read_json(details)) for key, details in rows]

    def set_record(self, number: int, details: dict[str, Any]) -> None:
        """Replace the details of a log line."""
        text = json.dumps(details, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        self._db.rows("UPDATE log SET details = ? WHERE key = ?", (text, number))

    def task_is_used(self, task: int) -> bool:
        """Tell whether a task has memories."""
        return self._db.value("SELECT 1 FROM memories WHERE task = ?", (task,)) is not None

    def remove_task(self, task: int) -> None:
        """Remove a task without memories."""
        self._db.rows("DELETE FROM tasks WHERE key = ?", (task,))

    def refuse_again(self, hashes: Iterable[str], memory_id: str, at: int) -> None:
        """Store keyed hashes of texts that must not be stored again automatically."""
        self._db.many(
            "INSERT OR IGNORE INTO erased VALUES (?, ?, ?)",
            [(keyed_hash, memory_id, at) for keyed_hash in hashes],
        )

    def purge(self, marks: Marks) -> int:
        """Remove repetitions of a text from names, logs, suggestions and the journal.

        Returns:
            How many rows were changed.
        """
        from .journal import forget_repeated

        purged = forget_repeated(self._db, marks.repeated_by) + self._purge_rows(marks)
        for stored in list(self._store.texts.read(*_PLACEHOLDER_NAMES, *_DETAILED)):
            if not marks.repeated_by(stored.text):
                continue
            if stored.table in _DETAILED:
                purged += self._purge_details(stored, marks)
            elif stored.column == "name":
                rest, _ = marks.removed_from(stored.text)
                self._store.texts.rewrite(stored, rest or _PLACEHOLDER_NAMES[stored.table])
                purged += 1
        return purged

    def count_quotes(self, marks: Marks) -> int:
        """Return how many rows ``purge`` would change; inside a transaction."""
        self._db.rows("SAVEPOINT quotes")
        try:
            return self.purge(marks)
        finally:
            self._db.rows("ROLLBACK TO quotes")
            self._db.rows("RELEASE quotes")

    def _purge_details(self, stored: StoredText, marks: Marks) -> int:
        rest, removed = redacted(stored.replace(is_json=True), marks.removed_from)
        if removed:
            self._db.rows(
                f"UPDATE {stored.table} SET details = ? WHERE key = ?", (rest, stored.key[0])
            )
        return int(bool(removed))

    def _purge_rows(self, marks: Marks) -> int:
        """Delete suggestions and topic summaries that repeat a text: both are regenerated."""
        purged = 0
        for table, columns, key in (
            ("suggestions", "name || ' ' || commands || ' ' || answer", "key"),
            ("topic_summaries", "text", "topic"),
        ):
            rows = self._db.rows(f"SELECT {key}, {columns} FROM {table}")
            quoting = [(row_key,) for row_key, text in rows if marks.repeated_by(text)]
            self._db.many(f"DELETE FROM {table} WHERE {key} = ?", quoting)
            purged += len(quoting)
        return purged

    # -- files

    def files_holding(self, marks: Marks, beside: Sequence[str] = ()) -> list[str]:
        """Return which of the store's files and these other files contain the text.

        Args:
            marks: the distinctive phrases of the text.
            beside: paths of other files.
        """
        store = self._db.path
        paths = [store] if _contain(_chunks_of_store(store), marks) else []
        # not the -shm: it contains no text, and closing it would drop the locks on it
        return paths + [path for path in (f"{store}-wal", *beside) if file_holds(path, marks)]

    def rows_holding(self, marks: Marks) -> list[str]:
        """Return the table and column of each text in the store that contains the text."""
        columns = {text.where for text in self._store.texts.read() if marks.repeated_by(text.text)}
        return sorted(columns | ({"relations.kind"} if self.links_quoting(marks) else set()))

    def copies(self) -> list[str]:
        """Return the names of older copies of the file, which still contain erased texts."""
        from .backup_files import list_copies

        return list_copies(self._db.path)

    def copies_holding(self, marks: Marks) -> list[str]:
        """Return the paths of backups, snapshots and files set aside that contain the text."""
        folder = os.path.dirname(self._db.path)
        paths = [os.path.join(folder, name) for name in self.copies()]
        return [path for path in paths if any(file_holds(file, marks) for file in _with_log(path))]

    def remove_copies(self, paths: Sequence[str]) -> list[str]:
        """Delete copies of this store; return those that stay: of another store, or in use."""
        remaining = []
        for path in paths:
            in_use = any(os.path.lexists(f"{path}{end}") for end in ("-wal", "-ledger"))
            if not self._is_own(path) or (in_use and ".before-" not in os.path.basename(path)):
                remaining.append(path)
                continue
            for file in _with_log(path):
                if os.path.lexists(file):
                    os.unlink(file)
        return remaining

    def _is_own(self, path: str) -> bool:
        """Tell whether a copy was made of this store: it has the same secret, or is damaged."""
        try:
            copy = apsw.Connection(path, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_NOFOLLOW)
            try:
                secret = copy.execute("SELECT value FROM meta WHERE name = 'install_secret'").get
            finally:
                copy.close()
        except apsw.Error:
            return os.path.basename(path).startswith(os.path.basename(self._db.path))
        return bool(secret == self._store.meta("install_secret"))


def _with_log(path: str) -> tuple[str, ...]:
    return (path, f"{path}-wal", f"{path}-shm")


def file_holds(path: str, marks: Marks) -> bool:
    """Return whether a distinctive phrase of the text occurs in the bytes of a file."""
    return _contain(_chunks_of(path), marks)


def _chunks_of(path: str) -> Iterator[bytes]:
    """Yield the bytes of a file; nothing if it does not exist."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError:
        return
    with file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _chunks_of_store(path: str) -> Iterator[bytes]:
    """Yield the bytes of a store that this process has open.

    SQLite reads them: closing the file in another way would drop SQLite's locks on it, and another
    process would delete the log that this one writes to. Source: SQLite, How To Corrupt, 2.2.
    """
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    file = apsw.VFSFile("", path, [flags, 0])
    try:
        size = file.xFileSize()
        for offset in range(0, size, _CHUNK):
            yield file.xRead(min(_CHUNK, size - offset), offset)
    finally:
        file.xClose()


def _contain(chunks: Iterator[bytes], marks: Marks) -> bool:
    runs = {
        encoded: joined
        for word, joined in marks.anchors().items()
        for encoded in {word.encode(), word.upper().encode().lower()}
    }
    identifiers = {name.encode() for name in marks.identifiers}
    if not runs and not identifiers:
        return False
    data = b""
    for chunk in chunks:
        data = (data[-2 * _CONTEXT_BYTES :] + chunk).lower()
        if any(_contains_identifier(data, name) for name in identifiers):
            return True
        if any(_contains_run(data, word, joined) for word, joined in runs.items()):
            return True
    return False


def _contains_identifier(data: bytes, identifier: bytes) -> bool:
    offset = data.find(identifier)
    while offset >= 0:
        neighbour_bytes = (
            data[max(offset - 1, 0) : offset]
            + data[offset + len(identifier) : offset + len(identifier) + 1]
        )
        if len(identifier) >= _SURE_CHARS or not any(
            chr(byte).isalnum() for byte in neighbour_bytes
        ):
            return True
        offset = data.find(identifier, offset + 1)
    return False


def _contains_run(data: bytes, word: bytes, runs: Sequence[str]) -> bool:
    offset = data.find(word)
    while offset >= 0:
        start = max(offset - _CONTEXT_BYTES, 0)
        nearby_text = data[start : offset + len(word) + _CONTEXT_BYTES].decode("utf-8", "replace")
        context = " ".join(words_of(nearby_text))
        if any(run in context for run in runs):
            return True
        offset = data.find(word, offset + 1)
    return False
