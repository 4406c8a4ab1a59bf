"""Judges whether a user's sentence stays valid after the session, and in all projects.

Two logistic regressions estimate whether a sentence lasts, and whether it is a wish for all
projects about how to answer or work. They read the sentence's vector, its phrases
(lexicon/phrases), its place in the message, and its words and pairs of words, hashed into slots.
They apply to vectors of the shipped model only. ``python -m bench.remarks`` trains them on
sentences of several authors, and writes lasting_weights.py and wish_weights.py. Source:
docs/adr/0049-lasting-sentences.md.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, crc32
from math import log1p

from aforesaid.domain.logistic import logistic
from aforesaid.lexicon.phrases import PATTERNS

from . import sentence_classifier as sentences
from .lasting_weights import LASTING, MODEL
from .memory_candidates import candidate_of
from .wish_weights import WISH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Probability from which a sentence becomes a memory: .75 of those are right on held-out authors.
MIN_PROBABILITY = 0.55
#: Below it, a sentence that the rules would keep is not kept; the second is for three words.
MIN_DOUBTED, MIN_DOUBTED_SHORT = 0.3, 0.5
_MIN_WORDS = 4
SLOT_COUNT = 1024
#: Phrases that tell of the session or of other sentences, not whether a sentence lasts.
_NO_FEATURES = frozenset(
    ("addition", "approval", "asks_for", "change", "condition", "consent", "dated", "existence",
     "for_now",
     "near_day", "next_move", "only_defers", "only_open", "own_report", "own_step", "past_day",
     "postpones", "prelude", "present_situation", "refusal", "session_state", "speaker",
     "speakers", "would_do")
)  # fmt: skip
_MAX_CHARS, _MAX_WORDS = 300, 40
_TOKEN = re.compile(r"[^\W\d_']+(?:'[^\W\d_]+)?|\d+|[^\w\s]")
#: Probability of a wish from which a sentence holds in all projects: .8 of those do on held-out
#: authors. In the other projects of the user, a wrong one is worse than a missing one.
MIN_GLOBAL_WISH = 0.6
#: Probability from which a sentence is a wish about how to answer or work in all projects: it is
#: kept even if it is not likely enough to last, unless that is most unlikely. Six of ten sentences
#: added are right.
MIN_WISH, MIN_SURE_WISH, MIN_LASTING_WISH = 0.5, 0.7, 0.1


def lasting_features(sentence: str, index: int, count: int, *, answers: bool) -> dict[str, float]:
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

    def __init__(self, weights: tuple[float, dict[str, float], float, str, float, str]) -> None:
        """Create a model from a table of lasting_weights.py."""
        self._bias, self._features, self._vector_step, vector, self._slot_step, slots = weights
        self._vector = memoryview(a2b_base64(vector)).cast("b")
        self._slots = memoryview(a2b_base64(slots)).cast("b")

    def probability(
        self, sentence: str, vector: bytes, index: int, count: int, *, answers: bool
    ) -> float:
        """Return the probability, in [0, 1], of what the model tells of a sentence.

        Args:
            sentence: as the user wrote it.
            vector: of the sentence, float32, by the model ``MODEL``.
            index: its place in the message, from 0.
            count: number of sentences in the message.
            answers: whether the message follows an answer of the assistant.
        """
        odds = self._bias
        for name, value in lasting_features(sentence, index, count, answers=answers).items():
            odds += self._features.get(name, 0.0) * value
        values = memoryview(vector).cast("f")
        odds += self._vector_step * sum(
            value * weight for value, weight in zip(values, self._vector, strict=True)
        )
        odds += self._slot_step * sum(self._slots[slot] for slot in token_slots(sentence))
        return logistic(odds)


_models = tuple(SentenceModel(table) for table in (LASTING, WISH))


class SentenceJudge:
    """Judges which sentences last, with the vectors of an embedder."""

    def __init__(self, embedder: Callable[[], Any]) -> None:
        """Create a judge.

        Args:
            embedder: returns an ``Embedder``, or None while there is none.
        """
        self._embedder = embedder
        self._vectors: dict[str, bytes] = {}
        self._probabilities: dict[tuple[str, int, int, bool], tuple[float, float] | None] = {}

    def verdict(self, sentence: str, index: int, count: int, *, answers: bool) -> bool | None:
        """Return whether a sentence lasts; None if that is unclear, or there is no model to tell.

        Args:
            sentence: as the user wrote it.
            index: its place in the message, from 0.
            count: number of sentences in the message.
            answers: whether the message follows an answer of the assistant.
        """
        probabilities = self._probabilities_of(sentence, index, count, answers)
        if probabilities is None:
            return None
        probability = probabilities[0]
        if probability >= MIN_PROBABILITY or _is_wish(sentence, probabilities):
            return True
        is_short = len(sentence.split()) < _MIN_WORDS
        return False if probability < (MIN_DOUBTED_SHORT if is_short else MIN_DOUBTED) else None

    def probability(self, sentence: str, index: int, count: int, *, answers: bool) -> float | None:
        """Return the probability that a sentence lasts; None for questions, or without a model.

        The arguments are those of ``verdict``.
        """
        probabilities = self._probabilities_of(sentence, index, count, answers)
        return None if probabilities is None else probabilities[0]

    def is_personal(self, sentence: str, index: int, count: int, *, answers: bool) -> bool | None:
        """Return whether a lasting sentence holds in all projects; None without a model.

        The arguments are those of ``verdict``.
        """
        probabilities = self._probabilities_of(sentence, index, count, answers)
        if probabilities is None:
            return None
        return probabilities[1] >= MIN_GLOBAL_WISH

    def cosine(self, text: str, other: str) -> float | None:
        """Return the cosine of two texts; None without a model."""
        embedder = self._embedder()
        if embedder is None or embedder.model != MODEL:
            return None
        for one in (text, other):
            if one not in self._vectors:
                self._vectors[one] = embedder.embed_document(one)[0]
        pairs = zip(
            *(memoryview(self._vectors[one]).cast("f") for one in (text, other)), strict=True
        )
        return float(sum(a * b for a, b in pairs))

    def _probabilities_of(
        self, sentence: str, index: int, count: int, answers: bool
    ) -> tuple[float, float] | None:
        key = (sentence, index, count, answers)
        if key not in self._probabilities:
            self._probabilities[key] = self._judge(*key)
        return self._probabilities[key]

    def _judge(
        self, sentence: str, index: int, count: int, answers: bool
    ) -> tuple[float, float] | None:
        if sentences.is_question(sentence) or sentences.announces(sentence):
            return None
        embedder = self._embedder()
        if embedder is None or embedder.model != MODEL:
            return None
        vector = embedder.embed_document(sentence)[0]
        lasting, wish = (
            model.probability(sentence, vector, index, count, answers=answers) for model in _models
        )
        return lasting, wish


def _is_wish(sentence: str, probabilities: tuple[float, float]) -> bool:
    """Tell whether a sentence wishes something for all projects, given what the models say.

    One about somebody else ("she wants ...") does not.
    """
    lasting, wish = probabilities
    likely = wish >= (MIN_WISH if lasting >= MIN_LASTING_WISH else MIN_SURE_WISH)
    is_of_moment = sentences.is_temporary(sentence)
    return likely and not is_of_moment and not sentences.matches(sentence, "leaning_person")
