"""What every phase of a run is: a plan made by reading, carried out in short transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import Action, Batch, RunScope
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.suggestion import Suggestion
    from aforesaid.ports import Store

BATCH = 100  #: actions of one transaction: some tens of milliseconds
PAGE = 500  #: memories read at once


class Phase(Protocol):
    """One phase. A module of its own; ``operations/maintenance.py`` lists them in order."""

    @property
    def name(self) -> str:
        """Its name, one of ``domain.maintenance.run.PHASES``."""
        ...

    @property
    def unavailable_reason(self) -> str:
        """Why it cannot work in this store, in words; empty if it can."""
        ...

    def plan(self, span: RunScope, after: str, /) -> Iterator[Batch]:
        """Yield what is to be done, in an order that does not depend on what was done.

        Reads only. What it yields is carried out before it is asked for more.

        Args:
            span: what to look at.
            after: the cursor of the last batch that was carried out; empty at the beginning.
        """
        ...

    def execute(self, actions: Sequence[Action], span: RunScope, /) -> list[Action]:
        """Do what still can be done of a batch; return that. Inside a transaction.

        Somebody may have changed what the plan was made from: each is looked at again.
        """
        ...


def source_fingerprint(memories: Sequence[Memory]) -> tuple[object, ...]:
    """Return what a text made of memories goes by: where that has changed, it is dropped."""
    return tuple(
        (one.key, one.project, one.topic, one.content, one.summary, one.provenance, one.is_current)
        for one in memories
    )


def add_suggestion(store: Store, offer: Suggestion) -> bool:
    """Keep an offer whose memories are still there, in force and of its project.

    Returns:
        Whether it is new.
    """
    found = [one for one in store.memories.get(offer.memories) if one.in_force]
    stands = {one.project for one in found} == {offer.project}
    if len(found) != len(offer.memories) or not stands:
        return False
    return store.suggestions.add(offer) is not None
