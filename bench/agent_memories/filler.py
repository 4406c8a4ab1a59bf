"""Make the filler: digests of everyday sessions and side facts that drift by.

The words are hand-written (filler/PROJECT.txt), the mixing is seeded: the same lines each time.
What is made here stands in memories.jsonl too; a test compares the two.
"""

from __future__ import annotations

import datetime as dt
import os
import random
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
#: prefix of ids by project; filler ids count from 101, hand-written ones from 001
PREFIXES = {
    "tollgate": "tol", "larkspur-web": "lar", "emberline": "emb", "siltstone": "sil",
    "groundwork": "gro", "pocketfern": "poc", "quillmark": "qui", "hexhaven": "hex",
    "global": "glo",
}  # fmt: skip
_DIGESTS = 48  # sessions a project
_FIRST_DAY = dt.date(2025, 9, 8)
_DAYS = 294  # the last is 2026-06-28
_SHAPES = (
    "{a}. {b}. Noticed: {found}. Open: {open}.",
    "Session digest. Done: {a}; {b}. Found out: {found}. Still open: {open}.",
    "{a}. {found}.",
    "Short session: {a}. Then: {b}.",
    "Today: {a}. {b}. {c}. Found: {found}; {found2}. Next time: {open}; {open2}.",
    "{found}. Done besides: {a}. Not done: {open}.",
    "Morning: {a}. Afternoon: {b}. Found by the way: {found}.",
    "{a}; {b}; {c}. Nothing else.",
)


def make_filler(project: str) -> list[dict[str, Any]]:
    """Return the filler of one project ("global" for what every project sees) as raw lines."""
    chance = random.Random(f"aforesaid filler {project}")
    material = _read_material(project)
    texts = [("semantic", text) for text in material["fact"]]
    if material.get("did"):
        texts += [("episodic", text) for text in _make_digests(chance, material)]
    chance.shuffle(texts)
    return [
        {
            "id": f"{PREFIXES[project]}-{101 + number}",
            "project": None if project == "global" else project,
            "type": type_,
            "content": content,
            "time": _pick_time(chance),
        }
        for number, (type_, content) in enumerate(texts)
    ]


def _make_digests(chance: random.Random, material: dict[str, list[str]]) -> list[str]:
    """Return distinct digests; each clause comes up about equally often."""
    decks: dict[str, list[str]] = {}

    def draw(kind: str) -> str:
        deck = decks.setdefault(kind, [])
        if not deck:
            deck += chance.sample(material[kind], len(material[kind]))
        return deck.pop()

    made: dict[str, None] = {}  # a set that keeps its order
    while len(made) < _DIGESTS:
        made[_make_digest(chance, draw)] = None
    return list(made)


def _make_digest(chance: random.Random, draw: Any) -> str:
    names = {"a": "did", "b": "did", "c": "did", "found": "found", "found2": "found"}
    names |= {"open": "open", "open2": "open"}
    shape = chance.choice(_SHAPES)
    used = {name: draw(kind) for name, kind in names.items() if f"{{{name}}}" in shape}
    for name, clause in used.items():
        used[name] = clause.format(
            file=draw("file") if "{file}" in clause else "",
            n=chance.randint(2, 9),
            big=chance.randint(12, 97) * 10,
            ticket=f"#{chance.randint(200, 1900)}",
        )
    return shape.format(**used)


def _read_material(project: str) -> dict[str, list[str]]:
    material: dict[str, list[str]] = {}
    with open(os.path.join(HERE, "filler", f"{project}.txt"), encoding="utf-8") as lines:
        for line in lines:
            kind, _, text = line.rstrip("\n").partition(" ")
            material.setdefault(kind, []).append(text)
    return material


def _pick_time(chance: random.Random) -> str:
    day = _FIRST_DAY + dt.timedelta(days=chance.randrange(_DAYS))
    if day.weekday() > 4:  # nobody works on weekends
        day -= dt.timedelta(days=2)
    return f"{day}T{chance.randint(8, 17):02d}:{chance.randrange(60):02d}:00Z"
