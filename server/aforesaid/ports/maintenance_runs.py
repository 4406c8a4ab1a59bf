"""Runs of maintenance, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from aforesaid.domain.maintenance.run import Action, Run, Step


class RunStore(Protocol):
    """Runs, and the journal from which each is undone."""

    def start(self, run: Run) -> Run:
        """Keep a run; return it with its key."""
        ...

    def put(self, run: Run) -> None:
        """Keep how far a run is."""
        ...

    def get(self, key: int) -> Run | None:
        """Return a run."""
        ...

    def latest(self, limit: int) -> list[Run]:
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
