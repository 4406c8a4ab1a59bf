"""Finds the passage of a long text that a query matches, to show it in place of the beginning.

Cutting a text at its end is in token_budget.py.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from .token_budget import CHARS_PER_TOKEN, CUT_MARK
from .tokenize import query_terms, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = "… "
_LEAD_SHARE = 4  #: a quarter of the passage at most precedes the first match
_MAX_MATCHES = 2_000
_SENTENCE, _SPACE = re.compile(r"\n|(?<=[.!?]) "), re.compile(r"\s")


def cut_to_passage(text: str, query: str, budget_tokens: int, mark: str = CUT_MARK) -> str:
    """Return the text, or the passage that has most of the query's terms, with marks at the cuts.

    The rarer a term is in the text, the more it counts. Without any match, the beginning.
    """
    size = budget_tokens * CHARS_PER_TOKEN
    if len(text) <= size:
        return text
    room = max(size - len(_BEFORE) - len(mark), 0)
    matches = _find_terms(text, query)
    begin = 0
    if matches:
        first = _densest(matches, room)
        lead = max(min(first - room // _LEAD_SHARE, len(text) - room), 0)
        begin = _next_start(text, lead, first)
    passage = text[begin : begin + room]
    space = passage.rfind(" ")
    if begin + room < len(text) and space > room * 3 // 4:
        passage = passage[:space]
    return (_BEFORE if begin else "") + passage.strip() + mark


def _next_start(text: str, lead: int, first: int) -> int:
    """Return where the first sentence, else the first word, starts between two positions."""
    for boundary in (_SENTENCE, _SPACE):
        if lead and (cut := boundary.search(text, lead, first + 1)):
            return cut.end()
    return lead


def _find_terms(text: str, query: str) -> list[tuple[int, str]]:
    """Return where the query's terms occur in the text, in order."""
    stems = {stem(term) for term in query_terms(query)}
    if not stems:
        return []
    alternatives = "|".join(sorted(map(re.escape, stems), key=len, reverse=True))
    term_matches = re.compile(rf"(?<![a-z0-9])(?:{alternatives})").finditer(text.lower())
    return [
        (match.start(), match[0])
        for match, _ in zip(term_matches, range(_MAX_MATCHES), strict=False)
    ]


def _densest(matches: Sequence[tuple[int, str]], size: int) -> int:
    """Return the first position of the window with the most weight of distinct terms."""
    counts: dict[str, int] = {}
    for _, term in matches:
        counts[term] = counts.get(term, 0) + 1
    positions = [position for position, _ in matches]

    def weight(index: int) -> float:
        end = bisect_left(positions, positions[index] + size * (_LEAD_SHARE - 1) // _LEAD_SHARE)
        return sum(1 / counts[term] for term in {term for _, term in matches[index:end]})

    best = max(range(len(matches)), key=lambda index: (weight(index), -index))
    return positions[best]
