"""Exporting a whole store as lines of JSON, and importing it: lossless, checksummed, deterministic.

The first line names the format; the last one has the number of rows and their checksum.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from aforesaid.domain.errors import CorruptError, InvalidInputError
from aforesaid.ports import Store

FORMAT_VERSION = 1
LINE_BYTES = 4_000_000  #: three times what 32,000 escaped characters take
MAX_ROWS = 20_000_000


def is_export(first_line: str) -> bool:
    """Whether a file with this first line is an export."""
    try:
        head = json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and "aforesaid_export" in head


def export_lines(store: Store) -> Iterator[str]:
    """Yield the lines of an export, each with its newline."""
    checksum = sha256()
    count = 0
    yield _line({"aforesaid_export": FORMAT_VERSION})
    for table, row in store.dump.rows():
        line = _line({"table": table, "row": row})
        checksum.update(line.encode())
        count += 1
        yield line
    yield _line({"rows": count, "sha256": checksum.hexdigest()})


def import_export(store: Store, lines: Iterable[str]) -> dict[str, int]:
    """Load an export into an empty store, all of it or nothing; return the rows of each table.

    Raises:
        ConflictError: The store is not empty.
        CorruptError: The file is truncated or altered; nothing was stored.
        InvalidInputError: It is not an export, or one of a newer version.
    """
    return store.dump.load(_rows(iter(lines)))


def _rows(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    head = _read(next(lines, ""), 1)
    if head.get("aforesaid_export") != FORMAT_VERSION:
        raise InvalidInputError(
            f"cannot read this export: its format is {head.get('aforesaid_export')!r}, and this "
            f"version reads {FORMAT_VERSION}. Update Aforesaid"
        )
    checksum = sha256()
    count = 0
    for number, line in enumerate(lines, 2):
        if len(line) > LINE_BYTES or number > MAX_ROWS:
            raise CorruptError(
                f"line {number} of the export is longer than {LINE_BYTES} bytes, or the export "
                f"has more than {MAX_ROWS} rows; nothing was stored"
            )
        record = _read(line, number)
        if "sha256" in record:
            if (count, checksum.hexdigest()) != (record.get("rows"), record["sha256"]):
                raise CorruptError(
                    f"the export was altered: it has {count} rows instead of {record.get('rows')}, "
                    "or its checksum differs; nothing was stored"
                )
            return
        checksum.update(line.encode())
        count += 1
        row = record.get("row")
        if not isinstance(row, dict) or any(map(_is_bad, row.values())):
            raise CorruptError(f"line {number} of the export is not a row; nothing was stored")
        yield str(record.get("table")), row
    raise CorruptError(f"the export is truncated after {count} rows; nothing was stored")


def _is_bad(value: object) -> bool:
    """Whether a value cannot be in a column, or is JSON too deeply nested to be read later."""
    if isinstance(value, (list, dict)):
        return True
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return False
    try:
        json.loads(value)
    except RecursionError:
        return True
    except ValueError:
        return False  # ordinary text that starts with a bracket
    return False


def _read(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise CorruptError(f"line {number} of the export is not a JSON object; nothing was stored")
    return record


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
