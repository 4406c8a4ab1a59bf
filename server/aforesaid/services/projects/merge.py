"""Putting projects right by hand: two that are one, and a folder that belongs to another."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import OPEN, Filters, Project, Visibility
from aforesaid.domain.projects.call_context import DEFAULT_IDENTITY, CallContext
from aforesaid.domain.projects.detection import WorkspaceFacts, chosen_keys, identify
from aforesaid.domain.value import Value

from .registry import Projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Clock, Store

MERGE = "project_merge"


class ProjectMerge(Value):
    """What a merge of projects does, or did."""

    source: Project
    target: Project  #: as it is, or was, before
    memories: int  #: that move: those in force; once it is done, all
    tasks: int  #: open ones that move
    keys: tuple[str, ...]  #: that mean the target from then on
    copy: str = ""  #: path of the file as it was before; empty where nothing was done


class Mapped(Value):
    """What became of a folder that was mapped."""

    place: CallContext  #: the folder's place now
    former: Project  #: whose the folder was
    moved: int = 0  #: memories in force that came along, since the former project was provisional
    left: int = 0  #: memories in force that stay with the former project


class ProjectMerger:
    """Changes of projects by hand."""

    def __init__(self, store: Store, clock: Clock, projects: Projects) -> None:
        self._store = store
        self._clock = clock
        self._projects = projects

    def plan(self, source: str, target: str) -> ProjectMerge:
        """Return what merging one project into another would do.

        Raises:
            NotFoundError: there is no project of a name.
            InvalidInputError: they are one already, or one is the default project.
        """
        gone, kept = self._projects.get(source), self._projects.get(target)
        if gone.key == kept.key:
            raise InvalidInputError(
                f"{source!r} and {target!r} are the same project already: {kept.name!r}"
            )
        if DEFAULT_IDENTITY in {gone.identity, kept.identity}:
            raise InvalidInputError(
                "the default project is every session's that is in no project: it is not merged"
            )
        return ProjectMerge(
            source=gone,
            target=kept,
            memories=self._store.memories.count(Visibility(projects=(gone.key,)), Filters()),
            tasks=len(self._store.tasks.find((gone.key,), statuses=OPEN)),
            keys=tuple(self._store.projects.aliases(gone.key)),
        )

    def merge(self, source: str, target: str) -> ProjectMerge:
        """Move all that one project holds to another, which it is known as from then on.

        A copy of the file is written first: a merge cannot be taken back otherwise.

        Raises:
            NotFoundError: there is no project of a name.
            InvalidInputError: they are one already, or one is the default project.
            UnavailableError: there is no room for the copy.
        """
        plan = self.plan(source, target)
        now = self._clock.now()
        copy = self._store.keep_copy(f"merge-{now}")
        gone, kept = plan.source, plan.target
        with self._store.transaction():
            moved = self._store.projects.merge(gone.key, kept.key)
            self._store.projects.change(
                kept.key,
                description=kept.description or gone.description,
                keywords=tuple(dict.fromkeys((*kept.keywords, *gone.keywords))),
            )
            self._store.memories.record(
                MERGE, None, now, source=gone.name, target=kept.name, moved=moved
            )
        return plan.replace(memories=moved, copy=copy)

    def map(
        self,
        surroundings: WorkspaceFacts,
        project: str,
        *,
        description: str | None = None,
        keywords: tuple[str, ...] | None = None,
        new: bool = False,
    ) -> Mapped:
        """Make a project the one of a folder from now on; return what became of both.

        What the folder's provisional project held moves to it. The rest is as for
        ``Projects.choose``.

        Raises:
            InvalidInputError: the folder is nobody's project, or a near name exists.
        """
        self._keys(surroundings)
        before = self._projects.settle(surroundings)
        former = before.project
        count = self._store.memories.count(Visibility(projects=(former.key,)), Filters())
        self._projects.choose(
            project, before, surroundings, description=description, keywords=keywords, new=new
        )
        place = self._projects.settle(surroundings)
        if former.key == place.project.key:
            return Mapped(place=place, former=former)
        if self._store.projects.get(former.key) is None:
            return Mapped(place=place, former=former, moved=count)
        return Mapped(place=place, former=former, left=count)

    def unmap(self, surroundings: WorkspaceFacts) -> CallContext:
        """Take back that a project was chosen for a folder; return the folder's place then.

        What was remembered in the meantime, and what moved when it was chosen, stays there.

        Raises:
            InvalidInputError: the folder is nobody's project.
            NotFoundError: none was chosen there.
        """
        chosen = [key for key in self._keys(surroundings) if self._store.projects.by_key(key)]
        if not chosen:
            raise NotFoundError(f"no project was chosen for {surroundings.folder}")
        project = self._store.projects.by_key(chosen[0])
        own = identify(surroundings)
        with self._store.transaction():
            self._store.projects.remove_alias(chosen[0])
            for key in own.keys if own is not None and own.provisional else ():
                owner = self._store.projects.by_key(
                    key
                )  # it came along as the folder's own project
                if owner == project and owner is not None and owner.identity != key:
                    self._store.projects.remove_alias(key)
        return self._projects.settle(surroundings)

    def _keys(self, surroundings: WorkspaceFacts) -> tuple[str, ...]:
        keys = chosen_keys(surroundings)
        if not keys:
            why = surroundings.nobodys or "no folder"
            raise InvalidInputError(
                f"{surroundings.folder or 'this'} is nobody's project ({why}): "
                "name a repository, or a folder of your work"
            )
        return keys
