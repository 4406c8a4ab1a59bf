"""The files in which a store is backed up: how they are named, and which belong to which store.

A name says the store's file name, its id and the time, so that stores in one folder share nothing:
``memory.db-3f9a2c11b0d4-20261123T040437.393Z.db``, and ``…Z-auto.db`` for an automatic backup.
Files of versions that had no id in the name (``memory-TIME.db``) are looked into.
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

FOLDER = "backups"  #: beside the store
DRAFT = ".part"  #: how the name of a file ends that is still being written
ID_QUERY = "SELECT value FROM meta WHERE name = 'install_secret'"
_ID_BYTES = 6
_BUSY_TIMEOUT_MS = 2_000  #: for a process that is just opening or closing the store
_TIME = r"(?P<seconds>\d{8}T\d{6})\.(?P<ms>\d{3})Z"
_NAME = re.compile(rf"(?P<store>.+)-(?P<id>[0-9a-f]{{12}})-{_TIME}(?P<automatic>-auto)?\.db")
_NAME_WITHOUT_ID = re.compile(rf"memory-{_TIME}\.db")
_STAMP = "%Y%m%dT%H%M%S"
_APPLICATION_ID_AT = 68  #: offset in the header of a SQLite file
#: Tables that change though nothing is stored: a backup need not be made for them.
_INCIDENTAL = ("meta", "sessions", "extractions")
_STATE = (
    "SELECT (SELECT ifnull(max(key), 0) FROM log), (SELECT ifnull(max(key), 0) FROM steps), "
    "(SELECT count(undone_at) FROM steps), ifnull(max(updated_at), 0), ifnull(sum(access_count), 0)"
    " FROM memories"
)


class Backup(Value):
    """A file in the folder of backups."""

    path: str
    at_ms: int
    store: str  #: the file name of its store; empty where the name does not say it
    store_id: str  #: empty where it cannot be read
    automatic: bool


def store_id(secret: str) -> str:
    """Return the id of a store, which does not disclose the secret that it is derived from."""
    key = secret.encode()[:64]
    digest: str = blake2b(b"aforesaid store id", digest_size=_ID_BYTES, key=key).hexdigest()
    return digest


def read_store_id(path: str) -> str:
    """Return the id of the store in a file; empty where the file is none or cannot be read."""
    try:
        connection = open_at_rest(path)
    except apsw.Error:
        return ""
    try:
        return id_of(connection)
    except (apsw.Error, UnicodeDecodeError):
        return ""
    finally:
        connection.close()


def id_of(connection: apsw.Connection) -> str:
    """Return the id of an open store; empty where it is no store of ours."""
    if connection.pragma("application_id") != APPLICATION_ID:
        return ""
    secret = connection.execute(ID_QUERY).get
    return store_id(secret) if isinstance(secret, str) else ""


def open_at_rest(path: str) -> apsw.Connection:
    """Open a file for reading only, without writing anything beside it.

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
    """Return a path for a backup made now that no file has yet."""
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

    Where that store's id cannot be read, those that were made of a store at this path; they may
    have several ids then.
    """
    identity = read_store_id(database)
    folder, file = os.path.split(database)
    found = sorted(_scan(folder), key=lambda one: (one.at_ms, one.path))
    if identity:
        return [
            one
            for one in found
            if one.store_id == identity
            # a copy of the file has the same id: what was made of the copy stays with it
            and (one.store in ("", file) or not os.path.exists(os.path.join(folder, one.store)))
        ]
    unnamed = any(not one.store for one in found)
    others = set(_ids_beside(database)) if unnamed else set()
    return [
        one
        for one in found
        if one.store == file or (not one.store and one.store_id and one.store_id not in others)
    ]


def list_rotated(database: str, *, automatic: bool) -> list[Backup]:
    """Return the backups that rotate with a new one of this store, oldest first.

    None where the store's id cannot be read: they might be another store's.
    """
    if not read_store_id(database):
        return []
    file = os.path.basename(database)
    found = [one for one in list_backups(database) if one.automatic == automatic]
    if any(not one.store for one in found):
        shared = {one.store_id for one in found} & set(_ids_beside(database))
        found = [one for one in found if one.store or one.store_id not in shared]
    return [one for one in found if one.store in ("", file)]


def list_copies(database: str) -> list[str]:
    """Return the files that may hold what a store held earlier, by names from its folder on.

    Backups made beside it, automatic or not, and of copies of it too; snapshots before a migration
    or a merge; files that ``restore`` and ``reset`` set aside; any other copy in the same
    folder. Backups that were written to a file elsewhere are not known.
    """
    folder, file = os.path.split(database)
    aside = {one for one in _names(folder) if one.startswith(f"{file}.before-")}
    found = [
        name
        for name in aside
        # a log counts where it is alone
        if not name.endswith(("-wal", "-shm", "-ledger"))
        or (name.endswith("-wal") and name.removesuffix("-wal") not in aside)
    ]
    identity = read_store_id(database)
    found += [name for name in _names(folder) if identity and _is_copy(database, name, identity)]
    found += [
        os.path.relpath(one.path, folder)
        for one in _scan(folder, drafts=True)
        if one.store == file or one.store_id in ("", identity)
    ]
    return sorted(found)


def remove_stale_drafts(database: str, older_than_ms: int) -> None:
    """Remove what processes that were killed left of backups of this store."""
    folder, file = os.path.split(database)
    for one in _scan(folder, drafts=True):
        if one.path.endswith(".db") or one.store != file:
            continue
        for path in (one.path, f"{one.path}-journal"):
            try:
                if os.lstat(path).st_mtime_ns // 1_000_000 < older_than_ms:
                    os.unlink(path)
            except FileNotFoundError:
                continue


def content_state(connection: apsw.Connection) -> tuple[object, ...]:
    """Return what differs between two states of a store where something was stored or changed."""
    counts = [
        connection.execute(f"SELECT count(*) FROM {table}").get
        for table in DUMPED
        if table not in _INCIDENTAL
    ]
    return (*counts, *connection.execute(_STATE).fetchall()[0])


def _scan(folder: str, *, drafts: bool = False) -> Iterator[Backup]:
    """Yield what the folder of backups beside a store holds, of any store."""
    backups = os.path.join(folder, FOLDER)
    for name in _names(backups):
        path = os.path.join(backups, name)
        whole = re.sub(rf"\.\d+{re.escape(DRAFT)}$", "", name) if drafts else name
        if match := _NAME.fullmatch(whole):
            store, identity = match["store"], match["id"]
            automatic = match["automatic"] is not None
        elif match := _NAME_WITHOUT_ID.fullmatch(whole):
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
    """Yield the ids of the other stores in the folder of a store."""
    folder, file = os.path.split(database)
    for name in _names(folder):
        path = os.path.join(folder, name)
        copied = ".before-" in name or name.startswith((f"{file}-", f"{file}."))
        if name != file and not copied and _looks_like_store(path) and (one := read_store_id(path)):
            yield one


def _is_copy(database: str, name: str, identity: str) -> bool:
    """Tell whether a file beside a store is a copy of it, under a name that the user chose.

    A store in use is none, and neither it nor its log is opened: closing a file drops the locks
    that this process has on it.
    """
    path = os.path.join(os.path.dirname(database), name)
    if name.endswith(("-wal", "-shm", "-journal", "-ledger")) or os.path.exists(f"{path}-wal"):
        return False
    if name.startswith(f"{os.path.basename(database)}.before-") or not os.path.isfile(path):
        return False
    if os.path.samefile(path, database) or not _looks_like_store(path):
        return False
    return read_store_id(path) == identity


def _looks_like_store(path: str) -> bool:
    """Tell whether a file begins as a store of ours does; no other file is opened as a database."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    try:
        with open(path, "rb") as file:
            header = file.read(_APPLICATION_ID_AT + 4)
    except OSError:
        return False
    return header[_APPLICATION_ID_AT:] == APPLICATION_ID.to_bytes(4, "big") or (
        not header and os.path.exists(f"{path}-wal")
    )


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
