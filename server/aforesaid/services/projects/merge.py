"""Correcting projects on request: merging two, and mapping a folder to a project."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import (
    DEFAULT_IDENTITY,
    OPEN,
    CallContext,
    Filters,
    Project,
    Visibility,
)
from aforesaid.domain.projects.detection import WorkspaceFacts, chosen_keys, identify
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store

from .registry import Projects

MERGE = "project_merge"


class ProjectMerge(Value):
    """What a merge of projects will do, or did."""

    source: Project
    target: Project  #: before the merge
    memories: int  #: planned: memories in force that will move; done: all that moved
    tasks: int  #: open tasks that move
    keys: tuple[str, ...]  #: project keys that identify the target afterwards
    copy: str = ""  #: path of the copy of the store made before the merge; empty for a plan


class FolderMapping(Value):
    """The outcome of mapping a folder to a project."""

    context: CallContext  #: the new call context of the folder
    former: Project  #: the previous project of the folder
    moved: int = 0  #: memories in force that moved, as the previous project was only a guess
    stayed: int = 0  #: memories in force that stay in the previous project


class ProjectMerger:
    """Merges projects and maps folders on request."""

    def __init__(self, store: Store, clock: Clock, projects: Projects) -> None:
        self._store = store
        self._clock = clock
        self._projects = projects

    def plan(self, source: str, target: str) -> ProjectMerge:
        """Return what merging one project into another would do.

        Raises:
            NotFoundError: One of the projects does not exist.
            InvalidInputError: They are the same project, or one is the default project.
        """
        old, new = self._projects.get(source), self._projects.get(target)
        if old.key == new.key:
            raise InvalidInputError(
                f"{source!r} and {target!r} are already the same project: {new.name!r}"
            )
        if DEFAULT_IDENTITY in {old.identity, new.identity}:
            raise InvalidInputError(
                "the default project cannot be merged: it belongs to all sessions outside projects"
            )
        return ProjectMerge(
            source=old,
            target=new,
            memories=self._store.memories.count(Visibility(projects=(old.key,)), Filters()),
            tasks=len(self._store.tasks.find((old.key,), statuses=OPEN)),
            keys=tuple(self._store.projects.aliases(old.key)),
        )

    def merge(self, source: str, target: str) -> ProjectMerge:
        """Move everything from one project to another, which also takes over its keys.

        The store is copied first: a merge can be undone only by restoring the copy.

        Raises:
            NotFoundError: One of the projects does not exist.
            InvalidInputError: They are the same project, or one is the default project.
            UnavailableError: The disk has no space for the copy.
        """
        plan = self.plan(source, target)
        now = self._clock.now()
        copy = self._store.keep_copy(f"merge-{now}")
        old, new = plan.source, plan.target
        with self._store.transaction():
            moved = self._store.projects.merge(old.key, new.key)
            self._store.projects.change(
                new.key,
                description=new.description or old.description,
                keywords=tuple(dict.fromkeys((*new.keywords, *old.keywords))),
            )
            self._store.memories.record(
                MERGE, None, now, source=old.name, target=new.name, moved=moved
            )
        return plan.replace(memories=moved, copy=copy)

    def map(
        self,
        workspace: WorkspaceFacts,
        project: str,
        *,
        description: str | None = None,
        keywords: tuple[str, ...] | None = None,
        new: bool = False,
    ) -> FolderMapping:
        """Map a folder to a project from now on.

        Memories of the folder's provisional project (guessed from the folder alone, not yet
        confirmed by the user) move to it. For the arguments see
        ``Projects.choose``.

        Raises:
            InvalidInputError: The folder cannot be a project, or a similar name exists.
        """
        self._keys(workspace)
        before = self._projects.resolve(workspace)
        former = before.project
        count = self._store.memories.count(Visibility(projects=(former.key,)), Filters())
        self._projects.choose(
            project, before, workspace, description=description, keywords=keywords, new=new
        )
        context = self._projects.resolve(workspace)
        if former.key == context.project.key:
            return FolderMapping(context=context, former=former)
        if self._store.projects.get(former.key) is None:
            return FolderMapping(context=context, former=former, moved=count)
        return FolderMapping(context=context, former=former, stayed=count)

    def unmap(self, workspace: WorkspaceFacts) -> CallContext:
        """Remove the mapping of a folder; return the folder's call context without it.

        Memories that moved with the mapping, or were stored since then, stay where they are.

        Raises:
            InvalidInputError: The folder cannot be a project.
            NotFoundError: The folder is not mapped.
        """
        chosen = [key for key in self._keys(workspace) if self._store.projects.by_key(key)]
        if not chosen:
            raise NotFoundError(f"{workspace.folder} is not mapped to a project")
        project = self._store.projects.by_key(chosen[0])
        own = identify(workspace)
        with self._store.transaction():
            self._store.projects.remove_alias(chosen[0])
            for key in own.keys if own is not None and own.provisional else ():
                # this key moved to the chosen project together with the folder's own project
                owner = self._store.projects.by_key(key)
                if owner and project and owner.key == project.key and owner.identity != key:
                    self._store.projects.remove_alias(key)
        return self._projects.resolve(workspace)

    def _keys(self, workspace: WorkspaceFacts) -> tuple[str, ...]:
        keys = chosen_keys(workspace)
        if not keys:
            reason = workspace.excluded_reason or "no folder"
            raise InvalidInputError(
                f"{workspace.folder or 'this'} cannot be a project ({reason}): "
                "name a repository or a work folder"
            )
        return keys
