"""Finds the passage of a long text that a query matches, to show it in place of the beginning.

Cutting a text at its end is in token_budget.py.
"""

from __future__ import annotations

import re

from .synonyms import synonyms_of
from .token_budget import CHARS_PER_TOKEN, CUT_MARK
from .tokenize import query_terms, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = "… "
_LEAD_SHARE = 4  #: a quarter of a passage at most precedes the match inside a sentence that is cut
_MAX_MATCHES = 2_000
_AKIN_SHARE = 0.5  #: weight of a synonym of a term, as a share of the term's
#: A line, or a sentence with the blanks after it.
_SENTENCE = re.compile(
    "(?:[^\n.!?\u3002\uff01\uff1f]|[.!?](?!\\s))+[.!?\u3002\uff01\uff1f]*\\s*|[\\s.!?\u3002\uff01\uff1f]+"
)


def cut_to_passage(text: str, query: str, budget_tokens: int, mark: str = CUT_MARK) -> str:
    """Return the text, or the sentences that match the query best, with marks at the cuts.

    The rarer a term is in the text, the more it counts; synonyms count less. Without any match, the
    beginning. A sentence is cut only if it is longer than the budget.

    Args:
        text: what to cut.
        query: what the passage is to match.
        budget_tokens: maximum length.
        mark: ends a passage after which text is left out.
    """
    size = budget_tokens * CHARS_PER_TOKEN
    if len(text) <= size:
        return text
    if size < 2 * len(mark):
        mark = "…"
    room = max(size - len(_BEFORE) - len(mark), 0)
    begin, end = _best_span(text, _weigh(text, query), room)
    if end - begin > room:  # one long sentence, or no sentence at all
        end = begin + room
        space = text.rfind(" ", begin + room * 3 // 4, end)
        end = space if space > 0 else end
    passage = text[begin:end].strip()
    return (_BEFORE if begin else "") + passage + (mark if text[end:].strip() else "")


def _weigh(text: str, query: str) -> list[tuple[int, str, float]]:
    """Return where terms of the query occur in the text, in order, with what each counts."""
    terms = query_terms(query)
    stems = {stem(term) for term in terms}
    akin = frozenset().union(*map(synonyms_of, terms))
    if not stems:
        return []
    alternatives = "|".join(sorted(map(re.escape, {*stems, *akin}), key=len, reverse=True))
    matches = re.finditer(rf"(?<![a-z0-9])(?:{alternatives})", text.lower())
    found = [(match.start(), match[0]) for match, _ in zip(matches, range(_MAX_MATCHES))]  # noqa: B905 - the shorter ends it
    counts: dict[str, int] = {}
    for _, term in found:
        counts[term] = counts.get(term, 0) + 1
    return [
        (position, term, (1.0 if term in stems else _AKIN_SHARE) / counts[term])
        for position, term in found
    ]


def _best_span(text: str, found: Sequence[tuple[int, str, float]], room: int) -> tuple[int, int]:
    """Return the beginning and end of the best sentences that fit, longer only if one does not."""
    spans = [match.span() for match in _SENTENCE.finditer(text)]
    if not found:
        return 0, _grow(spans, 0, room)[1]
    best = max(range(len(spans)), key=lambda index: (_gain(found, *spans[index]), -index))
    begin, end = spans[best]
    if end - begin > room:
        return _inside(text, found, begin, end, room)
    return _grow(spans, best, room)


def _grow(spans: Sequence[tuple[int, int]], index: int, room: int) -> tuple[int, int]:
    """Return a sentence with as many whole ones after it as fit, and one before it."""
    first = last = index
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= room:
        last += 1
    if first and spans[last][1] - spans[first - 1][0] <= room:
        first -= 1
    return spans[first][0], spans[last][1]


def _inside(
    text: str, found: Sequence[tuple[int, str, float]], begin: int, end: int, room: int
) -> tuple[int, int]:
    """Return the part of a long sentence with the most weight, from the beginning of a word on."""
    inside = [position for position, _, _ in found if begin <= position < end]
    reach = room * (_LEAD_SHARE - 1) // _LEAD_SHARE
    first = max(inside, key=lambda start: (_gain(found, start, start + reach), -start))
    lead = max(first - room // _LEAD_SHARE, begin)
    if end - lead < room:
        lead = max(end - room, begin)
    if lead > begin:
        space = text.find(" ", lead, first)
        lead = space + 1 if space >= 0 else lead
    return lead, end


def _gain(found: Sequence[tuple[int, str, float]], begin: int, end: int) -> float:
    """Return the weight of the distinct terms between two positions."""
    return sum(
        {term: weight for position, term, weight in found if begin <= position < end}.values()
    )
