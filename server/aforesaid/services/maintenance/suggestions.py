"""Answering what maintenance offers: what is accepted is done as if it had been asked for."""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, NotFoundError
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.suggestion import ACCEPTED, DECLINED, EVERYWHERE, LINK, PROCEDURE
from aforesaid.services.graph.relations import link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.suggestion import Suggestion
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, Store
    from aforesaid.services.memories.editor import MemoryEditor
    from aforesaid.services.memories.writer import MemoryWriter

MAX_SUGGESTIONS = 100  #: offers that are looked through
RELATED = "related_to"


class SuggestionService:
    """Accepts and declines offers."""

    def __init__(
        self, store: Store, clock: Clock, remember: MemoryWriter, curate: MemoryEditor
    ) -> None:
        self._store = store
        self._clock = clock
        self._remember = remember
        self._curate = curate

    def listed(self, place: CallContext) -> list[Suggestion]:
        """Return the offers that stand in a place's project."""
        return self._store.suggestions.list_open((place.project.key,), MAX_SUGGESTIONS)

    def accept(self, key: int, place: CallContext) -> Suggestion:
        """Do what is offered.

        Raises:
            NotFoundError: there is no such offer in this project.
            ConflictError: it was answered, or does not stand any more.
        """
        offer = self._standing(key, place)
        told = [_procedure(offer)] if offer.kind == PROCEDURE else []
        prepared = self._remember.prepare(told, place)  # an API may be asked: not while we write
        with self._store.transaction():
            self._standing(key, place)  # still
            for procedure in prepared:
                self._remember.write(procedure, place)
            if offer.kind == EVERYWHERE:
                for memory in self._store.memories.get(offer.memories):
                    self._curate.update(memory.id, {"scope": "global"}, place)
            elif offer.kind == LINK:
                one, other = self._store.memories.get(offer.memories)
                now = self._clock.now()
                link(self._store, one, RELATED, other, place.visible, now)
            self._store.suggestions.settle(key, ACCEPTED, self._clock.now())
        return offer

    def decline(self, key: int, place: CallContext) -> Suggestion:
        """Let an offer be: it is not made again.

        Raises:
            NotFoundError: there is no such offer in this project.
            ConflictError: it was answered.
        """
        with self._store.transaction():
            offer = self._standing(key, place)
            self._store.suggestions.settle(key, DECLINED, self._clock.now())
        return offer

    def _standing(self, key: int, place: CallContext) -> Suggestion:
        offer = self._store.suggestions.get(key)
        if offer is None or offer.project != place.project.key:
            raise NotFoundError(
                f"there is no offer {key} in this project: `aforesaid offers` lists them"
            )
        if offer.settled_at is not None:
            raise ConflictError(f"offer {key} was {offer.answer} already")
        if all(one.key != key for one in self.listed(place)):
            raise ConflictError(f"offer {key} stands no more: what it is about has changed")
        return offer


def _procedure(offer: Suggestion) -> Statement:
    steps = list(offer.commands)
    return Statement(
        content=f"Run in this order: {', '.join(f'`{one}`' for one in steps)}",
        type="procedural",
        scope="project",
        provenance="user",
        metadata={"steps": steps},
    )
