"""What every phase of a run is: a plan made by reading, carried out in short transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.tending.run import Action, Batch, Span

BATCH = 100  #: actions of one transaction: some tens of milliseconds
PAGE = 500  #: memories read at once


class Phase(Protocol):
    """One phase. A module of its own; ``wiring/tending.py`` lists them in order."""

    @property
    def name(self) -> str:
        """Its name, one of ``domain.tending.run.PHASES``."""
        ...

    @property
    def lacks(self) -> str:
        """Why it cannot work in this store, in words; empty if it can."""
        ...

    def plan(self, span: Span, after: str, /) -> Iterator[Batch]:
        """Yield what is to be done, in an order that does not depend on what was done.

        Reads only. What it yields is carried out before it is asked for more.

        Args:
            span: what to look at.
            after: the cursor of the last batch that was carried out; empty at the beginning.
        """
        ...

    def carry_out(self, actions: Sequence[Action], span: Span, /) -> list[Action]:
        """Do what still can be done of a batch; return that. Inside a transaction.

        Somebody may have changed what the plan was made from: each is looked at again.
        """
        ...
