"""Detects low-value texts: too short, too vague, or about a single moment.

In doubt, a text is not low-value. Counting: services/maintenance/quality_report.py. Archiving:
archive.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.sentence_classifier import is_small_talk, is_temporary
from aforesaid.domain.text.sanitize import MARK
from aforesaid.lexicon.low_value import LASTING_WORDS, REPORT_VERBS, VAGUE_WORDS
from aforesaid.lexicon.phrases import SMALL_TALK
from aforesaid.lexicon.stop_words import STOP_WORDS

SHORT, VAGUE, MOMENT = "too short", "too vague", "of a moment"
MIN_WORDS = 2  #: minimum number of words besides stop words
FEW_WORDS = 5  #: a text with at most this many must name something

_BESIDE_A_SECRET = 4  #: minimum number of words besides a removed secret

_WORD = re.compile(r"[^\W_]+(?:['._/:@-]+[^\W_]+)*")
_REPORT = re.compile(rf"^(?:then |just |also |and )*(?:{REPORT_VERBS})\b(?! by\b)", re.IGNORECASE)
_LASTS = re.compile(rf"\b(?:{LASTING_WORDS})\b|:", re.IGNORECASE)


def says_nothing(text: str) -> bool:
    """Return whether a text has no content: "ok", a single word, or what a removed secret left."""
    rest = re.sub(MARK, " ", text)
    words = [word.lower() for word in _WORD.findall(rest)]
    if is_small_talk(rest):
        return True
    if len(words) == 1 and not words[0].isascii():
        return False  # a script without spaces: words cannot be counted
    said = set(words) - STOP_WORDS - SMALL_TALK - {"remember"}
    return len(words) < MIN_WORDS or not said or (rest != text and len(said) < _BESIDE_A_SECRET)


def low_value_reason(text: str, kind: str = "semantic") -> str:
    """Return why a text is low-value; empty if it is not.

    Args:
        text: the content of a memory.
        kind: its type: events may be about a single moment, facts and procedures may not.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    content_words = [word for word in words if word not in STOP_WORDS]
    if not text.isascii() and len(text.split()) <= 1:
        return ""  # a script without spaces: words cannot be counted
    if len(content_words) < MIN_WORDS:
        return SHORT
    if is_small_talk(text) or (
        len(words) <= FEW_WORDS
        and all(word in VAGUE_WORDS or word.isdigit() for word in content_words)
    ):
        return VAGUE
    lasting = kind in ("semantic", "procedural")
    if lasting and (is_temporary(text) or _REPORT.match(text)) and not _LASTS.search(text):
        return MOMENT
    return ""
