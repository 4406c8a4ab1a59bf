"""Erasing memories of very low confidence that were long unused; run by hand only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.maintenance.archive import may_be_cleaned
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.memory import CallContext, Memory
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store
from aforesaid.services.memories.forget import MemoryForgetter

from .phase import PAGE


class Candidate(Value):
    """A memory that cleanup would erase, with the fields that are shown."""

    key: int
    type: str
    project: int
    preview: str


class Cleanup:
    """Finds and erases doubtful, unused memories."""

    def __init__(
        self, store: Store, clock: Clock, forgetter: MemoryForgetter, limits: Thresholds
    ) -> None:
        self._store = store
        self._clock = clock
        self._forgetter = forgetter
        self._limits = limits

    def find(self, progress: Callable[[int], None] | None = None) -> list[Candidate]:
        """Return the memories that cleanup would erase, in order of keys.

        Never includes pinned memories, overviews of topics, summaries or summarised memories.

        Args:
            progress: Called with the number of memories checked since the last call.
        """
        now, key = self._clock.now(), 0
        candidates: list[Candidate] = []
        while page := self._store.maintenance.page(key, PAGE, archived=True):
            key = page[-1].key
            candidates += [
                Candidate(
                    key=memory.key,
                    type=memory.type,
                    project=memory.project,
                    preview=memory.preview,
                )
                for memory in page
                if self._is_erasable(memory, now)
            ]
            if progress is not None:
                progress(len(page))
        return candidates

    def erase(
        self,
        candidates: Sequence[Candidate],
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Erase the candidates that still qualify; return how many. This cannot be undone.

        Args:
            candidates: The result of ``find``.
            progress: Called with the number of candidates checked since the last call.
        """
        erased = 0
        for candidate in candidates:
            for memory in self._store.memories.get([candidate.key]):
                if self._is_erasable(memory, self._clock.now()):
                    context = self._context_of(memory)
                    try:
                        self._forgetter.forget(memory.id, context, erase=True, by_text=False)
                    except NotFoundError:
                        continue  # another process erased it
                    erased += 1
            if progress is not None:
                progress(1)
        return erased

    def _context_of(self, memory: Memory) -> CallContext:
        project = self._store.projects.get(memory.project)
        assert project is not None
        return CallContext(project=project)

    def _is_erasable(self, memory: Memory, now: int) -> bool:
        return (
            memory.in_force
            and memory.compacted_into is None
            and may_be_cleaned(memory, now, self._limits)
            and not self._store.topics.is_overview(memory.head)
            and not self._store.maintenance.sources_of_summary(memory.key)
        )
