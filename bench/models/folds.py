"""Folds of labelled questions: what a reranker is trained on, and what is held out from it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from bench.agent_memories import load
from bench.prompts import load_prompts
from bench.retrieval.data import Corpus

FOLDS = 5


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


def _fold(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS
