"""The ledger: acknowledged commits, recorded beside the store and outside its log.

If somebody deletes or truncates the write-ahead log (``FILE-wal``), acknowledged commits are lost
and the file still looks sound. So every write transaction has a number, which the store keeps
(``meta.commits``) and which is also written to ``FILE-ledger`` once it is durable. A ledger with a
later number than the store shows how much is missing.

The ledger is never ahead of what is durable, and may be behind: it is not synced, its errors are
ignored, and programs that do not know it leave it alone. The upper half of a number is random for
each store, so that the ledger of another store is recognised as foreign.

The file is a ring of records of 32 bytes, each at the position that its number gives: writers need
no lock, and a late one changes no other record. It contains numbers and times, no text.
"""

from __future__ import annotations

import os
import sys
import time

from aforesaid.domain.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .database import Database

SUFFIX = "-ledger"
LOSSES = "losses"  #: of meta: detected losses, until the user dismisses them
COMMITS = "commits"  #: of meta: the number of the last commit
RECORDS = 1_024
_RECORD_BYTES = 32
_WORDS_PER_RECORD = 4  #: number, last key of a memory, time (ms), check
_MASK = (1 << 64) - 1
_COUNT_MASK = (1 << 32) - 1  #: the lower half of a number, which counts
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_LAST_KEY = "(SELECT seq FROM sqlite_sequence WHERE name = 'memories')"
_COUNT = (
    f"INSERT INTO meta VALUES ('{COMMITS}', ?) ON CONFLICT (name) DO UPDATE SET value = value + 1 "
    f"RETURNING value, {_LAST_KEY}"
)


class LedgerEntry:
    """One acknowledged commit."""

    __slots__ = ("at_ms", "last_key", "number")

    def __init__(self, number: int, last_key: int, at_ms: int) -> None:
        self.number = number
        self.last_key = last_key  #: the greatest key of a memory at that time
        self.at_ms = at_ms


def count_commit(database: Database) -> LedgerEntry:
    """Give the current transaction its number in the store; ``append`` it once durable."""
    number, last_key = database.rows(_COUNT, (str(_draw_start() + 1),))[0]
    return LedgerEntry(int(number), int(last_key or 0), time.time_ns() // 1_000_000)


def append(path: str, commit: LedgerEntry) -> None:
    """Record that a commit is durable and about to be acknowledged; never fails."""
    words = (commit.number, commit.last_key, commit.at_ms)
    record = b"".join(word.to_bytes(8, sys.byteorder) for word in (*words, _checksum(*words)))
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path + SUFFIX, flags, 0o600)
        try:
            os.lseek(descriptor, commit.number % RECORDS * _RECORD_BYTES, os.SEEK_SET)
            os.write(descriptor, record)
        finally:
            os.close(descriptor)
    except OSError:
        pass  # the commit is stored anyway


def remove(path: str) -> None:
    """Delete the ledger: the store is about to get other content."""
    try:
        os.unlink(path + SUFFIX)
    except OSError:
        pass


def look_for_loss(database: Database) -> None:
    """Compare a store that was just opened with its ledger; record missing commits.

    If the store cannot be written now, the next transaction of this process records them.

    Raises:
        UnavailableError: the store cannot be read.
        CorruptError: it is damaged.
    """
    words = _read(database.path)  # before the store, as others may commit in between
    number = _last_number(database)
    if number is None:
        _begin(database)
        return
    if words is not None and max(words[0::_WORDS_PER_RECORD], default=0) > number:
        database.missing = _entries_after(words, number)
        if database.missing:
            _record_missing(database)
        else:
            remove(database.path)  # it belongs to another store, or is damaged
    if number & _COUNT_MASK <= 1:
        _checkpoint(database)


def find_damage(database: Database) -> str:
    """Describe why a loss might go unnoticed; empty if the ledger is intact."""
    number = _last_number(database)
    if number is None or number & _COUNT_MASK <= 1 or database.read_only:
        return ""
    words = _read(database.path)
    if words is None:
        return f"{database.path}{SUFFIX} is missing"
    records = list(_records(words))
    if any(any(record) and record[3] != _checksum(*record[:3]) for record in records):
        return f"{database.path}{SUFFIX} is damaged"
    if any(record[0] + 1 >= number for record in records):  # a kill may lose the last record
        return ""
    return f"{database.path}{SUFFIX} was cut off"


def record_loss(database: Database, missing: list[LedgerEntry]) -> None:
    """Record missing commits, inside a transaction; their numbers are not reused."""
    from aforesaid.domain.model.loss import Loss, read_losses, write_losses

    number = _last_number(database) or 0
    missing = [entry for entry in missing if entry.number > number]
    if not missing:
        return  # another process did it
    last_key = int(database.value(f"SELECT {_LAST_KEY}") or 0)
    for entry in _entries_after(_read(database.path) or memoryview(b"").cast("Q"), number - 1):
        if entry.number == number:  # programs without a ledger may have stored since
            last_key = min(last_key, entry.last_key)
    memories = 0
    for entry in missing:
        memories += max(entry.last_key - last_key, 0)
        last_key = entry.last_key
    losses = read_losses(database.value("SELECT value FROM meta WHERE name = ?", (LOSSES,)) or "")
    loss = Loss(
        memories=memories,
        changes=missing[-1].number - number,
        since_ms=missing[0].at_ms,
        until_ms=missing[-1].at_ms,
        found_ms=time.time_ns() // 1_000_000,
    )
    database.rows(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (LOSSES, write_losses([*losses, loss]))
    )
    database.rows("UPDATE meta SET value = ? WHERE name = ?", (str(missing[-1].number), COMMITS))


def _begin(database: Database) -> None:
    """Start counting the commits of a store that an earlier version made."""
    if database.read_only:
        return
    remove(database.path)
    try:
        with database.transaction():
            database.rows("INSERT OR IGNORE INTO meta VALUES (?, ?)", (COMMITS, str(_draw_start())))
    except UnavailableError:
        return  # the first commit starts the count
    _checkpoint(database)


def _checkpoint(database: Database) -> None:
    """Write the ledger's identity into the file itself, not only into its log."""
    if not database.read_only:
        try:
            database.checkpoint()
        except UnavailableError:
            pass  # the next process does it


def _draw_start() -> int:
    """Return a start number with a random upper half."""
    return int.from_bytes(os.urandom(4), "little") >> 1 << 32


def _record_missing(database: Database) -> None:
    if database.read_only:
        return
    try:
        with database.transaction():
            pass  # its end records the missing commits
    except UnavailableError:
        pass  # the next transaction does


def _last_number(database: Database) -> int | None:
    text = database.value("SELECT value FROM meta WHERE name = ?", (COMMITS,))
    return None if text is None else int(text)


def _read(path: str) -> memoryview[int] | None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path + SUFFIX, flags)
        try:
            content = os.read(descriptor, RECORDS * _RECORD_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        return None
    return memoryview(content[: len(content) - len(content) % _RECORD_BYTES]).cast("Q")


def _entries_after(words: memoryview[int], number: int) -> list[LedgerEntry]:
    """Return this store's commits after a number, in order."""
    entries = []
    for later, last_key, at_ms, check in _records(words):
        is_same_store = later >> 32 == number >> 32
        if later > number and is_same_store and check == _checksum(later, last_key, at_ms):
            entries.append(LedgerEntry(later, last_key, at_ms))
    return sorted(entries, key=lambda entry: entry.number)


def _records(words: memoryview[int]) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(words), _WORDS_PER_RECORD):
        yield tuple(words[start : start + _WORDS_PER_RECORD])


def _checksum(*words: int) -> int:
    total = len(words)
    for word, factor in zip(words, _FACTORS, strict=True):
        total = ((total ^ word) * factor) & _MASK
        total ^= total >> 29
    return total
