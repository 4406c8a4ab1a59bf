"""How likely a sentence of a later conversation makes an earlier statement outdated.

"No deploys on Fridays" is overtaken by "they pack on Thursdays now, so Fridays are fine". An open
end is overtaken by what was done about it. Nothing is superseded on this evidence: sessions are
only no longer shown what was overtaken. The weights come from ``python -m bench.overtaken``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from aforesaid.domain.model.transcript import Prompt
from aforesaid.domain.value import Value
from aforesaid.lexicon import overtaken as lexicon

from . import overtaken_weights as weights
from .memory_candidates import CORRECTION, FACT, PREFERENCE, RULE
from .message_text import sentences
from .reply_resolution import exchanges_of
from .sentence_classifier import (
    announces,
    asks_to_remember,
    five_letter_stem,
    is_done,
    is_question,
    matches,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from aforesaid.domain.model.transcript import AssistantTurn, Conversation

#: Log-odds from which a sentence overtakes a statement of a memory, by who says so; an open end;
#: and a report, which is then marked. Chosen on authors left out (``bench.overtaken``).
LEAST = {"user": 0.0, "commit": 0.0, "assistant": 0.9}
LEAST_OPEN, LEAST_REPORT = 0.2, 1.0
USER, ASSISTANT, COMMIT = "user", "assistant", "commit"
#: Kinds of statements: of a memory, an open end of a session, a report of what a session did.
STATED, OPEN_END, REPORT = "stated", "open end", "report"
_MAX_SHARED, _MAX_ENDED = 5, 3
_ALIKE = 0.8  #: share of the words of both that a sentence and its repetition have in common
_MIN_REPAIRED = 0.2  #: share of a defect's words that the report of its repair has
_ASKED = frozenset((RULE, PREFERENCE, CORRECTION))

_CHANGES = re.compile(rf"\b(?:{lexicon.CHANGES})\b", re.IGNORECASE)
_ENDED_AFTER = re.compile(
    rf"\b(?:{lexicon.ENDS_BEFORE})\s+((?:[^\s,;.!?]+\s?){{1,4}})", re.IGNORECASE
)
_ENDED_BEFORE = re.compile(
    r"((?:[^\s,;.!?]+ ){1,4})(?:is|are|was|were|has|have|had)? ?(?:now |been |finally |already )?"
    rf"(?:{lexicon.ENDS_AFTER})",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(rf"\b(?:{lexicon.UNFINISHED})\b", re.IGNORECASE)
_DEFECT = re.compile(rf"\b(?:{lexicon.DEFECTS})\b", re.IGNORECASE)
_DAY = re.compile(rf"\b(?:{lexicon.DAYS})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d[\d.,:]*")
#: Places in files, which an answer names whatever it is about.
_PLACE = re.compile(r"[\w./-]*\w\.\w{1,5}:\d+(?:-\d+)?|[\w.-]+/[\w./-]+")
_PARTS = re.compile(r"[_\-/.:]")


class Later(Value):
    """A sentence of a later conversation."""

    text: str
    by: str
    at_ms: int
    before: str = ""  #: the sentence before it, of the same message


class Claim(Value):
    """A statement that may have been overtaken."""

    text: str
    kind: str = STATED
    category: str = ""  #: of the memory, see memory_candidates.py
    is_earlier: bool = True  #: whether it is of an earlier session


def later_sentences(conversation: Conversation, commits: Iterable[str]) -> list[Later]:
    """Return the sentences of a conversation that may overtake something, and its commits.

    Of the assistant, only what it wrote last before the user's next message: its reports.

    Args:
        conversation: of one session.
        commits: subjects of the commits made in it.
    """
    return [
        *(
            sentence
            for exchange in exchanges_of(conversation)
            for turn in (exchange.prompt, *exchange.answers[-1:])
            if turn is not None
            for sentence in _sentences_of(turn)
        ),
        *(Later(text=commit, by=COMMIT, at_ms=conversation.ended_ms) for commit in commits),
    ]


def _sentences_of(turn: Prompt | AssistantTurn) -> Iterator[Later]:
    before = ""
    by = USER if isinstance(turn, Prompt) else ASSISTANT
    for sentence in sentences(turn.text.split("\n")):
        if not is_question(sentence) and not announces(sentence):
            yield Later(text=sentence, by=by, at_ms=turn.at_ms, before=before)
        before = sentence


def overtaken_margin(
    claim: Claim, later: Later, cosine: Callable[[str, str], float | None]
) -> float | None:
    """Return by how much a later sentence is likely enough to overtake a statement.

    Below 0, it does not; None if they have nothing in common.

    Args:
        claim: the statement.
        later: the sentence.
        cosine: of two texts.
    """
    features = overtaken_features(claim, later, cosine)
    if features is None:
        return None
    odds = weights.BIAS + sum(weights.WEIGHTS[name] * value for name, value in features.items())
    return odds - least_log_odds(claim.kind, later.by)


def repairs(claim: Claim, later: Later) -> bool:
    """Tell whether the assistant reports that it repaired the defect that a statement is about.

    Args:
        claim: the statement.
        later: a sentence of a report after the change.
    """
    report = _PLACE.sub(" ", f"{later.before} {later.text}")
    if claim.category != FACT or later.by != ASSISTANT or not is_done(report):
        return False
    if _DEFECT.search(claim.text) is None or asks_to_remember(claim.text):
        return False
    if _UNFINISHED.search(later.text) is not None:
        return False
    words = stems(claim.text)
    return len(words & stems(report)) >= max(1, len(words) * _MIN_REPAIRED)


def least_log_odds(kind: str, by: str) -> float:
    """Return the log-odds from which a sentence overtakes a statement.

    Args:
        kind: of the statement.
        by: who says the sentence.
    """
    return {OPEN_END: LEAST_OPEN, REPORT: LEAST_REPORT}.get(kind, LEAST[by])


def overtaken_features(
    claim: Claim, later: Later, cosine: Callable[[str, str], float | None]
) -> dict[str, float] | None:
    """Return the features of a statement and a later sentence; None if nothing is in common.

    What the user asked for is overtaken by the user and by commits only. A repetition overtakes
    nothing, nor does a proposal of the assistant. The arguments are those of ``overtaken_margin``.
    """
    if later.by == ASSISTANT and (
        claim.category in _ASKED or matches(later.text, "proposal", "would_do")
    ):
        return None
    text = _PLACE.sub(" ", later.text) if later.by == ASSISTANT else later.text
    words, new_words = stems(claim.text), stems(text)
    shared = words & new_words
    if not shared and not words & stems(later.before):
        return None
    if len(shared) >= _ALIKE * max(len(words), len(new_words)):
        return None
    like = cosine(claim.text, text)
    if like is None:
        return None
    whole = cosine(claim.text, f"{later.before} {text}") or 0.0 if later.before else 0.0
    numbers, new_numbers = set(_NUMBER.findall(claim.text)), set(_NUMBER.findall(text))
    changes = _CHANGES.search(text) is not None
    other_number = bool(numbers and new_numbers - numbers and (numbers & new_numbers or changes))
    return {
        "like": like,
        "like with context": max(like, whole),
        "like and changes": like * changes,
        "shared": float(min(len(shared), _MAX_SHARED)),
        "share": len(shared) / len(words),
        "ended": float(min(len(_ended(text) & words), _MAX_ENDED)),
        "other number": float(other_number),
        "days": float(bool(_DAY.search(claim.text) and _DAY.search(text))),
        "unfinished": float(_UNFINISHED.search(claim.text) is not None),
        "open end": float(claim.kind == OPEN_END),
        "open end, like": like * (claim.kind == OPEN_END),
        "open end, shared": float(min(len(shared), _MAX_SHARED) * (claim.kind == OPEN_END)),
        "commit": float(later.by == COMMIT),
        "same session": float(not claim.is_earlier),
    }


@lru_cache(maxsize=4000)
def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, and of the parts of its identifiers."""
    words = [word.strip(".") for word in words_of(text)]
    parts = [part for word in words for part in (word, *_PARTS.split(word))]
    return frozenset(five_letter_stem(part) for part in parts if len(part) > 1)


def _ended(text: str) -> frozenset[str]:
    """Return the stems of what a sentence says has ended ("forget the docker compose thing")."""
    return stems(" ".join((*_ENDED_AFTER.findall(text), *_ENDED_BEFORE.findall(text))))
