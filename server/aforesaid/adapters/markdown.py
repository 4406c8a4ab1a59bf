"""Memories as Markdown that a person reads and edits: a file for each project, and back.

A memory is its text between two comments, the first of which says in JSON what else is known of
it. What stands outside of them is for readers. A text that a person changed no longer has the
print of its comment: then the file's own time says when.
"""

from __future__ import annotations

import json
import os
import re

from aforesaid.adapters.system.user_files import open_regular, resolve_output, write_whole
from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.export_record import Record
from aforesaid.domain.model.memory import CONTENT_CHARS, PROVENANCES, SCOPES, TYPES
from aforesaid.domain.text.date_range import read_iso
from aforesaid.domain.text.hashing import text_checksum
from aforesaid.domain.text.timestamps import to_iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

FORM = 1
LINE_BYTES = 400_000  #: a text is 32,000 characters, on one line at most
TEXT_CHARS = CONTENT_CHARS * 4
MAX_BYTES = 512_000_000  #: of a file that is read
_HEAD = "<!-- aforesaid "
_OPEN, _CLOSE = "<!-- memory ", "<!-- /memory -->"
_END = " -->"
#: What would be taken for one of our lines, with any number of marks before it.
_LOOKS_OURS = re.compile(r"^\\*<!-- /?memory")
_TIMES = ("valid_from", "valid_to", "event_at", "archived_at", "created_at", "updated_at")
_TEXTS = ("id", "task_id", "topic", "entity", "summary", "type", "scope", "provenance")
_ONE_OF = {"type": TYPES, "scope": SCOPES, "provenance": PROVENANCES}
_DEFAULT = Record(content="")


def write_project(
    path: str,
    name: str,
    key: str | None,
    records: Iterable[tuple[str, Record]],
    *,
    overwrite: bool = False,
    database: str = "",
) -> int:
    """Write a project's memories; return how many there are. The file is whole or as it was.

    Args:
        path: of the file, private to the user.
        name: of the project.
        key: its identity, None for what is global.
        records: each with the heading it stands under, in the order of the file.
        overwrite: replace an earlier export.
        database: the path of the store, which is never overwritten.

    Raises:
        ConflictError, InvalidInputError: as ``check_output``.
        OSError: it cannot be written.
    """
    check_output(path, overwrite=overwrite, database=database)
    head = {"form": FORM, "project": None if key is None else name, "key": key}
    count = 0
    heading = None
    with write_whole(path, overwrite=overwrite, database=database, errors="replace") as file:
        file.write(f"{_HEAD}{_json(head)}{_END}\n\n# {_one_line(name)}\n")
        for title, record in records:
            count += 1
            if title != heading:
                heading = title
                file.write(f"\n## {_one_line(heading)}\n")
            told = _json({**_told(record), "print": text_checksum(record.content)})
            file.write(f"\n{_OPEN}{told}{_END}\n{_escaped(record.content)}\n{_CLOSE}\n")
    return count


def check_output(path: str, *, overwrite: bool = False, database: str = "") -> None:
    """Refuse a path where a project's memories cannot be written.

    Raises:
        ConflictError: a file is there and is not to be overwritten, or is no export of ours.
        InvalidInputError: something else than a regular file is there.
    """
    if os.path.isfile(path) and not is_ours(path):
        raise ConflictError(f"{path} is no export of ours and stays: name another folder")
    resolve_output(path, overwrite=overwrite, database=database)


def is_ours(path: str) -> bool:
    """Tell whether a file is one that ``write_project`` wrote. Raises as ``open_regular``."""
    with open_regular(path) as file:
        return file.read(len(_HEAD)) == _HEAD.encode()


def read_path(path: str) -> Iterator[Record]:
    """Yield the records of a file, or of all files of a folder.

    Raises:
        NotFoundError: there is nothing at the path.
        InvalidInputError: a file is none of ours, is no regular file or too large, or holds what
            cannot be.
    """
    if not os.path.isdir(path):
        yield from _read_file(path)
        return
    names = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(".md")]
    ours = [name for name in names if os.path.isfile(name) and is_ours(name)]
    if not ours:
        raise InvalidInputError(f"{path} holds no Markdown that `aforesaid export` wrote")
    for name in ours:
        yield from _read_file(name)


def _read_file(path: str) -> Iterator[Record]:
    with open_regular(path, MAX_BYTES) as file:
        changed = os.fstat(file.fileno()).st_mtime_ns // 1_000_000
        lines = _lines(file, path)
        head = _parsed(next(lines, ""), _HEAD, path, 1)
        if head.get("form") != FORM:
            raise InvalidInputError(
                f"{path} is no Markdown that this version reads: export it anew, or update"
            )
        project = {"project": _text(head, "project"), "project_key": _text(head, "key")}
        number = 1
        for line in lines:
            number += 1
            if line.startswith(_OPEN):
                told = _parsed(line, _OPEN, path, number)
                content, number = _content(lines, path, number)
                yield _record(told, content, project, changed, f"{path}:{number}")


def _content(lines: Iterator[str], path: str, number: int) -> tuple[str, int]:
    """Return the text up to its end, and that line's number."""
    begun, length = number, 0
    kept: list[str] = []
    for line in lines:
        number += 1
        if line == _CLOSE:
            return "\n".join(kept), number
        kept.append(line[1:] if line.startswith("\\") and _LOOKS_OURS.match(line) else line)
        length += len(line) + 1
        if length > TEXT_CHARS:
            break
    raise InvalidInputError(f"{path}:{begun}: this memory does not end, or is too long")


def _lines(file: BinaryIO, path: str) -> Iterator[str]:
    number = 0
    end = "\n"
    while raw := file.readline(LINE_BYTES + 1):
        number += 1
        if len(raw) > LINE_BYTES:
            raise InvalidInputError(f"{path}:{number}: longer than {LINE_BYTES} bytes")
        line = raw.decode("utf-8", "replace")
        if number == 1 and line.endswith("\r\n"):
            end = "\r\n"  # an editor's, of the whole file
        yield line.removesuffix(end)


def _parsed(line: str, mark: str, path: str, number: int) -> dict[str, Any]:
    read = None
    if line.startswith(mark) and line.endswith(_END):
        try:
            read = json.loads(line[len(mark) : -len(_END)])
        except (ValueError, RecursionError):
            read = None
    if not isinstance(read, dict):
        raise InvalidInputError(
            f"{path}:{number}: `aforesaid export --format markdown` does not write such a line"
        )
    return read


def _record(
    told: dict[str, Any], content: str, project: dict[str, Any], changed: int, where: str
) -> Record:
    fields: dict[str, Any] = {**project, "content": content, **_words(told, where)}
    fields |= _numbers(told)
    if isinstance(told.get("tags"), list):
        fields["tags"] = tuple(tag for tag in told["tags"] if isinstance(tag, str))
    if isinstance(told.get("metadata"), dict):
        fields["metadata"] = told["metadata"]
    links = told.get("links")
    if isinstance(links, list):
        fields["links"] = tuple((str(one[0]), str(one[1])) for one in links if _is_pair(one))
    if fields["project"] is None:
        fields["scope"] = "global"
    if told.get("print") != text_checksum(content):
        fields["updated_at"] = changed
    return Record(**fields)


def _words(told: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the fields that are words, refusing those that cannot be."""
    found = {name: told[name] for name in _TEXTS if isinstance(told.get(name), str)}
    for name, allowed in _ONE_OF.items():
        if found.get(name, allowed[0]) not in allowed:
            raise InvalidInputError(f"{where}: {name} is {found[name][:40]!r}")
    return found


def _numbers(told: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are times, shares and switches; what is none is left out."""
    found: dict[str, Any] = {"pinned": told.get("pinned") is True}
    for name in _TIMES:
        read = read_iso(told[name]) if isinstance(told.get(name), str) else None
        if read is not None:
            found[name] = read.start
    for name in ("importance", "confidence"):
        if isinstance(told.get(name), (int, float)) and 0 <= told[name] <= 1:
            found[name] = float(told[name])
    return found


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and [type(one) for one in value] == [str, str]


def _text(told: dict[str, Any], name: str) -> str | None:
    value = told.get(name)
    return value if isinstance(value, str) else None


def _told(record: Record) -> dict[str, Any]:
    """Return what a record says beside its text, without what is as by default."""
    told: dict[str, Any] = {}
    for name, value in record.as_dict().items():
        if name in {"content", "project", "project_key"} or value == getattr(_DEFAULT, name):
            continue
        told[name] = f"{to_iso(value)[:-1]}.{value % 1000:03d}Z" if name in _TIMES else value
    return told


def _json(value: dict[str, Any]) -> str:
    """Return JSON in which no comment can end."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace(">", "\\u003e").replace("\u2028", "\\u2028").replace("\x85", "\\u0085")


def _escaped(text: str) -> str:
    return "\n".join(f"\\{line}" if _LOOKS_OURS.match(line) else line for line in text.split("\n"))


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "-"
