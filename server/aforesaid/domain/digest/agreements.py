"""What the assistant restates as settled with the user: a decision and its terms in one text.

"Settled: at most 4 attempts, backoff capped at 30 seconds." A decision is often made over several
prompts ("four", "cap it at 30"), of which none says it all.
"""

from __future__ import annotations

from aforesaid.domain.model.transcript import ToolUse
from aforesaid.domain.value import Value

from .message_text import capitalise, sentences, strip_non_prose, without_end
from .sentence_classifier import (
    five_letter_stem,
    is_done,
    is_proposal,
    is_question,
    matches,
    phrase_pattern,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .reply_resolution import Exchange

MAX_CHARS = 600
_AMENDS = ' (amends: "'
#: Words with meaning of what was settled, by what opens it.
_MIN_WORDS = {"settled": 4, "acknowledgement": 6}
#: Share of its words that the conversation had before, since it restates.
_MIN_SHARED = {"settled": 0.2, "acknowledgement": 0.35}
_RESTATES = 0.5  #: of the words of an earlier agreement of the session: this one replaces it


class Agreement(Value):
    """A decision as the assistant restated it."""

    text: str
    at_ms: int
    amends: bool  #: whether it changes what was settled before


def find_agreements(exchanges: Iterable[Exchange]) -> list[Agreement]:
    """Return what was settled in a conversation, oldest first."""
    found: list[Agreement] = []
    said: set[str] = set()  # stems of what was said so far
    amends = False
    for exchange in exchanges:
        if exchange.prompt is not None and not exchange.prompt.command:
            said |= _stems(exchange.prompt.text)
            amends = amends or matches(exchange.prompt.text, "amendment")
        worked = any(isinstance(turn, ToolUse) for turn in exchange.turns)
        for answer in exchange.answers:
            text, kind = _settled(answer.text, is_plain=not worked)
            stems = _stems(text)
            if exchange.prompt is not None and stems and _share(stems, said) >= _MIN_SHARED[kind]:
                found = [each for each in found if _share(_stems(each.text), stems) < _RESTATES]
                has_amended = amends or matches(answer.text, "amendment")
                found.append(Agreement(text=text, at_ms=answer.at_ms, amends=has_amended))
            said |= _stems(answer.text)
    return found


def restates(text: str, agreement: str) -> bool:
    """Tell whether an agreement says what another text says, or most of it."""
    return shared_words(text, agreement) >= _RESTATES


def shared_words(text: str, agreement: str) -> float:
    """Return the share, 0 to 1, of a text's words with meaning that an agreement has."""
    return _share(_stems(text), _stems(agreement))


def with_earlier(agreement: str, earlier: str) -> str:
    """Return an agreement with what it amends, unless it restates that: the rest still holds."""
    if restates(earlier, agreement):
        return agreement
    return f'{agreement} (amends: "{earlier.partition(_AMENDS)[0]}")'


def _settled(answer: str, *, is_plain: bool) -> tuple[str, str]:
    """Return what an answer says is settled, and what opens it; empty if it settles nothing.

    An answer that ends with a question settles nothing yet.

    Args:
        answer: the assistant's.
        is_plain: whether nothing was done in the exchange. Otherwise "got it" opens a report of
            work, unless what follows is put as a rule.
    """
    told = sentences(strip_non_prose(answer))
    if told and (is_question(told[-1]) or told[-1].rstrip().endswith("?")):
        return "", ""
    patterns = {
        "settled": phrase_pattern("settled"),
        "acknowledgement": phrase_pattern("acknowledgement"),
    }
    for index, sentence in enumerate(told):
        for kind, pattern in patterns.items():
            if opening := pattern.match(sentence):
                text = _joined([sentence[opening.end() :].strip(), *told[index + 1 :]])
                is_rule = is_plain or kind == "settled" or _is_rule(text)
                if is_rule and len(words_of(text)) >= _MIN_WORDS[kind]:
                    return text, kind
    return "", ""


def _is_rule(text: str) -> bool:
    return matches(text, "rule_word") and not is_done(text)


def _joined(told: Sequence[str]) -> str:
    """Return as many sentences as state something and fit."""
    text = ""
    for sentence in told:
        longer = f"{text} {sentence}".strip()
        if len(longer) > MAX_CHARS or is_proposal(sentence) or is_question(sentence):
            break
        if matches(sentence, "narration", "future_work"):
            break
        text = longer
    return without_end(capitalise(text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(five_letter_stem, words_of(text)))


def _share(stems: frozenset[str], others: frozenset[str] | set[str]) -> float:
    return len(stems & others) / len(stems) if stems else 0.0
