"""The memory files that Claude Code itself keeps, in ``projects/<slug>/memory/``.

Source of the form: Claude Code 2.1. Read as a source, never written: one fact a file, with
``name``, ``description`` and ``metadata.type`` before it; ``MEMORY.md`` is an index, of which
only what points to no file is taken.
"""

from __future__ import annotations

import json
import os
import re

from aforesaid.adapters.system.user_files import open_regular
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import changed_at, notes_below, read_text
from .parsing import bounded, frontmatter, kept, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FORM = "auto-memory"
INDEX = "MEMORY.md"
_TYPES = {"feedback": "procedural"}
_POINTER = re.compile(r"\s*[-*]\s*\[[^\]]*\]\([^)]*\.md\)")
_ITEM = re.compile(r"\s*[-*]\s+(\S.*)$")
_WIKI = re.compile(r"\[\[([^\[\]|]{1,200})\]\]")
_HEAD_BYTES = 1 << 18


def read(path: str, left_out: SkipCounter) -> Iterator[ImportItem]:
    """Yield the facts of one memory folder, or of every project's below the client's folder."""
    folders = _folders(path)
    if not folders:
        raise wrong_format_error(path, FORM, "there is no folder projects/<slug>/memory below it")
    for folder in folders:
        root = _project_of(folder)
        if root is None and folder != path:
            left_out.add("folders whose project is not known: name the folder, and --project")
            continue
        yield from _facts(folder, root, left_out)


def _folders(path: str) -> list[str]:
    """Return the memory folders that a path means."""
    named = os.path.basename(os.path.normpath(path)) == "memory" and os.path.isdir(path)
    if named or os.path.isfile(os.path.join(path, INDEX)):  # a setting may have moved it
        return [path]
    for projects in (os.path.join(path, "projects"), path):
        try:
            slugs = sorted(os.listdir(projects))
        except OSError:
            continue
        found = [os.path.join(projects, slug, "memory") for slug in slugs]
        found = [folder for folder in found if os.path.isdir(folder)]
        if found:
            return found
    return []


def _project_of(folder: str) -> str | None:
    """Return the folder of the sessions beside a memory folder: its slug alone is ambiguous."""
    beside = os.path.dirname(os.path.abspath(folder))
    slug = os.path.basename(beside)
    try:
        names = sorted(name for name in os.listdir(beside) if name.endswith(".jsonl"))
    except OSError:
        return None
    for name in names[:20]:
        for line in _first_lines(os.path.join(beside, name)):
            cwd = line.get("cwd")
            if isinstance(cwd, str) and re.sub(r"[^A-Za-z0-9]", "-", cwd) == slug:
                return cwd[:4096]
    return None


def _first_lines(path: str) -> list[dict[str, Any]]:
    try:
        with open_regular(path) as file:
            head = file.read(_HEAD_BYTES)
    except AforesaidError:
        return []
    found = []
    for line in head.split(b"\n"):
        try:
            value = json.loads(line) if b'"cwd"' in line else None
        except (ValueError, RecursionError):
            continue  # cut off at the end of what was read
        if isinstance(value, dict):
            found.append(value)
    return found


def _facts(folder: str, root: str | None, left_out: SkipCounter) -> Iterator[ImportItem]:
    files = [name for name in notes_below(folder, left_out, 3) if os.path.basename(name) != INDEX]
    known = {os.path.basename(name).removesuffix(".md").casefold(): name for name in files}
    for name in files:
        try:
            text = read_text(name, left_out)
        except AforesaidError:
            left_out.add("files that are too large or cannot be read")
            continue
        piece = _fact(name, text, root, known)
        if piece is None:
            left_out.add("files without text")
        else:
            yield piece
    index = os.path.join(folder, INDEX)
    if os.path.isfile(index):
        yield from _index(index, root, left_out)


def _fact(name: str, text: str, root: str | None, known: dict[str, str]) -> ImportItem | None:
    fields, body = frontmatter(text)
    if not body.strip():
        return None
    nested = fields.get("metadata")
    kind = str(fields.get("type") or (nested.get("type") if isinstance(nested, dict) else "") or "")
    title = str(fields.get("name") or os.path.basename(name).removesuffix(".md"))
    about = kept(fields, ("name", "description", "type", "metadata"))
    targets = (known.get(target.strip().casefold()) for target in _WIKI.findall(body))
    return ImportItem(
        name=_name(name),
        folder=root,
        links=tuple(
            dict.fromkeys(("related_to", _name(one)) for one in targets if one and one != name)
        ),
        statement=Statement(
            content=bounded(body),
            summary=one_line(str(fields.get("description") or title), 300),
            type=_TYPES.get(kind, "semantic"),
            scope="global" if kind == "user" else None,
            tags=tuple(tag for tag in (FORM, kind[:60]) if tag),
            created_at=changed_at(name) or None,
            metadata={"source": FORM, "title": one_line(title, 200), **about},
        ),
    )


def _index(path: str, root: str | None, left_out: SkipCounter) -> Iterator[ImportItem]:
    """Yield what stands in the index itself and points to no file."""
    try:
        text = read_text(path, left_out)
    except AforesaidError:
        left_out.add("files that are too large or cannot be read")
        return
    for line in text.split("\n"):
        item = None if _POINTER.match(line) else _ITEM.match(line)
        if item:
            said = bounded(item[1])
            yield ImportItem(
                name=f"{_name(path)} {said}",
                folder=root,
                statement=Statement(
                    content=said,
                    tags=(FORM,),
                    created_at=changed_at(path) or None,
                    metadata={"source": FORM, "title": INDEX},
                ),
            )


def _name(path: str) -> str:
    return f"{FORM} {os.path.realpath(path)}"
