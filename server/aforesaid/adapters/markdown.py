"""Writes memories as editable Markdown, one file per project, and reads it back.

A memory is its text between two comments; the first holds its other fields as JSON. Everything
outside them is for the reader. If a text no longer matches the checksum in its comment, a person
edited it, and the file's modification time becomes its update time.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from aforesaid.adapters.system.user_files import open_regular, resolve_output, write_whole
from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.export_record import Record
from aforesaid.domain.model.memory import CONTENT_CHARS, PROVENANCES, SCOPES, TYPES
from aforesaid.domain.text.date_range import read_iso
from aforesaid.domain.text.hashing import text_checksum
from aforesaid.domain.text.timestamps import to_iso

FORMAT_VERSION = 1  #: stored as "form"
_CHECKSUM = "print"  #: key of the checksum of a memory's text
LINE_BYTES = 400_000  #: content has at most 32,000 characters, perhaps on one line
TEXT_CHARS = CONTENT_CHARS * 4
MAX_BYTES = 512_000_000  #: of an input file
_HEAD = "<!-- aforesaid "
_OPEN, _CLOSE = "<!-- memory ", "<!-- /memory -->"
_END = " -->"
#: A line of content that would be mistaken for a delimiter, with any number of escapes before it.
_DELIMITER = re.compile(r"^\\*<!-- /?memory")
_TIMES = ("valid_from", "valid_to", "event_at", "archived_at", "created_at", "updated_at")
_TEXTS = ("id", "task_id", "topic", "entity", "summary", "session", "type", "scope", "provenance")
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
    """Write a project's memories atomically; return how many were written.

    Args:
        path: the output file, private to the user.
        name: the project's name.
        key: the project's key; None for global memories.
        records: (heading, record) in the order of the file.
        overwrite: replace an earlier export.
        database: the path of the store, which is never overwritten.

    Raises:
        ConflictError, InvalidInputError: the same as ``check_output``.
        OSError: the file cannot be written.
    """
    check_output(path, overwrite=overwrite, database=database)
    head = {"form": FORMAT_VERSION, "project": None if key is None else name, "key": key}
    count = 0
    heading = None
    with write_whole(path, overwrite=overwrite, database=database, errors="replace") as file:
        file.write(f"{_HEAD}{_json(head)}{_END}\n\n# {_one_line(name)}\n")
        for title, record in records:
            count += 1
            if title != heading:
                heading = title
                file.write(f"\n## {_one_line(heading)}\n")
            fields = _json({**_comment_fields(record), _CHECKSUM: text_checksum(record.content)})
            file.write(f"\n{_OPEN}{fields}{_END}\n{_escaped(record.content)}\n{_CLOSE}\n")
    return count


def check_output(path: str, *, overwrite: bool = False, database: str = "") -> None:
    """Raise unless a project's memories may be written to a path.

    Raises:
        ConflictError: the file exists and may not be overwritten, or is not an Aforesaid export.
        InvalidInputError: the path is not a regular file.
    """
    if os.path.isfile(path) and not is_ours(path):
        raise ConflictError(
            f"{path} is not an Aforesaid export and was not overwritten: name another folder"
        )
    resolve_output(path, overwrite=overwrite, database=database)


def is_ours(path: str) -> bool:
    """Return whether ``write_project`` wrote a file. Raises the same errors as ``open_regular``."""
    with open_regular(path) as file:
        return file.read(len(_HEAD)) == _HEAD.encode()


def read_path(path: str) -> Iterator[Record]:
    """Yield the records of a file, or of all files of a folder.

    Raises:
        NotFoundError: the path does not exist.
        InvalidInputError: a file is not an Aforesaid export, not a regular file, too large, or has
            an invalid field.
    """
    if not os.path.isdir(path):
        yield from _read_file(path)
        return
    names = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(".md")]
    exported = [name for name in names if os.path.isfile(name) and is_ours(name)]
    if not exported:
        raise InvalidInputError(f"{path} contains no Markdown written by `aforesaid export`")
    for name in exported:
        yield from _read_file(name)


def _read_file(path: str) -> Iterator[Record]:
    with open_regular(path, MAX_BYTES) as file:
        changed = os.fstat(file.fileno()).st_mtime_ns // 1_000_000
        lines = _lines(file, path)
        head = _parsed(next(lines, ""), _HEAD, path, 1)
        if head.get("form") != FORMAT_VERSION:
            raise InvalidInputError(
                f"{path} has format version {head.get('form')!r}, but this Aforesaid reads "
                f"version {FORMAT_VERSION}: export it again, or update Aforesaid"
            )
        project = {"project": _text(head, "project"), "project_key": _text(head, "key")}
        number = 1
        for line in lines:
            number += 1
            if line.startswith(_OPEN):
                fields = _parsed(line, _OPEN, path, number)
                content, number = _content(lines, path, number)
                yield _record(fields, content, project, changed, f"{path}:{number}")


def _content(lines: Iterator[str], path: str, number: int) -> tuple[str, int]:
    """Return the text up to its closing comment, and that line's number."""
    first_line, length = number, 0
    content: list[str] = []
    for line in lines:
        number += 1
        if line == _CLOSE:
            return "\n".join(content), number
        content.append(line[1:] if line.startswith("\\") and _DELIMITER.match(line) else line)
        length += len(line) + 1
        if length > TEXT_CHARS:
            break
    raise InvalidInputError(
        f"{path}:{first_line}: no closing {_CLOSE} within {TEXT_CHARS} characters"
    )


def _lines(file: BinaryIO, path: str) -> Iterator[str]:
    number = 0
    end = "\n"
    while raw := file.readline(LINE_BYTES + 1):
        number += 1
        if len(raw) > LINE_BYTES:
            raise InvalidInputError(f"{path}:{number}: line longer than {LINE_BYTES} bytes")
        line = raw.decode("utf-8", "replace")
        if number == 1 and line.endswith("\r\n"):
            end = "\r\n"  # an editor converted the whole file
        yield line.removesuffix(end)


def _parsed(line: str, mark: str, path: str, number: int) -> dict[str, Any]:
    fields = None
    if line.startswith(mark) and line.endswith(_END):
        try:
            fields = json.loads(line[len(mark) : -len(_END)])
        except (ValueError, RecursionError):
            fields = None
    if not isinstance(fields, dict):
        raise InvalidInputError(
            f"{path}:{number}: expected a comment {mark}JSON{_END} as written by "
            "`aforesaid export --format markdown`. For any other notes (your own, CLAUDE.md, "
            "AGENTS.md, rules): aforesaid import --from claude-md PATH"
        )
    return fields


def _record(
    comment: dict[str, Any], content: str, project: dict[str, Any], changed: int, where: str
) -> Record:
    fields: dict[str, Any] = {**project, "content": content, **_text_fields(comment, where)}
    fields |= _other_fields(comment)
    if isinstance(comment.get("tags"), list):
        fields["tags"] = tuple(tag for tag in comment["tags"] if isinstance(tag, str))
    if isinstance(comment.get("metadata"), dict):
        fields["metadata"] = comment["metadata"]
    links = comment.get("links")
    if isinstance(links, list):
        fields["links"] = tuple((str(link[0]), str(link[1])) for link in links if _is_pair(link))
    if fields["project"] is None:
        fields["scope"] = "global"
    if comment.get(_CHECKSUM) != text_checksum(content):
        fields["updated_at"] = changed
    return Record(**fields)


def _text_fields(comment: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the text fields.

    Raises:
        InvalidInputError: a type, scope or provenance is unknown.
    """
    fields = {name: comment[name] for name in _TEXTS if isinstance(comment.get(name), str)}
    for name, allowed in _ONE_OF.items():
        if fields.get(name, allowed[0]) not in allowed:
            raise InvalidInputError(
                f"{where}: {name} is {fields[name][:40]!r}, expected one of {', '.join(allowed)}"
            )
    return fields


def _other_fields(comment: dict[str, Any]) -> dict[str, Any]:
    """Return the times, fractions and booleans that are valid."""
    fields: dict[str, Any] = {"pinned": comment.get("pinned") is True}
    for name in _TIMES:
        period = read_iso(comment[name]) if isinstance(comment.get(name), str) else None
        if period is not None:
            fields[name] = period.start
    for name in ("importance", "confidence"):
        if isinstance(comment.get(name), (int, float)) and 0 <= comment[name] <= 1:
            fields[name] = float(comment[name])
    return fields


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and [type(item) for item in value] == [str, str]


def _text(comment: dict[str, Any], name: str) -> str | None:
    value = comment.get(name)
    return value if isinstance(value, str) else None


def _comment_fields(record: Record) -> dict[str, Any]:
    """Return the fields of a record that its comment holds: all but its content and defaults."""
    fields: dict[str, Any] = {}
    for name, value in record.as_dict().items():
        if name in {"content", "project", "project_key"} or value == getattr(_DEFAULT, name):
            continue
        fields[name] = f"{to_iso(value)[:-1]}.{value % 1000:03d}Z" if name in _TIMES else value
    return fields


def _json(value: dict[str, Any]) -> str:
    """Return JSON that cannot end an HTML comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace(">", "\\u003e").replace("\u2028", "\\u2028").replace("\x85", "\\u0085")


def _escaped(text: str) -> str:
    return "\n".join(f"\\{line}" if _DELIMITER.match(line) else line for line in text.split("\n"))


def _one_line(text: str) -> str:
    return " ".join(text.split()) or "-"
