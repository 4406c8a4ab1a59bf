"""Errors that nobody foresaw, raised inside a real store: no code of ours is patched."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.store import SqliteStore


def raise_at_insert(store: SqliteStore, table: str, condition: str = "1") -> None:
    """Raise RecursionError in this thread once a row that meets a condition has been inserted."""

    def fail() -> None:
        raise RecursionError("what a memory says")

    connection = store.database.connection()
    connection.create_scalar_function("fail", fail, 0)
    connection.execute(
        f"CREATE TEMP TRIGGER fail AFTER INSERT ON main.{table} WHEN {condition} "
        "BEGIN SELECT fail(); END"
    )


def stop_failing(store: SqliteStore) -> None:
    """Undo ``raise_at_insert``."""
    store.database.connection().execute("DROP TRIGGER temp.fail")


def fail_to_embed() -> None:
    """Stand in for the loading of a model."""
    raise RecursionError
