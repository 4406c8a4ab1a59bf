"""The probability that a user's sentence stays valid after the session.

A logistic regression of the sentence's vector, its phrases (lexicon/phrases), its place in the
message, and its words and pairs of words, hashed into slots. Trained on sentences of several
authors by ``python -m bench.remarks``, which prints the tables in lasting_weights.py. It applies to
vectors of the shipped model only. Source: docs/adr/0049-lasting-sentences.md.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, crc32
from math import log1p

from aforesaid.domain.logistic import logistic
from aforesaid.lexicon.phrases import PATTERNS

from . import sentence_classifier as sentences
from .lasting_weights import BIAS, FEATURES, MODEL, SLOT_STEP, SLOTS, VECTOR_STEP, VECTORS
from .memory_candidates import candidate_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Probability from which a sentence becomes a memory: .85 of those are right on held-out authors.
MIN_PROBABILITY = 0.7
MIN_DOUBTED = 0.3  #: below it, a sentence that the rules would keep is not kept
SLOT_COUNT = 1024
_MAX_CHARS, _MAX_WORDS = 300, 40
_TOKEN = re.compile(r"[^\W\d_']+(?:'[^\W\d_]+)?|\d+|[^\w\s]")
_vector_weights = memoryview(a2b_base64(VECTORS)).cast("b")
_slot_weights = memoryview(a2b_base64(SLOTS)).cast("b")


def lasting_features(sentence: str, index: int, count: int, *, answers: bool) -> dict[str, float]:
    """Return the features of a sentence besides its vector and words, each in [0, 5].

    Args:
        sentence: as the user wrote it.
        index: its place in the message, from 0.
        count: number of sentences in the message.
        answers: whether the message follows an answer of the assistant.
    """
    features = {name: float(sentences.matches(sentence, name)) for name in sorted(PATTERNS)}
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


def lasting_probability(
    sentence: str, vector: bytes, index: int, count: int, *, answers: bool
) -> float:
    """Return the probability, in [0, 1], that a sentence stays valid after the session.

    Args:
        sentence: as the user wrote it.
        vector: of the sentence, float32, by the model ``MODEL``.
        index: its place in the message, from 0.
        count: number of sentences in the message.
        answers: whether the message follows an answer of the assistant.
    """
    odds = BIAS
    for name, value in lasting_features(sentence, index, count, answers=answers).items():
        odds += FEATURES.get(name, 0.0) * value
    values = memoryview(vector).cast("f")
    odds += VECTOR_STEP * sum(
        value * weight for value, weight in zip(values, _vector_weights, strict=True)
    )
    odds += SLOT_STEP * sum(_slot_weights[slot] for slot in token_slots(sentence))
    return logistic(odds)


class SentenceJudge:
    """Judges which sentences last, with the vectors of an embedder."""

    def __init__(self, embedder: Callable[[], Any]) -> None:
        """Create a judge.

        Args:
            embedder: returns an ``Embedder``, or None while there is none.
        """
        self._embedder = embedder
        self._verdicts: dict[tuple[str, int, int, bool], bool | None] = {}

    def verdict(self, sentence: str, index: int, count: int, *, answers: bool) -> bool | None:
        """Return whether a sentence lasts; None if that is unclear, or there is no model to tell.

        The arguments are those of ``lasting_probability``.
        """
        key = (sentence, index, count, answers)
        if key not in self._verdicts:
            self._verdicts[key] = self._judge(*key)
        return self._verdicts[key]

    def _judge(self, sentence: str, index: int, count: int, answers: bool) -> bool | None:
        if sentences.is_question(sentence) or sentences.announces(sentence):
            return None
        embedder = self._embedder()
        if embedder is None or embedder.model != MODEL:
            return None
        vector = embedder.embed_document(sentence)[0]
        probability = lasting_probability(sentence, vector, index, count, answers=answers)
        if probability >= MIN_PROBABILITY:
            return True
        return False if probability < MIN_DOUBTED else None
