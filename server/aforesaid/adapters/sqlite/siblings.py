"""What repositories use of their store and of each other.

For type checkers only, so that repositories need not import the store that imports them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aforesaid.ports.memories import MemoryStore
from aforesaid.ports.texts import TextStore
from aforesaid.ports.topics import TopicStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.text_fields import StoredText
    from aforesaid.ports.sessions import SessionStore

    from .database import Database
    from .vectors import VectorIndex
    from .vocabulary import Vocabulary


class Memories(MemoryStore, Protocol):
    """Memories, also by conditions in SQL."""

    def read_rows(self, rest: str, bindings: Sequence[object]) -> list[Memory]:
        """Return the memories (alias m) that the rest of a query selects."""


class Topics(TopicStore, Protocol):
    """The topic tree, also as merging and erasing change it."""

    def move(self, source: int, target: int) -> None:
        """Move the nodes of a project to another."""

    def recompute_strays(self, project: int) -> None:
        """Recompute details whose topic is not their parent's."""

    def hand_over_details(self, key: int) -> list[int]:
        """Give the details of a memory that is about to be removed another parent."""


class Runs(Protocol):
    """The journal, as erasing changes it."""

    def forget_memory(self, key: int) -> None:
        """Remove a memory from the journal and from suggestions."""


class Texts(TextStore, Protocol):
    """Every text column, also of single tables."""

    def read(self, *tables: str) -> Iterator[StoredText]:
        """Yield every free text of these tables, by default of all."""


class Siblings(Protocol):
    """The store as its repositories see it."""

    database: Database
    whole_words: int | None

    @property
    def memories(self) -> Memories:
        """Memories."""

    @property
    def topics(self) -> Topics:
        """The topic tree."""

    @property
    def runs(self) -> Runs:
        """Maintenance runs."""

    @property
    def sessions(self) -> SessionStore:
        """Sessions."""

    @property
    def texts(self) -> Texts:
        """Every text column."""

    @property
    def vectors(self) -> VectorIndex:
        """The vectors of memories."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of memories."""

    def meta(self, name: str) -> str | None:
        """Return a property of the store file."""
