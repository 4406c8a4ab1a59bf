"""What the query map is learned from: questions, and the texts nearest to each as vectors.

Examples are the development parts of bench/agent_memories and bench/prompts, and the sets that
``--data`` names. Reads no question of a test part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from bench.agent_memories import load, out_of_force
from bench.prompts import load_prompts
from bench.retrieval.data import Corpus, Query, read_set, set_name

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

FOLDS = 5
NEAREST = 60  #: texts of each question, of which one answers


@dataclass(frozen=True)
class Example:
    """One question with the texts nearest to it."""

    set_name: str
    fold: int
    question: np.ndarray  #: (dimensions,) float32, as the model gives it
    texts: np.ndarray  #: (NEAREST at most, dimensions) float32
    answers: np.ndarray  #: (the same,) bool; some are, some are not


def read_examples(paths: Sequence[str], embedder: Embedder) -> list[Example]:
    """Return the examples of our own sets and of these files."""
    found = [*_of_own(embedder)]
    for path in paths:
        corpora = read_set(path)
        for corpus, folds in zip(corpora, folds_of(corpora), strict=True):
            found += _of_corpus(set_name(path), corpus, folds, embedder)
    return found


def folds_of(corpora: Sequence[Corpus]) -> list[dict[str, int]]:
    """Return, for each corpus, the fold of each question by its text.

    Corpora stay whole; where there is but one, its questions are split.
    """
    if len(corpora) > 1:
        return [{query.text: _fold(corpus.name) for query in corpus.queries} for corpus in corpora]
    return [{query.text: _fold(query.id) for query in corpus.queries} for corpus in corpora]


def folds_of_own() -> dict[str, int]:
    """Return the fold of each question and prompt of our own by its text: projects stay whole."""
    asked = [(one.text, one.project) for one in load()[1] if one.part == "dev"]
    asked += [(one.text, one.project) for one in load_prompts("dev")]
    projects = sorted({str(project) for _text, project in asked})
    return {text: projects.index(str(project)) % FOLDS for text, project in asked}


def plain_vector(embedder: Embedder, text: str) -> np.ndarray:
    """Return a text's vector as the model gives it, without any map."""
    return np.frombuffer(embedder.embed_document(text)[0], "<f4")


def _of_own(embedder: Embedder) -> list[Example]:
    memories, questions = load()
    over = out_of_force(memories)
    kept = [one for one in memories if one.id not in over]
    vectors = np.stack([plain_vector(embedder, one.content) for one in kept])
    folds = folds_of_own()
    asked = [
        ("agent_memories", one.text, one.project, one.gold)
        for one in questions
        if one.part == "dev"
    ]
    asked += [("prompts", one.text, one.project, one.gold) for one in load_prompts("dev")]
    found = []
    for name, text, project, gold in asked:
        seen = [at for at, one in enumerate(kept) if one.project in {None, project}]
        answers = np.array([kept[at].id in gold for at in seen])
        found.append(_example(name, folds[text], text, vectors[seen], answers, embedder))
    return [one for one in found if one is not None]


def _of_corpus(
    name: str, corpus: Corpus, folds: dict[str, int], embedder: Embedder
) -> list[Example]:
    vectors = np.stack([plain_vector(embedder, one.text) for one in corpus.items])
    found = [
        _example(name, folds[query.text], query.text, vectors, _answers(corpus, query), embedder)
        for query in corpus.queries
    ]
    return [one for one in found if one is not None]


def _answers(corpus: Corpus, query: Query) -> np.ndarray:
    if query.gold:
        return np.array([item.id in query.gold for item in corpus.items])
    return np.array([item.session in query.gold_sessions for item in corpus.items])


def _example(
    name: str,
    fold: int,
    text: str,
    vectors: np.ndarray,
    answers: np.ndarray,
    embedder: Embedder,
) -> Example | None:
    """Return an example; None where nothing near answers, or all does."""
    question = plain_vector(embedder, text)
    near = np.argsort(-(vectors @ question), kind="stable")[:NEAREST]
    right = answers[near]
    if not right.any() or right.all():
        return None
    return Example(name, fold, question, vectors[near], right)


def _fold(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS
