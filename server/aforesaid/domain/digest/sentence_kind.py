"""What a user's sentence is: a correction, decision, preference, fact, or something for later.

Here: the kind, with what the agent said before in view. Not here: phrases (sentence_classifier.py),
what becomes of the sentence (statement_extractor.py).
"""

from __future__ import annotations

from aforesaid.domain.digest import memory_candidates as candidates
from aforesaid.domain.digest import reply_resolution as replies
from aforesaid.domain.digest import sentence_classifier as sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.digest.exchanges import Exchange


def kind_of(sentence: str, before: Exchange | None, *, denied: bool) -> tuple[str, float]:
    """Return what a user's sentence is, and its weight; of a mere "don't" the weight is 0."""
    first = before is None
    told = len(sentences.words_of(sentence)) > 1
    plain = first and sentences.is_plain_fact(sentence)
    kinds = (
        ("correction", 0.9, corrects(sentence, before, denied=denied)),
        ("decision", 0.95, sentences.is_decided(sentence) or sentences.is_choice(sentence)),
        ("preference", 0.9, sentences.is_rule(sentence) and not sentences.is_temporary(sentence)),
        ("decision", 0.9, told and sentences.is_decision(sentence)),
        ("open", 0.8, sentences.is_for_later(sentence)),
        ("fact", 0.8, not plain and sentences.is_fact(sentence)),
        ("correction", 0.9, redirects(sentence, before)),
        ("correction", 0.0, not first and sentences.forbids(sentence)),
    )
    return next(((kind, weight) for kind, weight, holds in kinds if holds), ("", 0.0))


def corrects(sentence: str, before: Exchange | None, *, denied: bool) -> bool:
    """Tell whether a user's sentence puts something right; a first one must say so itself."""
    if denied or sentences.starts_with_denial(sentence):
        return True
    if before is None or sentences.is_correction(sentence):
        return before is not None
    return not sentences.is_order(sentence) and replies.rejects_value(sentence, before.told)


def redirects(sentence: str, before: Exchange | None) -> bool:
    """Tell whether a user's sentence has one thing used instead of another, as it lasts."""
    told = sentences.strip_opening(sentence)
    return sentences.uses(told) and candidates.changes_tool_or_value(
        sentence, answers=bool(corrected_sentence(told, before))
    )


def corrected_sentence(corrected: str, before: Exchange | None) -> str:
    """Return the agent's sentence before, if exactly this is what a correction puts right."""
    return replies.find_corrected_sentence(corrected, before.told) if before is not None else ""
