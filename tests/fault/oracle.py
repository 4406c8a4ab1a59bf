"""What must hold of a store whatever happened to it: nothing acknowledged is lost, nothing is half.

Here: the oracle, and the ledger of what was acknowledged. Not here: any fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.text.hashing import content_hash
from factories import open_sqlite

if TYPE_CHECKING:
    from pathlib import Path

    from aforesaid.adapters.sqlite.store import SqliteStore

GLOBAL = Visibility(projects=(0,))


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def check_engine(store: SqliteStore) -> None:
    """Hold a file to the engine's own checks: words first.

    The pragma alone trusts what its connection last read of the index of words: where another
    process merged that since, it reports segments missing that are gone rightly (SQLite 3.54.1).
    """
    store.database.rows(
        "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
    )
    assert [("ok",)] == store.database.rows("PRAGMA integrity_check")
    assert [] == store.database.rows("PRAGMA foreign_key_check")


def check(database: Path, ledger: Path) -> set[str]:
    """Hold a file to the oracle; return the uids that it has."""
    store = open_sqlite(database)
    rows = store.database.rows("SELECT key, id, content, content_hash FROM memories")
    uids = [content.split()[1] for _key, _id, content, _hash in rows]
    vectors = dict(store.database.rows(
        "SELECT c.memory, count(*) FROM vectors v JOIN chunks c ON c.key = v.chunk GROUP BY 1"
    ))  # fmt: skip

    assert set(lines_of(ledger)) <= set(uids)  # nothing acknowledged is lost
    assert len(set(uids)) == len(uids)  # and nothing is there twice
    check_engine(store)
    assert [] == [row for row in rows if content_hash(row[2]) != row[3]]
    keys = {row[0] for row in rows}
    assert dict.fromkeys(keys, 1) == vectors  # no half memory
    assert store.database.value("SELECT count(*) FROM chunks") == len(rows)
    assert store.database.value("SELECT count(*) FROM vectors") == len(rows)
    assert store.database.value("SELECT count(*) FROM tags") == len(rows)
    created = store.database.rows("SELECT memory FROM log WHERE operation = 'create'")
    assert {row[1] for row in rows} == {item[0] for item in created}
    for uid in uids[:: max(len(uids) // 10, 1)]:
        assert 1 == len(store.search.by_words([uid], GLOBAL, Filters(), 5))
    store.close()
    return set(uids)
