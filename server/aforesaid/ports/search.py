"""Port for full-text and vector search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, Hit, Visibility


class SearchStore(Protocol):
    """Full-text and vector search."""

    def by_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return rows that contain any of the words, best first, ties by key.

        Filters apply to a row's head; rows whose head is forgotten or archived are left out. Scores
        are BM25.
        """
        ...

    def by_vector(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return the rows with the nearest chunks, best first; filtered like ``by_words``.

        Scores are cosines on the shipped model's scale. Only vectors of the same model are
        compared: ``model``, else that of a ``ModelVector``, else the active one.
        """
        ...

    def without_vector(self, keys: Sequence[int], vector: bytes, model: str | None) -> set[int]:
        """Return which of these memories lack a vector of the model that is searched."""
        ...

    def near_duplicates(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        floor: float,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return heads with a chunk above the cosine ``floor``, best first."""
        ...

    def near_words(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return spelling suggestions for words that occur in no visible memory.

        Suggestions occur in visible memories and differ by one letter changed, missing or added, or
        two swapped. At most three per word, likeliest first.
        """
        ...

    def pair_cosines(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosines of the first chunks of pairs of memories that both have one."""
        ...

    def triggers(self, visible: Visibility, limit: int) -> list[tuple[int, str]]:
        """Return (key, trigger) of trusted memories in force with a trigger, newest first."""
        ...

    def failures(
        self, field: str, values: Sequence[str], visible: Visibility | None, limit: int
    ) -> list[int]:
        """Return keys of trusted failures in force with one of these values, newest first.

        Args:
            field: of their metadata: ``error`` (further ones are in ``errors``) or ``command``.
            values: if empty, nothing is returned.
            visible: what to look in; None looks in all projects.
            limit: how many to return.
        """
        ...

    def failure_errors(self, limit: int) -> list[tuple[int, list[str]]]:
        """Return key and signatures of trusted failures in force, of all projects, newest first."""
        ...

    def guards(self, visible: Visibility, limit: int) -> list[int]:
        """Return keys of trusted rules in force that are guards, newest first."""
        ...

    def has_failures(self, visible: Visibility) -> bool:
        """Return whether a failure is in force that is visible, or was fixed in any project."""
        ...

    def set_vectors(self, key: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of a model.

        In a store without a model, this one becomes active. Otherwise vectors of a model that was
        never announced are ignored.
        """
        ...

    def without_vectors(self, model: str, limit: int) -> list[int]:
        """Return keys of memories without vectors of a model, oldest first.

        The result is empty if another model is active and this one is not pending.
        """
        ...

    @property
    def has_vectors(self) -> bool:
        """Whether vector search is available."""
        ...
