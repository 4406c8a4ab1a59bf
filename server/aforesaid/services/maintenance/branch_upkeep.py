"""Keeps marks of branches up to date: removed after a merge, faded after deletion without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.model.branch import BRANCH, GONE, MERGED, OPEN, BranchMark, mark_of
from aforesaid.domain.model.memory import IMPORTANCE_WORDS, Memory
from aforesaid.ports import BranchReader, Store

from .phase import PAGE, ProjectList

COMMITTED = "committed"  #: the branch of a memory got its first commit


class BranchUpkeep:
    """Updates the branches of memories."""

    name = "branches"
    unavailable_reason = ""

    def __init__(self, store: Store, projects: ProjectList, reader: BranchReader) -> None:
        self._store = store
        self._projects = projects
        self._reader = reader

    def plan(self, _span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the memories whose branch was merged, deleted, or got its first commit."""
        roots = {project.key: project.root for project in self._projects()}
        key = int(after or 0)
        while keys := self._store.maintenance.keys_with_branch(key, PAGE):
            key = keys[-1]
            memories = self._store.memories.get(keys)
            states: dict[tuple[str, BranchMark], tuple[str, str]] = {}
            actions = []
            for memory in sorted(memories, key=lambda memory: memory.created_at):
                root, mark = roots.get(memory.project), mark_of(memory)
                if root is None or mark is None:
                    continue
                if (root, mark) not in states:  # looked up once, for the oldest memory
                    states[root, mark] = self._reader.state_of(root, mark, memory.created_at)
                state, newest = states[root, mark]
                if state == OPEN and mark.is_start and newest != mark.commit:
                    actions.append(PhaseAction(what=COMMITTED, keys=(memory.key,), detail=newest))
                elif state == MERGED or (state == GONE and not mark.is_gone):
                    actions.append(PhaseAction(what=state, keys=(memory.key,), detail=mark.name))
            yield Batch(cursor=str(key), actions=tuple(actions))

    def execute(self, actions: Sequence[PhaseAction], _span: RunScope) -> list[PhaseAction]:
        """Change the marks of memories that are still in force and marked."""
        executed = []
        for action in actions:
            (memory,) = self._store.memories.get(action.keys)
            mark = mark_of(memory)
            if memory.in_force and mark is not None:
                self._store.memories.change(memory.key, **_changes(memory, mark, action))
                executed.append(action)
        return executed


def _changes(memory: Memory, mark: BranchMark, action: PhaseAction) -> dict[str, object]:
    metadata = {name: value for name, value in memory.metadata.items() if name != BRANCH}
    if action.what == MERGED:
        return {"metadata": metadata}
    if action.what == COMMITTED:
        mark = mark.replace(commit=action.detail, is_start=False)
        return {"metadata": {**metadata, BRANCH: mark.to_metadata()}}
    low = memory.importance if memory.pinned else min(memory.importance, IMPORTANCE_WORDS["low"])
    mark = mark.replace(is_gone=True)
    return {"metadata": {**metadata, BRANCH: mark.to_metadata()}, "importance": low}
