"""The whole store as lines of JSON, and back: lossless, checksummed, equal for equal stores.

A file opens with a line that names its form and closes with one that counts and checks the rest.
"""

from __future__ import annotations

import json
from hashlib import sha256

from aforesaid.domain.errors import CorruptError, InvalidInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from aforesaid.ports import Store

FORM = 1
LINE_BYTES = 4_000_000  #: a text of 32,000 characters, each escaped, is a third of it
MAX_ROWS = 20_000_000


def is_export(first_line: str) -> bool:
    """Tell whether a file that opens with this line is an export of ours."""
    try:
        head = json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and "aforesaid_export" in head


def export_lines(store: Store) -> Iterator[str]:
    """Yield the lines of an export, each with its line end."""
    checked = sha256()
    count = 0
    yield _line({"aforesaid_export": FORM})
    for table, row in store.dump.rows():
        line = _line({"table": table, "row": row})
        checked.update(line.encode())
        count += 1
        yield line
    yield _line({"rows": count, "sha256": checked.hexdigest()})


def import_export(store: Store, lines: Iterable[str]) -> dict[str, int]:
    """Fill an empty store from an export, all or none; return the rows of each table.

    Raises:
        ConflictError: the store is not empty.
        CorruptError: the file is cut short or altered: nothing was stored.
        InvalidInputError: it is no export, or one of a newer version.
    """
    return store.dump.load(_rows(iter(lines)))


def _rows(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    head = _read(next(lines, ""), 1)
    if head.get("aforesaid_export") != FORM:
        raise InvalidInputError(
            f"this is no export that this version reads (form {head.get('aforesaid_export')!r}, "
            f"{FORM} is known): update Aforesaid"
        )
    checked = sha256()
    count = 0
    for number, line in enumerate(lines, 2):
        if len(line) > LINE_BYTES or number > MAX_ROWS:
            raise CorruptError(
                f"line {number} of the export is longer than {LINE_BYTES} bytes, or it has over "
                f"{MAX_ROWS} rows: no export is so; nothing was stored"
            )
        read = _read(line, number)
        if "sha256" in read:
            if (count, checked.hexdigest()) != (read.get("rows"), read["sha256"]):
                raise CorruptError(
                    f"the export was altered: {count} rows of {read.get('rows')} are here and the "
                    "checksum differs; nothing was stored"
                )
            return
        checked.update(line.encode())
        count += 1
        row = read.get("row")
        if not isinstance(row, dict) or any(map(_is_bad, row.values())):
            raise CorruptError(f"line {number} of the export is no row; nothing was stored")
        yield str(read.get("table")), row
    raise CorruptError(f"the export ends after {count} rows, cut short; nothing was stored")


def _is_bad(value: object) -> bool:
    """Tell whether a value is none of a column, or JSON that could not be read later."""
    if isinstance(value, (list, dict)):
        return True
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return False
    try:
        json.loads(value)
    except RecursionError:
        return True
    except ValueError:
        return False  # a text that only begins so
    return False


def _read(line: str, number: int) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise CorruptError(f"line {number} of the export is no JSON object; nothing was stored")
    return read


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
