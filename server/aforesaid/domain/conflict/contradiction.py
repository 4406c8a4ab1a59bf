"""Detects, without a language model, whether two memories in force contradict each other.

Precision matters more than recall, as each flag costs a reader's attention. A pair is flagged only
if the newer text states a change, or if both have the same wording but for one value or a negation.
Choosing pairs and acting on flags: services/maintenance. Supersession at query time:
supersession.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.conflict.supersession import (
    MAX_CHARS,
    OUTDATES,
    OUTRANKS,
    PARTLY,
    ParsedStatement,
    negates_value,
    supersession_probability,
)
from aforesaid.domain.dedup import differences
from aforesaid.domain.dedup.compare import read_statement
from aforesaid.domain.dedup.tokens import BREAK, PAUSE, Term, is_plain_english, read_terms
from aforesaid.domain.value import Value
from aforesaid.lexicon import change, vocabulary

#: Minimum cosine of two memories on the same subject; the second where the newer states a change.
#: Lower for one differing value, as rare names ("Stripe", "Adyen") are far apart.
#: Source: bench/contradictions, development part, and the pairs of bench/agent_memories.
MIN_COSINE, CHANGE_COSINE = 0.4, 0.55
ALIKE_COSINE = 0.7  #: from here on, a cited value compensates for a probability below OUTDATES
MIN_ALIKE = 0.6  #: share of its terms that a text with another subject must have in common
MIN_FRAME = 2  #: terms that two texts share around the differing value
MAX_SLOT = 4  #: terms of a value
MAX_APART = 8  #: words of one text that the other lacks: the value and differences of wording

_CHANGED = re.compile(rf"\b(?:{change.ENDED_VALUES})\b", re.IGNORECASE)
#: Alternatives that a text rejects: if both reject the same one, nothing changed.
_REJECTED = re.compile(
    r"\b(?:instead of|rather than|(?<!took )(?<!taken )(?<!handed )over|not|no longer|never)"
    r"(?: (?:the|an?|in|on|from))? ([\w./-]+)",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|no longer|instead|any ?more)\b", re.IGNORECASE)
#: The part of a text that says what no longer holds.
_OVER = re.compile(
    r",? ?\b(?:no longer|not any ?more|instead of|rather than)\b[^.;,]*|\bnow\b ?", re.IGNORECASE
)
#: What follows a claim: its reason, its purpose, what was rejected.
_EXPLANATION = re.compile(
    r"\s*(?:;|[,:]? (?:because|since|so that)\b|, (?:for|which|where|so|as)\b).*",
    re.IGNORECASE | re.DOTALL,
)
#: An additional, temporary or conditional fact contradicts nothing.
_BESIDES = re.compile(rf"\b(?:{change.ADDITIONS})\b", re.IGNORECASE)
_FIGURES = frozenset(("number", "time", "version", "unit"))
_NAMES = frozenset(("name", "identifier", "path", "address", "part", "quoted"))
_DENIALS = frozenset(("not", "no", "never", "without"))
_HELPERS = frozenset(("do", "did", "be", "need", "any", "must"))
_IS = frozenset(("is", "are"))
#: Words at the beginning of a rule that determine its polarity.
_HEADS = frozenset(("always", "never", "enable", "disable", "allow", "deny", "forbid", "include"))


class Contradiction(Value):
    """Two statements that cannot both hold."""

    why: str  #: what differs, for a person to read
    states_change: bool  #: whether the newer statement itself states a change


def contradiction(older: str, newer: str, cosine: float | None) -> Contradiction | None:
    """Return how a newer text contradicts an older one; None unless that is nearly certain.

    Args:
        older: the text stored first.
        newer: the text stored later.
        cosine: their cosine; None without vectors.
    """
    if max(len(older), len(newer)) > MAX_CHARS:
        return None
    if cosine is not None and cosine < MIN_COSINE:
        return None
    claim, new_claim = _EXPLANATION.sub("", older), _EXPLANATION.sub("", newer)
    stated = any(_states_relevant_change(text, newer, cosine) for text in {older, claim})
    outcome = _OVER.sub("", new_claim).strip(" ,.")
    pairs = {(older, newer), (claim, new_claim), (claim, outcome)}
    if not stated and not any(_differ_in_value(*pair) for pair in pairs):
        return None
    reasons = differences(older, newer)
    return Contradiction(why="; ".join(reasons[:2]), states_change=stated) if reasons else None


def _differ_in_value(older: str, newer: str) -> bool:
    claim = older if _CHANGED.search(newer) else _OVER.sub("", older)
    return _have_one_frame(claim, newer) and _one_value_differs(claim, newer)


def _states_relevant_change(older: str, newer: str, cosine: float | None) -> bool:
    """Return whether the newer text states that what the older one says no longer holds."""
    if _CHANGED.search(newer) is None:
        return False
    before, after = ParsedStatement(older), ParsedStatement(newer)
    negated = negates_value(before, after)
    if (_CHANGED.search(older) and not negated) or _rejected(older) & _rejected(newer):
        return False
    probability = supersession_probability(before, after, cosine)
    too_far = cosine is not None and cosine < CHANGE_COSINE
    if too_far or probability < OUTRANKS or _has_other_subject(before, after):
        return False
    older_terms, newer_terms = _terms(older), _terms(newer)
    older_forms, newer_forms = ({term[2] for term in terms} for terms in (older_terms, newer_terms))
    lost = {_family(term) for term in older_terms if term[2] not in newer_forms}
    gained = {_family(term) for term in newer_terms if term[2] not in older_forms}
    cited = any(_family(term) for term in older_terms if term[2] in newer_forms)
    corroborated = cited and bool(gained - {""}) and (cosine or 0.0) >= ALIKE_COSINE
    if probability < OUTDATES and not corroborated and not (negated and probability > PARTLY):
        return False
    return (
        bool(_DENIALS & (newer_forms - older_forms))
        or bool(gained & (lost if not cited else {"figure", "name"}) - {""})
        or bool(_NOW.search(newer))
    )


def _has_other_subject(before: ParsedStatement, after: ParsedStatement) -> bool:
    """Return whether each text has a subject of its own, and they have few terms in common.

    A newer text whose subject is a single name ("X took over …") does not count.
    """
    only_before = before.subject & before.plain_terms - after.terms
    only_after = after.subject & after.plain_terms - before.terms
    alike = len(before.terms & after.terms) > MIN_ALIKE * len(before.terms)
    return bool(only_before and only_after) and len(after.subject) > 1 and not alike


def _rejected(text: str) -> set[str]:
    return {word.lower() for word in _REJECTED.findall(text)}


def _have_one_frame(older: str, newer: str) -> bool:
    """Return, by a cheap test, whether two texts could differ in one value only."""
    older_words, newer_words = set(older.lower().split()), set(newer.lower().split())
    return max(len(older_words - newer_words), len(newer_words - older_words)) <= MAX_APART


def _one_value_differs(older: str, newer: str) -> bool:
    """Return whether two texts differ only in one value or a negation."""
    before, value_a, value_b, after = _slots(_terms(older), _terms(newer))
    if not before:  # normalising a passive may move the value to the front: use the original order
        before, value_a, value_b, after = _slots(_as_written(older), _as_written(newer))
    if (
        _BESIDES.search(older)
        or _BESIDES.search(newer)
        or len(before) + len(after) < MIN_FRAME
        or max(len(value_a), len(value_b)) > MAX_SLOT
        or {term[2] for term in value_a}
        & {term[2] for term in value_b}  # they differ in several places
    ):
        return False
    words = {term[2] for term in (*value_a, *value_b)}
    if words & _DENIALS and words <= _DENIALS | _HELPERS and not (value_a and value_b):
        return True
    if _are_opposed(value_a, value_b):
        return bool(before) or bool(words & _HEADS)
    if not value_a or not value_b:
        return False
    return _in_predicate(before, after) and _is_value(value_a, value_b, before)


def _terms(text: str) -> list[Term]:
    read = read_statement(text, is_plain_english(text))
    return [term for term in read if term not in (PAUSE, BREAK)]


def _as_written(text: str) -> list[Term]:
    terms = read_terms(text, is_plain_english(text))
    return [
        Term("word", "be", "be", False) if term[2] in _IS else term
        for term in terms
        if term not in (PAUSE, BREAK) and term[2] not in vocabulary.ARTICLES
    ]


def _slots(
    left: list[Term], right: list[Term]
) -> tuple[list[Term], list[Term], list[Term], list[Term]]:
    """Return the common beginning, the differing middle of each side, and the common end."""
    shortest = min(len(left), len(right))
    start = 0
    while start < shortest and left[start][2] == right[start][2]:
        start += 1
    end = 0
    while end < shortest - start and left[-1 - end][2] == right[-1 - end][2]:
        end += 1
    return (
        left[:start],
        left[start : len(left) - end],
        right[start : len(right) - end],
        left[len(left) - end :],
    )


def _family(term: Term) -> str:
    """Return the family of a term as a value: ``figure``, ``name`` or empty."""
    if term[0] in _FIGURES:
        return "figure"
    return "name" if term[0] in _NAMES else ""


def _are_opposed(value_a: list[Term], value_b: list[Term]) -> bool:
    if len(value_a) != 1 or len(value_b) != 1:
        return False
    first, second = value_a[0][2], value_b[0][2]
    return any(
        table.get(first) == second or table.get(second) == first
        for table in (vocabulary.OPPOSITES, change.MORE_OPPOSITES)
    )


def _in_predicate(before: list[Term], after: list[Term]) -> bool:
    """Return whether the differing value is in the predicate, not in the subject."""
    if any(term[2] in change.SINGLE_VALUE_VERBS for term in before):
        return True
    return len(before) > 1 and not any(term[2] in change.SINGLE_VALUE_VERBS for term in after)


def _is_value(value_a: list[Term], value_b: list[Term], before: list[Term]) -> bool:
    """Return whether the two values exclude each other."""
    kinds = [{_family(term) for term in side} for side in (value_a, value_b)]
    if all(kind == {"figure"} for kind in kinds):
        return True
    named = any("name" in kind for kind in kinds) and all(
        "" not in kind or len(side) == 1
        for kind, side in zip(kinds, (value_a, value_b), strict=True)
    )
    words_before = {term[2] for term in before}
    return (
        named
        and bool(words_before & change.SINGLE_VALUE_VERBS)
        and not words_before & change.MULTI_VALUE_WORDS
    )
