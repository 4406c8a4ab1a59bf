"""Runs of maintenance, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from aforesaid.domain.memory import Memory
    from aforesaid.domain.tending.run import Action, Run, Step


class RunStore(Transactions, Protocol):
    """Runs, and the journal from which each is undone."""

    def start_run(self, run: Run) -> Run:
        """Keep a run; return it with its key."""
        ...

    def put_run(self, run: Run) -> None:
        """Keep how far a run is."""
        ...

    def run(self, key: int) -> Run | None:
        """Return a run."""
        ...

    def runs(self, limit: int) -> list[Run]:
        """Return runs, the latest first."""
        ...

    def journaled(self, run: int, phase: str, at: int) -> AbstractContextManager[list[Action]]:
        """Open a transaction whose changes are kept in the journal, if there are any.

        Args:
            run: key of what it belongs to.
            phase: by name.
            at: the present time, ms.

        Returns:
            A context that gives a list, for the actions that were carried out.
        """
        ...

    def steps(self, run: int) -> list[Step]:
        """Return the steps of a run, in order."""
        ...

    def undo_step(self, key: int, at: int) -> bool:
        """Put back what a step changed; False, and nothing, where that was changed again since."""
        ...

    def tended(
        self,
        after: int,
        limit: int,
        *,
        until: int | None = None,
        project: int | None = None,
        types: Sequence[str] = (),
        stored_before: int | None = None,
        unfiled: bool = False,
        compacted: bool = False,
    ) -> list[Memory]:
        """Return memories in force in order of their keys, a page at a time.

        Args:
            after: the last key of the page before.
            limit: how many.
            until: the last key to look at.
            project: of this one alone; 0 for what is global.
            types: of these alone.
            stored_before: ms; or, of an event, happened before.
            unfiled: in no topic.
            compacted: also what was summed up.
        """
        ...

    def weeks_due(self, project: int, before: int, least: int) -> list[tuple[int, int]]:
        """Return (start, events) of weeks of a project that are due to be summed up, latest first.

        Two at most, of its latest events alone: this is asked at a session's start.

        Args:
            project: its key.
            before: ms; events stored before are old.
            least: events that make a week due.
        """
        ...

    def was_forgotten(self, content_hash: str) -> bool:
        """Tell whether somebody forgot a memory whose normalised text has this hash."""
        ...

    def summed_up_in(self, key: int) -> list[Memory]:
        """Return the memories that a summary stands for, in order of their keys."""
        ...

    def newest_key(self) -> int:
        """Return the greatest key of a memory."""
        ...

    def first_stored_since(self, at: int) -> int:
        """Return the least key of a memory stored at or after a time (ms); else one too great."""
        ...

    def first_vectors(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the vector of the first window of each memory that has one."""
        ...
