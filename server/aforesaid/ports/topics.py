"""The topic tree, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.topic import Topic


class TopicStore(Protocol):
    """The topic tree: nodes, and the places of memories in it.

    A detail hangs below the head of its parent's chain. ``supersede``, ``erase`` and
    ``merge_projects`` keep every memory in a place.
    """

    def get(self, key: int) -> Topic | None:
        """Return a node, with its path."""
        ...

    def of_projects(self, projects: Sequence[int]) -> list[Topic]:
        """Return all nodes of these projects, in order of their keys."""
        ...

    def add(self, topic: Topic) -> Topic:
        """Make a node; return it with its key and path.

        Raises:
            ConflictError: a sibling has that name.
        """
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a node; the words of the memories in it follow its name."""
        ...

    def replace(self, source: int, target: int) -> int:
        """Give a node's memories to another and remove it; return how many moved."""
        ...

    def remove_unused(self) -> None:
        """Remove nodes that hold no memory, neither themselves nor by their concepts."""
        ...

    def counts(self, visible: Visibility) -> dict[int | None, int]:
        """Return how many memories in force each node holds itself; None for the unfiled."""
        ...

    def shown(self, keys: Sequence[int], visible: Visibility) -> list[Memory]:
        """Return which of these memories are in force and may be seen, in order of their keys."""
        ...

    def is_overview(self, head: int) -> bool:
        """Tell whether a version of this chain tells what a node is about."""
        ...

    def filed(self, topics: Sequence[int], visible: Visibility, limit: int) -> list[Memory]:
        """Return memories in force of these nodes, most important first."""
        ...

    def details(self, head: int, visible: Visibility) -> list[Memory]:
        """Return the memories in force right below one, most important first."""
        ...

    def file_under(self, topic: int, keys: Sequence[int]) -> None:
        """File memories, and all below them, under a node."""
        ...

    def recompute(self, key: int) -> None:
        """Give a head, and all below it, the topic and depth that follow from its parent."""
        ...
