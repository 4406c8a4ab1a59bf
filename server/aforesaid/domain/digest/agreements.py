"""Decisions that the assistant restates as settled with the user, with their terms in one text.

"Settled: at most 4 attempts, backoff capped at 30 seconds." A decision is often made over several
prompts ("four", "cap it at 30"), none of which states it in full.
"""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import ToolUse
from aforesaid.domain.value import Value

from .message_text import capitalise, sentences, strip_non_prose, without_end
from .sentence_classifier import (
    is_done,
    is_proposal,
    is_question,
    matches,
    phrase_pattern,
    stems_of,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .reply_resolution import Exchange

MAX_CHARS = 600
_AMENDS = ' (amends: "'
#: Minimum number of content words in an agreement, by the kind of its opening.
_MIN_WORDS = {"settled": 4, "acknowledgement": 6}
#: Minimum share of its words that occurred earlier in the conversation, since it restates.
_MIN_SHARED = {"settled": 0.2, "acknowledgement": 0.35}
_MIN_RESTATED_SHARE = (
    0.5  #: share of an earlier agreement's words with which a later one replaces it
)


class Agreement(Value):
    """A decision as the assistant restated it."""

    text: str
    at_ms: int
    amends: bool  #: whether it changes what was settled before


def find_agreements(exchanges: Iterable[Exchange]) -> list[Agreement]:
    """Return the agreements of a conversation, oldest first."""
    agreements: list[Agreement] = []
    earlier_stems: set[str] = set()  # stems of what was said so far
    amends = False
    for exchange in exchanges:
        if exchange.prompt is not None and not exchange.prompt.command:
            earlier_stems |= stems_of(exchange.prompt.text)
            amends = amends or matches(exchange.prompt.text, "amendment")
        used_tool = any(isinstance(turn, ToolUse) for turn in exchange.turns)
        for answer in exchange.answers:
            text, kind = _find_agreement(answer.text, is_plain=not used_tool)
            stems = stems_of(text)
            if (
                exchange.prompt is not None
                and stems
                and _share(stems, earlier_stems) >= _MIN_SHARED[kind]
            ):
                agreements = [
                    each
                    for each in agreements
                    if _share(stems_of(each.text), stems) < _MIN_RESTATED_SHARE
                ]
                has_amended = amends or matches(answer.text, "amendment")
                agreements.append(Agreement(text=text, at_ms=answer.at_ms, amends=has_amended))
            earlier_stems |= stems_of(answer.text)
    return agreements


def restates(text: str, agreement: str) -> bool:
    """Tell whether an agreement repeats another text, or most of it."""
    return shared_words(text, agreement) >= _MIN_RESTATED_SHARE


def shared_words(text: str, agreement: str) -> float:
    """Return the share, 0 to 1, of a text's content words that occur in an agreement."""
    return _share(stems_of(text), stems_of(agreement))


def with_earlier(agreement: str, earlier: str) -> str:
    """Return an agreement that quotes what it amends, unless it restates that."""
    if restates(earlier, agreement):
        return agreement
    return f'{agreement} (amends: "{earlier.partition(_AMENDS)[0]}")'


def _find_agreement(answer: str, *, is_plain: bool) -> tuple[str, str]:
    """Return the agreement in an answer, and the kind of its opening; empty if there is none.

    An answer that ends with a question settles nothing yet.

    Args:
        answer: of the assistant.
        is_plain: whether no tool was used in the exchange. Otherwise "got it" opens a report of
            work, unless what follows is worded as a rule.
    """
    statements = sentences(strip_non_prose(answer))
    if statements and (is_question(statements[-1]) or statements[-1].rstrip().endswith("?")):
        return "", ""
    patterns = {
        "settled": phrase_pattern("settled"),
        "acknowledgement": phrase_pattern("acknowledgement"),
    }
    for index, sentence in enumerate(statements):
        for kind, pattern in patterns.items():
            if opening := pattern.match(sentence):
                text = _joined([sentence[opening.end() :].strip(), *statements[index + 1 :]])
                is_rule = is_plain or kind == "settled" or _is_rule(text)
                if is_rule and len(words_of(text)) >= _MIN_WORDS[kind]:
                    return text, kind
    return "", ""


def _is_rule(text: str) -> bool:
    return matches(text, "rule_word") and not is_done(text)


def _joined(statements: Sequence[str]) -> str:
    """Return the first sentences, as far as they state something and fit."""
    text = ""
    for statement in statements:
        sentence = _without_address(statement)
        longer = f"{text} {sentence}".strip()
        if len(longer) > MAX_CHARS or is_proposal(sentence) or is_question(sentence):
            break
        if matches(sentence, "narration", "future_work"):
            break
        text = longer
    return without_end(capitalise(text))


def _without_address(sentence: str) -> str:
    """Return a sentence without what is meant for now: "you" is the agent if read later.

    "Nothing is committed" is true only until the session ends.
    """
    clauses = re.split(r";\s+", sentence)
    return "; ".join(
        clause
        for clause in clauses
        if not re.search(r"(?i)\byou(?:r|rs)?\b", clause) and not matches(clause, "session_state")
    )


def _share(stems: frozenset[str], others: frozenset[str] | set[str]) -> float:
    return len(stems & others) / len(stems) if stems else 0.0
