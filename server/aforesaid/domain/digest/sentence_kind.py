"""Decides the kind of a user's sentence, given the exchange before it."""

from __future__ import annotations

from aforesaid.domain.digest import memory_candidates as candidates
from aforesaid.domain.digest import reply_resolution as replies
from aforesaid.domain.digest import sentence_classifier as sentences
from aforesaid.domain.digest.phrase_patterns import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.digest.exchanges import Exchange


def kind_of(sentence: str, before: Exchange | None, *, denied: bool) -> tuple[str, float]:
    """Return kind and weight of a user's sentence; the weight of a mere "don't" is 0."""
    first = before is None
    has_words = len(sentences.words_of(sentence)) > 1
    plain = first and sentences.is_plain_fact(sentence)
    kinds = (
        ("correction", 0.9, corrects(sentence, before, denied=denied)),
        ("decision", 0.95, sentences.is_stated_decision(sentence) or sentences.is_choice(sentence)),
        ("preference", 0.9, sentences.is_rule(sentence) and not sentences.is_temporary(sentence)),
        ("decision", 0.9, has_words and sentences.is_decision(sentence)),
        ("open", 0.8, matches(sentence, "later")),
        ("fact", 0.8, not plain and sentences.is_fact(sentence)),
        ("correction", 0.9, redirects(sentence, before)),
        ("correction", 0.0, not first and sentences.forbids(sentence)),
    )
    return next(((kind, weight) for kind, weight, holds in kinds if holds), ("", 0.0))


def corrects(sentence: str, before: Exchange | None, *, denied: bool) -> bool:
    """Tell whether a user's sentence corrects something; in a first prompt, only by a denial."""
    if denied or sentences.starts_with_denial(sentence):
        return True
    if before is None or sentences.is_correction(sentence):
        return before is not None
    return not sentences.is_order(sentence) and replies.rejects_value(sentence, before.last_answers)


def redirects(sentence: str, before: Exchange | None) -> bool:
    """Tell whether a user's sentence lastingly uses one thing instead of another."""
    bare = sentences.strip_opening(sentence)
    return sentences.uses(bare) and candidates.changes_tool_or_value(
        sentence, answers=bool(corrected_sentence(bare, before))
    )


def corrected_sentence(correction: str, before: Exchange | None) -> str:
    """Return the assistant's sentence that a correction corrects, empty if that is unclear."""
    if before is None:
        return ""
    return replies.find_corrected_sentence(correction, before.last_answers)
