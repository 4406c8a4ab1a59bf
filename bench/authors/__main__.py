"""Score recall, relevance and recall at the prompt on each author's texts.

Run from the root of the repository: ``python -m bench.authors``. Each author's memories are one
store; beside the author's own questions and prompts it is asked those of the next author, which
nothing in it answers.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from typing import TYPE_CHECKING

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories.dataset import Shelf  # noqa: E402
from bench.authors import (  # noqa: E402
    Author,
    author_names,
    foreign_prompts,
    foreign_questions,
    load_author,
)
from bench.prompts.asking import Asking  # noqa: E402
from bench.retrieval.search_arms import UNCUT, by_hits, by_rrf, find_plain  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.timing import describe_machine  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

if TYPE_CHECKING:
    from bench.agent_memories import AgentQuestion
    from bench.prompts import LabelledPrompt

    from aforesaid.ports import Embedder

BINS = 10
TOP = 5  #: results of each question whose relevance is compared with the truth


def score_author(author: Author, other: Author, embedder: Embedder) -> dict[str, float]:
    """Return every measure of one author's texts."""
    with private_places() as folder:
        shelf = Shelf(folder, embedder, of=(author.memories, author.questions))
        try:
            return {
                **_recall(shelf, foreign_questions(author, other)),
                **_prompts(shelf, author, foreign_prompts(author, other)),
            }
        finally:
            shelf.core.close()


def _recall(shelf: Shelf, foreign: list[AgentQuestion]) -> dict[str, float]:
    hits: dict[str, list[bool]] = {}
    relevance: list[tuple[float, bool]] = []
    best: dict[str, list[tuple[float, float]]] = {}  # by category: relevance, cosine
    for question in [*shelf.questions, *foreign]:
        found = find_plain(shelf.core, shelf.visible(question), question.text)
        results = shelf.ask(question, UNCUT).results
        top_cosine = max((hit.score for hit in found.vectors), default=0.0)
        top = max((one.relevance or 0.0 for one in results), default=0.0)
        best.setdefault(question.category, []).append((top, top_cosine))
        if question.category == "near":
            continue  # another memory of the project may answer it
        ranked = [shelf.ids([one.memory.key]) for one in results]
        relevance += [
            (one.relevance or 0.0, not set(question.gold).isdisjoint(ids))
            for one, ids in zip(results[:TOP], ranked, strict=False)
        ]
        if question.gold:
            ways = {
                "ours": [one.memory.key for one in results],
                "BM25": by_hits(found.words),
                "dense": by_hits(found.vectors),
                "RRF": by_rrf(found),
            }
            for way, keys in ways.items():
                ids = shelf.ids(keys)
                for depth in (1, 3):
                    hit = not set(question.gold).isdisjoint(ids[:depth])
                    hits.setdefault(f"{way} hit@{depth}", []).append(hit)
    figures = {name: statistics.mean(each) for name, each in hits.items()}
    for category in ("near", "foreign"):
        for at, name in enumerate(("relevance", "cosine")):
            high, low = ([one[at] for one in best[which]] for which in ("pair", category))
            figures[f"area {category}, {name}"] = _area(high, low)
    return figures | {"calibration error": calibration_error(relevance)}


def _prompts(shelf: Shelf, author: Author, foreign: list[LabelledPrompt]) -> dict[str, float]:
    asking = Asking(shelf, words_only=False)
    shown: dict[str, list[bool]] = {}
    for prompt in [*author.prompts, *foreign]:
        ids = shelf.ids(list(asking.shown(prompt.text, prompt.project).keys))
        if prompt.gold:
            shown.setdefault("prompts answered", []).append(not set(prompt.gold).isdisjoint(ids))
        else:
            name = f"shown, {'unrelated' if prompt.kind == 'none' else prompt.kind}"
            shown.setdefault(name, []).append(bool(ids))
    return {name: statistics.mean(each) for name, each in shown.items()}


def calibration_error(told: list[tuple[float, bool]]) -> float:
    """Return the expected calibration error, in [0, 1]. Source: Naeini et al. 2015."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for relevance, answers in told:
        bins[min(int(relevance * BINS), BINS - 1)].append((relevance, answers))
    errors = [abs(sum(one - right for one, right in each)) for each in bins]
    return sum(errors) / len(told)


def _area(high: list[float], low: list[float]) -> float:
    pairs = [(one, other) for one in high for other in low]
    return sum(1.0 if one > other else 0.5 * (one == other) for one, other in pairs) / len(pairs)


def main() -> int:
    """Print every author's figures, their mean and standard deviation."""
    parser = argparse.ArgumentParser(prog="python -m bench.authors", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    names = author_names()
    authors = [load_author(name) for name in names]
    embedder = open_cached()
    report = {
        author.name: score_author(author, authors[(at + 1) % len(authors)], embedder)
        for at, author in enumerate(authors)
    }
    if options.json:
        print(json.dumps({"machine": describe_machine(), "authors": report}))
        return 0
    print(describe_machine())
    print(f"{'':28}" + "".join(f"{name:>8}" for name in [*names, "mean", "sd"]))
    for measure in next(iter(report.values())):
        values = [report[name].get(measure, 0.0) for name in names]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        cells = "".join(f"{one:8.3f}" for one in [*values, statistics.mean(values), spread])
        print(f"{measure:28}{cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
