"""Small texts that several forms share: frontmatter, sections, predicates, times."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from math import isfinite

from aforesaid.domain.model.memory import CONTENT_CHARS, METADATA_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SECTION_CHARS = 8_000
_YEAR_2100_MS = 4_102_444_800_000
_RESERVED = frozenset(("supersedes", "follows", "associated"))
#: Metadata that means something here, which another program's need not.
_TYPED = frozenset(
    """event_date session_id summary category subject trigger steps version entity_type name
    aliases properties source cues""".split()  # noqa: SIM905 - a dozen names read better so
)
FENCE = re.compile(r"\s{0,3}(```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_KEY = re.compile(r"([A-Za-z_][\w -]{0,60}):(?:\s+(.*))?$")


def frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields between the first two ``---`` lines, and what follows.

    Of YAML only what notes use: texts, ``[a, b]``, lists of ``- a``, one level of nested fields.
    Anything else is kept as the text that it is. Nothing is executed or instantiated.
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
        found = _KEY.match(line)
        if found:
            open_key = found[1].strip()
            fields[open_key] = _value(found[2] or "")
        elif open_key and line.strip().startswith("- "):
            held = fields[open_key]
            listed = held if isinstance(held, list) else []
            fields[open_key] = [*listed, _plain(line.strip()[2:])]
        elif open_key and (nested := _KEY.match(line.strip())) and line[:1].isspace():
            held = fields[open_key]
            inner = held if isinstance(held, dict) else {}
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


def listed(value: Any) -> list[str]:
    """Return the texts of a list, or of a text with commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return []
    return [text for one in value if (text := str(one).strip().lstrip("#")[:100])]


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (headings joined by >, text) of each section of Markdown that says something.

    Comments are dropped; what looks like a heading inside a code block is none. A long section
    comes in parts, cut between paragraphs.
    """
    path: list[str] = []
    held: list[str] = []
    in_code = ""
    for line in [*COMMENT.sub("", text).split("\n"), "# "]:
        fence = FENCE.match(line)
        if fence:
            in_code = "" if in_code == fence[1] else in_code or fence[1]
        heading = None if in_code else _HEADING.match(line)
        if heading is None and line != "# ":
            held.append(line)
            continue
        yield from ((" > ".join(filter(None, path)), part) for part in _parts("\n".join(held)))
        held = []
        if heading is not None:
            level = len(heading[1])
            path = [*(path + [""] * level)[: level - 1], heading[2][:200]]


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
    """Return a kind of relation in snake_case; ``related_to`` for one that is ours alone."""
    made = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60]
    return made if made and not made[0].isdigit() and made not in _RESERVED else "related_to"


def bounded(text: str) -> str:
    """Return a text within the limit of a memory's content, with a mark where it was cut."""
    text = text.strip()
    return text if len(text) <= CONTENT_CHARS else f"{text[: CONTENT_CHARS - 20].rstrip()} … [cut]"


def one_line(text: str, most: int) -> str:
    """Return a text on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def kept(fields: Mapping[str, Any], taken: Iterable[str] = ()) -> dict[str, Any]:
    """Return the fields that say something and have no other place, within the limits of metadata.

    Args:
        fields: as the source has them.
        taken: those that went elsewhere.
    """
    held: dict[str, Any] = {}
    room = METADATA_BYTES // 2
    for name, value in fields.items():
        if name in set(taken) or value is None or value in ("", [], {}):
            continue
        plain = isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value))
        shown = value if plain else _flat(value)
        room -= len(str(name).encode()) + len(str(shown).encode()) + 8
        if room < 0:
            break
        held[f"their_{name}" if name in _TYPED else str(name)] = shown
    return held


def _flat(value: Any) -> Any:
    """Return a list of texts as it is, anything deeper as text."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [one[:500] for one in value[:50]]
    return str(value)[:2_000]


def to_ms(value: Any, *, seconds: bool = False) -> int | None:
    """Return the milliseconds of a number or an ISO 8601 text (UTC where it names no zone)."""
    if isinstance(value, bool) or value is None or value == "":
        return None
    if isinstance(value, (int, float)):
        return _plausible(value * 1000 if seconds else value)
    try:
        read = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    if read.tzinfo is None:
        read = read.replace(tzinfo=UTC)
    return _plausible(read.timestamp() * 1000)


def _plausible(milliseconds: float) -> int | None:
    """Return a time between 1970 and 2100, None for what can be none."""
    return int(milliseconds) if 0 < milliseconds < _YEAR_2100_MS else None
