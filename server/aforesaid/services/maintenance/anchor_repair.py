"""Follows cited files and lines that moved, if their content identifies them.

A file is followed through the commits of the default branch, and only if it is gone from the
project's own folder. Files of other worktrees are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.model.anchor import Anchor, find_line
from aforesaid.domain.model.memory import Memory
from aforesaid.ports import FileReader, MoveReader, Store

from .phase import PAGE, ProjectList

MOVED = "moved"


class AnchorRepair:
    """Updates the paths and lines of anchors."""

    name = "anchors"
    unavailable_reason = ""

    def __init__(
        self, store: Store, projects: ProjectList, files: FileReader, moves: MoveReader
    ) -> None:
        self._store = store
        self._projects = projects
        self._files = files
        self._moves = moves

    def plan(self, _span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the memories whose anchors moved."""
        roots = {project.key: project.root for project in self._projects()}
        key = int(after or 0)
        while keys := self._store.maintenance.keys_with_anchors(key, PAGE):
            key = keys[-1]
            actions = []
            for memory in self._store.memories.get(keys):
                root = roots.get(memory.project)
                moves = self._moves_of(memory, root) if root is not None else {}
                if moves:
                    detail = ", ".join(f"{old.label} to {new.label}" for old, new in moves.items())
                    actions.append(PhaseAction(what=MOVED, keys=(memory.key,), detail=detail))
            yield Batch(cursor=str(key), actions=tuple(actions))

    def execute(self, actions: Sequence[PhaseAction], _span: RunScope) -> list[PhaseAction]:
        """Replace the anchors that moved, of memories that are still in force."""
        roots = {project.key: project.root for project in self._projects()}
        executed = []
        for action in actions:
            (memory,) = self._store.memories.get(action.keys)
            root = roots.get(memory.project)
            moves = self._moves_of(memory, root) if memory.in_force and root is not None else {}
            if moves:
                anchors = self._store.anchors.of([memory.key])
                current = [moves.get(anchor, anchor) for anchor in anchors]
                by_label = {anchor.label: anchor for anchor in current}
                self._store.anchors.replace(memory.key, list(by_label.values()))
                executed.append(action)
        return executed

    def _moves_of(self, memory: Memory, root: str) -> dict[Anchor, Anchor]:
        """Return the anchors of a memory that moved, and what they are now."""
        cited = self._store.anchors.of([memory.key]) if memory.is_current else []
        anchors = [anchor for anchor in cited if not anchor.is_pattern]
        contents = {anchor.path: self._files.read(root, anchor.path) for anchor in anchors}
        gone = [path for path, content in contents.items() if content is None]
        paths = self._moves.find_moved(root, gone, memory.created_at) if gone else {}
        moves = {}
        for anchor in anchors:
            path = paths.get(anchor.path, anchor.path)
            content = contents[anchor.path]
            if path != anchor.path:
                content = self._read_moved(root, path)
            line = None if content is None else find_line(anchor, content)
            if line is not None and (path, line) != (anchor.path, anchor.line):
                moves[anchor] = anchor.replace(path=path, line=line)
        return moves

    def _read_moved(self, root: str, path: str) -> bytes | None:
        try:
            return self._files.read(root, self._files.resolve(root, path))
        except InvalidInputError:
            return None
