"""Logistic regressions on one sentence: its phrases, its place, its words and perhaps its vector.

Words and pairs of words are hashed into slots. Which questions such models answer: lasting.py and
open_ends.py.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, crc32
from math import log1p

from aforesaid.domain.logistic import logistic
from aforesaid.lexicon.phrases import PATTERNS

from . import sentence_classifier as sentences
from .memory_candidates import candidate_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    #: Bias, weights of features, and of the vector and the slots a step and int8 in units of it.
    Weights = tuple[float, dict[str, float], float, str, float, str]

SLOT_COUNT = 1024
#: Phrases that tell of the session or of other sentences, not whether a sentence lasts.
_NO_FEATURES = frozenset(
    ("addition", "approval", "asks_for", "asks_to_solve", "change", "condition", "consent",
     "dated", "existence", "for_now",
     "near_day", "next_move", "only_defers", "only_open", "own_report", "own_step", "past_day",
     "postpones", "prelude", "present_situation", "refusal", "session_state", "speaker",
     "speakers", "would_do")
)  # fmt: skip
_MAX_CHARS, _MAX_WORDS = 300, 40
_TOKEN = re.compile(r"[^\W\d_']+(?:'[^\W\d_]+)?|\d+|[^\w\s]")


def sentence_features(sentence: str, index: int, count: int, *, answers: bool) -> dict[str, float]:
    """Return the features of a sentence besides its vector and words, each in [0, 5].

    Args:
        sentence: as the user wrote it.
        index: its place in the message, from 0.
        count: number of sentences in the message.
        answers: whether the message follows an answer of the assistant.
    """
    names = sorted(PATTERNS.keys() - _NO_FEATURES)
    features = {name: float(sentences.matches(sentence, name)) for name in names}
    return features | {
        "by rule": float(candidate_of(sentence, 0) is not None),
        "is question": float(sentences.is_question(sentence)),
        "is order": float(sentences.is_order(sentence)),
        "is temporary": float(sentences.is_temporary(sentence)),
        "announces": float(sentences.announces(sentence)),
        "is fact": float(sentences.is_fact(sentence)),
        "is rule": float(sentences.is_rule(sentence)),
        "is choice": float(sentences.is_choice(sentence)),
        "is decision": float(sentences.is_stated_decision(sentence)),
        "names thing": float(sentences.names_thing(sentence)),
        "uses": float(sentences.uses(sentence)),
        "denies": float(sentences.starts_with_denial(sentence)),
        "chars": min(len(sentence), _MAX_CHARS) / _MAX_CHARS,
        "words": min(len(sentence.split()), _MAX_WORDS) / _MAX_WORDS,
        "digits": float(any(char.isdigit() for char in sentence)),
        "first": float(index == 0),
        "last": float(index == count - 1),
        "count": log1p(count),
        "answers": float(answers),
    }


def token_slots(sentence: str) -> list[int]:
    """Return the slots of a sentence's words and pairs of words; numbers are alike."""
    tokens = ["0" if token.isdigit() else token for token in _TOKEN.findall(sentence.lower())]
    pairs = zip(["^", *tokens], [*tokens, "$"], strict=True)
    names = {*tokens, *(f"{first} {second}" for first, second in pairs)}
    return sorted({crc32(name.encode()) % SLOT_COUNT for name in names})


class SentenceModel:
    """One logistic regression, with its weights unpacked."""

    def __init__(self, weights: Weights) -> None:
        """Create a model from a table that ``bench.remarks`` or ``bench.open_ends`` wrote."""
        self._bias, self._features, self._vector_step, vector, self._slot_step, slots = weights
        self._vector = memoryview(a2b_base64(vector)).cast("b")
        self._slots = memoryview(a2b_base64(slots)).cast("b")

    def probability(
        self, sentence: str, features: Mapping[str, float], vector: bytes = b""
    ) -> float:
        """Return the probability, in [0, 1], of what the model tells of a sentence.

        Args:
            sentence: as it was written.
            features: those that the model was fitted on.
            vector: of the sentence, float32, by the model ``MODEL``; empty if the model reads none.
        """
        odds = self._bias
        for name, value in features.items():
            odds += self._features.get(name, 0.0) * value
        values = memoryview(vector).cast("f")
        odds += self._vector_step * sum(
            value * weight for value, weight in zip(values, self._vector, strict=True)
        )
        odds += self._slot_step * sum(self._slots[slot] for slot in token_slots(sentence))
        return logistic(odds)
