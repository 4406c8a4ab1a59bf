"""Reporting memories that cite changed files; nothing is written.

Whether a file changed depends on the branch and worktree, so the store has no mark for it
(docs/adr/0017-anchors.md). Every answer checks for itself; a run reports what it sees in each
project's own folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.model.memory import CallContext, Identity, Memory, Project
from aforesaid.ports import FileReader, Store
from aforesaid.services.anchors import Anchors

from .phase import PAGE, ProjectList

STALE, FRESH = "stale", "fresh"


class Freshness:
    """Reports which memories are stale."""

    name = "freshness"
    unavailable_reason = ""

    def __init__(self, store: Store, projects: ProjectList, files: FileReader) -> None:
        self._store = store
        self._projects = projects
        self._anchors = Anchors(store, files)

    def plan(self, _span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the stale and fresh memories, project by project; the actions do nothing."""
        contexts = {
            project.key: _context_of(project)
            for project in self._projects()
            if project.root is not None
        }
        key = int(after or 0)
        while keys := self._store.maintenance.keys_with_anchors(key, PAGE):
            key = keys[-1]
            actions: list[PhaseAction] = []
            for project, memories in _by_project(self._store.memories.get(keys)).items():
                if project in contexts:
                    stale = self._anchors.find_stale(memories, contexts[project])
                    actions += [_report(memory, stale.get(memory.key, ())) for memory in memories]
            yield Batch(cursor=str(key), actions=tuple(actions), writes=False)

    def execute(self, _actions: Sequence[PhaseAction], _span: RunScope) -> list[PhaseAction]:
        """Do nothing: this phase only reports."""
        return []


def _by_project(memories: Sequence[Memory]) -> dict[int, list[Memory]]:
    groups: dict[int, list[Memory]] = {}
    for memory in memories:
        if memory.is_current:
            groups.setdefault(memory.project, []).append(memory)
    return groups


def _report(memory: Memory, changed: tuple[str, ...]) -> PhaseAction:
    if not changed:
        return PhaseAction(what=FRESH)
    return PhaseAction(what=STALE, keys=(memory.key,), detail=", ".join(changed))


def _context_of(project: Project) -> CallContext:
    """Return a call context in a project's own folder."""
    identity = Identity(
        key=project.identity,
        name=project.name,
        keys=(project.identity,),
        confidence=1.0,
        source="maintenance",
        evidence="its folder when it was last used",
        root=project.root,
    )
    return CallContext(project=project, identity=identity)
