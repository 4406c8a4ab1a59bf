"""Port for the topic tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.topic import Topic


class TopicStore(Protocol):
    """The topic tree: nodes, and the positions of memories in it.

    The parent of a detail is the head of its parent's chain. ``supersede``, ``erase`` and merging
    projects keep every memory in the tree.
    """

    def get(self, key: int) -> Topic | None:
        """Return a node with its path; None if there is none with this key."""
        ...

    def of_projects(self, projects: Sequence[int]) -> list[Topic]:
        """Return all nodes of these projects, in order of keys."""
        ...

    def add(self, topic: Topic) -> Topic:
        """Store a node; return it with its key and path.

        Raises:
            ConflictError: a sibling has the same name.
        """
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a node; a new name updates the full-text index of its memories."""
        ...

    def replace(self, source: int, target: int) -> int:
        """Move a node's memories to another and delete it; return the number of memories."""
        ...

    def remove_unused(self) -> None:
        """Delete nodes without memories, including in their concepts."""
        ...

    def counts(self, visible: Visibility) -> dict[int | None, int]:
        """Return the number of memories in force directly in each node; key None: unfiled."""
        ...

    def shown(self, keys: Sequence[int], visible: Visibility) -> list[Memory]:
        """Return those of these memories that are in force and visible, in order of keys."""
        ...

    def is_overview(self, head: int) -> bool:
        """Return whether a version in this chain is the overview of a node."""
        ...

    def filed(self, topics: Sequence[int], visible: Visibility, limit: int) -> list[Memory]:
        """Return memories in force of these nodes, most important first."""
        ...

    def details(self, head: int, visible: Visibility) -> list[Memory]:
        """Return the memories in force directly below one, most important first."""
        ...

    def file_under(self, topic: int, keys: Sequence[int]) -> None:
        """File memories, with all details below them, under a node."""
        ...

    def recompute(self, key: int) -> None:
        """Update topic and depth of a head, and of all below it, from its parent."""
        ...
