"""A made year lived through the product's own services, with a clock that says what the year says.

Here: storing, asking, tending in order of time; what each stored memory is in truth. Not here: the
year (world.py), questions and scores (measure.py).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bench.long_run.wording import PROJECTS
from bench.long_run.world import DAY_MS, DIGEST, FACT, Said, Session, Truth, Year
from bench.stores import make_place, open_core

from aforesaid.adapters.date_parser import Dates
from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.adapters.system.machine import Uuid7Source
from aforesaid.domain.model.memory import DIGEST_TAG
from aforesaid.domain.model.statement import Statement
from aforesaid.operations.maintenance import make_phases
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.memories.writer import MemoryWriter
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.recall.recall import Recall
from aforesaid.services.sessions.digester import DIGEST_IMPORTANCE
from aforesaid.services.sessions.session_context import SessionContextBuilder
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.maintenance.run import Report
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import Embedder
    from aforesaid.services.memories.results import StoreResult

SECOND_MS = 1_000


class YearClock:
    """A clock that stands where the year is."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return self.at


class Life:
    """One store through a year."""

    def __init__(self, folder: str, year: Year, embedder: Embedder) -> None:
        """Open an empty store.

        Args:
            folder: where it lies.
            year: what will happen.
            embedder: makes the vectors.
        """
        self.year = year
        self.path = os.path.join(folder, "memory.db")
        self.core = open_core(self.path, embedder)
        self.store = self.core.store
        self.clock = YearClock(year.sessions[0].at)
        dates = Dates(self.clock)
        self.remember = MemoryWriter(
            self.store,
            self.clock,
            Uuid7Source(),
            self.core.embedder.get,
            SecretRedactor(),
            matcher=factories.make_matcher(),
        )
        self.recall = Recall(self.store, self.clock, self.core.embedder.get, dates)
        self._phases = make_phases(
            self.store, self.core.settings, os.environ, self.core.embedder.get
        )
        self.context = SessionContextBuilder(self.store, self.clock)
        self.places: list[CallContext] = [make_place(self.core, name) for name in PROJECTS]
        self.truth_of: dict[int, Said] = {}  #: by key, what was stored under it
        self._latest: dict[int, Memory] = {}  #: by truth, the memory that stated it last
        self.changes = 0  #: of truths, that were stored without naming what they replace
        self.named = 0  #: of these, answered with what they replace among the conflicts
        self.misnamed = 0  #: other conflicts that an answer named

    def live(self, session: Session, *, ask: bool = True) -> None:
        """Go through one session: store what it says, ask what it asks."""
        self.clock.at = max(session.at, self.clock.at)
        place = self.places[session.project].replace(session=f"session-{session.number}")
        if ask:
            for number in session.asked:
                truth = self.year.truths[number]
                asked = truth.ask[session.number % len(truth.ask)]
                self.recall.uses.collect(
                    self.recall.recall(RecallQuery(query=asked), place.visible)
                )
                self.clock.at += SECOND_MS
            self.recall.uses.write(wait=True)
        with self.store.transaction():
            for said in session.said:
                self._say(said, place)
                self.clock.at += SECOND_MS

    def _say(self, said: Said, place: CallContext) -> None:
        known = self._latest.get(said.truth) if said.truth is not None else None
        digest = said.kind == DIGEST
        stored = self.remember.store(
            Statement(
                content=said.text,
                type=said.type,
                scope="global" if said.whole else "project",
                importance=DIGEST_IMPORTANCE if digest else said.importance,
                tags=(DIGEST_TAG,) if digest else (),
                provenance="derived" if digest else "user" if said.whole else "assistant",
                supersedes=(known.id,) if said.supersedes and known is not None else (),
            ),
            place,
        )
        assert stored is not None
        self._count(said, known, stored)
        if said.truth is not None:
            self._latest[said.truth] = stored.memory
            self.truth_of[stored.memory.key] = said
        else:
            self.truth_of.setdefault(stored.memory.key, said)

    def _count(self, said: Said, known: Memory | None, stored: StoreResult) -> None:
        """Count whether a change was answered with what it replaces."""
        before = None if known is None else self.truth_of[known.key].version
        changed = before not in {None, said.version} and not said.supersedes
        named = [self.truth_of.get(one.memory.key) for one in stored.conflicts]
        right = [one for one in named if one and said.truth is not None and one.truth == said.truth]
        self.changes += changed
        self.named += changed and bool(right)
        self.misnamed += len(named) - len(right)

    def tend(self) -> Report:
        """Run all phases of maintenance once."""
        return MaintenanceRunner(self.store, self.clock, self._phases).run()

    def months(self) -> list[int]:
        """Return the ends of the months (ms), thirty days each and the rest in the last."""
        first = self.year.sessions[0].at
        return [first + month * 30 * DAY_MS for month in range(1, 12)] + [
            self.year.sessions[-1].at + DAY_MS
        ]

    def run(self, every_days: int | None, watch: Callable[[int], None]) -> None:
        """Live the year; tend every so many days, if at all; be watched at each month's end."""
        due = self.clock.at + (every_days or 0) * DAY_MS
        ends = self.months()
        for session in self.year.sessions:
            while ends[0] < session.at:
                self._rest(ends.pop(0), watch)
            if every_days is not None and session.at >= due:
                self.clock.at = max(session.at, self.clock.at)
                self.tend()
                due = session.at + every_days * DAY_MS
            self.live(session)
        for end in ends:
            self._rest(end, watch)

    def _rest(self, end: int, watch: Callable[[int], None]) -> None:
        self.clock.at = max(end, self.clock.at)
        watch(end)

    def states(self, memory: Memory, truth: Truth, version: int) -> bool:
        """Tell whether a memory says what held in a version of a truth."""
        said = self.truth_of.get(memory.key)
        if said is not None and said.truth is not None:
            return said.truth == truth.number and said.version == version
        if said is not None:
            return False
        text = memory.content.casefold()  # made by tending from others
        if truth.kind != FACT:
            return any(one.casefold() in text for one in (truth.versions[0].text, *truth.again))
        return truth.subject.casefold() in text and truth.versions[version].value.casefold() in text

    def close(self) -> None:
        """Let go of the store."""
        self.core.close()
