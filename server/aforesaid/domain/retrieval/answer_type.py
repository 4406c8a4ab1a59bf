"""The type of answer that a query expects, and whether a text could be such an answer.

English only: a query in another language has no expected type.
"""

from __future__ import annotations

import re

from aforesaid.lexicon import questions

NUMBER, TIME, REASON, PERSON, PAST = "number", "time", "reason", "person", "past"

#: Patterns of queries by expected type; the first match applies.
_ASKED = (
    (PAST, re.compile(r"\b(?:did|was|were|had)\b.*\bbefore\b|\b(?:previous|former)(?:ly)?\b")),
    (REASON, re.compile(r"\b(?:why|reasons?|how come)\b")),
    (PERSON, re.compile(r"\bwho(?:m|se)?\b")),
    (
        TIME,
        re.compile(
            r"^when\b|\bwhen (?:do|does|did|is|are|was|were|will)\b"
            r"|\bwh(?:at|ich) (?:time|day|date)s?\b"
        ),
    ),
    (
        NUMBER,
        re.compile(
            r"\bhow (?:many|much|long|often|big|large|old|fast|far|deep|high)\b"
            rf"|\b(?:{questions.QUANTITIES})\b"
        ),
    ),
)
#: Patterns of texts that could be answers, by type.
_HELD = {
    PAST: re.compile(rf"\b(?:{questions.PAST_WORDS})", re.IGNORECASE),
    NUMBER: re.compile(rf"\d|\b(?:{questions.NUMBER_WORDS})\b", re.IGNORECASE),
    TIME: re.compile(rf"\d|\b(?:{questions.TIME_WORDS})\b", re.IGNORECASE),
    REASON: re.compile(rf"\b(?:{questions.REASON_WORDS})\b|[:;(]", re.IGNORECASE),
    PERSON: re.compile(
        r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]{2,}|^[A-Z][a-z]+ (?:\w+s|and|or)\b"
        r"|\b(?:user|team|desk|office|group)\b"
    ),
}


def expected_answer_type(query: str) -> str:
    """Return the type of answer that a query expects; empty for none in particular."""
    lowered = query.lower()
    return next((kind for kind, pattern in _ASKED if pattern.search(lowered)), "")


def could_answer(kind: str, text: str) -> bool:
    """Return whether a text has what an answer of this type needs; always true for no type."""
    return not kind or _HELD[kind].search(text) is not None
