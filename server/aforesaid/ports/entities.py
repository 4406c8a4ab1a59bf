"""Ports for entities and for comparing names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.entity import Entity, EntityChange, EntityUse
    from aforesaid.domain.model.memory import Visibility


class NameMatcher(Protocol):
    """Compares names, given as ``spaced_name`` returns them, by similarity."""

    def near(self, name: str, names: Sequence[str], min_score: float) -> list[tuple[int, float]]:
        """Return (index, similarity in [0, 1]) of names similar as a whole.

        Args:
            name: the name to look for.
            names: the names to compare with.
            min_score: minimum similarity.

        Returns:
            Best first, ties by index into ``names``.
        """
        ...

    def search(self, query: str, names: Sequence[str], min_score: float) -> list[tuple[int, float]]:
        """Return the same, also for names that the query contains, or contains a part of."""
        ...


class EntityStore(Protocol):
    """Entities. A merged row points to its head, the row that it was merged into."""

    def get(self, key: int, visible: Visibility | None = None) -> Entity | None:
        """Return the head of a row with its visible aliases; None if there is none."""
        ...

    def row(self, key: int) -> Entity:
        """Return the row itself, merged or not, without aliases.

        Raises:
            NotFoundError: no row has this key.
        """
        ...

    def own_row(self, head: int, normalised: str, project: int) -> int | None:
        """Return the key of a project's row with this name and head; None if there is none."""
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
        """Return visible heads, ordered by normalised name, then key.

        Args:
            visible: the visible projects.
            scopes: ``global``, ``project``; empty for both.
            types: entity types; empty for all.
            after: (normalised name, key) of the last entity on the previous page.
            limit: maximum number; -1 for all.
        """
        ...

    def named(self, names: Sequence[str], visible: Visibility) -> dict[str, Entity]:
        """Return the entity of each normalised name or alias; unknown ones are left out.

        If several match, a project's entity precedes a global one, and a name an alias.
        """
        ...

    def with_first_name(self, names: Sequence[str], visible: Visibility) -> dict[str, list[Entity]]:
        """Return the entities whose full name or alias begins with each normalised first name."""
        ...

    def uses(self, heads: Sequence[int], visible: Visibility) -> dict[int, EntityUse]:
        """Return statistics of each entity, over visible memories in force."""
        ...

    def is_used(self, key: int) -> bool:
        """Return whether a memory, in any state, or a merged row refers to a row."""
        ...

    def add(self, entity: Entity) -> Entity:
        """Store an entity, without aliases; return it with its key."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a row; its vector is invalidated."""
        ...

    def aliases(self, key: int) -> dict[str, str]:
        """Return the aliases of the row itself, by normalised name."""
        ...

    def add_alias(self, key: int, normalised: str, name: str) -> None:
        """Add an alias to a row."""
        ...

    def remove_alias(self, key: int, normalised: str) -> None:
        """Remove an alias from a row."""
        ...

    def merge(self, source: int, target: int | None) -> None:
        """Merge a row, with the rows merged into it, into another; None undoes that."""
        ...

    def remove(self, key: int) -> None:
        """Delete an unused row and its names, also from the log."""
        ...

    def changes(self, limit: int) -> list[EntityChange]:
        """Return merges and renames that were not undone, newest first."""
        ...

    def set_vector(self, key: int, vector: bytes, model: str) -> None:
        """Store the vector of an entity's name."""
        ...

    def without_vector(self, model: str, limit: int) -> list[int]:
        """Return keys of heads whose name has no vector of this model, oldest first."""
        ...

    def near(
        self, vector: bytes, model: str, visible: Visibility, limit: int
    ) -> list[tuple[int, float]]:
        """Return (head, cosine) of the entities with the nearest names, best first."""
        ...

    def names(self, limit: int) -> dict[int, list[str]]:
        """Return the names of entities by project, most mentioned first; ``limit`` per project."""
        ...

    def sharing_projects(self, project: int, limit: int) -> list[tuple[int, list[str]]]:
        """Return (project, common entities) of other projects, most in common first."""
        ...
