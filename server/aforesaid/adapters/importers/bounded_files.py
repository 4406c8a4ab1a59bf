"""Files of other programs, read in bounds: whole, line by line, below a folder.

Here: what is read of a file, and the limits. Not here: opening (adapters/system/user_files.py).
"""

from __future__ import annotations

import json
import os

from aforesaid.adapters.system.user_files import open_regular, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from aforesaid.domain.model.import_item import SkipCounter

NOTE_BYTES = 1_000_000  #: of one Markdown file
JSON_BYTES = 32_000_000  #: of a file that is parsed at once
LINE_BYTES = 1_000_000
LINES_BYTES = 512_000_000  #: of a file of lines
MAX_FILES = 20_000
_LEVELS = 12


def read_text(path: str, left_out: SkipCounter, most: int = NOTE_BYTES) -> str:
    """Return a text file, cleaned, without byte order mark. Raises as ``read_bytes``."""
    text = read_bytes(path, most).decode("utf-8", "replace").removeprefix("\ufeff")
    return left_out.cleaned(text.replace("\0", ""))


def read_json(path: str, left_out: SkipCounter) -> Any:
    """Return the value of a JSON file, cleaned; None where it is none. Raises as ``read_bytes``."""
    return left_out.cleaned_deep(parse(read_bytes(path, JSON_BYTES)))


def parse(text: str | bytes | None) -> Any:
    """Return the value that JSON text means; None where it is none, or nested without end."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_lines(path: str, left_out: SkipCounter) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file, cleaned. Raises as ``open_regular``."""
    with open_regular(path, LINES_BYTES) as file:
        while line := file.readline(LINE_BYTES + 1):
            if len(line) > LINE_BYTES:
                left_out.add(f"lines longer than {LINE_BYTES} bytes")
                while line and not line.endswith(b"\n"):
                    line = file.readline(LINE_BYTES)
                continue
            if not line.strip():
                continue
            value = parse(line)
            if isinstance(value, dict):
                yield left_out.cleaned_deep(value)
            else:
                left_out.add("lines that are no JSON object")


def changed_at(path: str) -> int:
    """Return when a file was last written (ms)."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000
    except OSError:
        return 0


def notes_below(folder: str, left_out: SkipCounter, levels: int = _LEVELS) -> list[str]:
    """Return the Markdown files below a folder, sorted; hidden ones and links are not followed."""
    found: list[str] = []
    _walk(folder, levels, found, left_out)
    return sorted(found)


def _walk(folder: str, levels: int, found: list[str], left_out: SkipCounter) -> None:
    try:
        with os.scandir(folder) as listed:
            entries = list(listed)
    except OSError:
        left_out.add("folders that cannot be read")
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if levels > 1:
                _walk(entry.path, levels - 1, found, left_out)
            else:
                left_out.add(f"folders deeper than {_LEVELS} levels")
        elif entry.name.endswith(".md"):
            if not entry.is_file(follow_symlinks=False):
                left_out.add("links")
            elif len(found) >= MAX_FILES:
                left_out.add(f"files beyond {MAX_FILES}")
            else:
                found.append(entry.path)
