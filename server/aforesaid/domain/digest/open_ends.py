"""Tells whether a sentence of the assistant leaves something to do, or to repair, after a session.

Phrases suggest it, and a logistic regression on phrases, place and words confirms it. ``python -m
bench.open_ends --write`` fits it on messages of several authors: open_end_weights.py.
"""

from __future__ import annotations

from . import sentence_classifier as sentences
from .open_end_weights import OPEN_END
from .sentence_model import SentenceModel, sentence_features

#: Probability below which a sentence that has the phrases leaves nothing open.
#: Source: docs/adr/0049-lasting-sentences.md.
MIN_PROBABILITY = 0.7

_model = SentenceModel(OPEN_END)


def open_features(sentence: str, index: int, count: int) -> dict[str, float]:
    """Return the features of a sentence besides its words.

    Args:
        sentence: as the assistant wrote it.
        index: its place in the message, from 0.
        count: number of sentences in the message.
    """
    return sentence_features(sentence, index, count, answers=False) | {
        "only open": float(sentences.matches(sentence, "only_open")),
        "is open": float(sentences.is_open(sentence)),
        "is done": float(sentences.is_done(sentence)),
        "proposes": float(sentences.is_proposal(sentence)),
    }


def leaves_open(sentence: str, index: int, count: int) -> bool:
    """Tell whether a sentence that has the phrases (``is_open``) leaves something open.

    One that is labelled ("Left open: ...") does. The arguments are those of ``open_features``.
    """
    if sentences.strip_open_label(sentence) != sentence:
        return True
    features = open_features(sentence, index, count)
    return _model.probability(sentence, features) >= MIN_PROBABILITY
