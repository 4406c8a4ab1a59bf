"""Phrases that show what a sentence of a session says, in several languages.

A text file holds a language or a family of languages; a new language is a new file. ``#`` begins a
comment. ``[kind]`` begins a section, which ends at an empty line; a section may have several kinds.
Its lines are alternatives of one regular expression; an indented line continues the one before, and
a space at the end of a line is written ``[ ]``. Sentences may mix languages ("ok, dann eben
rebase"), so each kind joins the alternatives of all languages.
"""

from __future__ import annotations

import os

from aforesaid.lexicon.phrases.tool_names import TOOL

_LANGUAGES = ("en", "de", "romance", "zh_ja")


def _read(language: str) -> dict[str, list[str]]:
    """Return the lines of each section of a language."""
    sections: dict[str, list[str]] = {}
    path = os.path.join(os.path.dirname(__file__), f"{language}.txt")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for block in text.replace("\n    ", "").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if lines:
            kinds = lines.pop(0).strip("[]").split(", ")
            sections.update(dict.fromkeys(kinds, lines))
    return sections


def _words(kind: str) -> frozenset[str]:
    lines = [line for sections in _sections for line in sections.pop(kind, ())]
    return frozenset(" ".join(lines).split())


_sections = [_read(language) for language in _LANGUAGES]
SMALL_TALK = _words("small_talk")
STATEMENT_STOP_WORDS = _words("stop_words")
#: By kind: one regular expression, with the alternatives of each language in a group.
PATTERNS = {
    kind: "|".join(f"(?:{'|'.join(sections[kind])})" for sections in _sections if kind in sections)
    for kind in dict.fromkeys(kind for sections in _sections for kind in sections)
} | {"tool": TOOL}
