"""The files that a store is backed up in: their names, and which belong to which store.

A name contains the store's file name, its id and the time, so that stores in one folder share
nothing: ``memory.db-3f9a2c11b0d4-20261123T040437.393Z.db``, and ``…Z-auto.db`` for an automatic
backup. Older names without an id (``memory-TIME.db``) are identified by their content.
"""

from __future__ import annotations

import calendar
import os
import re
import time

import apsw

from aforesaid.domain.text.hashing import blake2b
from aforesaid.domain.value import Value

from .database import APPLICATION_ID
from .dump import DUMPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

FOLDER = "backups"  #: beside the store
DRAFT = ".part"  #: suffix of a file that is still being written
ID_QUERY = "SELECT value FROM meta WHERE name = 'install_secret'"
_ID_BYTES = 6
_BUSY_TIMEOUT_MS = 2_000  #: long enough for another process to open or close the store
_TIME = r"(?P<seconds>\d{8}T\d{6})\.(?P<ms>\d{3})Z"
_NAME = re.compile(rf"(?P<store>.+)-(?P<id>[0-9a-f]{{12}})-{_TIME}(?P<automatic>-auto)?\.db")
_NAME_WITHOUT_ID = re.compile(rf"memory-{_TIME}\.db")
_SET_ASIDE = re.compile(
    r"\.before-(?P<reason>[a-z0-9]+)-(?:(?P<seconds>\d{8}T\d{6})Z|\d+)(?:-\d+)?"
)
_STAMP = "%Y%m%dT%H%M%S"
_APPLICATION_ID_OFFSET = 68  #: in the header of a SQLite file
#: Tables that change without a memory being stored: their changes need no new backup.
_INCIDENTAL = ("meta", "sessions", "extractions")
_STATE = (
    "SELECT (SELECT ifnull(max(key), 0) FROM log), (SELECT ifnull(max(key), 0) FROM steps), "
    "(SELECT count(undone_at) FROM steps), ifnull(max(updated_at), 0), ifnull(sum(access_count), 0)"
    " FROM memories"
)


class Backup(Value):
    """A copy of a store: a backup, or a file set aside by a command that replaced the store."""

    path: str
    at_ms: int
    store: str  #: the file name of its store; empty if the name does not contain it
    store_id: str  #: empty if it cannot be read
    automatic: bool
    reason: str = ""  #: what the store was set aside before, such as "reset"; empty: a backup


def store_id(secret: str) -> str:
    """Return the id of a store, which does not reveal the secret it is derived from."""
    key = secret.encode()[:64]
    digest: str = blake2b(b"aforesaid store id", digest_size=_ID_BYTES, key=key).hexdigest()
    return digest


def read_store_id(path: str) -> str:
    """Return the id of the store in a file; empty if it is not a store or cannot be read."""
    try:
        connection = open_read_only(path)
    except apsw.Error:
        return ""
    try:
        return id_of(connection)
    except (apsw.Error, UnicodeDecodeError):
        return ""
    finally:
        connection.close()


def id_of(connection: apsw.Connection) -> str:
    """Return the id of an open store; empty if it is not a store of Aforesaid."""
    if connection.pragma("application_id") != APPLICATION_ID:
        return ""
    secret = connection.execute(ID_QUERY).get
    return store_id(secret) if isinstance(secret, str) else ""


def open_read_only(path: str) -> apsw.Connection:
    """Open a file for reading only, without creating files beside it.

    Raises:
        apsw.Error: it cannot be opened.
    """
    real = os.path.realpath(path)
    name = "file:" + real.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    name += "?mode=ro" if os.path.exists(f"{real}-wal") else "?immutable=1"
    connection = apsw.Connection(name, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    connection.pragma("trusted_schema", 0)
    return connection


def new_name(database: str, identity: str, *, automatic: bool) -> str:
    """Return an unused path for a backup made now."""
    folder, file = os.path.split(database)
    while True:
        now = time.time_ns() // 1_000_000
        stamp = f"{time.strftime(_STAMP, time.gmtime(now // 1000))}.{now % 1000:03d}Z"
        name = f"{file}-{identity}-{stamp}{'-auto' if automatic else ''}.db"
        path = os.path.join(folder, FOLDER, name)
        if not os.path.lexists(path):
            return path
        time.sleep(0.001)


def list_backups(database: str) -> list[Backup]:
    """Return the backups of the store at a path, oldest first.

    If that store's id cannot be read: the backups of stores that were at this path, perhaps of
    several ids.
    """
    identity = read_store_id(database)
    folder, file = os.path.split(database)
    backups = sorted(_scan(folder), key=lambda backup: (backup.at_ms, backup.path))
    if identity:
        return [
            backup
            for backup in backups
            if backup.store_id == identity
            # a copied store has the same id, but backups of its own
            and (
                backup.store in ("", file) or not os.path.exists(os.path.join(folder, backup.store))
            )
        ]
    has_unnamed = any(not backup.store for backup in backups)
    other_ids = set(_ids_beside(database)) if has_unnamed else set()
    return [
        backup
        for backup in backups
        if backup.store == file
        or (not backup.store and backup.store_id and backup.store_id not in other_ids)
    ]


def list_set_aside(database: str) -> list[Backup]:
    """Return the copies of a store that were kept before it was replaced or changed, oldest first.

    Without those of another store, and without damaged ones.
    """
    folder, file = os.path.split(database)
    own, copies = read_store_id(database), []
    for name in _names(folder):
        path, match = os.path.join(folder, name), _SET_ASIDE.fullmatch(name.removeprefix(file))
        if match is None or not name.startswith(file) or not _looks_like_store(path):
            continue
        identity = read_store_id(path)
        if identity and identity == (own or identity):
            stamp = match["seconds"]
            # the end of that second: a backup made within it is older
            at_ms = calendar.timegm(time.strptime(stamp, _STAMP)) * 1000 + 999 if stamp else None
            copies.append(
                Backup(
                    path=path,
                    at_ms=at_ms or os.stat(path).st_mtime_ns // 1_000_000,
                    store=file,
                    store_id=identity,
                    automatic=False,
                    reason=match["reason"],
                )
            )
    return sorted(copies, key=lambda copy: (copy.at_ms, copy.path))


def count_memories(path: str) -> int | None:
    """Return how many memories a copy contains; None if it cannot be read."""
    rows = _read(path, "SELECT count(*) FROM memories")
    return rows[0][0] if rows else None


def read_erased(path: str) -> tuple[str, list[tuple[str, str, int]]]:
    """Return a store's secret, and its (keyed hash, id, time) of what was erased.

    Nothing if it cannot be read.
    """
    secret = _read(path, ID_QUERY)
    rows = _read(path, "SELECT keyed_hash, id, at FROM erased ORDER BY at, id")
    return (secret[0][0], rows) if secret else ("", [])


def _read(path: str, query: str) -> list[Any]:
    try:
        connection = open_read_only(path)
    except apsw.Error:
        return []
    try:
        return connection.execute(query).fetchall()
    except apsw.Error:
        return []
    finally:
        connection.close()


def list_rotated(database: str, *, automatic: bool) -> list[Backup]:
    """Return the backups that rotate with a new one of this store, oldest first.

    Empty if the store's id cannot be read: the backups might be another store's.
    """
    if not read_store_id(database):
        return []
    file = os.path.basename(database)
    backups = [backup for backup in list_backups(database) if backup.automatic == automatic]
    if any(not backup.store for backup in backups):
        shared = {backup.store_id for backup in backups} & set(_ids_beside(database))
        backups = [backup for backup in backups if backup.store or backup.store_id not in shared]
    return [backup for backup in backups if backup.store in ("", file)]


def list_copies(database: str) -> list[str]:
    """Return the files that may contain earlier content of a store, relative to its folder.

    Backups beside it, including those of copies of it; snapshots before a migration or a merge;
    files that ``restore`` and ``reset`` set aside; any other copy in the same folder. Backups
    that were written elsewhere are not known.
    """
    folder, file = os.path.split(database)
    snapshots = {name for name in _names(folder) if name.startswith(f"{file}.before-")}
    copies = [
        name
        for name in snapshots
        # a log is listed only without its file
        if not name.endswith(("-wal", "-shm", "-ledger", "-unchanged"))
        or (name.endswith("-wal") and name.removesuffix("-wal") not in snapshots)
    ]
    identity = read_store_id(database)
    copies += [name for name in _names(folder) if identity and _is_copy(database, name, identity)]
    copies += [
        os.path.relpath(backup.path, folder)
        for backup in _scan(folder, drafts=True)
        if backup.store == file or backup.store_id in ("", identity)
    ]
    return sorted(copies)


def remove_stale_drafts(database: str, older_than_ms: int) -> None:
    """Remove unfinished backups of this store that killed processes left."""
    folder, file = os.path.split(database)
    for backup in _scan(folder, drafts=True):
        if backup.path.endswith(".db") or backup.store != file:
            continue
        for path in (backup.path, f"{backup.path}-journal"):
            try:
                if os.lstat(path).st_mtime_ns // 1_000_000 < older_than_ms:
                    os.unlink(path)
            except FileNotFoundError:
                continue


def content_state(connection: apsw.Connection) -> tuple[object, ...]:
    """Return values that change whenever something is stored or changed in a store."""
    counts = [
        connection.execute(f"SELECT count(*) FROM {table}").get
        for table in DUMPED
        if table not in _INCIDENTAL
    ]
    return (*counts, *connection.execute(_STATE).fetchall()[0])


def _scan(folder: str, *, drafts: bool = False) -> Iterator[Backup]:
    """Yield the backups in the folder beside a store, of any store."""
    backups = os.path.join(folder, FOLDER)
    for name in _names(backups):
        path = os.path.join(backups, name)
        final_name = re.sub(rf"\.\d+{re.escape(DRAFT)}$", "", name) if drafts else name
        if match := _NAME.fullmatch(final_name):
            store, identity = match["store"], match["id"]
            automatic = match["automatic"] is not None
        elif match := _NAME_WITHOUT_ID.fullmatch(final_name):
            store, identity, automatic = "", read_store_id(path), False
        else:
            continue
        try:
            seconds = calendar.timegm(time.strptime(match["seconds"], _STAMP))
        except ValueError:
            continue
        yield Backup(
            path=path,
            at_ms=seconds * 1000 + int(match["ms"]),
            store=store,
            store_id=identity,
            automatic=automatic,
        )


def _ids_beside(database: str) -> Iterable[str]:
    folder, file = os.path.split(database)
    for name in _names(folder):
        path = os.path.join(folder, name)
        is_copy = ".before-" in name or name.startswith((f"{file}-", f"{file}."))
        if name == file or is_copy or not _looks_like_store(path):
            continue
        if identity := read_store_id(path):
            yield identity


def _is_copy(database: str, name: str, identity: str) -> bool:
    """Tell whether a file beside a store is a copy of it under a name that the user chose.

    A store in use does not count, and neither it nor its log is opened: closing a file drops the
    locks that this process has on it.
    """
    path = os.path.join(os.path.dirname(database), name)
    if name.endswith(("-wal", "-shm", "-journal", "-ledger", "-unchanged")) or os.path.exists(
        f"{path}-wal"
    ):
        return False
    if name.startswith(f"{os.path.basename(database)}.before-") or not os.path.isfile(path):
        return False
    if os.path.samefile(path, database) or not _looks_like_store(path):
        return False
    return read_store_id(path) == identity


def _looks_like_store(path: str) -> bool:
    """Tell by its header whether a file is a store; other files are never opened with SQLite."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    try:
        with open(path, "rb") as file:
            header = file.read(_APPLICATION_ID_OFFSET + 4)
    except OSError:
        return False
    return header[_APPLICATION_ID_OFFSET:] == APPLICATION_ID.to_bytes(4, "big") or (
        not header and os.path.exists(f"{path}-wal")
    )


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
