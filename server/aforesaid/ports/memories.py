"""Port for memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.memory import Filters, Memory, PageCursor, Visibility


class MemoryStore(Protocol):
    """Memories. Write inside a transaction of the store."""

    def last_id(self) -> str | None:
        """Return the greatest id ever stored; None without any."""
        ...

    def add(self, memory: Memory) -> Memory:
        """Store and index a memory; return it with key, head and content hash."""
        ...

    def get(self, keys: Sequence[int]) -> list[Memory]:
        """Return the memories with these keys, in this order; unknown ones are left out."""
        ...

    def find(self, reference: str, visible: Visibility | None = None) -> list[Memory]:
        """Return the visible memories that a full id or its end denotes; at most 10."""
        ...

    def short_ids(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the shortest unique form of each id, at least four characters, by key."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a memory in place and update the full-text index."""
        ...

    def supersede(self, old: int, new: int, at: int) -> None:
        """Make ``new`` the version after ``old``; all versions of old's chain get new's head."""
        ...

    def chain(self, key: int) -> list[Memory]:
        """Return all versions with the same head as a memory, oldest first."""
        ...

    def erase(self, key: int, keyed_hash: str, at: int) -> None:
        """Delete every trace of a memory; keep only the keyed hash, the id and the date."""
        ...

    def is_erased(self, keyed_hash: str) -> bool:
        """Return whether a text with this hash was erased."""
        ...

    def select(
        self, visible: Visibility, filters: Filters, limit: int, after: PageCursor | None = None
    ) -> list[Memory]:
        """Return a page of memories in force; with ``filters.include_history``, all versions.

        Order: pinned first, then by day newest first, by importance, by id latest first.
        """
        ...

    def most_important(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force, best first, ``limit`` per type."""
        ...

    def latest_events(self, project: int, limit: int) -> list[Memory]:
        """Return a project's trusted events in force, newest first, without summaries."""
        ...

    def replaced_of_sessions(self, sessions: Sequence[str]) -> list[Memory]:
        """Return the facts, rules and procedures of sessions that were superseded."""
        ...

    def same_text(self, content_hash: str, visible: Visibility) -> list[Memory]:
        """Return memories in force with this content hash."""
        ...

    def count(self, visible: Visibility, filters: Filters) -> int:
        """Return the number of memories that ``select`` returns without a limit."""
        ...

    def is_any(self, visible: Visibility, filters: Filters) -> bool:
        """Return whether ``select`` returns a memory."""
        ...

    def record(self, operation: str, key: int | None, at: int, **details: object) -> None:
        """Add an entry to the log."""
        ...

    def statistics(self, visible: Visibility) -> dict[str, object]:
        """Return counts by state, type and scope, and the file's size."""
        ...

    def last_recalled(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force that were recalled, the last one first."""
        ...

    def in_force_after(self, project: int, key: int, limit: int) -> list[Memory]:
        """Return a project's memories in force after a key, oldest first."""
        ...
