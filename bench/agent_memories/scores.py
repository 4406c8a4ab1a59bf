"""How good answers to the set are: ranking, silence, precision, calibration, time.

Here: measures of one part, as plain figures. Not here: how they are shown (__main__.py), the
diagram (diagram.py).
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.agent_memories import AgentQuestion
from bench.retrieval.search_arms import UNCUT, by_hits, by_rrf, find_plain
from bench.timing import percentile

from aforesaid.services.recall.query import MAX_RESULTS, RecallQuery

if TYPE_CHECKING:
    from bench.agent_memories.dataset import Shelf

ARMS = ("ours", "BM25", "dense", "RRF")
RANKING = ("hit@1", "hit@3", "recall@5", "mrr")
BINS = 10
INJECTION_FLOOR = 0.7  #: minimum relevance for showing a memory without a query of the user
_AS_THE_TOOL = RecallQuery()
#: Settings that are asked for, each as a caller would.
SETTINGS: dict[str, RecallQuery] = {
    "uncut": _AS_THE_TOOL.replace(min_relevance=0.0),
    "default": _AS_THE_TOOL,
    "min_relevance=0.1": _AS_THE_TOOL.replace(min_relevance=0.1),
    "min_relevance=0.3": _AS_THE_TOOL.replace(min_relevance=0.3),
    "min_relevance=0.5": _AS_THE_TOOL.replace(min_relevance=0.5),
    "injection floor": _AS_THE_TOOL.replace(min_relevance=INJECTION_FLOOR),
}


@dataclass
class Sums:
    """Measures of answers, added up."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, **measured: float) -> None:
        """Add one question's measures."""
        for name, value in measured.items():
            self.values[name].append(value)

    def means(self) -> dict[str, float]:
        """Return the mean of each measure."""
        return {name: round(sum(all_) / len(all_), 4) for name, all_ in self.values.items()}


def score_part(shelf: Shelf, part: str) -> dict[str, Any]:
    """Return every figure of one part (``dev`` or ``test``)."""
    questions = [one for one in shelf.questions if one.part == part]
    _warm(shelf, questions)
    return {
        "questions": len(questions),
        "answerable": sum(bool(one.gold) for one in questions),
        "ranking": _rankings(shelf, questions),
        "settings": {
            f"{name}{', words only' if words_only else ''}": _settings(
                shelf, questions, asked, words_only=words_only
            )
            for words_only in (False, True)
            for name, asked in SETTINGS.items()
        },
        "calibration": {
            "with vectors": _calibration(shelf, questions, words_only=False),
            "words only": _calibration(shelf, questions, words_only=True),
        },
        "auc": {
            "with vectors": _separation(shelf, questions, words_only=False),
            "words only": _separation(shelf, questions, words_only=True),
        },
        "latency_ms": _latency(shelf, questions),
    }


def _warm(shelf: Shelf, questions: list[AgentQuestion]) -> None:
    """Have every question's vectors in the cache: their time is told by other benches."""
    for question in questions:
        shelf.ask(question, _AS_THE_TOOL)


def _rankings(shelf: Shelf, questions: list[AgentQuestion]) -> dict[str, dict[str, Any]]:
    """Return the ranking measures of each way to answer, by category and over all."""
    sums: dict[str, dict[str, Sums]] = {arm: defaultdict(Sums) for arm in ARMS}
    for question in questions:
        if not question.gold:
            continue
        ours = [one.memory.key for one in shelf.ask(question, UNCUT).results]
        found = find_plain(shelf.core, shelf.visible(question), question.text)
        ways = (ours, by_hits(found.words), by_hits(found.vectors), by_rrf(found))
        for arm, keys in zip(ARMS, ways, strict=True):
            measured = _ranked(shelf.ids(keys), question.gold)
            for name in ("all", question.category):
                sums[arm][name].add(**measured)
    return {
        arm: {
            name: {"questions": len(one.values["mrr"]), **one.means()}
            for name, one in sorted(each.items())
        }
        for arm, each in sums.items()
    }


def _ranked(ids: list[str], gold: tuple[str, ...]) -> dict[str, float]:
    places = [place for place, one in enumerate(ids) if one in gold]
    first = places[0] if places else len(ids) + MAX_RESULTS
    return {
        "hit@1": float(first < 1),
        "hit@3": float(first < 3),
        "recall@5": sum(place < 5 for place in places) / len(gold),
        "mrr": 1 / (first + 1) if places else 0.0,
    }


def _settings(
    shelf: Shelf, questions: list[AgentQuestion], asked: RecallQuery, *, words_only: bool
) -> dict[str, float]:
    """Return what one setting returns: precision, recall, silence, and how many results.

    ``precision`` is the mean over answerable questions that got anything; ``recall`` the mean
    share of gold among what came; both once more without paraphrases, which share no word with
    what answers. ``silent`` is the share of unanswerable questions that got nothing.
    """
    sums = Sums()
    for question in questions:
        answer = shelf.ask(question, asked, words_only=words_only)
        ids = shelf.ids([one.memory.key for one in answer.results])
        if not question.gold:
            sums.add(silent=float(not ids))
            sums.add(**{f"silent, {question.category}": float(not ids)})
            continue
        right = sum(one in question.gold for one in ids)
        plain = question.category != "paraphrase"
        measured = {
            "hit@3": float(any(one in question.gold for one in ids[:3])),
            "recall": right / len(question.gold),
            "results": float(len(ids)),
        }
        if ids:
            measured["precision"] = right / len(ids)
        sums.add(**measured)
        if plain:
            sums.add(**{f"{name}, no paraphrases": one for name, one in measured.items()})
    return sums.means()


def _calibration(
    shelf: Shelf, questions: list[AgentQuestion], *, words_only: bool
) -> dict[str, Any]:
    """Return, for bins of relevance, how many of five uncut results answer; and the mean error.

    ``ece`` is the expected calibration error: the mean distance between relevance and the share
    that answers, bins weighted by their results. Source: Naeini et al. 2015.
    """
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for question in questions:
        for one in shelf.ask(question, SETTINGS["uncut"], words_only=words_only).results:
            if one.relevance is not None:
                right = any(its in question.gold for its in shelf.ids([one.memory.key]))
                bins[min(int(one.relevance * BINS), BINS - 1)].append((one.relevance, right))
    shown = [
        {
            "results": len(each),
            "relevance": round(sum(said for said, _ in each) / len(each), 4),
            "answers": round(sum(right for _, right in each) / len(each), 4),
        }
        for each in bins
        if each
    ]
    total = sum(len(each) for each in bins)
    error = sum(one["results"] * abs(one["relevance"] - one["answers"]) for one in shown)
    return {"bins": shown, "ece": round(error / total, 4) if total else None}


def _separation(shelf: Shelf, questions: list[AgentQuestion], *, words_only: bool) -> float | None:
    """Return how often the likeliest result is likelier with an answer than without (the area).

    Ties count half; None where either kind of question is missing.
    """
    best: dict[bool, list[float]] = {True: [], False: []}
    for question in questions:
        found = shelf.ask(question, SETTINGS["uncut"], words_only=words_only).results
        best[bool(question.gold)].append(max((one.relevance or 0.0 for one in found), default=0.0))
    pairs = [(one, other) for one in best[True] for other in best[False]]
    if not pairs:
        return None
    won = sum(1.0 if one > other else 0.5 * (one == other) for one, other in pairs)
    return round(won / len(pairs), 4)


def _latency(shelf: Shelf, questions: list[AgentQuestion]) -> dict[str, float]:
    """Return how long recall takes at the default setting, without embedding the question."""
    taken = []
    for question in questions:
        began = time.perf_counter()
        shelf.ask(question, _AS_THE_TOOL)
        taken.append((time.perf_counter() - began) * 1e3)
    return {name: round(percentile(taken, share), 2) for name, share in _PERCENTILES}


_PERCENTILES = (("p50", 0.5), ("p95", 0.95))
