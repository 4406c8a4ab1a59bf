"""Adds memories and projects to a store, and finds memories in it, for the contracts of stores."""

from __future__ import annotations

from bench.hashed_embedder import HashedEmbedder

from aforesaid.domain.model.memory import Filters, Hit, Memory, PageCursor, Project, Visibility
from aforesaid.ports import Store
from factories import make_memory, make_project

EVERYTHING = Filters()
GLOBAL = Visibility(projects=(0,))
EMBED = HashedEmbedder()


def add(store: Store, number: int, content: str | None = None, **fields) -> Memory:
    """Store one memory with its vectors."""
    content = content or f"memory number {number}"
    with store.transaction():
        stored = store.memories.add(make_memory(number, content=content, **fields))
        store.search.set_vectors(stored.key, EMBED.embed_document(content), EMBED.model)
    return store.memories.get([stored.key])[0]


def add_project(store: Store, name: str = "a", **fields) -> Project:
    with store.transaction():
        return store.projects.add(make_project(f"git:example.org/{name}", **fields))


def words(store: Store, *terms: str, visible=GLOBAL, filters=EVERYTHING, limit=50) -> list[int]:
    return [hit.key for hit in store.search.by_words(terms, visible, filters, limit)]


def hits_near(store: Store, text: str, visible=GLOBAL, filters=EVERYTHING, limit=50) -> list[Hit]:
    return store.search.by_vector(EMBED.embed_query(text), visible, filters, limit)


def near(store: Store, text: str, visible=GLOBAL, filters=EVERYTHING, limit=50) -> list[int]:
    return [hit.key for hit in hits_near(store, text, visible, filters, limit)]


def selected(
    store: Store, filters=EVERYTHING, visible=GLOBAL, limit=9, after: PageCursor | None = None
) -> list[int]:
    return [memory.key for memory in store.memories.select(visible, filters, limit, after)]
