"""Measure which names are one, and where memories without a topic are filed.

Run from the root of the repository: ``python -m bench.topics``. Names: labelled pairs. Filing:
labelled statements of three projects, each one left out and filed by its neighbours; the others
carry their topic, or only half of them do.
"""

from __future__ import annotations

import argparse
import array
import hashlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.model.topic import (  # noqa: E402
    FILING_NEIGHBOURS,
    Topic,
    agreed_topic,
    is_same_name,
    normalise_name,
)

PAIRS = (0.35, 0.4, 0.45, 0.5)
LEADS = (0.0, 0.05, 0.1, 0.15)


def read(name: str) -> list[dict[str, object]]:
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def part_of(entry: dict[str, object]) -> str:
    """Return ``test`` or ``dev``, by the hash of the id: nothing is moved by hand."""
    return "test" if hashlib.sha256(str(entry["id"]).encode()).digest()[0] % 2 else "dev"


def judge_names() -> list[str]:
    """Print what is joined rightly and wrongly; return what was wrong."""
    wrong = []
    for part in ("dev", "test"):
        pairs = [pair for pair in read("names.jsonl") if part_of(pair) == part]
        joined = {"same": 0, "differ": 0}
        of = {"same": 0, "differ": 0}
        for pair in pairs:
            kind = "same" if pair["same"] else "differ"
            one, other = (normalise_name(str(pair[side])) for side in "ab")
            is_joined = is_same_name(one, other)
            of[kind] += 1
            joined[kind] += is_joined
            if is_joined != pair["same"]:
                wrong.append(f"{part}: {pair['a']} | {pair['b']}")
        print(
            f"names, {part}: {joined['same']} of {of['same']} equal ones joined, "
            f"{joined['differ']} of {of['differ']} different ones"
        )
    return wrong


class Filing:
    """The statements, how near they are to each other, and their nodes."""

    def __init__(self) -> None:
        self.entries = read("statements.jsonl")
        embedder = open_cached()
        texts = [str(entry["text"]) for entry in self.entries]
        vectors = [array.array("f", windows[0]) for windows in embedder.embed_documents(texts)]
        self._near = [
            [sum(x * y for x, y in zip(one, other, strict=True)) for other in vectors]
            for one in vectors
        ]
        self._nodes: dict[tuple[object, str], Topic] = {}
        for entry in self.entries:
            if entry["topic"] is not None:
                self._node(entry["project"], str(entry["topic"]))

    def _node(self, project: object, path: str) -> Topic:
        if (project, path) not in self._nodes:
            above, _, name = path.rpartition("/")
            parent = self._node(project, above).key if above else None
            self._nodes[project, path] = Topic(
                key=len(self._nodes) + 1,
                project=0,
                parent=parent,
                name=name,
                normalised=name,
                path=path,
                created_at=0,
                updated_at=0,
            )
        return self._nodes[project, path]

    def filed(self, at: int, half: bool, **limits: float) -> str | None:
        """Return the path that a statement's neighbours agreed_topic on."""
        mine = self.entries[at]
        neighbours: list[tuple[Topic | None, float]] = []
        for other, entry in enumerate(self.entries):
            if other == at or entry["project"] != mine["project"]:
                continue
            unfiled = entry["topic"] is None or (half and other % 2)
            node = None if unfiled else self._nodes[entry["project"], str(entry["topic"])]
            neighbours.append((node, self._near[at][other]))
        neighbours.sort(key=lambda pair: -pair[1])
        key = agreed_topic(neighbours[:FILING_NEIGHBOURS], **limits)
        return next((node.path for node in self._nodes.values() if node.key == key), None)

    def judge(self, part: str, half: bool, **limits: float) -> dict[str, int]:
        """Return how many were filed rightly (under their topic or concept), wrongly, or not."""
        counts = {"right": 0, "wrong": 0, "unfiled": 0, "strays filed": 0, "strays": 0}
        for at, entry in enumerate(self.entries):
            if part_of(entry) != part:
                continue
            path = self.filed(at, half, **limits)
            if entry["topic"] is None:
                counts["strays"] += 1
                counts["strays filed"] += path is not None
            elif path is None:
                counts["unfiled"] += 1
            else:
                topic = str(entry["topic"])
                counts["right" if topic == path or topic.startswith(f"{path}/") else "wrong"] += 1
        return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="other limits too, on the dev part")
    given = parser.parse_args()
    for one in judge_names():
        print(f"  wrong: {one}")
    filing = Filing()
    for part in ("dev", "test"):
        for half in (False, True):
            print(f"filing, {part}{', half unfiled' if half else ''}: {filing.judge(part, half)}")
    if given.all:
        for pair in PAIRS:
            for lead in LEADS:
                found = filing.judge("dev", half=False, pair=pair, lead=lead)
                print(f"pair {pair}, lead {lead}: {found}")


if __name__ == "__main__":
    main()
