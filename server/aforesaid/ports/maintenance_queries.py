"""What the phases of maintenance read and keep, beside the other ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.maintenance.link_decay import WeakLink
    from aforesaid.domain.model.embedding_model import ModelVector
    from aforesaid.domain.model.memory import Memory


class MaintenanceStore(Protocol):
    """Memories and links as maintenance looks at them: in order of keys, page by page."""

    def page(
        self,
        after: int,
        limit: int,
        *,
        until: int | None = None,
        project: int | None = None,
        types: Sequence[str] = (),
        stored_before: int | None = None,
        unfiled: bool = False,
        compacted: bool = False,
        archived: bool = False,
    ) -> list[Memory]:
        """Return memories in force in order of their keys, a page at a time.

        Args:
            after: the last key of the page before.
            limit: how many.
            until: the last key to look at.
            project: of this one alone; 0 for what is global.
            types: of these alone.
            stored_before: ms; or, of an event, happened before.
            unfiled: in no topic.
            compacted: also what was summed up.
            archived: also what was set aside.
        """
        ...

    def weeks_due(self, project: int, before: int, least: int) -> list[tuple[int, int]]:
        """Return (start, events) of weeks of a project that are due to be summed up, latest first.

        Two at most, of its latest events alone: this is asked at a session's start.

        Args:
            project: its key.
            before: ms; events stored before are old.
            least: events that make a week due.
        """
        ...

    def was_forgotten(self, content_hash: str) -> bool:
        """Tell whether somebody forgot a memory whose normalised text has this hash."""
        ...

    def sources_of_summary(self, key: int) -> list[Memory]:
        """Return the memories that a summary stands for, in order of their keys."""
        ...

    def faint_links(self, after: tuple[int, int], limit: int) -> list[WeakLink]:
        """Return ``associated`` links after one, in order of their ends."""
        ...

    def degrees(self, keys: Sequence[int]) -> dict[int, int]:
        """Return how many ``associated`` links each of these has."""
        ...

    def linked_keys(self, key: int, others: Sequence[int]) -> set[int]:
        """Return which of others are linked to a memory by any kind, or were and faded."""
        ...

    def mark_link_expired(self, source: int, target: int, at: int) -> None:
        """Keep that a link between these two went: it is not made again."""
        ...

    def command_lists(self, project: int, limit: int) -> dict[int, tuple[str, ...]]:
        """Return what the latest sessions of a project ran, by the key of their digests.

        Trusted ones alone: the context shows what recurs unasked.
        """
        ...

    def unsummed_topics(self, least: int) -> list[tuple[int, int]]:
        """Return (topic, newest memory) of nodes that have gained memories since their summary.

        Counted are memories in force, a topic's concepts' too; so many at least.
        """
        ...

    def branch(self, topic: int) -> list[int]:
        """Return the keys of a node and of the concepts below it."""
        ...

    def set_topic_summary(self, topic: int, text: str, until: int) -> None:
        """Keep what a node is about, told of its memories up to a key.

        It goes as soon as one of them changes.
        """
        ...

    def topic_summaries(self, projects: Sequence[int]) -> dict[int, str]:
        """Return what the nodes of these projects are about, as far as it was written."""
        ...

    def newest_key(self) -> int:
        """Return the greatest key of a memory."""
        ...

    def first_stored_since(self, at: int) -> int:
        """Return the least key of a memory stored at or after a time (ms); else one too great."""
        ...

    def repeated_hashes(self) -> set[str]:
        """Return the hashes of normalised texts that several memories have, in force or not."""
        ...

    def supported_by(self, keys: Sequence[int]) -> set[int]:
        """Return the memories that any of these supports, whatever became of either."""
        ...

    def keys_with_anchors(self, after: int, limit: int) -> list[int]:
        """Return keys of memories that cite files, after one, in order."""
        ...

    def copy_vectors(self, source: int, target: int) -> None:
        """Give a memory the vectors of another, whose text it has."""
        ...

    def first_vectors(self, keys: Sequence[int]) -> dict[int, ModelVector]:
        """Return the vector of the first window of each memory that has one, all of one model."""
        ...
