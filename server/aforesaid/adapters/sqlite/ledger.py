"""The ledger: which commits were acknowledged, kept beside the store and outside its log.

Who deletes or cuts the write-ahead log (``FILE-wal``) takes acknowledged commits away, and the rest
looks whole. So every write transaction has a number, which the store keeps (``meta.commits``), and
once it is durable the number is written to ``FILE-ledger`` too. A ledger that knows a later number
than the store tells how much is missing.

The ledger is never ahead of what is durable, and may be behind: it is not synced, its failures are
passed over, and programs that do not know it leave it as it is. A number's upper half is drawn by
chance when a store is made, so that the ledger of another store says nothing about this one.

The file is a ring of records of 32 bytes, each at the place that its number names: writers need no
lock, and a late one changes nobody else's record. It holds numbers and times, no text.
"""

from __future__ import annotations

import os
import sys
import time

from aforesaid.domain.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database

SUFFIX = "-ledger"
LOSSES = "losses"  #: of meta: what was found missing, until the user has read of it
COMMITS = "commits"  #: of meta: the number of the last commit
RECORDS = 1_024
_RECORD_BYTES = 32
_WORDS_PER_RECORD = 4  #: number, last key of a memory, time (ms), check
_MASK = (1 << 64) - 1
_COUNT_MASK = (1 << 32) - 1  #: the half of a number that counts
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_LAST_KEY = "(SELECT seq FROM sqlite_sequence WHERE name = 'memories')"
_COUNT = (
    f"INSERT INTO meta VALUES ('{COMMITS}', ?) ON CONFLICT (name) DO UPDATE SET value = value + 1 "
    f"RETURNING value, {_LAST_KEY}"
)


class Commit:
    """One acknowledged commit."""

    __slots__ = ("at_ms", "last_key", "number")

    def __init__(self, number: int, last_key: int, at_ms: int) -> None:
        self.number = number
        self.last_key = last_key  #: the greatest key that a memory had until then
        self.at_ms = at_ms


def count_commit(database: Database) -> Commit:
    """Give the present transaction its number, in the store; to be kept once it is durable."""
    number, last_key = database.rows(_COUNT, (str(_draw_start() + 1),))[0]
    return Commit(int(number), int(last_key or 0), time.time_ns() // 1_000_000)


def keep(path: str, commit: Commit) -> None:
    """Write down that a commit is durable and about to be acknowledged; never fails."""
    words = (commit.number, commit.last_key, commit.at_ms)
    record = b"".join(word.to_bytes(8, sys.byteorder) for word in (*words, _check_of(*words)))
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path + SUFFIX, flags, 0o600)
        try:
            os.lseek(descriptor, commit.number % RECORDS * _RECORD_BYTES, os.SEEK_SET)
            os.write(descriptor, record)
        finally:
            os.close(descriptor)
    except OSError:
        pass  # it is stored all the same


def remove(path: str) -> None:
    """Begin the ledger anew: the store gets other content, by its user's will."""
    try:
        os.unlink(path + SUFFIX)
    except OSError:
        pass


def look_for_loss(database: Database) -> None:
    """Compare a store that was just opened with its ledger; write down what is missing.

    Where that cannot be written now, the next transaction of this process does.

    Raises:
        UnavailableError: the store cannot be read.
        CorruptError: it is damaged.
    """
    words = _read(database.path)  # before the store: what others commit meanwhile is in neither
    number = _number_of(database)
    if number is None:
        _begin(database)
        return
    if words is not None and max(words[0::_WORDS_PER_RECORD], default=0) > number:
        database.missing = _later_than(words, number)
        if database.missing:
            _write_down(database)
        else:
            remove(database.path)  # of another store, or damaged
    if number & _COUNT_MASK <= 1:
        _check_point(database)


def find_damage(database: Database) -> str:
    """Say why a loss may not be noticed; empty where the ledger is as it should be."""
    number = _number_of(database)
    if number is None or number & _COUNT_MASK <= 1 or database.read_only:
        return ""
    words = _read(database.path)
    if words is None:
        return f"{database.path}{SUFFIX} is not there"
    records = [
        tuple(words[at : at + _WORDS_PER_RECORD]) for at in range(0, len(words), _WORDS_PER_RECORD)
    ]
    if any(any(one) and one[3] != _check_of(*one[:3]) for one in records):
        return f"{database.path}{SUFFIX} is damaged"
    # the last commit may be unwritten after a kill
    return (
        "" if any(one[0] + 1 >= number for one in records) else f"{database.path}{SUFFIX} was cut"
    )


def record_loss(database: Database, missing: list[Commit]) -> None:
    """Write down what is missing, in a transaction; the numbers that are missing stay unused."""
    from aforesaid.domain.model.loss import Loss, read_losses, write_losses

    number = _number_of(database) or 0
    missing = [one for one in missing if one.number > number]
    if not missing:
        return  # another process was faster
    last_key = int(database.value(f"SELECT {_LAST_KEY}") or 0)
    known = _later_than(_read(database.path) or memoryview(b"").cast("Q"), number - 1)
    for one in known:
        if one.number == number:  # programs that do not count may have stored since
            last_key = min(last_key, one.last_key)
    memories = 0
    for one in missing:
        memories += max(one.last_key - last_key, 0)
        last_key = one.last_key
    losses = read_losses(database.value("SELECT value FROM meta WHERE name = ?", (LOSSES,)) or "")
    loss = Loss(
        memories=memories,
        changes=missing[-1].number - number,
        since_ms=missing[0].at_ms,
        until_ms=missing[-1].at_ms,
        found_ms=time.time_ns() // 1_000_000,
    )
    told = write_losses([*losses, loss])
    database.rows("INSERT OR REPLACE INTO meta VALUES (?, ?)", (LOSSES, told))
    database.rows("UPDATE meta SET value = ? WHERE name = ?", (str(missing[-1].number), COMMITS))


def _begin(database: Database) -> None:
    """Begin to count the commits of a store that an earlier version made."""
    if database.read_only:
        return
    remove(database.path)
    try:
        with database.transaction():
            database.rows("INSERT OR IGNORE INTO meta VALUES (?, ?)", (COMMITS, str(_draw_start())))
    except UnavailableError:
        return  # the first commit does it
    _check_point(database)


def _check_point(database: Database) -> None:
    """Have the file itself say whose ledger this is, and not the log alone."""
    if not database.read_only:
        try:
            database.checkpoint()
        except UnavailableError:
            pass  # the next process does it


def _draw_start() -> int:
    """Return a number whose upper half no other store has."""
    return int.from_bytes(os.urandom(4), "little") >> 1 << 32


def _write_down(database: Database) -> None:
    if database.read_only:
        return
    try:
        with database.transaction():
            pass  # ending it writes down what is missing
    except UnavailableError:
        pass  # the next transaction does


def _number_of(database: Database) -> int | None:
    text = database.value("SELECT value FROM meta WHERE name = ?", (COMMITS,))
    return None if text is None else int(text)


def _read(path: str) -> memoryview[int] | None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path + SUFFIX, flags)
        try:
            read = os.read(descriptor, RECORDS * _RECORD_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        return None
    return memoryview(read[: len(read) - len(read) % _RECORD_BYTES]).cast("Q")


def _later_than(words: memoryview[int], number: int) -> list[Commit]:
    """Return the commits of this store behind a number, in their order."""
    found = []
    for at in range(0, len(words), _WORDS_PER_RECORD):
        told, last_key, at_ms, check = words[at : at + _WORDS_PER_RECORD]
        same_store = told >> 32 == number >> 32
        if told > number and same_store and check == _check_of(told, last_key, at_ms):
            found.append(Commit(told, last_key, at_ms))
    return sorted(found, key=lambda one: one.number)


def _check_of(*words: int) -> int:
    """Return a sum that a damaged record does not have."""
    total = len(words)
    for word, factor in zip(words, _FACTORS, strict=True):
        total = ((total ^ word) * factor) & _MASK
        total ^= total >> 29
    return total
