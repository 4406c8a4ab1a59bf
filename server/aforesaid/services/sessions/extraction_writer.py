"""The items of one answer on the normal write path: gate, redaction, supersession, provenance.

Here: order, ids, corrections and relations of items. Not here: batches and watermarks
(llm_extraction.py), how far an item is believed (domain/extraction/grounding.py).
"""

from __future__ import annotations

from aforesaid.domain.digest.statement_similarity import entails
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.extraction import assess_grounding, details_of, statement_of
from aforesaid.domain.model.memory import CANDIDATE_TAG, Filters, text_to_embed
from aforesaid.domain.model.relation import CONTRADICTS, Link
from aforesaid.domain.model.statement import check_statement
from aforesaid.domain.text.tokenize import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aforesaid.domain.extraction import ExtractionResponse, Grounding, Item, TurnBatch
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Store
    from aforesaid.services.memories.writer import MemoryWriter

_NEIGHBOURS = 8


class PreparedItems:
    """Items that may be stored, by their place in the answer (from 1)."""

    __slots__ = ("batch", "failed", "items")

    def __init__(
        self, batch: TurnBatch, items: dict[int, tuple[Item, Grounding, Statement]]
    ) -> None:
        self.batch = batch
        self.items = items
        self.failed: int | None = None  #: place of the item that could not be stored

    def drop(self, place: int) -> None:
        """Leave an item out."""
        del self.items[place]


class ExtractionWriter:
    """The items of answers, stored one after the other."""

    def __init__(
        self,
        store: Store,
        remember: MemoryWriter,
        summariser: str,
        prepare: Callable[[list[str]], None],
    ) -> None:
        self._store = store
        self._remember = remember
        self._summariser = summariser
        self._prepare = prepare
        self._shown: dict[str, str] = {}  #: ids that the last question showed, whole by short

    def shown(self, memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
        """Yield (short id, preview) of memories; only these may be corrected or linked to."""
        shorts = self._store.memories.short_ids([memory.key for memory in memories])
        self._shown = {shorts[memory.key]: memory.id for memory in memories}
        for memory in memories:
            yield shorts[memory.key], memory.preview

    def ready(
        self, answer: ExtractionResponse, batch: TurnBatch, is_new: Callable[[str], bool]
    ) -> PreparedItems:
        """Return the items of an answer that are within all limits and new to the session.

        Args:
            answer: what was found.
            batch: where.
            is_new: tells whether a text is not only what memory showed in that session.
        """
        found: dict[int, tuple[Item, Grounding, Statement]] = {}
        for place, item in zip(answer.places, answer.items, strict=True):
            if not is_new(item.text):
                continue
            evidence = assess_grounding(item, batch)
            statement = statement_of(item, evidence, batch, self._summariser)
            try:
                checked = check_statement(statement, self._remember.cleaner().clean)
            except InvalidInputError:
                continue
            found[place] = (item, evidence, checked)
        told = [statement for _, _, statement in found.values()]
        texts = [text_to_embed(one.content, one.metadata) for one in told]
        texts += [detail for item, _, _ in found.values() for detail in item.details]
        self._prepare(texts)
        return PreparedItems(batch, found)

    def store(self, ready: PreparedItems, place: CallContext) -> int:
        """Store items inside the caller's transaction; return how many memories they made.

        Raises:
            InvalidInputError, NotFoundError, ConflictError: ``ready.failed`` could not be stored.
        """
        made = 0
        ids: dict[int, str] = {}
        for number, (item, evidence, statement) in ready.items.items():
            ready.failed = number
            linked = self._linked(item, evidence, statement, ids, place)
            stored = self._remember.store(linked, place, ingested=True)
            if stored is None:
                continue  # erased before
            ids[number] = stored.memory.id
            made += not stored.deduplicated
            for detail in details_of(item, stored.memory.id, evidence, ready.batch):
                below = self._remember.store(detail, place, ingested=True)
                made += below is not None and not below.deduplicated
        ready.failed = None
        return made

    def _linked(
        self,
        item: Item,
        evidence: Grounding,
        statement: Statement,
        ids: dict[int, str],
        place: CallContext,
    ) -> Statement:
        """Return the statement with what it replaces and what it is linked to."""
        links: dict[Link, None] = {}
        for link in item.relations:
            ordinal = link.target[1:]
            target = (
                ids.get(int(ordinal))
                if link.target.startswith("#") and ordinal.isdecimal()
                else self._shown.get(link.target)
            )
            if target is not None and self._in_force(target, place) is not None:
                links[Link(kind=link.kind, target=target)] = None
        wrong = self._in_force(self._shown.get(item.corrects or "", ""), place)
        replaced: tuple[str, ...] = ()
        if wrong is not None:
            newer = statement.created_at is None or wrong.created_at <= statement.created_at
            if newer and _may_replace(statement, evidence, wrong):
                replaced = (wrong.id,)
            elif newer and evidence.quoted:
                links[Link(kind=CONTRADICTS, target=wrong.id)] = None
        heard = self._heard(item, place) if evidence.by_user and not replaced else None
        if heard is not None and _may_replace(statement, evidence, heard):
            replaced = (heard.id,)
        return statement.replace(supersedes=replaced, relations=tuple(links))

    def _heard(self, item: Item, place: CallContext) -> Memory | None:
        """Return the candidate that rules made of the sentence that an item quotes, if one is.

        The item says it better: in words of its own, with its topic.
        """
        filters = Filters(tags=(CANDIDATE_TAG,))
        terms = query_terms(item.quote)
        hits = self._store.search.by_words(terms, place.visible, filters, _NEIGHBOURS)
        said = [
            one
            for one in self._store.memories.get([hit.key for hit in hits])
            if one.in_force
            and one.session == place.session
            and (entails(item.quote, one.content) or entails(one.content, item.quote))
        ]
        return said[0] if len(said) == 1 else None

    def _in_force(self, reference: str, place: CallContext) -> Memory | None:
        """Return the memory with this whole id, if it is in force and seen from here."""
        found = self._store.memories.find(reference) if reference else []
        seen = [one for one in found if one.in_force and one.project in place.visible.projects]
        return seen[0] if len(seen) == 1 else None


def _may_replace(statement: Statement, evidence: Grounding, wrong: Memory) -> bool:
    """Tell whether a correction takes the place of what it corrects.

    What every project sees is replaced by what every project sees only.
    """
    everywhere = statement.metadata.get("category") == "preference"
    return evidence.by_user and not wrong.pinned and (everywhere or wrong.scope != "global")
