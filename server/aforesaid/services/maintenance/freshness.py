"""Which memories cite files that changed: told, never written.

Whether a file changed depends on where one stands: another branch or worktree has it as it was. So
nothing is marked in the store (docs/adr/0017-anchors.md); every answer looks for itself, and a run
tells what it sees from each project's own folder.
"""

from __future__ import annotations

from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.projects.call_context import CallContext
from aforesaid.domain.projects.detection import Identity
from aforesaid.services.anchors import Anchors

from .phase import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.model.memory import Memory, Project
    from aforesaid.ports import FileReader, Store

STALE, FRESH = "stale", "fresh"


class Freshness:
    """Tells which memories are stale."""

    name = "freshness"
    unavailable_reason = ""

    def __init__(self, store: Store, files: FileReader) -> None:
        self._store = store
        self._anchors = Anchors(store, files)

    def plan(self, _span: RunScope, after: str) -> Iterator[Batch]:
        """Yield what cites changed files, project by project; nothing is to be done about it."""
        places = {
            one.key: _place_of(one)
            for one in self._store.projects.list_all()
            if one.root is not None
        }
        key = int(after or 0)
        while keys := self._store.maintenance.keys_with_anchors(key, PAGE):
            key = keys[-1]
            told: list[Action] = []
            for project, memories in _by_project(self._store.memories.get(keys)).items():
                if project in places:
                    stale = self._anchors.stale(memories, places[project])
                    told += [_told(one, stale.get(one.key, ())) for one in memories]
            yield Batch(cursor=str(key), actions=tuple(told), writes=False)

    def execute(self, _actions: Sequence[Action], _span: RunScope) -> list[Action]:
        """Return nothing: there is nothing to do."""
        return []


def _by_project(memories: Sequence[Memory]) -> dict[int, list[Memory]]:
    found: dict[int, list[Memory]] = {}
    for one in memories:
        if one.is_current:
            found.setdefault(one.project, []).append(one)
    return found


def _told(memory: Memory, changed: tuple[str, ...]) -> Action:
    if not changed:
        return Action(what=FRESH)
    return Action(what=STALE, keys=(memory.key,), detail=", ".join(changed))


def _place_of(project: Project) -> CallContext:
    """Return a place in a project's own folder."""
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
