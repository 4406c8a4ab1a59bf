"""Erasing what is no longer believed and was not of use for long: by hand only, counted first."""

from __future__ import annotations

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.maintenance.archive import may_be_cleaned
from aforesaid.domain.projects.call_context import CallContext
from aforesaid.domain.value import Value

from .phase import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Clock, Store
    from aforesaid.services.memories.editor import MemoryEditor


class Candidate(Value):
    """A memory that cleanup would erase, as little of it as is shown."""

    key: int
    type: str
    project: int
    preview: str


class Cleanup:
    """Erases what is doubtful and unused."""

    def __init__(
        self, store: Store, clock: Clock, curate: MemoryEditor, limits: Thresholds
    ) -> None:
        self._store = store
        self._clock = clock
        self._curate = curate
        self._limits = limits

    def find(self, tell: Callable[[int], None] | None = None) -> list[Candidate]:
        """Return what would be erased, in order of keys.

        Left alone: what is pinned, tells what a topic is about, was summed up or sums up others.

        Args:
            tell: told how many memories were looked at, now and then.
        """
        now, key = self._clock.now(), 0
        found: list[Candidate] = []
        while page := self._store.maintenance.page(key, PAGE, archived=True):
            key = page[-1].key
            found += [
                Candidate(key=one.key, type=one.type, project=one.project, preview=one.preview)
                for one in page
                if self._may_go(one, now)
            ]
            if tell is not None:
                tell(len(page))
        return found

    def erase(
        self,
        candidates: Sequence[Candidate],
        tell: Callable[[int], None] | None = None,
    ) -> int:
        """Erase those that still may go; return how many went. It cannot be undone.

        Args:
            candidates: as they were found and shown.
            tell: told of each that was looked at.
        """
        erased = 0
        for candidate in candidates:
            for memory in self._store.memories.get([candidate.key]):
                if self._may_go(memory, self._clock.now()):
                    try:
                        self._curate.forget(
                            memory.id, self._home(memory), erase=True, by_text=False
                        )
                    except NotFoundError:
                        continue  # somebody was faster
                    erased += 1
            if tell is not None:
                tell(1)
        return erased

    def _home(self, memory: Memory) -> CallContext:
        """Return the place of a memory's own project."""
        project = self._store.projects.get(memory.project)
        assert project is not None
        return CallContext(project=project)

    def _may_go(self, memory: Memory, now: int) -> bool:
        return (
            memory.in_force
            and memory.compacted_into is None
            and may_be_cleaned(memory, now, self._limits)
            and not self._store.topics.is_overview(memory.head)
            and not self._store.maintenance.sources_of_summary(memory.key)
        )
