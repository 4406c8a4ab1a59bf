"""Sections of reStructuredText documents as plain passages.

Here: headings, paragraphs, inline markup. Not here: which documents are read, which headings are
questions (build.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MIN_PASSAGE, MAX_PASSAGE = 80, 1000  #: characters
MAX_POINTER = 200  #: characters of a paragraph that only says where to read on
_RULE = re.compile(r"^([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")
_LIST_ITEM = re.compile(r"^(?:[*+-]|#\.|\d+[.)]) ")
_DIRECTIVE = re.compile(r"^(?:\.\. |\.\.$|__ |:[\w -]+:|>>>|\||\+[-=]|={2,}[ =]*$|\$ )")
_ROLE = re.compile(r":[\w:+.-]+:`([^`<]+)`")
_INLINE = (
    (re.compile(r":[\w:+.-]+:`!?~?([^`<]+?)\s*<[^`>]*>`"), r"\1"),
    (re.compile(r"``(.+?)``"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`>]+>`__?"), r"\1"),
    (re.compile(r"`([^`]+)`_{0,2}"), r"\1"),
    (re.compile(r"\[#?\w*\]_"), ""),
    (re.compile(r"\*\*([^*]+)\*\*"), r"\1"),
    (re.compile(r"(?<!\w)\*([^*\s][^*]*)\*(?!\w)"), r"\1"),
    (re.compile(r"(?<=[^\W_])_(?=[\s.,;)])"), ""),
    (re.compile(r"\|([\w -]+)\|"), r"\1"),
    (re.compile(r"\\(.)"), r"\1"),
    (re.compile(r"::$"), ":"),
)


@dataclass(frozen=True)
class Section:
    """A heading, and the text directly below it as passages."""

    heading: str
    passages: tuple[str, ...]


def read_sections(text: str) -> Iterator[Section]:
    """Yield the sections of a document in order; text before the first heading is left out."""
    lines = text.expandtabs(8).splitlines()
    starts = [number for number in range(1, len(lines)) if _is_underline(lines, number)]
    for place, number in enumerate(starts):
        after = starts[place + 1] - 1 if place + 1 < len(starts) else len(lines)
        body = lines[number + 1 : after]
        yield Section(strip_markup(lines[number - 1].strip()), tuple(join_passages(_blocks(body))))


def join_passages(paragraphs: list[str]) -> list[str]:
    """Return whole paragraphs joined up to the length of a passage; longer ones are left out."""
    passages: list[str] = []
    held = ""
    for paragraph in paragraphs:
        if len(paragraph) > MAX_PASSAGE:
            continue
        if held and len(held) + len(paragraph) + 1 > MAX_PASSAGE:
            passages.append(held)
            held = ""
        held = f"{held}\n{paragraph}" if held else paragraph
    return [one for one in (*passages, held) if len(one) >= MIN_PASSAGE]


def strip_markup(text: str) -> str:
    """Return a paragraph without inline markup, on one line."""
    text = _ROLE.sub(_show_role, " ".join(text.split()))
    for pattern, plain in _INLINE:
        text = pattern.sub(plain, text)
    return text


def _show_role(found: re.Match[str]) -> str:
    """Return what a reader sees of a reference: of ``~a.b.c`` the last part."""
    target = found[1]
    if target.startswith("~"):
        return target.rpartition(".")[2].lstrip("~")
    return re.sub(r"^_\w+\.", "", target.lstrip("!."))


def _is_underline(lines: list[str], number: int) -> bool:
    title = lines[number - 1]
    return bool(
        _RULE.match(lines[number])
        and title.strip()
        and not title.startswith(" " * 2)
        and not _RULE.match(title)
        and len(lines[number].strip()) >= len(title.strip()) - 1
        and (number < 2 or not lines[number - 2].strip() or _RULE.match(lines[number - 2]))
    )


def _blocks(lines: list[str]) -> list[str]:
    """Return paragraphs and list items at the left margin; code, tables and directives go."""
    found: list[str] = []
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip() and not (block and _LIST_ITEM.match(line)):
            block.append(line)
            continue
        if block:
            found += _plain(block)
        block = [line] if line.strip() else []
    return found


def _plain(block: list[str]) -> list[str]:
    first = block[0]
    is_list = bool(_LIST_ITEM.match(first))
    hanging = any(line.startswith(" ") for line in block[1:])
    if first.startswith(" ") or _DIRECTIVE.match(first) or (hanging and not is_list):
        return []
    text = strip_markup(" ".join(line.strip() for line in block))
    if _RULE.match(text) or (text.startswith("See ") and len(text) < MAX_POINTER):
        return []
    return [text] if text else []
