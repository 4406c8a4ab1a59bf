"""Entities, tasks and projects: the registries that memories refer to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from aforesaid.domain.text.sanitize import remove_invisible_in
from aforesaid.entrypoints.api.operations import Operations
from aforesaid.entrypoints.api.registry_operations import rename_entity

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
    """Entities, tasks and projects of a store."""

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
        """Return entities that match a query, best first, or a page of all, by name.

        Args:
            query: a name, or a description; None lists all.
            scope: only these scopes.
            type: only these entity types, such as person.
            project: another project, or ``*`` for all.
            limit: 1 to 50; default 5, for a list 20.
            cursor: ``next_cursor`` of the previous page.

        Raises:
            InvalidInputError: a value is outside its limits.
            NotFoundError: there is no such project.
        """
        raw = {
            "query": query, "scope": scope, "type": type, "project": project, "limit": limit,
            "cursor": cursor,
        }  # fmt: skip
        return self._call(Operations.entities, "search_entities", raw)

    def merge_entities(self, source: str, target: str) -> Entity:
        """Merge one entity into another, whose aliases its names become; return the other.

        Raises:
            NotFoundError: one of them is not known here.
            InvalidInputError: they are the same entity, or ``source`` is the user.
            ConflictError: a global entity cannot be merged into one that belongs to a project.
        """
        return self._core.entity_merger.merge(source, target, self._context.visible)

    def rename_entity(self, name: str, new_name: str) -> Entity:
        """Rename an entity; the old name stays as an alias. Return it as it is now.

        Raises:
            NotFoundError: it is not known here.
            InvalidInputError: the new name is invalid, or the entity is the user.
            ConflictError: the new name means another entity.
        """
        return rename_entity(self._core, name, new_name, self._context.visible)

    def entity_changes(self) -> list[EntityChange]:
        """Return merges and renames that can be undone, newest first."""
        return self._core.entity_merger.changes(self._context.visible)

    def undo_entity_change(self, change: int | None = None) -> EntityChange:
        """Undo a merge or rename: the last one, or the one with this key; return it.

        Raises:
            NotFoundError: there is no such change, or it was undone already.
            ConflictError: a later change prevents it.
        """
        return self._core.entity_merger.undo(change, self._context.visible)

    # -- tasks

    def tasks(self, status: Texts | None = None, *, project: str | None = None) -> list[TaskView]:
        """Return tasks, most urgent first, each with its objective and what it waits for.

        Args:
            status: one or several, or ``all``; None for open tasks, active and blocked.
            project: another project, or ``*`` for all.

        Raises:
            InvalidInputError: there is no such status.
            NotFoundError: there is no such project.
        """
        statuses = [status] if isinstance(status, str) else list(status or ())
        arguments = {"status": statuses, "project": project}
        return remove_invisible_in(self._operations.tasks(arguments, self._context))

    # -- projects

    def projects(self) -> list[Project]:
        """Return the known projects, most recently used first."""
        return [project for project, _count in self._operations.projects()]

    def merge_projects(self, source: str, target: str) -> ProjectMerge:
        """Move everything from one project to another; first, a copy of the file is made beside it.

        Raises:
            NotFoundError: there is no project of that name.
            InvalidInputError: they are the same project, or one is the default project.
            UnavailableError: there is no space for the copy.
        """
        merge = self._core.project_merger.merge(source, target)
        self._core.writer.embed_missing(sys.maxsize)
        self._settle()
        return merge

    def set_project(
        self,
        project: str,
        *,
        description: str | None = None,
        keywords: Sequence[str] | None = None,
        new: bool = False,
    ) -> Project:
        """Set the project that calls come from; return it.

        If the memory was opened in a folder, sessions in that folder belong to the project too.

        Args:
            project: key, name or alias of a known project, or the name of a new one.
            description: what it is, in a sentence.
            keywords: words that identify it in a hint.
            new: create it even if a similar name exists.

        Raises:
            InvalidInputError: a project with a similar name exists; the message names it.
        """
        raw = {
            "project": project, "description": description, "new": new,
            "keywords": None if keywords is None else list(keywords),
        }  # fmt: skip
        arguments = self._read("set_project", raw)
        chosen = self._operations.set_project(arguments, self._context, self._workspace)
        self._project_name = chosen.identity
        self._settle()
        return chosen
