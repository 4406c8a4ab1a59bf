"""Values for tests of the store and the services: memories, call contexts, a clock.

Helpers that several suites share. Not here: the model of the store (property/reference_store.py).
"""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.ids import next_uuid7
from aforesaid.domain.model.memory import CallContext, Identity, Memory, Project
from aforesaid.domain.text.hashing import content_hash
from aforesaid.services.graph.relations import RelationService
from aforesaid.services.memories.editor import MemoryEditor
from aforesaid.services.memories.forget import MemoryForgetter
from aforesaid.services.memories.writer import MemoryWriter
from aforesaid.services.projects.registry import Projects
from aforesaid.services.recall.inspect import MemoryInspector
from aforesaid.services.recall.recall import Recall

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aforesaid.ports import Embedder, SecretFilter, Store

NOON = 1_700_000_000_000  #: 14 November 2023, 22:13:20 UTC
DAY = 86_400_000


class TickingClock:
    """A clock that advances one second at each call; a test can set ``at``."""

    def __init__(self, at: int = NOON) -> None:
        self.at = at

    def now(self) -> int:
        self.at += 1_000
        return self.at


class SequentialIds:
    """Generates ids from a counter in place of random bits, so that runs are reproducible."""

    def __init__(self) -> None:
        self.count = 0

    def next_id(self, after: str | None, now: int) -> str:
        self.count += 1
        spread = self.count * 0x9E3779B97F4A7C15F39C % (1 << 80)
        return next_uuid7(after, now, spread.to_bytes(10, "big"))


def make_memory(number: int = 1, **fields: Any) -> Memory:
    """Return a memory that is not stored yet; its number determines its id and times."""
    at = fields.pop("at", NOON + number * 1_000)
    text = fields.get("content", f"memory number {number}")
    defaults = {
        "id": next_uuid7(
            None, at, (number * 0x9E3779B97F4A7C15F39C % (1 << 80)).to_bytes(10, "big")
        ),
        "content": text,
        "scope": "global",
        "created_at": at,
        "updated_at": at,
        "last_reinforced_at": at,
        "content_hash": content_hash(text),
    }
    return Memory(**{**defaults, **fields})


def make_project(identity: str, **fields: Any) -> Project:
    """Return a project that is not registered yet."""
    name = identity.partition(":")[2].rpartition("/")[2]
    defaults = {"key": 0, "identity": identity, "name": name, "created_at": NOON, "used_at": NOON}
    return Project(**{**defaults, **fields})


def make_context(project: Project, session: str | None = None) -> CallContext:
    """Return the call context of a session in a known project."""
    identity = Identity(
        key=project.identity,
        name=project.name,
        keys=(project.identity,),
        confidence=1.0,
        source="git remote",
        evidence="made by a test",
    )
    return CallContext(project=project, identity=identity, session=session)


def open_sqlite(path: object, **options: Any) -> SqliteStore:
    """Return a SQLite store that can search vectors of 384 dimensions."""
    return SqliteStore(str(path), **{"vec_extension": find_vec_extension(), **options})


def bytes_on_disk(path: Path) -> bytes:
    """Return all that a store's file and its companions hold."""
    names = [name for name in os.listdir(path.parent) if name.startswith(path.name)]
    return b"".join((path.parent / name).read_bytes() for name in sorted(names))


@contextmanager
def temporary_store(**options: Any) -> Iterator[SqliteStore]:
    """Open a store in a folder of its own, for one generated case."""
    with TemporaryDirectory() as folder, closing(open_sqlite(f"{folder}/m.db", **options)) as store:
        yield store


class Overlay:
    """Passes everything on to another object, but for the attributes that a test gives."""

    def __init__(self, target: object, **attributes: object) -> None:
        self.__dict__.update(attributes)
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


class WriteLockCheckingEmbedder(HashedEmbedder):
    """An embedder that fails if its caller holds the write lock of a file while it embeds."""

    def __init__(self, path: object) -> None:
        super().__init__()
        self._path = path

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Embed while another connection holds the write lock."""
        other = open_sqlite(self._path)
        try:
            with other.transaction(wait=False):
                return super().embed_documents(texts)
        finally:
            other.close()


class Services:
    """The services over one store, with a ticking clock and an embedder without a model."""

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None = None,
        words_only: bool = False,
        secrets: SecretFilter | None = None,
    ) -> None:
        self.store = store
        self.clock = TickingClock()
        self.embedder = None if words_only else embedder or HashedEmbedder()
        self.remember = MemoryWriter(
            store, self.clock, SequentialIds(), lambda: self.embedder, secrets
        )
        self.recall = Recall(store, self.clock, lambda: self.embedder)
        self.forgetter = MemoryForgetter(store, self.clock, self.remember)
        self.curate = MemoryEditor(store, self.clock, self.remember, self.forgetter)
        self.relate = RelationService(store, self.clock)
        self.inspect = MemoryInspector(store, self.clock)
        self.projects = Projects(store, self.clock)

    def project(self, identity: str) -> Project:
        """Return a newly registered project."""
        with self.store.transaction():
            return self.store.projects.add(make_project(identity))
