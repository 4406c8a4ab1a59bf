"""Memories as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.memory import Filters, Memory, PageCursor, Visibility


class MemoryStore(Protocol):
    """Memories. Writes belong inside a transaction of the store."""

    def last_id(self) -> str | None:
        """Return the greatest id ever stored."""
        ...

    def add(self, memory: Memory) -> Memory:
        """Store a memory with its words; return it with key, head and content hash."""
        ...

    def get(self, keys: Sequence[int]) -> list[Memory]:
        """Return the memories with these keys, in the order asked; unknown ones are left out."""
        ...

    def find(self, reference: str, visible: Visibility | None = None) -> list[Memory]:
        """Return what a whole id or its end names among visible projects; 10 at most if many do."""
        ...

    def short_ids(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the shortest unique form of each id, four characters at least."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a memory in place; words follow."""
        ...

    def supersede(self, old: int, new: int, at: int) -> None:
        """Make ``new`` the version after ``old``; every version of old's chain gets new's head."""
        ...

    def chain(self, key: int) -> list[Memory]:
        """Return every version that shares this memory's head, oldest first."""
        ...

    def erase(self, key: int, keyed_hash: str, at: int) -> None:
        """Remove every trace but the hash, the id and the date."""
        ...

    def is_erased(self, keyed_hash: str) -> bool:
        """Tell whether a text with this hash was erased."""
        ...

    def select(
        self, visible: Visibility, filters: Filters, limit: int, after: PageCursor | None = None
    ) -> list[Memory]:
        """Return memories in force, in the order of ``PageCursor`` downwards; in history all.

        Pinned ones, then by day the newest, then the most important, then the latest.
        """
        ...

    def most_important(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force, ``limit`` of each type, best first."""
        ...

    def latest_events(self, project: int, limit: int) -> list[Memory]:
        """Return a project's trusted events in force, newest first; no summaries of older ones."""
        ...

    def same_text(self, content_hash: str, visible: Visibility) -> list[Memory]:
        """Return memories in force whose normalised text has this hash."""
        ...

    def count(self, visible: Visibility, filters: Filters) -> int:
        """Return how many memories pass the filters, as ``select`` has them."""
        ...

    def record(self, operation: str, key: int | None, at: int, **details: object) -> None:
        """Write a line of the log."""
        ...

    def statistics(self, visible: Visibility) -> dict[str, object]:
        """Return counts by state, type and scope, and the file's size."""
        ...

    def last_recalled(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force that were recalled, the last one first."""
        ...

    def in_force_after(self, project: int, key: int, limit: int) -> list[Memory]:
        """Return a project's memories in force behind a key, oldest first."""
        ...
