"""Judges whether a user's sentence stays valid after the session, and in all projects.

Two logistic regressions estimate whether a sentence lasts, and whether it is a wish for all
projects about how to answer or work. They read the sentence's vector, its phrases
(lexicon/phrases), its place in the message, and its words and pairs of words, hashed into slots.
They apply to vectors of the shipped model only. ``python -m bench.remarks`` trains them on
sentences of several authors, and writes lasting_weights.py and wish_weights.py. Source:
docs/adr/0049-lasting-sentences.md.
"""

from __future__ import annotations

from . import sentence_classifier as sentences
from .lasting_weights import LASTING, MODEL
from .sentence_model import SentenceModel, sentence_features
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
#: Probability of a wish from which a sentence holds in all projects: .8 of those do on held-out
#: authors. In the other projects of the user, a wrong one is worse than a missing one.
MIN_GLOBAL_WISH = 0.6
#: Probability from which a sentence is a wish about how to answer or work in all projects: it is
#: kept even if it is not likely enough to last, unless that is most unlikely. Six of ten sentences
#: added are right.
MIN_WISH, MIN_SURE_WISH, MIN_LASTING_WISH = 0.5, 0.7, 0.1


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
        vectors = self._vector_of(text), self._vector_of(other)
        if vectors[0] is None or vectors[1] is None:
            return None
        pairs = zip(*(memoryview(vector).cast("f") for vector in vectors if vector), strict=True)
        return float(sum(a * b for a, b in pairs))

    def _vector_of(self, text: str) -> bytes | None:
        """Return the vector of a text; None without a model."""
        embedder = self._embedder()
        if embedder is None or embedder.model != MODEL:
            return None
        if text not in self._vectors:
            self._vectors[text] = embedder.embed_document(text)[0]
        return self._vectors[text]

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
        vector = self._vector_of(sentence)
        if vector is None:
            return None
        features = sentence_features(sentence, index, count, answers=answers)
        lasting, wish = (model.probability(sentence, features, vector) for model in _models)
        return lasting, wish


def _is_wish(sentence: str, probabilities: tuple[float, float]) -> bool:
    """Tell whether a sentence wishes something for all projects, given what the models say.

    One about somebody else ("she wants ...") does not.
    """
    lasting, wish = probabilities
    likely = wish >= (MIN_WISH if lasting >= MIN_LASTING_WISH else MIN_SURE_WISH)
    is_of_moment = sentences.is_temporary(sentence)
    return likely and not is_of_moment and not sentences.matches(sentence, "leaning_person")
