"""Port for relations between memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.relation import Relation


class RelationStore(Protocol):
    """Relations between memories, which apply to the heads of their chains.

    ``supersedes`` is not stored as a relation but as the chain: see ``MemoryStore.supersede`` and
    ``unchain``.
    """

    def link(self, source: int, kind: str, target: int, at: int, weight: float = 1.0) -> bool:
        """Store a relation; return False if it exists between any versions of the two."""
        ...

    def unlink(self, source: int, kind: str, target: int) -> bool:
        """Remove a relation between any versions of the two; return False if there is none."""
        ...

    def of(self, heads: Sequence[int], visible: Visibility) -> list[Relation]:
        """Return the relations of memories in force, in both directions.

        A relation of an older version counts as one of its head. Left out are relations with a
        forgotten or invisible end, and those between versions of one memory. Order: that of
        ``heads``, then ``domain.model.relation.reading_order``.
        """
        ...

    def step(self, head: int, kind: str, direction: str, visible: Visibility) -> list[int]:
        """Return the heads that one link of a kind leads to, ``out`` or ``in``, best first."""
        ...

    def contradictions(
        self, visible: Visibility, limit: int, since: int | None = None
    ) -> list[tuple[int, int]]:
        """Return contradicting pairs that are both in force, newest link first.

        Args:
            visible: the visible projects and tasks.
            limit: maximum number.
            since: only links made at or after this time (ms).
        """
        ...

    def unchain(self, key: int) -> None:
        """Undo the supersession of a memory, which becomes the head of its chain again."""
        ...

    def latest_of_session(self, memory: Memory) -> int | None:
        """Return the previous memory of the same session and topic; None if there is none.

        It belongs to the same project or is global; digests and other versions are skipped.
        """
        ...

    def event_beside(self, memory: Memory, tag: str, *, before: bool) -> int | None:
        """Return the previous (or next) event in force with a tag in the same project, by time."""
        ...
