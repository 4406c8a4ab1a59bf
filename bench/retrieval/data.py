"""Corpora with questions, one JSON object per line (plain or gzip), as values.

The format: ``{"corpus", "items": [{"id", "text", "speaker", "session", "time"}], "queries":
[{"id", "text", "gold", "category"}]}``; gold holds ids of items, or ``session:`` and a session.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Item:
    """One text of a corpus."""

    id: str
    text: str  #: with its time and speaker before it, where known
    session: str


@dataclass(frozen=True)
class Query:
    """One question, and what answers it."""

    id: str
    text: str
    gold: frozenset[str]  #: ids of items
    gold_sessions: frozenset[str]
    category: str

    @property
    def part(self) -> str:
        """Return ``choose`` or ``hold-out``, by the hash of the id."""
        return "hold-out" if hashlib.sha256(self.id.encode()).digest()[0] % 2 else "choose"


@dataclass(frozen=True)
class Corpus:
    """Texts in order of time, and questions about them."""

    name: str
    items: tuple[Item, ...]
    queries: tuple[Query, ...]

    def only(self, part: str | None) -> Corpus:
        """Return the corpus with the questions of one part; None for all."""
        queries = tuple(query for query in self.queries if part is None or query.part == part)
        return Corpus(name=self.name, items=self.items, queries=queries)


def read_set(path: str) -> list[Corpus]:
    """Return the corpora of one file."""
    opener: Any = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [_corpus(json.loads(line)) for line in lines if line.strip()]


def pool(name: str, corpora: list[Corpus]) -> Corpus:
    """Return all corpora as one; ids and sessions carry their corpus before them."""
    items: list[Item] = []
    queries: list[Query] = []
    for corpus in corpora:
        mark = f"{corpus.name}/"
        items += [
            Item(id=mark + item.id, text=item.text, session=mark + item.session)
            for item in corpus.items
        ]
        queries += [
            Query(
                id=query.id,
                text=query.text,
                gold=frozenset(mark + one for one in query.gold),
                gold_sessions=frozenset(mark + one for one in query.gold_sessions),
                category=query.category,
            )
            for query in corpus.queries
        ]
    return Corpus(name=name, items=tuple(items), queries=tuple(queries))


def set_name(path: str) -> str:
    """Return a set's name: its file's, without endings."""
    return os.path.basename(path).removesuffix(".gz").removesuffix(".jsonl")


def find_sets(paths: list[str]) -> Iterator[str]:
    """Yield the files that paths name; of a folder, all its sets by name."""
    for path in paths:
        if os.path.isdir(path):
            names = sorted(os.listdir(path))
            yield from (
                os.path.join(path, name) for name in names if name.endswith((".jsonl", ".jsonl.gz"))
            )
        else:
            yield path


def _corpus(raw: dict) -> Corpus:
    items = tuple(
        Item(id=one["id"], text=_told(one), session=str(one.get("session") or one["id"]))
        for one in raw["items"]
    )
    session_of = {item.id: item.session for item in items}
    return Corpus(
        name=raw["corpus"],
        items=items,
        queries=tuple(_query(one, session_of) for one in raw["queries"]),
    )


def _told(item: dict) -> str:
    """Return the text as an agent would keep it: who said it, when."""
    speaker = f"{item['speaker']}: " if item.get("speaker") else ""
    time = f"[{item['time']}] " if item.get("time") else ""
    return f"{time}{speaker}{item['text']}"


def _query(raw: dict, session_of: dict[str, str]) -> Query:
    sessions = {
        name.removeprefix("session:") for name in raw["gold"] if name.startswith("session:")
    }
    gold = frozenset(name for name in raw["gold"] if not name.startswith("session:"))
    return Query(
        id=raw["id"],
        text=raw["text"],
        gold=gold,
        gold_sessions=frozenset(
            sessions | {session_of[name] for name in gold if name in session_of}
        ),
        category=raw.get("category") or "",
    )
