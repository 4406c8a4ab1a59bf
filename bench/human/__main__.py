"""Score recall on questions and answers that people wrote, beside what it is made of.

Run from the root of the repository: ``python -m bench.human``. Each source is a project in a store
of its own. Never tune anything on these figures: the set is for testing only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.human import load_corpora  # noqa: E402
from bench.human.scores import area, expected_error, reliability  # noqa: E402
from bench.retrieval.__main__ import Library  # noqa: E402
from bench.retrieval.data import Corpus, Query  # noqa: E402
from bench.retrieval.search_arms import ask_ours, by_hits, by_rrf, find_plain  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.timing import describe_machine  # noqa: E402
from bench.vectors import CachedEmbedder, open_cached  # noqa: E402

from aforesaid.services.recall.query import RecallQuery  # noqa: E402

ARMS = ("BM25", "dense", "RRF", "ours")
DEPTHS = (1, 3, 5)
KINDS = ("question", "heading")
_UNCUT = RecallQuery(min_relevance=0.0)  #: as many results as the tool returns, none left out


@dataclass
class Measured:
    """What was measured on one source."""

    hits: dict[str, list[tuple[str, int]]] = field(default_factory=dict)  #: kind, rank; by arm
    said: list[tuple[float, bool]] = field(default_factory=list)  #: relevance, whether it answers
    said_foreign: list[float] = field(default_factory=list)
    top: dict[str, dict[bool, list[float]]] = field(
        default_factory=lambda: {name: {True: [], False: []} for name in ("relevance", "cosine")}
    )

    def share(self, arm: str, depth: int, kind: str | None = None) -> float:
        """Return the share of questions with a passage of their answer among the first ones."""
        ranks = [rank for its, rank in self.hits[arm] if kind in {None, its}]
        return sum(rank < depth for rank in ranks) / len(ranks)


def measure(corpus: Corpus, foreign: Sequence[Query], folder: str, embedder: Any) -> Measured:
    """Return the measures of one source.

    Args:
        corpus: its memories and questions.
        foreign: questions of another source, which nothing here answers.
        folder: for the store.
        embedder: for memories and questions.
    """
    library = Library(folder, corpus, embedder)
    done = Measured(hits={arm: [] for arm in ARMS})
    for query in corpus.queries:
        found = find_plain(library.core, library.place.visible, query.text)
        ours = ask_ours(library.core, library.place, query.text)
        rankings = (by_hits(found.words), by_hits(found.vectors), by_rrf(found), ours)
        for arm, keys in zip(ARMS, rankings, strict=True):
            items = library.items(keys)
            rank = next((at for at, one in enumerate(items) if one in query.gold), len(items) + 99)
            done.hits[arm].append((query.category, rank))
        said = _judge(library, query, done)
        done.said += said
    for query in foreign:
        done.said_foreign += [relevance for relevance, _ in _judge(library, query, done)]
    library.core.close()
    return done


def _judge(library: Library, query: Query, done: Measured) -> list[tuple[float, bool]]:
    """Return the relevance of each result and whether it answers; note the highest of each kind."""
    asked = _UNCUT.replace(query=query.text)
    results = library.core.recall.recall(asked, library.place.visible).results
    said = [
        (one.relevance or 0.0, not query.gold.isdisjoint(library.items([one.memory.key])))
        for one in results
    ]
    vectors = find_plain(library.core, library.place.visible, query.text).vectors
    answerable = any(item.id in query.gold for item in library.corpus.items)
    done.top["relevance"][answerable].append(max((one for one, _ in said), default=0.0))
    done.top["cosine"][answerable].append(max((hit.score for hit in vectors), default=0.0))
    return said


def summarise(measured: dict[str, Measured]) -> dict[str, Any]:
    """Return every figure by name."""
    sources = {
        name: {
            "questions": len(one.hits["ours"]),
            **{f"{arm} R@{depth}": one.share(arm, depth) for arm in ARMS for depth in DEPTHS},
        }
        for name, one in measured.items()
    }
    pooled = Measured(
        hits={arm: [hit for one in measured.values() for hit in one.hits[arm]] for arm in ARMS}
    )
    said = [pair for one in measured.values() for pair in one.said]
    foreign = [(value, False) for one in measured.values() for value in one.said_foreign]
    areas = {
        name: [area(one.top[name][True], one.top[name][False]) for one in measured.values()]
        for name in ("relevance", "cosine")
    }
    return {
        "sources": sources,
        "kinds": {
            kind: {
                "questions": sum(its == kind for its, _ in pooled.hits["ours"]),
                **{
                    f"{arm} R@{depth}": pooled.share(arm, depth, kind)
                    for arm in ARMS
                    for depth in DEPTHS
                },
            }
            for kind in KINDS
        },
        "calibration": {
            name: {"ece": expected_error(pairs), "deciles": reliability(pairs)}
            for name, pairs in (("answerable", said), ("with foreign", said + foreign))
        },
        "auc": {
            name: {"mean": statistics.mean(all_), "sd": statistics.stdev(all_)}
            for name, all_ in areas.items()
        },
    }


def show(figures: dict[str, Any]) -> None:
    """Print the figures as tables."""
    columns = [f"{arm} R@{depth}" for arm in ARMS for depth in DEPTHS]
    print(f"{'':12}{'n':>5}" + "".join(f"{column:>11}" for column in columns))
    for name, row in (*figures["sources"].items(), *figures["kinds"].items()):
        print(f"{name:12}{row['questions']:5}" + "".join(f"{row[one]:11.3f}" for one in columns))
    rows = list(figures["sources"].values())
    for name, take in (("mean", statistics.mean), ("sd", statistics.stdev)):
        cells = "".join(f"{take([row[one] for row in rows]):11.3f}" for one in columns)
        print(f"{name:17}{cells}")
    for name, found in figures["calibration"].items():
        dots = "  ".join(
            f"{one['relevance']:.2f}:{one['answers']:.2f} ({one['results']})"
            for one in found["deciles"]
        )
        print(f"relevance:share that answers (results), {name}: ECE {found['ece']:.3f}; {dots}")
    for name, spread in figures["auc"].items():
        print(f"AUC of the highest {name}: {spread['mean']:.3f}, sd {spread['sd']:.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.human", description=__doc__)
    parser.add_argument("--model", metavar="FOLDER", help="another embedding model")
    parser.add_argument("--sources", nargs="+", metavar="NAME", help="these only, two at least")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    embedder = open_cached()
    if options.model:
        from aforesaid.adapters.embedding.onnx import open_folder  # noqa: PLC0415 - optional, slow

        embedder = CachedEmbedder(open_folder(options.model))
    corpora = [one for one in load_corpora() if not options.sources or one.name in options.sources]
    if len(corpora) < 2:
        parser.error("two sources at least: each is asked the questions of another")
    measured = {}
    for number, corpus in enumerate(corpora):
        foreign = corpora[number - 1].queries[: len(corpus.queries)]
        with private_places() as folder:
            measured[corpus.name] = measure(corpus, foreign, folder, embedder)
    figures = summarise(measured)
    if options.json:
        print(json.dumps({"machine": describe_machine(), **figures}))
        return 0
    print(describe_machine())
    show(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
