"""Fit and judge the signs that a memory outdates another (domain/conflict/supersession.py).

Run from the root of the repository: ``python -m bench.supersession``. It learns from the
development half of pairs.jsonl, and from the pairs that stand together among the first answers to
development questions of bench/agent_memories, where those that replace silently are labelled. The
other half of pairs.jsonl is only judged.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories import load  # noqa: E402
from bench.agent_memories.dataset import Shelf  # noqa: E402
from bench.logistic import fit_logistic  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.conflict.supersession import (  # noqa: E402
    ParsedStatement,
    SupersessionFeatures,
    supersession_features,
    supersession_probability,
)
from aforesaid.services.recall.query import MAX_TOKENS, RecallQuery  # noqa: E402
from aforesaid.services.recall.supersede_filter import MAX_COMPARED  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

SIGNS = {
    "with vectors": (
        "cue", "past_cue", "cites", "subject", "swapped", "shared", "like", "cued_like",
    ),
    "words only": ("cue", "past_cue", "cites", "subject", "swapped", "shared"),
}  # fmt: skip
RIDGE = 1.0
UNRELATED = 0.1  #: what a pair counts that merely stands together
FOLDS = 5
LEVELS = (0.5, 0.8, 0.9)


@dataclass(frozen=True)
class Pair:
    """Two texts, the older first."""

    id: str
    older: str
    newer: str
    replaces: bool
    part: str  #: dev, test, or "store": from the answers of bench/agent_memories


def labelled() -> list[Pair]:
    """Return the pairs of pairs.jsonl."""
    with open(os.path.join(HERE, "pairs.jsonl"), encoding="utf-8") as lines:
        return [Pair(**json.loads(line)) for line in lines]


def from_answers(embedder: Embedder, only: tuple[str, ...] | None = None) -> list[Pair]:
    """Return every two memories among the first answers of one development question.

    Args:
        embedder: makes the vectors.
        only: the memories to store, by id; None for all.
    """
    memories, _ = load()
    content = {one.id: one.content for one in memories}
    earlier: dict[str, set[str]] = {}
    for one in memories:  # in order of time: what it replaces comes with what that replaced
        names = one.supersedes + one.replaces_silently
        earlier[one.id] = {old for name in names for old in (name, *earlier[name])}
    asked = RecallQuery(
        max_results=MAX_COMPARED, token_budget=MAX_TOKENS, summary_only=True, min_relevance=0.0
    )
    found: dict[str, Pair] = {}
    with private_places() as folder:
        shelf = Shelf(folder, embedder, only=only)
        for question in shelf.questions:
            if question.part != "dev":
                continue
            shown = [one.memory for one in shelf.ask(question, asked).results]
            told = sorted(
                (one.created_at, shelf.ids([one.key])[-1])
                for one in shown
                if one.type != "episodic"
            )
            for place, (_, newer) in enumerate(told):
                for _, older in told[:place]:
                    name = f"{older} {newer}"
                    replaces = older in earlier[newer]
                    found[name] = Pair(name, content[older], content[newer], replaces, "store")
    return list(found.values())


def signs_of(pair: Pair, embedder: Embedder) -> SupersessionFeatures:
    """Return the signs of a pair, with the cosine of its first windows."""
    return supersession_features(
        ParsedStatement(pair.older), ParsedStatement(pair.newer), cosine_of(pair, embedder)
    )


def cosine_of(pair: Pair, embedder: Embedder) -> float:
    """Return the cosine of the first windows of both texts."""
    both = [
        np.frombuffer(embedder.embed_document(text)[0], dtype="<f4")
        for text in (pair.older, pair.newer)
    ]
    return float(both[0] @ both[1])


def fit(
    pairs: list[Pair], signs: dict[str, SupersessionFeatures], names: tuple[str, ...]
) -> tuple[float, np.ndarray]:
    """Return bias and weights; pairs that merely stand together count little."""
    counts = [UNRELATED if one.part == "store" and not one.replaces else 1.0 for one in pairs]
    answers = np.array([float(one.replaces) for one in pairs])
    return fit_logistic(_inputs(pairs, signs, names), answers, np.array(counts), RIDGE)


def _inputs(
    pairs: list[Pair], signs: dict[str, SupersessionFeatures], names: tuple[str, ...]
) -> np.ndarray:
    return np.array([[getattr(signs[one.id], name) for name in names] for one in pairs])


def left_out(
    pairs: list[Pair], signs: dict[str, SupersessionFeatures], names: tuple[str, ...]
) -> dict[str, float]:
    """Return how likely each pair is a replacement, by weights its older text had no part in."""
    folds = np.array([zlib.crc32(one.older.encode()) % FOLDS for one in pairs])
    likely = np.zeros(len(pairs))
    for fold in range(FOLDS):
        inside = [one for one, its in zip(pairs, folds, strict=True) if its != fold]
        bias, weights = fit(inside, signs, names)
        odds = bias + _inputs(pairs, signs, names) @ weights
        likely = np.where(folds == fold, 1 / (1 + np.exp(-odds)), likely)
    return dict(zip((one.id for one in pairs), likely.tolist(), strict=True))


def show(pairs: list[Pair], likely: dict[str, float]) -> None:
    """Print how many replacements are found, and how many pairs are wrongly taken for one."""
    for level in LEVELS:
        cells = []
        for part in ("store", "dev", "test"):
            for replaces, word in ((True, "found"), (False, "false")):
                those = [
                    likely[one.id] >= level
                    for one in pairs
                    if one.part == part and one.replaces == replaces and one.id in likely
                ]
                if those:
                    cells.append(f"{part} {word} {sum(those)} of {len(those)}")
        print(f"    at {level}: {'; '.join(cells)}")


def main() -> int:
    """Print the weights, and how the weights in force judge."""
    embedder = open_cached()
    pairs = labelled() + from_answers(embedder)
    signs = {one.id: signs_of(one, embedder) for one in pairs}
    learned = [one for one in pairs if one.part != "test"]
    for kind, names in SIGNS.items():
        bias, weights = fit(learned, signs, names)
        print(f"{kind}\n    bias {bias:.2f}")
        for name, weight in zip(names, weights, strict=True):
            print(f"    {name:10} {weight:7.2f}")
        print("  dev and store, left out, by the signs alone")
        show(pairs, left_out(learned, signs, names))
        print("  all, as the product judges")
        meant = kind == "with vectors"
        show(
            pairs,
            {
                one.id: supersession_probability(
                    ParsedStatement(one.older),
                    ParsedStatement(one.newer),
                    cosine_of(one, embedder) if meant else None,
                )
                for one in pairs
            },
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
