"""What kind of answer a question demands, and whether a text can be one.

Here: numbers, times, reasons, people, what was before. English only: a question in another language
demands nothing. Not here: what follows from it (relevance_features.py).
"""

from __future__ import annotations

import re

NUMBER, TIME, REASON, PERSON, PAST = "number", "time", "reason", "person", "past"

#: How a question shows what it demands; the first that fits.
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
            r"|\b(?:limit|timeout|price|fee|cost|rate|threshold|budget|size|length|amount|version"
            r"|maximum|minimum|percentage|share|port|quota)\b"
        ),
    ),
)
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    "|fifty|sixty|hundred|thousand|half|once|twice|hourly|daily|weekly|monthly|yearly"
)
_TIMES = (
    "jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|january|february|march|april|august"
    "|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring"
    "|summer|autumn|winter|days?|weeks?|months?|years?|morning|noon|evening|night|hours?|minutes?"
    "|before|after|until|today|tomorrow"
)
#: What an answer of each kind holds.
_HELD = {
    PAST: re.compile(
        r"\b(?:before|previous|former|old|used to|instead|replac|mov|left|leav|drop|gone|was|were"
        r"|had|until|no longer|switch|migrat|over from|rose|rais|fell|chang|new)",
        re.IGNORECASE,
    ),
    NUMBER: re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE),
    TIME: re.compile(rf"\d|\b(?:{_TIMES})\b", re.IGNORECASE),
    REASON: re.compile(
        r"\b(?:because|since|so that|reasons?|due to|too|as|could|needs?|but|otherwise|to|for|not"
        r"|no|never)\b|[:;(]",
        re.IGNORECASE,
    ),
    PERSON: re.compile(
        r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]{2,}|^[A-Z][a-z]+ (?:\w+s|and|or)\b"
        r"|\b(?:user|team|desk|office|group)\b"
    ),
}


def expected_answer_type(query: str) -> str:
    """Return the kind of answer a question demands, empty for none in particular."""
    low = query.lower()
    return next((kind for kind, asked in _ASKED if asked.search(low)), "")


def could_answer(kind: str, text: str) -> bool:
    """Tell whether a text holds what an answer of this kind must hold."""
    return not kind or _HELD[kind].search(text) is not None
