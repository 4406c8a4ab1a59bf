"""Compare ways to fuse words and meaning: chosen on one half of the questions, told on the other.

Run from the root of the repository: ``python -m bench.retrieval.choose --data FILE_OR_FOLDER ...``.
Here: the alternatives to ``domain/retrieval/ranking.py``'s formula and constants, all over the same
candidates. Decisions are recorded in docs/adr/0012-ranking.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.retrieval.__main__ import Library  # noqa: E402
from bench.retrieval.data import find_sets, read_set, set_name  # noqa: E402
from bench.retrieval.metrics import mean_scores, score_ranking  # noqa: E402
from bench.retrieval.search_arms import Found, by_hits, by_rrf, find  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.retrieval.fusion import fuse  # noqa: E402

SHOWN = ("recall@1", "recall@5", "mrr", "ndcg@10")
WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FLOORS = (0.0, 0.1, 0.2, 0.3)

Way = Callable[[Found], "list[int]"]


@dataclass
class Asked:
    """A question's candidates, and the rankings' judge."""

    part: str
    found: Found
    judge: Callable[[list[int]], dict[str, float]]


def ways() -> dict[str, Way]:
    """Return every way to fuse, by name."""
    made: dict[str, Way] = {
        "ours": lambda found: [one.head for one in fuse(found.words, found.vectors)],
        "BM25 alone": lambda found: by_hits(found.words),
        "dense alone": lambda found: by_hits(found.vectors),
        "RRF 60": by_rrf,
        "RRF 10": lambda found: by_rrf(found, 10),
    }
    for weight in WEIGHTS:
        for floor in FLOORS:
            made[f"top-scaled, dense {weight}, floor {floor}"] = _convex(weight, floor, _to_top)
        made[f"plain cosine, dense {weight}"] = _convex(weight, 0.0, _as_it_is)
        made[f"min-max, dense {weight}"] = _convex(weight, 0.0, _min_max, both=True)
    return made


def _convex(
    weight: float, floor: float, scale: Callable[..., list[float]], *, both: bool = False
) -> Way:
    """Return a convex combination of normalised scores.

    Args:
        weight: the share of meaning.
        floor: cosines below it count as nothing.
        scale: makes a list of cosines, best first, a share of 1.
        both: scale BM25 in the same way; else by its best.
    """

    def rank(found: Found) -> list[int]:
        share = weight if found.words and found.vectors else (0.0 if found.words else 1.0)
        scores: dict[int, float] = {}
        bm25 = [hit.score for hit in found.words]
        words = scale(bm25, 0.0) if both else _to_top(bm25, 0.0)
        vectors = [hit for hit in found.vectors if hit.score >= floor]
        cosines = scale([hit.score for hit in vectors], floor)
        for hits, values, part in (
            (found.words, words, 1 - share),
            (vectors, cosines, share),
        ):
            best: dict[int, float] = {}
            for hit, value in zip(hits, values, strict=True):
                best[hit.head] = max(best.get(hit.head, 0.0), value)
            for head, value in best.items():
                scores[head] = scores.get(head, 0.0) + part * value
        return sorted(scores, key=lambda head: (-scores[head], head))

    return rank


def _to_top(scores: list[float], floor: float) -> list[float]:
    span = max(max(scores, default=0.0) - floor, 1e-9)
    return [max(score - floor, 0.0) / span for score in scores]


def _as_it_is(scores: list[float], floor: float) -> list[float]:
    return [max(score, floor) for score in scores]


def _min_max(scores: list[float], _floor: float) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def ask_all(path: str) -> list[Asked]:
    """Return every question of a set with its candidates; judged by messages where it can be."""
    embedder = open_cached()
    asked: list[Asked] = []
    with private_places() as folder:
        for corpus in read_set(path):
            library = Library(folder, corpus, embedder)
            for query in corpus.queries:
                found = find(library.core, library.place.visible, query.text)
                asked.append(Asked(query.part, found, _judge(library, query)))
            library.core.close()
    return asked


def _judge(library: Library, query) -> Callable[[list[int]], dict[str, float]]:
    def judge(keys: list[int]) -> dict[str, float]:
        items = library.items(keys)
        if query.gold:
            return score_ranking(items, query.gold)
        return score_ranking(library.sessions(items), query.gold_sessions)

    return judge


def score(asked: list[Asked], part: str, way: Way) -> dict[str, float]:
    """Return a way's mean scores on one part of one set."""
    return mean_scores([one.judge(way(one.found)) for one in asked if one.part == part])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.choose", description=__doc__)
    parser.add_argument("--data", nargs="+", required=True, help="files, or folders of files")
    parser.add_argument("--top", type=int, default=12, help="how many ways to show")
    options = parser.parse_args()
    sets = {set_name(path): ask_all(path) for path in find_sets(options.data)}
    made = ways()
    table = {
        (name, part): [score(asked, part, way) for asked in sets.values()]
        for name, way in made.items()
        for part in ("choose", "hold-out")
    }

    def merit(name: str, part: str) -> float:
        """Return the mean over sets of what is wanted: recall@5 and NDCG@10."""
        each = table[name, part]
        return sum(one["recall@5"] + one["ndcg@10"] for one in each) / (2 * len(each))

    order = sorted(made, key=lambda name: -merit(name, "choose"))
    fixed = ("ours", "BM25 alone", "dense alone", "RRF 60", "RRF 10")
    shown = [name for place, name in enumerate(order) if place < options.top or name in fixed]
    print(f"merit: mean over {', '.join(sets)} of recall@5 and NDCG@10; by the half chosen on")
    for name in shown:
        merits = "  ".join(f"{part} {merit(name, part):.4f}" for part in ("choose", "hold-out"))
        print(f"\n{name}: {merits}")
        for at, set_ in enumerate(sets):
            held = table[name, "hold-out"][at]
            figures = "  ".join(f"{key} {held[key]:.3f}" for key in SHOWN)
            print(f"    hold-out {set_:16} {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
