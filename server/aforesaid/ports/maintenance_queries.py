"""Port for the queries of maintenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.maintenance.link_decay import WeakLink
    from aforesaid.domain.model.embedding_model import ModelVector
    from aforesaid.domain.model.memory import Memory


class MaintenanceStore(Protocol):
    """Pages of memories and links in order of keys, and other queries of maintenance."""

    def page(
        self,
        after: int,
        limit: int,
        *,
        until: int | None = None,
        types: Sequence[str] = (),
        stored_before: int | None = None,
        unfiled: bool = False,
        compacted: bool = False,
        archived: bool = False,
    ) -> list[Memory]:
        """Return a page of memories in force, in order of keys.

        Args:
            after: the last key of the previous page.
            limit: maximum number.
            until: the greatest key to return.
            types: only of these types.
            stored_before: only stored before this time (ms), or, for events, happened before.
            unfiled: only without a topic.
            compacted: also compacted ones.
            archived: also archived ones.
        """
        ...

    def was_forgotten(self, content_hash: str) -> bool:
        """Return whether a memory with this content hash was forgotten."""
        ...

    def sources_of_summary(self, key: int) -> list[Memory]:
        """Return the memories that were compacted into a summary, in order of keys."""
        ...

    def associated_links(self, after: tuple[int, int], limit: int) -> list[WeakLink]:
        """Return a page of ``associated`` links, ordered by (source, target), after a pair."""
        ...

    def degrees(self, keys: Sequence[int]) -> dict[int, int]:
        """Return the number of ``associated`` links of each memory."""
        ...

    def linked_keys(self, key: int, others: Sequence[int]) -> set[int]:
        """Return which of others are linked to a memory by any kind, or by an expired link."""
        ...

    def mark_link_expired(self, source: int, target: int, at: int) -> None:
        """Record that a link between two memories expired, so that it is not made again."""
        ...

    def command_lists(self, project: int, limit: int) -> dict[int, tuple[str, ...]]:
        """Return the commands that a project's latest sessions ran, by key of the digest.

        Only trusted digests count, since the context shows recurring commands.
        """
        ...

    def topics_to_summarise(self, min_memories: int) -> list[tuple[int, int]]:
        """Return (topic, newest memory) of nodes with new memories since their last summary.

        Nodes with fewer than ``min_memories`` memories in force, including concepts, are left out.
        """
        ...

    def branch(self, topic: int) -> list[int]:
        """Return the keys of a node and of its concepts."""
        ...

    def set_topic_summary(self, topic: int, text: str, until: int) -> None:
        """Store the summary of a node, written from its memories up to the key ``until``.

        It is removed as soon as one of them changes.
        """
        ...

    def topic_summaries(self, projects: Sequence[int]) -> dict[int, str]:
        """Return the summaries of nodes in these projects, by key of the node."""
        ...

    def newest_key(self) -> int:
        """Return the greatest key of a memory."""
        ...

    def first_stored_since(self, at: int) -> int:
        """Return the smallest key stored at or after a time (ms); else one above all keys."""
        ...

    def repeated_hashes(self) -> set[str]:
        """Return the content hashes that several memories share, in force or not."""
        ...

    def supported_by(self, keys: Sequence[int]) -> set[int]:
        """Return the memories that any of these supports, in any state."""
        ...

    def keys_with_branch(self, after: int, limit: int) -> list[int]:
        """Return keys, above a key, of memories in force that have the mark of a branch."""
        ...

    def keys_with_anchors(self, after: int, limit: int) -> list[int]:
        """Return a page of keys of memories with anchors, in order, after a key."""
        ...

    def copy_vectors(self, source: int, target: int) -> None:
        """Copy the vectors of a memory to another with the same text."""
        ...

    def first_vectors(self, keys: Sequence[int]) -> dict[int, ModelVector]:
        """Return the first chunk's vector of each memory that has one, all of one model."""
        ...
