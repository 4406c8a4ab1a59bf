"""Search by words and by vectors, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, Hit, Visibility


class SearchStore(Protocol):
    """Words and vectors of memories, and the search in them."""

    def by_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return rows that hold any of the words, best first, ties by key.

        Filters hold on the row's head; rows whose head is forgotten or archived are left out.
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
        """Return the rows whose best window is nearest, best first. Same filters as words.

        Only vectors of the model that made this one are looked at: the one named, or that of a
        vector which the store gave out, else the one that serves. Cosines are on the shipped
        model's scale.
        """
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
        """Return heads with a window above this cosine, best first: what may say the same."""
        ...

    def near_words(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return, for each word that the caller sees nowhere, near ones that it sees somewhere.

        Near is one letter wrong, missing, added, or two swapped; likeliest first, three at most.
        """
        ...

    def pair_cosines(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosine of the first windows of each two memories, where both have one."""
        ...

    def triggers(self, visible: Visibility, limit: int) -> list[tuple[int, str]]:
        """Return (key, trigger) of trusted procedures in force that name one, newest first."""
        ...

    def set_vectors(self, key: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of a model.

        The first model that comes serves; of one that was never announced nothing is kept.
        """
        ...

    def without_vectors(self, model: str, limit: int) -> list[int]:
        """Return keys of memories that need vectors of this model, oldest first.

        None do of a model that neither serves nor comes, where one serves.
        """
        ...

    @property
    def has_vectors(self) -> bool:
        """Whether this store can search vectors at all."""
        ...
