"""The differences of two texts for a reader: by words, or by lines with some around them."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SAME, REMOVED, ADDED = "same", "removed", "added"
MAX_PARTS = 6_000  #: words or lines of both texts; beyond that, one replaces the other as a whole
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


class Part(Value):
    """A piece of text that both texts have, or only the earlier or the later one."""

    kind: str  #: ``same``, ``removed`` or ``added``
    text: str
    line: int = 0  #: of lines: its number, from 1, in the text that has it; of both, in the later


def compare_words(before: str, after: str) -> list[Part]:
    """Return the words of two texts in one sequence; adjacent changes are joined."""
    first, second = _WORDS.findall(before), _WORDS.findall(after)
    parts: list[Part] = []
    removed = added = ""
    for kind, words in [*_compared(first, second), (SAME, ())]:
        text = "".join(words)
        if kind == REMOVED:
            removed += text
        elif kind == ADDED:
            added += text
        elif text.isspace() and removed and added:  # between two changed words
            removed, added = removed + text, added + text
        else:
            parts += [
                Part(kind=kind, text=text)
                for kind, text in ((REMOVED, removed), (ADDED, added), (SAME, text))
                if text
            ]
            removed = added = ""
    return parts


def compare_lines(before: Sequence[str], after: Sequence[str], around: int = 3) -> list[Part]:
    """Return the lines that differ, with ``around`` equal lines before and after each place."""
    parts: list[Part] = []
    old_line = new_line = 0
    for kind, lines in _compared(before, after):
        for text in lines:
            old_line += kind != ADDED
            new_line += kind != REMOVED
            line = old_line if kind == REMOVED else new_line
            parts.append(Part(kind=kind, text=text, line=line))
    changed = [index for index, part in enumerate(parts) if part.kind != SAME]
    near = {index + offset for index in changed for offset in range(-around, around + 1)}
    return [part for index, part in enumerate(parts) if index in near]


def _compared(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    if len(before) + len(after) > MAX_PARTS:
        return [(REMOVED, before), (ADDED, after)] if before != after else [(SAME, after)]
    compared: list[tuple[str, Sequence[str]]] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _kind, start, end, first, last in matcher.get_opcodes():
        if before[start:end] == after[first:last]:
            compared.append((SAME, after[first:last]))
        else:
            compared += [(REMOVED, before[start:end]), (ADDED, after[first:last])]
    return compared
