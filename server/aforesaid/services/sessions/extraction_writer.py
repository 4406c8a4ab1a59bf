"""Stores the items of a summariser's answer through the normal write path.

Batches and progress are in llm_extraction.py, how far an item is trusted in
domain/extraction/grounding.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aforesaid.domain.digest.statement_set import entails
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.extraction import (
    ExtractionResponse,
    Grounding,
    Item,
    TurnBatch,
    assess_grounding,
    details_of,
    statement_of,
)
from aforesaid.domain.model.memory import CANDIDATE_TAG, CallContext, Filters, Memory, text_to_embed
from aforesaid.domain.model.relation import CONTRADICTS, Link
from aforesaid.domain.model.statement import Statement, check_statement
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.ports import Store
from aforesaid.services.memories.writer import MemoryWriter

_MAX_NEIGHBOURS = 8


@dataclass(slots=True)
class PreparedItems:
    """Items that may be stored, by their number in the answer (from 1)."""

    batch: TurnBatch
    items: dict[int, tuple[Item, Grounding, Statement]]
    failed: int | None = None  #: number of the item that could not be stored


class ExtractionWriter:
    """Stores the items of answers, one after the other."""

    def __init__(
        self,
        store: Store,
        writer: MemoryWriter,
        summariser: str,
        prepare_vectors: Callable[[list[str]], None],
    ) -> None:
        self._store = store
        self._writer = writer
        self._summariser = summariser
        self._prepare_vectors = prepare_vectors
        self._shown: dict[str, str] = {}  #: full ids in the last prompt, by short id

    def shown(self, memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
        """Yield (short id, preview) of memories; items may correct or link to only these."""
        short_ids = self._store.memories.short_ids([memory.key for memory in memories])
        self._shown = {short_ids[memory.key]: memory.id for memory in memories}
        for memory in memories:
            yield short_ids[memory.key], memory.preview

    def prepare(
        self, answer: ExtractionResponse, batch: TurnBatch, is_new: Callable[[str], bool]
    ) -> PreparedItems:
        """Return the items of an answer that are within all limits and new to the session.

        Args:
            answer: of the summariser.
            batch: that it read.
            is_new: tells whether a text is more than what recall showed in that session.
        """
        items: dict[int, tuple[Item, Grounding, Statement]] = {}
        for number, item in zip(answer.numbers, answer.items, strict=True):
            if not is_new(item.text):
                continue
            grounding = assess_grounding(item, batch)
            statement = statement_of(item, grounding, batch, self._summariser)
            try:
                statement = check_statement(statement, self._writer.cleaner().clean)
            except InvalidInputError:
                continue
            items[number] = (item, grounding, statement)
        texts = [
            text_to_embed(statement.content, statement.metadata)
            for _, _, statement in items.values()
        ]
        texts += [detail for item, _, _ in items.values() for detail in item.details]
        self._prepare_vectors(texts)
        return PreparedItems(batch, items)

    def store(self, ready: PreparedItems, context: CallContext) -> int:
        """Store items inside the caller's transaction; return the number of new memories.

        Raises:
            InvalidInputError, NotFoundError, ConflictError: ``ready.failed`` could not be stored.
        """
        created = 0
        ids: dict[int, str] = {}
        for number, (item, grounding, statement) in ready.items.items():
            ready.failed = number
            linked = self._linked(item, grounding, statement, ids, context)
            stored = self._writer.store(linked, context, ingested=True)
            if stored is None:
                continue  # erased before
            ids[number] = stored.memory.id
            created += not stored.deduplicated
            for detail in details_of(item, stored.memory.id, grounding, ready.batch):
                stored_detail = self._writer.store(detail, context, ingested=True)
                created += stored_detail is not None and not stored_detail.deduplicated
        ready.failed = None
        return created

    def _linked(
        self,
        item: Item,
        grounding: Grounding,
        statement: Statement,
        ids: dict[int, str],
        context: CallContext,
    ) -> Statement:
        """Return the statement with the memories that it supersedes and is linked to."""
        links: dict[Link, None] = {}
        for link in item.relations:
            number = link.target[1:]
            target = (
                ids.get(int(number))
                if link.target.startswith("#") and number.isdecimal()
                else self._shown.get(link.target)
            )
            if target is not None and self._in_force(target, context) is not None:
                links[Link(kind=link.kind, target=target)] = None
        corrected = self._in_force(self._shown.get(item.corrects or "", ""), context)
        replaced: tuple[str, ...] = ()
        if corrected is not None:
            newer = statement.created_at is None or corrected.created_at <= statement.created_at
            if newer and _may_replace(statement, grounding, corrected):
                replaced = (corrected.id,)
            elif newer and grounding.is_quoted:
                links[Link(kind=CONTRADICTS, target=corrected.id)] = None
        if grounding.is_by_user and not replaced:
            candidate = self._quoted_candidate(item, context)
            if candidate is not None and _may_replace(statement, grounding, candidate):
                replaced = (candidate.id,)
        return statement.replace(supersedes=replaced, relations=tuple(links))

    def _quoted_candidate(self, item: Item, context: CallContext) -> Memory | None:
        """Return the memory candidate that rules made of the sentence that an item quotes.

        The item is better: it is reworded and has a topic.
        """
        filters = Filters(tags=(CANDIDATE_TAG,))
        terms = query_terms(item.quote)
        hits = self._store.search.by_words(terms, context.visible, filters, _MAX_NEIGHBOURS)
        candidates = [
            memory
            for memory in self._store.memories.get([hit.key for hit in hits])
            if memory.in_force
            and memory.session == context.session
            and (entails(item.quote, memory.content) or entails(memory.content, item.quote))
        ]
        return candidates[0] if len(candidates) == 1 else None

    def _in_force(self, memory_id: str, context: CallContext) -> Memory | None:
        """Return the memory with this full id, if it is in force and visible."""
        matches = [
            memory
            for memory in (self._store.memories.find(memory_id) if memory_id else [])
            if memory.in_force and memory.project in context.visible.projects
        ]
        return matches[0] if len(matches) == 1 else None


def _may_replace(statement: Statement, grounding: Grounding, corrected: Memory) -> bool:
    """Tell whether a correction supersedes what it corrects; a preference may be global."""
    is_preference = statement.metadata.get("category") == "preference"
    return (
        grounding.is_by_user
        and not corrected.pinned
        and (is_preference or corrected.scope != "global")
    )
