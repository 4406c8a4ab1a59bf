"""Reads the memory files that Claude Code keeps itself, in ``projects/<slug>/memory/``.

Source of the format: Claude Code 2.1. One fact per file, with ``name``, ``description`` and
``metadata.type`` in its frontmatter. ``MEMORY.md`` is an index; only its entries that link to no
file are imported.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from aforesaid.adapters.system.user_files import open_regular
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import UNREADABLE, changed_at, notes_below, read_text
from .parsing import bounded, extra_fields, frontmatter, one_line

FORMAT = "auto-memory"
INDEX = "MEMORY.md"
_TYPES = {"feedback": "procedural"}
_POINTER = re.compile(r"\s*[-*]\s*\[[^\]]*\]\([^)]*\.md\)")
_ITEM = re.compile(r"\s*[-*]\s+(\S.*)$")
_WIKI = re.compile(r"\[\[([^\[\]|]{1,200})\]\]")
_HEAD_BYTES = 1 << 18


def read(path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield the facts of one memory folder, or of all projects below the client's folder."""
    folders = _folders(path)
    if not folders:
        raise wrong_format_error(path, FORMAT, "there is no folder projects/<slug>/memory below it")
    for folder in folders:
        root = _project_of(folder)
        if root is None and folder != path:
            skipped.add("folders of an unknown project: name the folder and use --project")
            continue
        yield from _facts(folder, root, skipped)


def _folders(path: str) -> list[str]:
    """Return the memory folders at or below a path."""
    is_memory = os.path.basename(os.path.normpath(path)) == "memory" and os.path.isdir(path)
    if is_memory or os.path.isfile(os.path.join(path, INDEX)):  # a setting may have moved it
        return [path]
    for projects in (os.path.join(path, "projects"), path):
        try:
            slugs = sorted(os.listdir(projects))
        except OSError:
            continue
        folders = [os.path.join(projects, slug, "memory") for slug in slugs]
        folders = [folder for folder in folders if os.path.isdir(folder)]
        if folders:
            return folders
    return []


def _project_of(folder: str) -> str | None:
    """Return the project folder of a memory folder, which transcripts beside the latter name.

    The slug, its parent's name, is ambiguous.
    """
    parent = os.path.dirname(os.path.abspath(folder))
    slug = os.path.basename(parent)
    try:
        names = sorted(name for name in os.listdir(parent) if name.endswith(".jsonl"))
    except OSError:
        return None
    for name in names[:20]:
        for entry in _entries_with_cwd(os.path.join(parent, name)):
            cwd = entry.get("cwd")
            if isinstance(cwd, str) and re.sub(r"[^A-Za-z0-9]", "-", cwd) == slug:
                return cwd[:4096]
    return None


def _entries_with_cwd(path: str) -> list[dict[str, Any]]:
    """Return the entries at the beginning of a transcript that name a folder."""
    try:
        with open_regular(path) as file:
            head = file.read(_HEAD_BYTES)
    except AforesaidError:
        return []
    entries = []
    for line in head.split(b"\n"):
        try:
            value = json.loads(line) if b'"cwd"' in line else None
        except (ValueError, RecursionError):
            continue  # the last line is incomplete
        if isinstance(value, dict):
            entries.append(value)
    return entries


def _facts(folder: str, root: str | None, skipped: SkipCounter) -> Iterator[ImportItem]:
    files = [name for name in notes_below(folder, skipped, 3) if os.path.basename(name) != INDEX]
    by_name = {os.path.basename(name).removesuffix(".md").casefold(): name for name in files}
    for name in files:
        try:
            text = read_text(name, skipped)
        except AforesaidError:
            skipped.add(UNREADABLE)
            continue
        item = _fact(name, text, root, by_name)
        if item is None:
            skipped.add("files without text")
        else:
            yield item
    index = os.path.join(folder, INDEX)
    if os.path.isfile(index):
        yield from _index(index, root, skipped)


def _fact(name: str, text: str, root: str | None, by_name: dict[str, str]) -> ImportItem | None:
    fields, body = frontmatter(text)
    if not body.strip():
        return None
    metadata = fields.get("metadata")
    kind = str(
        fields.get("type") or (metadata.get("type") if isinstance(metadata, dict) else "") or ""
    )
    title = str(fields.get("name") or os.path.basename(name).removesuffix(".md"))
    extra = extra_fields(fields, ("name", "description", "type", "metadata"))
    targets = (by_name.get(target.strip().casefold()) for target in _WIKI.findall(body))
    return ImportItem(
        name=_name(name),
        folder=root,
        links=tuple(
            dict.fromkeys(
                ("related_to", _name(target)) for target in targets if target and target != name
            )
        ),
        statement=Statement(
            content=bounded(body),
            summary=one_line(str(fields.get("description") or title), 300),
            type=_TYPES.get(kind, "semantic"),
            scope="global" if kind == "user" else None,
            tags=tuple(tag for tag in (FORMAT, kind[:60]) if tag),
            created_at=changed_at(name) or None,
            metadata={"source": FORMAT, "title": one_line(title, 200), **extra},
        ),
    )


def _index(path: str, root: str | None, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield the entries of the index that link to no file."""
    try:
        text = read_text(path, skipped)
    except AforesaidError:
        skipped.add(UNREADABLE)
        return
    for line in text.split("\n"):
        item = None if _POINTER.match(line) else _ITEM.match(line)
        if item:
            content = bounded(item[1])
            yield ImportItem(
                name=f"{_name(path)} {content}",
                folder=root,
                statement=Statement(
                    content=content,
                    tags=(FORMAT,),
                    created_at=changed_at(path) or None,
                    metadata={"source": FORMAT, "title": INDEX},
                ),
            )


def _name(path: str) -> str:
    return f"{FORMAT} {os.path.realpath(path)}"
