"""The words of a text that carry meaning, cut to a crude stem: for checking labels only.

Here: what "no content word in common" means for the category ``paraphrase``.
"""

from __future__ import annotations

import re

_SMALL_WORDS = """
    a about above after again against all also although always am an and another any anybody
    anything are aren as asked at away be because become been before being below between both but
    by can cannot come could did didn do does doesn doing don down during each either else ever
    every everything few for from further gave get gets give given go goes going gone got had has
    hasn have haven having he her here hers him his how if in into is isn it its itself just keep
    kept let like made make makes many may me might more most much must my need needs neither
    never no nobody none nor not nothing now of off on once one only onto or other others our out
    over own per put quite rather same say see she should shouldn since so some somebody someone
    somewhere something still such take takes than that the their them then there these they
    thing things this those through to together too toward two under until up upon us use used
    uses using very via want wants was wasn way we well were what whatever when where whether
    which while who whom whose why will with within without would yet you your
"""
_STOP = frozenset(_SMALL_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "edly", "ed", "es", "ly", "s", "e")


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, in order; numbers count as words."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    words = (word.lower() for word in _WORD.findall(spaced))
    return [_stem(word) for word in words if word not in _STOP and (len(word) > 1)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
