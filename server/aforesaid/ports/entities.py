"""What services need of the registry of entities, and of names that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.entity import Entity, EntityChange, EntityUse
    from aforesaid.domain.model.memory import Visibility


class NameMatcher(Protocol):
    """Likeness of names, which come as lower-case words one blank apart."""

    def near(self, name: str, known: Sequence[str], least: float) -> list[tuple[int, float]]:
        """Return (place, score in [0, 1]) of names alike as wholes, best first, ties by place."""
        ...

    def search(self, query: str, known: Sequence[str], least: float) -> list[tuple[int, float]]:
        """Return the same, also for names that the query has among other words, or a part of."""
        ...


class EntityStore(Protocol):
    """The registry of entities. A row that was merged leads to its head, which is what is known."""

    def get(self, key: int, visible: Visibility | None = None) -> Entity | None:
        """Return what a row is known as now, with the names that are visible."""
        ...

    def row(self, key: int) -> Entity:
        """Return a row as it is, merged or not, without aliases.

        Raises:
            NotFoundError: there is none.
        """
        ...

    def own_row(self, head: int, normalised: str, project: int) -> int | None:
        """Return the row of a project, by this name, that is known as a head; None for none."""
        ...

    def list_visible(
        self,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        after: tuple[str, int] | None = None,
        limit: int = -1,
    ) -> list[Entity]:
        """Return the known entities, ordered by normalised name, then key."""
        ...

    def named(self, names: Sequence[str], visible: Visibility) -> dict[str, Entity]:
        """Return the entity that each normalised name means; unknown ones are left out.

        Where several have it: a project's own before a global one, a name before an alias.
        """
        ...

    def uses(self, heads: Sequence[int], visible: Visibility) -> dict[int, EntityUse]:
        """Return how much is known of each, counting visible memories in force."""
        ...

    def is_used(self, key: int) -> bool:
        """Tell whether a memory, in whatever state, or a merge leads to this row."""
        ...

    def add(self, entity: Entity) -> Entity:
        """Register an entity, without aliases; return it with its key."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a row; its vector is made again."""
        ...

    def aliases(self, key: int) -> dict[str, str]:
        """Return the aliases of this very row, by normalised name."""
        ...

    def add_alias(self, key: int, normalised: str, name: str) -> None:
        """Give a row another name."""
        ...

    def remove_alias(self, key: int, normalised: str) -> None:
        """Take a name from a row."""
        ...

    def merge(self, source: int, target: int | None) -> None:
        """Have a row, and what leads to it, be known as another; None takes that back."""
        ...

    def remove(self, key: int) -> None:
        """Remove a row that nothing leads to, with its names, in the log too."""
        ...

    def changes(self, limit: int) -> list[EntityChange]:
        """Return merges and renames that were not undone, newest first."""
        ...

    def set_vector(self, key: int, vector: bytes, model: str) -> None:
        """Keep what a name means."""
        ...

    def without_vector(self, model: str, limit: int) -> list[int]:
        """Return keys of heads whose name has no vector of this model yet, oldest first."""
        ...

    def near(
        self, vector: bytes, model: str, visible: Visibility, limit: int
    ) -> list[tuple[int, float]]:
        """Return (head, cosine) of the entities whose names mean the nearest, best first."""
        ...

    def names(self, limit: int) -> dict[int, list[str]]:
        """Return the names that each project's memories speak of, most spoken of first."""
        ...

    def sharing_projects(self, project: int, limit: int) -> list[tuple[int, list[str]]]:
        """Return other projects that speak of the same entities, and which, most shared first."""
        ...
