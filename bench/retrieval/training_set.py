"""What the ranking is given for every labelled question, gathered once: a trial costs seconds.

Here: candidates of words and of meaning as the store finds them, texts and sessions, kept as JSON
beside the cached vectors. Not here: what is made of them (learn.py).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bench.agent_memories import MEMORIES, QUESTIONS
from bench.agent_memories.dataset import Shelf
from bench.authors import PAIRS as AUTHORS_FOLDER
from bench.authors import load_author
from bench.human import load_corpora
from bench.retrieval.__main__ import Library
from bench.retrieval.data import Corpus, read_set, set_name
from bench.retrieval.metrics import score_ranking
from bench.retrieval.search_arms import Found, find
from bench.stores import private_places
from bench.vectors import cache_folder, open_cached

from aforesaid.domain.model.memory import Hit, SessionNeighbours
from aforesaid.domain.retrieval.fusion import MAX_TEXTS_READ, NEIGHBOURS_EACH_SIDE, fuse
from aforesaid.domain.retrieval.ranking import RankingContext, measure_signals
from aforesaid.ports import Embedder

OWN = "agent_memories"


@dataclass(frozen=True)
class Gathered:
    """One store: its texts and the order within its sessions; keys of memories are numbers."""

    texts: dict[int, str]
    items: dict[int, list[str]]  #: ids in the set that each memory stands for
    sessions: dict[str, list[int]]
    session_of: dict[str, str]  #: by item


@dataclass(frozen=True)
class Asked:
    """One question, what was found, and what answers."""

    store: Gathered
    text: str
    group: str  #: what is kept together where questions are split
    words: list[Hit]
    vectors: list[Hit]
    gold: frozenset[str]
    gold_sessions: frozenset[str]

    def signals(self) -> tuple[list[int], list[tuple[float, ...]]]:
        """Return the memories that the product would rank, and their signals, by the product."""
        fused = fuse(self.words, self.vectors)
        near = fused[:MAX_TEXTS_READ]
        order = RankingContext(self._surroundings([one.head for one in near]))
        pool = {one.head: one.matched for one in near}
        texts = self.store.texts
        said = {head: texts[pool.get(head, head)] for head in {**pool, **order.session}}
        rows = measure_signals(self.text, fused, order, said)
        return list(rows), list(rows.values())

    def score(self, keys: Sequence[int]) -> dict[str, float]:
        """Return every measure of one ranking: of messages, or of sessions where these are gold."""
        items = [item for key in keys for item in self.store.items.get(key, ())]
        if self.gold:
            return score_ranking(items, self.gold)
        sessions = list(dict.fromkeys(self.store.session_of[item] for item in items))
        return score_ranking(sessions, self.gold_sessions)

    def answers(self, key: int) -> bool:
        """Tell whether a memory answers, or stands in a session that does."""
        items = self.store.items.get(key, ())
        if self.gold:
            return any(item in self.gold for item in items)
        return any(self.store.session_of[item] in self.gold_sessions for item in items)

    def _surroundings(self, keys: list[int]) -> list[SessionNeighbours]:
        found = []
        for key in keys:
            for name, mates in self.store.sessions.items():
                if key in mates:
                    at = mates.index(key)
                    before = tuple(mates[max(at - NEIGHBOURS_EACH_SIDE, 0) : at][::-1])
                    after = tuple(mates[at + 1 : at + 1 + NEIGHBOURS_EACH_SIDE])
                    found.append(
                        SessionNeighbours(key=key, session=name, before=before, after=after)
                    )
                    break
        return found


def gather_set(path: str, open_embedder: Callable[[], Embedder] = open_cached) -> list[Asked]:
    """Return every question of a set, each corpus in a store of its own."""

    def make() -> list[dict]:
        return [_of_corpus(corpus, open_embedder()) for corpus in read_set(path)]

    return _kept(set_name(path), [path], make, open_embedder)


def gather_own() -> list[Asked]:
    """Return the answerable questions of the development part of bench/agent_memories."""

    def make() -> list[dict]:
        with private_places() as folder:
            return _of_shelf(OWN, Shelf(folder, open_cached()))

    return _kept(OWN, [MEMORIES, QUESTIONS], make)


def gather_author(name: str) -> list[Asked]:
    """Return the answerable questions of one author of bench/authors."""

    def make() -> list[dict]:
        author = load_author(name)
        questions = tuple(one for one in author.questions if one.gold)
        with private_places() as folder:
            return _of_shelf(name, Shelf(folder, open_cached(), of=(author.memories, questions)))

    return _kept(name, [os.path.join(AUTHORS_FOLDER, f"{name}.jsonl")], make)


def gather_documents(name: str, files: tuple[str, str]) -> list[Asked]:
    """Return the questions of documents that people wrote, each source in a store of its own."""

    def make() -> list[dict]:
        return [_of_corpus(corpus, open_cached()) for corpus in load_corpora(*files)]

    return _kept(name, list(files), make)


def _of_corpus(corpus: Corpus, embedder: Embedder) -> dict:
    with private_places() as folder:
        library = Library(folder, corpus, embedder)
        memories = library.core.store.memories.get(sorted(library.items_of))
        sessions: dict[str, list[int]] = {}
        for memory in memories:
            sessions.setdefault(memory.session or "", []).append(memory.key)
        asked = [
            _asked(
                query.id,
                query.text,
                find(library.core, library.place.visible, query.text),
                query.gold,
                query.gold_sessions,
            )
            for query in corpus.queries
        ]
        library.core.close()
    return {
        "name": corpus.name,
        "texts": {one.key: one.content for one in memories},
        "items": library.items_of,
        "sessions": sessions,
        "session_of": {item.id: item.session for item in corpus.items},
        "asked": asked,
    }


def _of_shelf(name: str, shelf: Shelf) -> list[dict]:
    memories = shelf.core.store.memories.get(sorted(shelf.ids_of))
    asked = [
        _asked(one.id, one.text, find(shelf.core, shelf.visible(one), one.text), one.gold)
        for one in shelf.questions
        if one.part == "dev" and one.gold
    ]
    shelf.core.close()
    return [
        {
            "name": name,
            "texts": {one.key: one.content for one in memories},
            "items": shelf.ids_of,
            "sessions": {},
            "session_of": {},
            "asked": asked,
        }
    ]


def _asked(
    identity: str,
    text: str,
    found: Found,
    gold: Iterable[str],
    gold_sessions: Iterable[str] = (),
) -> dict:
    return {
        "id": identity,
        "text": text,
        "words": [[hit.key, hit.head, hit.score] for hit in found.words],
        "vectors": [[hit.key, hit.head, hit.score] for hit in found.vectors],
        "gold": sorted(gold),
        "gold_sessions": sorted(gold_sessions),
    }


def _kept(
    name: str,
    sources: list[str],
    make: Callable[[], list[dict]],
    open_embedder: Callable[[], Embedder] = open_cached,
) -> list[Asked]:
    """Return what was gathered before from these files by this model, else make and keep it."""
    mark = hashlib.sha256(open_embedder().model.encode())
    for source in sources:
        with open(source, "rb") as file:
            mark.update(file.read())
    path = os.path.join(cache_folder(), f"gathered-{name}-{mark.hexdigest()[:12]}.json")
    if not os.path.exists(path):
        made = make()
        os.makedirs(cache_folder(), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made, file)
    with open(path, encoding="utf-8") as file:
        stores = json.load(file)
    return [asked for store in stores for asked in _read(store, whole=len(stores) == 1)]


def _read(raw: dict, *, whole: bool) -> list[Asked]:
    """Return the questions of one store; split by question where it is the whole set."""
    store = Gathered(
        texts={int(key): text for key, text in raw["texts"].items()},
        items={int(key): items for key, items in raw["items"].items()},
        sessions=raw["sessions"],
        session_of=raw["session_of"],
    )
    return [
        Asked(
            store=store,
            text=one["text"],
            group=one["id"] if whole else raw["name"],
            words=[Hit(key=key, head=head, score=score) for key, head, score in one["words"]],
            vectors=[Hit(key=key, head=head, score=score) for key, head, score in one["vectors"]],
            gold=frozenset(one["gold"]),
            gold_sessions=frozenset(one["gold_sessions"]),
        )
        for one in raw["asked"]
    ]
