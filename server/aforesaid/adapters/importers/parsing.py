"""Parsing that several importers share: frontmatter, sections, predicates, times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from aforesaid.domain.model.memory import CONTENT_CHARS, METADATA_BYTES

SECTION_CHARS = 8_000
_YEAR_2100_MS = 4_102_444_800_000
_RESERVED_PREDICATES = frozenset(("supersedes", "follows", "associated"))
#: Metadata keys with a meaning in Aforesaid; another program's fields of these names are prefixed.
_RESERVED_KEYS = frozenset(
    """event_date session_id summary category subject trigger steps version entity_type name
    aliases properties source cues""".split()  # noqa: SIM905 - this many names read better in one text
)
FENCE = re.compile(r"\s{0,3}(```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r" ?[-*+][ \t]+(?=\S)")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_KEY = re.compile(r"([A-Za-z_][\w -]{0,60}):(?:\s+(.*))?$")


def frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields between the first two ``---`` lines, and the rest of the text.

    Supports the YAML that notes use: texts, ``[a, b]``, lists of ``- a``, one level of nesting.
    Anything else is kept as text.
    """
    lines = text.split("\n")
    if not lines or lines[0].strip() != "---":
        return {}, text
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if end is None:
        return {}, text
    return _fields(lines[1:end]), "\n".join(lines[end + 1 :])


def _fields(lines: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    open_key = ""
    for line in lines:
        match = _KEY.match(line)
        if match:
            open_key = match[1].strip()
            fields[open_key] = _value(match[2] or "")
        elif open_key and line.strip().startswith("- "):
            value = fields[open_key]
            items = value if isinstance(value, list) else []
            fields[open_key] = [*items, _plain(line.strip()[2:])]
        elif open_key and (nested := _KEY.match(line.strip())) and line[:1].isspace():
            value = fields[open_key]
            inner = value if isinstance(value, dict) else {}
            fields[open_key] = {**inner, nested[1].strip(): _value(nested[2] or "")}
        elif open_key and line.strip() and isinstance(fields[open_key], str):
            fields[open_key] = f"{fields[open_key]} {line.strip()}".strip(" >|")
    return fields


def _value(text: str) -> Any:
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [_plain(part) for part in text[1:-1].split(",") if part.strip()]
    return _plain(text)


def _plain(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def split_list(value: Any) -> list[str]:
    """Return the texts of a list or of a comma-separated text."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return []
    return [text for item in value if (text := str(item).strip().lstrip("#")[:100])]


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (headings joined by >, text) of each non-empty section of Markdown.

    Comments are dropped, and code blocks contain no headings. Long sections are split between
    paragraphs.
    """
    path: list[str] = []
    lines: list[str] = []
    in_code = ""
    for line in [*COMMENT.sub("", text).split("\n"), "# "]:
        fence = FENCE.match(line)
        if fence:
            in_code = "" if in_code == fence[1] else in_code or fence[1]
        heading = None if in_code else _HEADING.match(line)
        if heading is None and line != "# ":
            lines.append(line)
            continue
        yield from ((" > ".join(filter(None, path)), part) for part in _parts("\n".join(lines)))
        lines = []
        if heading is not None:
            level = len(heading[1])
            path = [*(path + [""] * level)[: level - 1], heading[2][:200]]


def split_list_items(section: str) -> list[tuple[bool, str]]:
    """Return the items of a section's bulleted lists, and the texts between them, in order.

    Returns:
        (is_item, text) pairs. Numbered lists, which are steps, are kept whole, and so are lists
        introduced by a line that ends with a colon, together with that line.
    """
    blocks: list[tuple[bool, list[str]]] = []
    in_code, after_gap = "", False
    for line in section.split("\n"):
        fence = FENCE.match(line)
        is_item, lines = blocks[-1] if blocks else (False, [])
        bullet = None if in_code else _BULLET.match(line)
        if bullet and not (not is_item and lines and _introduces(lines)):
            blocks.append((True, [line[bullet.end() :]]))
        elif not blocks or (is_item and after_gap and line[:1].strip() and not in_code):
            blocks.append((False, [line]))
        else:
            lines.append(line)
        if fence:
            in_code = "" if in_code == fence[1] else in_code or fence[1]
        after_gap = not line.strip()
    texts = ((is_item, "\n".join(lines).strip()) for is_item, lines in blocks)
    return [(is_item, text) for is_item, text in texts if text]


def _introduces(lines: list[str]) -> bool:
    """Return whether a text ends with a colon, or with a list whose introduction does."""
    non_empty = [line.strip() for line in lines if line.strip()]
    while non_empty and _BULLET.match(non_empty[-1]):
        non_empty.pop()
    return bool(non_empty) and non_empty[-1].endswith(":")


def _parts(text: str) -> Iterator[str]:
    text = text.strip()
    while len(text) > SECTION_CHARS:
        cut = text.rfind("\n\n", 0, SECTION_CHARS)
        cut = cut if cut > 0 else text.rfind("\n", 0, SECTION_CHARS)
        cut = cut if cut > 0 else SECTION_CHARS
        yield text[:cut].strip()
        text = text[cut:].strip()
    if text:
        yield text


def predicate(text: str) -> str:
    """Return a relation's name in snake_case; ``related_to`` for an invalid or reserved one."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60]
    return (
        name
        if name and not name[0].isdigit() and name not in _RESERVED_PREDICATES
        else "related_to"
    )


def bounded(text: str) -> str:
    """Return a text truncated to the limit of a memory's content, marked if truncated."""
    text = text.strip()
    return text if len(text) <= CONTENT_CHARS else f"{text[: CONTENT_CHARS - 20].rstrip()} … [cut]"


def one_line(text: str, max_chars: int) -> str:
    """Return a text on one line, truncated."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else f"{line[: max_chars - 1].rstrip()}…"


def extra_fields(fields: Mapping[str, Any], used: Iterable[str] = ()) -> dict[str, Any]:
    """Return the non-empty remaining fields, within the size limit of metadata.

    Args:
        fields: the fields of the source.
        used: names of those that are already used.
    """
    metadata: dict[str, Any] = {}
    remaining_bytes = METADATA_BYTES // 2
    for name, value in fields.items():
        if name in set(used) or value is None or value in ("", [], {}):
            continue
        plain = isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value))
        flat = value if plain else _flat(value)
        remaining_bytes -= len(str(name).encode()) + len(str(flat).encode()) + 8
        if remaining_bytes < 0:
            break
        metadata[f"their_{name}" if name in _RESERVED_KEYS else str(name)] = flat
    return metadata


def _flat(value: Any) -> Any:
    """Return a list of texts, or anything else as one text."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [item[:500] for item in value[:50]]
    return str(value)[:2_000]


def to_ms(value: Any, *, seconds: bool = False) -> int | None:
    """Return a time in ms, or None if it is not a plausible time.

    Args:
        value: ISO 8601 (UTC by default), or a number.
        seconds: A number is in seconds, not in ms.
    """
    if isinstance(value, bool) or value is None or value == "":
        return None
    if isinstance(value, (int, float)):
        return _plausible(value * 1000 if seconds else value)
    try:
        time = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return _plausible(time.timestamp() * 1000)


def _plausible(milliseconds: float) -> int | None:
    """Return a time between 1970 and 2100, None for any other."""
    return int(milliseconds) if 0 < milliseconds < _YEAR_2100_MS else None
