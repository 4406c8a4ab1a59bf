"""Names that tables and columns had before version 4 of the schema.

Here: the names, for data written with them: exports, which keep them; older files; the journals of
older runs. Not here: the migration that changed them (schema.py).
"""

from __future__ import annotations

#: Names in exports and in older files, by today's names.
OLD_TABLES = {
    "import_items": "pieces",
    "suggestions": "offers",
    "expired_links": "faded",
}
OLD_COLUMNS = {
    ("memories", "text_checksum"): "text_print",
    ("sessions", "recalled_tokens"): "asked_tokens",
    ("sessions", "awaited_digests"): "awaited",
    ("import_items", "checksum"): "print",
    ("import_items", "imported_at"): "at",
    ("suggestions", "created_at"): "made_at",
    ("suggestions", "answered_at"): "settled_at",
    ("expired_links", "expired_at"): "at",
}
#: Headers of the two journalled ones in a changeset: T, number of columns, primary key, name.
#: Source: https://sqlite.org/session/c_changegroup.html, "The changeset format"
_HEADERS = (
    (b"T\x03\x01\x02\x00faded\x00", b"T\x03\x01\x02\x00expired_links\x00"),
    (b"T\x09\x01" + b"\x00" * 8 + b"offers\x00", b"T\x09\x01" + b"\x00" * 8 + b"suggestions\x00"),
)


def old_table(table: str) -> str:
    """Return a table's old name."""
    return OLD_TABLES.get(table, table)


def old_column(table: str, column: str) -> str:
    """Return a column's old name.

    Args:
        table: today's name of its table.
        column: today's name.
    """
    return OLD_COLUMNS.get((table, column), column)


def rename_tables(changeset: bytes) -> bytes:
    """Return a changeset with today's names of its tables."""
    for old, new in _HEADERS:
        changeset = changeset.replace(old, new)
    return changeset
