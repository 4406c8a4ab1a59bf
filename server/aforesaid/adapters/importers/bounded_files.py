"""Reads other programs' files within limits: whole, line by line, or all below a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from aforesaid.adapters.system.user_files import open_regular, read_bytes
from aforesaid.domain.model.import_item import SkipCounter

NOTE_BYTES = 1_000_000  #: of a Markdown file
JSON_BYTES = 32_000_000  #: of a JSON file
LINE_BYTES = 1_000_000
LINES_BYTES = 512_000_000  #: of a JSON lines file
MAX_FILES = 20_000
_LEVELS = 12
UNREADABLE = "files that are too large or unreadable"  #: a reason for skipping


def read_text(path: str, skipped: SkipCounter) -> str:
    """Return a text file, cleaned, without byte order mark. Raises as ``read_bytes``."""
    text = read_bytes(path, NOTE_BYTES).decode("utf-8", "replace").removeprefix("\ufeff")
    return skipped.cleaned(text.replace("\0", ""))


def read_json(path: str, skipped: SkipCounter) -> Any:
    """Return a JSON file's value, cleaned; None if invalid. Raises as ``read_bytes``."""
    return skipped.cleaned_deep(parse(read_bytes(path, JSON_BYTES)))


def parse(text: str | bytes | None) -> Any:
    """Return the value of a JSON text; None if it is invalid or nested too deeply."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_lines(path: str, skipped: SkipCounter) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON lines file, cleaned. Raises as ``open_regular``."""
    with open_regular(path, LINES_BYTES) as file:
        while line := file.readline(LINE_BYTES + 1):
            if len(line) > LINE_BYTES:
                skipped.add(f"lines longer than {LINE_BYTES} bytes")
                while line and not line.endswith(b"\n"):
                    line = file.readline(LINE_BYTES)
                continue
            if not line.strip():
                continue
            value = parse(line)
            if isinstance(value, dict):
                yield skipped.cleaned_deep(value)
            else:
                skipped.add("lines that are not JSON objects")


def changed_at(path: str) -> int:
    """Return a file's modification time (ms); 0 if unknown."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return 0


def notes_below(folder: str, skipped: SkipCounter, levels: int = _LEVELS) -> list[str]:
    """Return the Markdown files below a folder, sorted; without hidden files and links."""
    files: list[str] = []
    _walk(folder, levels, files, skipped)
    return sorted(files)


def _walk(folder: str, levels: int, files: list[str], skipped: SkipCounter) -> None:
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except OSError:
        skipped.add("unreadable folders")
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if levels > 1:
                _walk(entry.path, levels - 1, files, skipped)
            else:
                skipped.add(f"folders deeper than {_LEVELS} levels")
        elif entry.name.endswith((".md", ".mdc")):
            if not entry.is_file(follow_symlinks=False):
                skipped.add("links")
            elif len(files) >= MAX_FILES:
                skipped.add(f"files beyond the limit of {MAX_FILES}")
            else:
                files.append(entry.path)
