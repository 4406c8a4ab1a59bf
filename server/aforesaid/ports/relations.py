"""Links between memories, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.relation import Relation


class RelationStore(Protocol):
    """Typed links between memories, read from the heads of their chains.

    ``supersedes`` is no row here but the chain itself: ``MemoryStore.supersede`` and ``unchain``.
    """

    def link(self, source: int, kind: str, target: int, at: int, weight: float = 1.0) -> bool:
        """Store a relation; False if it is there, between any versions of the two."""
        ...

    def unlink(self, source: int, kind: str, target: int) -> bool:
        """Remove a relation between any versions of the two; False if there is none."""
        ...

    def of(self, heads: Sequence[int], visible: Visibility) -> list[Relation]:
        """Return the relations of these memories in force, both directions, best first.

        What stands at an older version is read from its head, on either side. Left out: what has
        an end that is forgotten or that the caller may not see, and what joins versions of one.
        Order: as the heads were given, then ``domain.model.relation.reading_order``.
        """
        ...

    def step(self, head: int, kind: str, direction: str, visible: Visibility) -> list[int]:
        """Return the heads one step away along a kind, ``out`` or ``in``, best first."""
        ...

    def contradictions(
        self, visible: Visibility, limit: int, since: int | None = None
    ) -> list[tuple[int, int]]:
        """Return pairs that contradict each other and are both in force, newest link first."""
        ...

    def unchain(self, key: int) -> None:
        """Take back that a memory was superseded: it ends its chain again."""
        ...

    def latest_of_session(self, memory: Memory) -> int | None:
        """Return what was stored before a memory in its session under its topic, if anything.

        Of its own project or global; digests and other versions of the memory do not count.
        """
        ...

    def event_beside(self, memory: Memory, tag: str, *, before: bool) -> int | None:
        """Return the event in force next to one in its project, with a tag, by time."""
        ...
