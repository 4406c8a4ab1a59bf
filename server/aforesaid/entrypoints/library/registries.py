"""What memories are about and belong to: entities, tasks, projects."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from aforesaid.domain.text.invisible import remove_invisible_in

from .connection import Connection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.entity import Entity, EntityChange
    from aforesaid.domain.model.memory import Project
    from aforesaid.services.graph.entity_search import FoundEntities
    from aforesaid.services.projects.merge import ProjectMerge
    from aforesaid.services.tasks import TaskView

    from .types import Texts


class Registries(Connection):
    """Entities, tasks and projects of a memory."""

    # -- entities

    def entities(
        self,
        query: str | None = None,
        *,
        scope: Texts | None = None,
        type: Texts | None = None,  # noqa: A002 - the tool's own name
        project: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> FoundEntities:
        """Return entities that fit a query, best first, or a page of all, by name.

        Args:
            query: a name, or what it is; None lists.
            scope: only these scopes.
            type: only these entity types, such as person.
            project: another project, or ``*`` for all.
            limit: 1 to 50; default 5, of a list 20.
            cursor: ``next_cursor`` of the page before.

        Raises:
            InvalidInputError: a value is outside its limits.
            NotFoundError: there is no such project.
        """
        given = {
            "query": query, "scope": scope, "type": type, "project": project, "limit": limit,
            "cursor": cursor,
        }  # fmt: skip
        return remove_invisible_in(
            self._requests.entities(self._read("search_entities", given), self._place)
        )

    def merge_entities(self, source: str, target: str) -> Entity:
        """Have one entity be known as another from now on; return that other.

        Raises:
            NotFoundError: one of them is not known here.
            InvalidInputError: they are one already, or the one to go is the user.
            ConflictError: what is global cannot be known as what belongs to one project.
        """
        return self._core.mend_entities.merge(source, target, self._place.visible)

    def rename_entity(self, name: str, new_name: str) -> Entity:
        """Give an entity another name; the old one stays as an alias. Return it as it is now.

        Raises:
            NotFoundError: it is not known here.
            InvalidInputError: the new name is none, or it is the user's.
            ConflictError: the new name means another entity.
        """
        return self._core.mend_entities.rename(name, new_name, self._place.visible)

    def entity_changes(self) -> list[EntityChange]:
        """Return merges and renames that can be undone, newest first."""
        return self._core.mend_entities.changes(self._place.visible)

    def undo_entity_change(self, change: int | None = None) -> EntityChange:
        """Take back a merge or rename: the last one, or the one with this key; return it.

        Raises:
            NotFoundError: there is no such change, or it was undone.
            ConflictError: what came after it stands in the way.
        """
        return self._core.mend_entities.undo(change, self._place.visible)

    # -- tasks

    def tasks(self, status: Texts | None = None, *, project: str | None = None) -> list[TaskView]:
        """Return tasks, most urgent first, each with its objective and what it waits for.

        Args:
            status: one or several, or ``all``; None for the open ones, active and blocked.
            project: another project, or ``*`` for all.

        Raises:
            InvalidInputError: there is no such status.
            NotFoundError: there is no such project.
        """
        named = [status] if isinstance(status, str) else list(status or ())
        given = {"status": named, "project": project}
        return remove_invisible_in(self._requests.tasks(given, self._place))

    # -- projects

    def projects(self) -> list[Project]:
        """Return the known projects, most recently used first."""
        return [known for known, _memories in self._requests.projects()]

    def merge_projects(self, source: str, target: str) -> ProjectMerge:
        """Move all that one project holds to another; a copy of the file is kept beside it first.

        Raises:
            NotFoundError: there is no project of a name.
            InvalidInputError: they are one already, or one is the default project.
            UnavailableError: there is no room for the copy.
        """
        done = self._core.mend_projects.merge(source, target)
        self._core.remember.embed_missing(sys.maxsize)
        self._settle()
        return done

    def set_project(
        self,
        project: str,
        *,
        description: str | None = None,
        keywords: Sequence[str] | None = None,
        new: bool = False,
    ) -> Project:
        """Let calls come from another project from now on; return it.

        Where the memory was opened in a folder, it is that folder's project for sessions too.

        Args:
            project: key, name or alias of a known one, or the name of a new one.
            description: what it is, in a sentence.
            keywords: words that mean it.
            new: make it though a near name exists.

        Raises:
            InvalidInputError: a project with a near name exists: which is meant?
        """
        given = {
            "project": project, "description": description, "new": new,
            "keywords": None if keywords is None else list(keywords),
        }  # fmt: skip
        read = self._read("set_project", given)
        chosen = self._requests.set_project(read, self._place, self._surroundings)
        self._named = chosen.identity
        self._settle()
        return chosen
