"""Port for runs of maintenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from aforesaid.domain.maintenance.run import PhaseAction, Run, Step


class RunStore(Protocol):
    """Runs, and the journal from which they are undone."""

    def start(self, run: Run) -> Run:
        """Store a new run; return it with its key."""
        ...

    def put(self, run: Run) -> None:
        """Store the progress of a run."""
        ...

    def get(self, key: int) -> Run | None:
        """Return a run; None if there is none with this key."""
        ...

    def latest(self, limit: int) -> list[Run]:
        """Return runs, latest first."""
        ...

    def journaled(self, run: int, phase: str, at: int) -> AbstractContextManager[list[PhaseAction]]:
        """Open a transaction whose changes are recorded in the journal.

        Args:
            run: key of the run.
            phase: name of the phase.
            at: ms.

        Returns:
            A context manager with a list, to which the caller adds the executed actions.
        """
        ...

    def steps(self, run: int) -> list[Step]:
        """Return the steps of a run, in order."""
        ...

    def undo_step(self, key: int, at: int) -> bool:
        """Revert a step; if its rows were changed again since, change nothing and return False."""
        ...
