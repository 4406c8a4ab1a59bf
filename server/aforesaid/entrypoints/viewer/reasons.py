"""Why a search found a memory, and a memory's numbers, in words for a person.

Recall explains its order to agents, in the terms of domain/retrieval/ranking.py with their values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aforesaid.domain.model.memory import IMPORTANCE_WORDS
from aforesaid.services.recall.supersede_filter import CONTRADICTED, NEWER, OLDER

if TYPE_CHECKING:
    from aforesaid.services.recall.query import RecallHit

MAX_WORDS = 4  #: of the query, that are named
MIN_SHARE = 0.005  #: shares below are not given as a number
#: What types are called.
TYPE_NAMES = {
    "semantic": "fact", "procedural": "how-to", "episodic": "event", "entity": "entity",
}  # fmt: skip
#: What provenances are called.
ORIGIN_NAMES = {
    "user": "by you", "assistant": "by the assistant", "tool": "from a tool",
    "import": "from an import", "derived": "derived",
}  # fmt: skip
#: By a pattern in recall's reasons: what a page says. What always contributes is not said.
PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), phrase)
    for pattern, phrase in (
        (r"\bwords best\b", "matches your words best"),
        (r"\bmeaning best\b", "closest in meaning"),
        (r"\bmeaning rank [2-5]\b", "close in meaning"),
        (r"\bmeaning rank (?:[6-9]|\d\d+)\b", "somewhat close in meaning"),
        (r"\bhas synonyms of them\b", "says it in other words"),
        (r"\bstored next to a match\b", "stored next to a match"),
        (r"\bin a matching session\b", "from a session about it"),
        (r"\bfollows a similar question\b", "followed a similar question"),
        (r"\bhas a time or number, as asked for\b", "has a time or number, as you asked"),
        (r"\bsaid by the person in the query\b", "said by the person you named"),
        (r"\bstates a rule, as asked for\b", "states a rule, as you asked"),
        (r"\bpinned \+", "pinned"),
        (r"(?:^|, )about ([^,]+)", r"about \1"),
        (r"\breranked to (\d+) \(was (\d+)\)", r"moved from place \2 to \1 by the reranker"),
        (r"\bfrom a result (above|below) it\b", r"stands for a result \1 it"),
        *((re.escape(reason), reason) for reason in (NEWER, OLDER, CONTRADICTED)),
    )
)


def reasons_of(hit: RecallHit) -> list[str]:
    """Return why a memory was found, the words that it has in common with the query first."""
    words = [] if hit.signals is None else hit.signals.names[:MAX_WORDS]
    said = ", ".join(f"“{word}”" for word in words)
    reasons = [f"contains {said}"] if said else []
    for pattern, phrase in PHRASES:
        if found := pattern.search(hit.why):
            reasons.append(found.expand(phrase))
    if hit.superseded_query_hit:
        reasons.append("an older version matched")
    return [*reasons, hit.branch] if hit.branch else reasons


def percent(share: float) -> str:
    """Return a share of 1 as a percentage."""
    return "under 1%" if 0 <= share < MIN_SHARE else f"{round(share * 100)}%"


def importance_word(importance: float) -> str:
    """Return an importance as the form that edits it calls it, else as a percentage."""
    words = {value: word for word, value in IMPORTANCE_WORDS.items()}
    return words.get(importance) or percent(importance)


def certainty(stored: float, now: float) -> str:
    """Return how certain a memory is, and was."""
    if percent(stored) == percent(now):
        return percent(now)
    return f"{percent(now)}, {percent(stored)} when it was last confirmed"
