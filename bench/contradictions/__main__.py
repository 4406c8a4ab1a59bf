"""Judge the labelled pairs, and the memories of bench/agent_memories, for contradictions.

Run from the root of the repository: ``python -m bench.contradictions``. Of the development part it
names what is judged wrongly, of the test part it only counts.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories import load  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.conflict.contradiction import MAX_CHARS, MIN_COSINE, contradiction  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

INCOMPATIBLE = ("contradicting", "changed")
KINDS = (*INCOMPATIBLE, "compatible", "same", "near")


@dataclass(frozen=True)
class Pair:
    """Two texts, the older first, and what they are to each other."""

    id: str
    kind: str
    how: str
    older: str
    newer: str
    part: str  #: dev or test

    @property
    def incompatible(self) -> bool:
        """Whether both cannot hold."""
        return self.kind in INCOMPATIBLE


def labelled() -> list[Pair]:
    """Return the pairs of pairs.jsonl."""
    with open(os.path.join(HERE, "pairs.jsonl"), encoding="utf-8") as lines:
        return [Pair(**json.loads(line)) for line in lines]


def vector(text: str, embedder: Embedder) -> np.ndarray:
    """Return the vector of a text's first window."""
    return np.frombuffer(embedder.embed_document(text)[0], dtype="<f4")


def judge(pairs: list[Pair], embedder: Embedder | None) -> dict[str, bool]:
    """Return which pairs are flagged, by id; without an embedder by words alone."""
    found = {}
    for one in pairs:
        cosine = None
        if embedder is not None:
            cosine = float(vector(one.older, embedder) @ vector(one.newer, embedder))
        found[one.id] = contradiction(one.older, one.newer, cosine) is not None
    return found


def show(pairs: list[Pair], flagged: dict[str, bool]) -> None:
    """Print precision and recall, and the share of each kind that is flagged."""
    hits = sum(flagged[one.id] and one.incompatible for one in pairs)
    flags = sum(flagged[one.id] for one in pairs)
    true = sum(one.incompatible for one in pairs)
    precision = hits / flags if flags else 1.0
    print(f"    precision {precision:.3f} ({hits} of {flags}), recall {hits / true:.3f} of {true}")
    told = Counter(one.kind for one in pairs if flagged[one.id])
    of = Counter(one.kind for one in pairs)
    print("    flagged: " + ", ".join(f"{kind} {told[kind]} of {of[kind]}" for kind in KINDS))


def in_memories(embedder: Embedder) -> tuple[int, int, int, int]:
    """Return what is flagged among every two memories of one project in bench/agent_memories.

    Four counts: near pairs looked at, flagged, flagged rightly, and pairs of which one replaces.
    """
    memories, _ = load()
    lasting = [one for one in memories if one.type != "episodic" and len(one.content) <= MAX_CHARS]
    earlier: dict[str, set[str]] = {}
    for one in memories:  # in order of time
        names = one.supersedes + one.replaces_silently
        earlier[one.id] = {old for name in names for old in (name, *earlier[name])}
    vectors = np.stack([vector(one.content, embedder) for one in lasting])
    likeness = vectors @ vectors.T
    looked = flagged = right = 0
    for place, newer in enumerate(lasting):
        for before, older in enumerate(lasting[:place]):
            cosine = float(likeness[before, place])
            if older.project != newer.project or cosine < MIN_COSINE:
                continue
            looked += 1
            if contradiction(older.content, newer.content, cosine) is not None:
                flagged += 1
                right += older.id in earlier[newer.id]
    pairs = [
        (old, one.id)
        for one in lasting
        for old in earlier[one.id]
        if old in {known.id for known in lasting}
    ]
    return looked, flagged, right, len(pairs)


def main() -> int:
    """Print all figures."""
    embedder = open_cached()
    pairs = labelled()
    for name, given in (("with vectors", embedder), ("words only", None)):
        print(name)
        flagged = judge(pairs, given)
        for part in ("dev", "test"):
            those = [one for one in pairs if one.part == part]
            print(f"  {part}, {len(those)} pairs")
            show(those, flagged)
            if part == "dev":
                for one in those:
                    if flagged[one.id] != one.incompatible:
                        print(f"      {one.kind}, {one.how}: {one.older} | {one.newer}")
    looked, flagged_there, right, replaced = in_memories(embedder)
    print(
        f"bench/agent_memories: {looked} near pairs, {flagged_there} flagged, {right} rightly; "
        f"{replaced} pairs of which the later replaces the earlier"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
