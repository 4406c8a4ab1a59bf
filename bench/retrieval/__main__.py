"""Score what recall finds on labelled sets, beside words alone, meaning alone and plain fusion.

Run from the root of the repository: ``python -m bench.retrieval --data FILE_OR_FOLDER ...``.
Every text becomes one memory of one project per corpus, in a fresh store, by the real services
with the shipped model. The same data give the same scores; vectors are cached (bench/vectors.py).
Items longer than a memory may be are cut.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.retrieval.data import Corpus, find_sets, pool, read_set, set_name  # noqa: E402
from bench.retrieval.metrics import NAMES, mean_scores, score_ranking  # noqa: E402
from bench.retrieval.search_arms import ask_ours, by_hits, by_rrf, find_plain  # noqa: E402
from bench.stores import make_place, open_core, private_places, store_all  # noqa: E402
from bench.timing import describe_machine, percentile  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.model.memory import CONTENT_CHARS  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.ports import Embedder
    from aforesaid.wiring.container import ServiceContainer

ARMS = ("ours", "BM25", "dense", "RRF")


class Library:
    """One corpus in a store of its own, and which items each memory stands for."""

    def __init__(self, folder: str, corpus: Corpus, embedder: Embedder) -> None:
        """Store every item of the corpus; texts that say the same share one memory."""
        self.corpus = corpus
        self.core: ServiceContainer = open_core(
            os.path.join(folder, f"{len(os.listdir(folder))}.db"), embedder
        )
        self.place: CallContext = make_place(self.core, corpus.name)
        statements = [Statement(content=item.text[:CONTENT_CHARS]) for item in corpus.items]
        began = time.perf_counter()
        sessions = [f"{corpus.name}/{item.session}" for item in corpus.items]
        stored = store_all(self.core, self.place, statements, sessions)
        self.stored_seconds = time.perf_counter() - began
        self.items_of: dict[int, list[str]] = {}
        for item, one in zip(corpus.items, stored, strict=True):
            self.items_of.setdefault(one.memory.key, []).append(item.id)
        self._session_of = {item.id: item.session for item in corpus.items}

    def items(self, keys: list[int]) -> list[str]:
        """Return the items that memories stand for, in their order."""
        return [item for key in keys for item in self.items_of.get(key, ())]

    def sessions(self, items: list[str]) -> list[str]:
        """Return the sessions of items, each at the place of its best item."""
        return list(dict.fromkeys(self._session_of[item] for item in items))


def measure(corpora: list[Corpus], folder: str, embedder: Embedder) -> dict[str, object]:
    """Return the scores of one set at both levels, and what asking cost."""
    scores: dict[str, dict[str, list[dict[str, float]]]] = {
        level: {arm: [] for arm in ARMS} for level in ("message", "session")
    }
    asked_ms: list[float] = []
    memories, seconds = 0, 0.0
    for corpus in corpora:
        library = Library(folder, corpus, embedder)
        memories += len(library.items_of)
        seconds += library.stored_seconds
        for query in corpus.queries:
            embedder.embed_query(query.text)  # into the cache: its time is told by itself
            began = time.perf_counter()
            ours = ask_ours(library.core, library.place, query.text)
            asked_ms.append((time.perf_counter() - began) * 1e3)
            found = find_plain(library.core, library.place.visible, query.text)
            rankings = (ours, by_hits(found.words), by_hits(found.vectors), by_rrf(found))
            for arm, keys in zip(ARMS, rankings, strict=True):
                items = library.items(keys)
                if query.gold:
                    scores["message"][arm].append(score_ranking(items, query.gold))
                if query.gold_sessions:
                    sessions = library.sessions(items)
                    scores["session"][arm].append(score_ranking(sessions, query.gold_sessions))
        library.core.close()
    return {
        "corpora": len(corpora),
        "items": sum(len(corpus.items) for corpus in corpora),
        "memories": memories,
        "questions": len(asked_ms),
        "recall_p50_ms": round(percentile(asked_ms, 0.5), 2),
        "recall_p95_ms": round(percentile(asked_ms, 0.95), 2),
        "stored_a_second": round(memories / seconds, 1) if seconds else None,
        "scores": {
            level: {arm: mean_scores(each) for arm, each in of_arm.items() if each}
            for level, of_arm in scores.items()
        },
    }


def show(name: str, figures: dict) -> None:
    """Print one set's figures as a table."""
    print(
        f"\n{name}: {figures['questions']} questions, {figures['items']} texts as "
        f"{figures['memories']} memories, {figures['corpora']} corpora; recall p50 "
        f"{figures['recall_p50_ms']} ms, p95 {figures['recall_p95_ms']} ms without embedding"
    )
    print(f"{'level':9}{'arm':7}" + "".join(f"{measure:>11}" for measure in NAMES))
    for level, of_arm in figures["scores"].items():
        for arm, scores in of_arm.items():
            print(f"{level:9}{arm:7}" + "".join(f"{scores[one]:11.3f}" for one in NAMES))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=__doc__)
    parser.add_argument("--data", nargs="+", required=True, help="files, or folders of files")
    parser.add_argument("--part", choices=("choose", "hold-out"), help="half of the questions")
    parser.add_argument("--pooled", action="store_true", help="all corpora of a set in one store")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    embedder = open_cached()
    report: dict[str, dict[str, object]] = {}
    for path in find_sets(options.data):
        corpora = [corpus.only(options.part) for corpus in read_set(path)]
        if options.pooled:
            corpora = [pool(set_name(path), corpora)]
        with private_places() as folder:
            report[set_name(path)] = measure(corpora, folder, embedder)
    if options.json:
        print(json.dumps({"machine": describe_machine(), "sets": report}))
        return 0
    print(describe_machine())
    for name, figures in report.items():
        show(name, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
