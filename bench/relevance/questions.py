"""Labelled questions of several kinds of text, with the features of what recall answers.

The fit and its report: __main__.py.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.agent_memories import AgentMemory, AgentQuestion
from bench.agent_memories.dataset import Shelf
from bench.retrieval.__main__ import Library
from bench.retrieval.data import Corpus
from bench.retrieval.search_arms import UNCUT
from bench.stores import private_places

from aforesaid.ports import Clock, Embedder
from aforesaid.services.recall.query import RecallResult
from aforesaid.services.recall.recall import Recall

ANSWERED, FOREIGN, NEAR, NONE, WITHHELD = "answered", "foreign", "near", "none", "withheld"
FIRST = 20  #: results of each question that are learned from
MAX_QUESTIONS, MAX_FOREIGN = 900, 240  #: of one set of corpora
MIN_OF_CORPUS = 20


@dataclass(frozen=True)
class Asked:
    """The features of one question and of its first results.

    Attributes:
        kind: whether the store has an answer; FOREIGN: another project's question; NEAR: a tempting
            one; NONE: labelled so; WITHHELD: an answer that was forgotten.
        query: the features of the question.
        results: the features of each result, whether it answers, and its relevance in force.
        answered: the probability in force that anything answers.
    """

    kind: str
    query: dict[str, float]
    results: tuple[tuple[dict[str, float], bool, float], ...]
    answered: float


def ask_shelf(
    memories: Sequence[AgentMemory],
    questions: Sequence[AgentQuestion],
    embedder: Embedder,
    *,
    words_only: bool,
) -> list[Asked]:
    """Return the questions to agents' memories, answerable ones also with the answer forgotten."""
    asked = []
    with private_places() as folder:
        shelf = Shelf(folder, embedder, of=(tuple(memories), tuple(questions)))
        for question in questions:
            gold = set(question.gold)
            kind = ANSWERED if gold else question.category
            kind = kind if kind in {ANSWERED, FOREIGN, NEAR} else NONE
            answer = shelf.ask(question, UNCUT, words_only=words_only)
            asked.append(_read(kind, answer, gold, shelf.ids))
            if gold:
                answer = shelf.ask_without_answer(question, UNCUT, words_only=words_only)
                asked.append(_read(WITHHELD, answer, set(), shelf.ids))
        shelf.core.close()
    return asked


def ask_corpora(
    corpora: Sequence[Corpus], embedder: Embedder, clock: Clock, *, words_only: bool
) -> list[Asked]:
    """Return questions to documents or talk, each corpus in a store of its own.

    Each store is also asked questions of the other corpora.
    """
    asked = []
    with private_places() as folder:
        for corpus in corpora:
            library = Library(folder, corpus, embedder)
            recall = library.core.recall
            if words_only:
                recall = Recall(library.core.store, clock, lambda: None)
            for kind, query in _questions(corpus, corpora):
                answer = recall.recall(UNCUT.replace(query=query.text), library.place.visible)
                gold = set(query.gold) if kind == ANSWERED else set()
                asked.append(_read(kind, answer, gold, library.items))
            library.core.close()
    return asked


def _questions(corpus: Corpus, corpora: Sequence[Corpus]) -> Iterator[tuple[str, object]]:
    chance = random.Random(corpus.name)
    own = [query for query in corpus.queries if query.gold]
    others = [one for other in corpora if other is not corpus for one in other.queries]
    for kind, queries, limit in ((ANSWERED, own, MAX_QUESTIONS), (FOREIGN, others, MAX_FOREIGN)):
        count = min(max(limit // len(corpora), MIN_OF_CORPUS), len(queries))
        for query in chance.sample(queries, count):
            yield kind, query


def _read(
    kind: str, answer: RecallResult, gold: set[str], ids: Callable[[list[int]], list[str]]
) -> Asked:
    results = tuple(
        (
            {name: value for name, value in hit.signals.as_dict().items() if name != "names"},
            not gold.isdisjoint(ids([hit.memory.key])),
            hit.relevance or 0.0,
        )
        for hit in answer.results[:FIRST]
        if hit.signals is not None
    )
    query = {} if answer.signals is None else dict(answer.signals.as_dict())
    return Asked(kind, query, results, answer.answered or 0.0)
