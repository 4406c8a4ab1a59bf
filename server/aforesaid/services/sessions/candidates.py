"""Stores memory candidates: statements of the user that remain true after the session.

domain/digest/memory_candidates.py decides which sentences are candidates,
domain/digest/statement_set.py which statements are similar.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import memory_candidates, stated_change, statement_set
from aforesaid.domain.digest.agreements import shared_words, with_earlier
from aforesaid.domain.digest.sentence_classifier import matches
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import CANDIDATE_TAG, Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.tokenize import query_terms

from .overtaken import restate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.domain.digest.memory_candidates import MemoryCandidate
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import Store
    from aforesaid.services.memories.writer import MemoryWriter

#: Lower than that of a memory stored on purpose (1.0), because nobody asked to store it.
CONFIDENCE = {
    memory_candidates.RULE: 0.8,
    memory_candidates.PREFERENCE: 0.8,
    memory_candidates.CORRECTION: 0.8,
    memory_candidates.DECISION: 0.7,
    memory_candidates.FACT: 0.7,
    memory_candidates.AGREEMENT: 0.7,
}
#: Requests and corrections have the importance of a memory stored on purpose; these have less.
IMPORTANCE = {memory_candidates.DECISION: 0.5, memory_candidates.FACT: 0.5}
#: Candidates of one pass over a session; the last ones are kept, as later statements hold.
MAX_CANDIDATES = 40
_TYPES = ("semantic", "procedural")
_MAX_NEIGHBOURS, _MAX_CHOSEN = 12, 100
#: Ratio of the memories that the agent stored in a session to the candidates, from which none of
#: these is stored. Source: docs/adr/0049-lasting-sentences.md.
_MIN_CHOSEN = 1 / 3
#: Minimum share of an agreement's words in its amendment, and its ratio to any other's.
_MIN_AMENDED, _MARGIN = 0.2, 1.5


class Candidates:
    """Stores memory candidates."""

    def __init__(
        self, store: Store, writer: MemoryWriter, judge: SentenceJudge | None = None
    ) -> None:
        """Create the service.

        Args:
            store: where memories are.
            writer: the write path.
            judge: compares remarks with memories; None leaves that to words.
        """
        self._store = store
        self._writer = writer
        self._judge = judge

    def store_new(
        self,
        candidates: Sequence[MemoryCandidate],
        context: CallContext,
        changed: Sequence[str] = (),
        *,
        since: int = 0,
    ) -> list[Memory]:
        """Store candidates that no memory entails; return the new memories, oldest first.

        If the agent itself stored memories meanwhile, not many fewer than there are
        candidates, it chose what to keep: then none of them is stored, unless it was said later
        and ends a memory.

        Args:
            candidates: of one session, oldest first.
            context: of the session; its id marks what the session itself stored.
            changed: paths of the files that the session changed.
            since: the time (ms) after which the candidates were said.
        """
        times = [at for at in self._times_of_choices(context) if at > since]
        remarks = sum(candidate.kind != memory_candidates.CHANGE for candidate in candidates)
        chose_until = max(times, default=0) if len(times) >= _MIN_CHOSEN * remarks else 0
        stored = (
            self._store_one(candidate, context, changed, chose_until)
            for candidate in candidates[-MAX_CANDIDATES:]
        )
        return [memory for memory in stored if memory is not None]

    def _store_one(
        self,
        candidate: MemoryCandidate,
        context: CallContext,
        changed: Sequence[str],
        chose_until: int,
    ) -> Memory | None:
        """Store a candidate, unless a memory says it or the agent chose what to keep.

        The last choice was at ``chose_until`` (ms; 0 if it did not choose).
        """
        neighbours = self._neighbours(candidate, context)
        saying = [
            neighbour
            for neighbour in neighbours
            if neighbour.trusted and _says_already(neighbour, candidate, context)
        ]
        for neighbour in saying:
            restate(self._store, neighbour)
        if saying or candidate.at_ms <= chose_until:
            return None
        amended = _amended(candidate, neighbours)
        if amended is not None:
            replaced: tuple[str, ...] = (amended.id,)
            candidate = candidate.replace(text=with_earlier(candidate.text, amended.content))
        else:
            replaced = _replaced(candidate, neighbours, context)
        if not replaced and candidate.changes:
            ended = self._ended(candidate, neighbours, context.session)
            if ended is not None:
                replaced = (ended.id,)
                candidate = candidate.replace(scope=_scope(candidate, ended))
        if chose_until and not replaced:
            return None
        if candidate.kind == memory_candidates.CHANGE:
            if not replaced:
                return None
            candidate = candidate.replace(kind=memory_candidates.CORRECTION)
        return self._store_candidate(candidate, context, replaced, changed)

    def _times_of_choices(self, context: CallContext) -> list[int]:
        """Return when (ms) the agent itself stored memories, or new versions, in the session."""
        if context.session is None:
            return []
        filters = Filters(types=(*_TYPES, "entity"), sessions=(context.session,), trusted_only=True)
        visible = context.visible.replace(all_tasks=True)
        return [
            memory.created_at
            for memory in self._store.memories.select(visible, filters, _MAX_CHOSEN)
            if CANDIDATE_TAG not in memory.tags and not memory.is_failure
        ]

    def _neighbours(self, candidate: MemoryCandidate, context: CallContext) -> list[Memory]:
        """Return semantic and procedural memories that share words, superseded ones included."""
        terms = query_terms(candidate.content)
        filters = Filters(types=_TYPES)
        hits = self._store.search.by_words(terms, context.visible, filters, _MAX_NEIGHBOURS)
        return self._store.memories.get([hit.key for hit in hits])

    def _ended(
        self, candidate: MemoryCandidate, neighbours: Sequence[Memory], session: str | None
    ) -> Memory | None:
        """Return the memory that a stated change ends, if that is sure."""
        best, likeness = None, stated_change.SURE
        for memory in neighbours:
            if self._judge is None or memory.pinned or memory.is_failure or not memory.in_force:
                continue
            shared = stated_change.shared_words(memory.content, candidate.text)
            is_same_prompt = memory.session == session and memory.created_at == candidate.at_ms
            if memory.created_at > candidate.at_ms or is_same_prompt or not shared:
                continue
            cosine = self._judge.cosine(memory.content, candidate.text) or 0.0
            if cosine >= likeness:
                best, likeness = memory, cosine
        return best

    def _store_candidate(
        self,
        candidate: MemoryCandidate,
        context: CallContext,
        replaced: tuple[str, ...],
        changed: Sequence[str],
    ) -> Memory | None:
        is_agreed = candidate.kind == memory_candidates.AGREEMENT
        anchors = self._writer.anchors
        cited = anchors.find_named(candidate.content, context, changed) or anchors.find_changed(
            candidate.content, context, changed, is_only=is_agreed
        )
        if not cited:  # what replaces a memory is about the same files
            cited = tuple(
                anchor
                for reference in replaced
                for ended in self._store.memories.find(reference)
                for anchor in anchors.carry_over(ended, context)
            )
        metadata = {"category": candidate.kind, "session_id": context.session}
        statement = Statement(
            content=candidate.content,
            type="procedural" if candidate.kind == memory_candidates.RULE else "semantic",
            scope=candidate.scope,
            tags=(CANDIDATE_TAG,),
            confidence=CONFIDENCE[candidate.kind],
            importance=IMPORTANCE.get(candidate.kind),
            provenance="assistant" if is_agreed else "user",
            supersedes=replaced,
            cited=cited,
            created_at=candidate.at_ms or None,
            metadata={key: value for key, value in metadata.items() if value},
        )
        try:
            stored = self._writer.store(statement, context, ingested=True)
        except InvalidInputError:  # it consisted of secrets and private spans only
            return None
        if stored is not None and stored.deduplicated:
            restate(self._store, stored.memory)
        return None if stored is None or stored.deduplicated else stored.memory


def _scope(candidate: MemoryCandidate, ended: Memory) -> str:
    """Return the scope of a change: that of what it ends, unless it says that it holds for all."""
    if ended.scope == "global" or matches(candidate.text, "extends_scope"):
        return "global"
    return "project"


def _says_already(memory: Memory, candidate: MemoryCandidate, context: CallContext) -> bool:
    """Tell whether a memory entails a candidate, or did until something later replaced it."""
    from_session = memory.session is not None and memory.session == context.session
    content = memory_candidates.without_corrected_text(memory.content)
    parts = (content, *re.split(r"[,;] ", content))  # the polarity of another clause says nothing
    if not any(statement_set.entails(part, candidate.text, loosely=from_session) for part in parts):
        return False
    if statement_set.is_value_only(candidate.text) and not statement_set.shares_subject(
        memory.content, candidate.instead_of
    ):
        return False
    later = memory.superseded_at is None or memory.superseded_at >= candidate.at_ms
    return memory.in_force or later


def _amended(candidate: MemoryCandidate, neighbours: Sequence[Memory]) -> Memory | None:
    """Return the agreement of an earlier session that a candidate amends, if it is clear which."""
    if not candidate.amends:
        return None
    earlier = [
        (shared_words(memory.content, candidate.text), -memory.key, memory)
        for memory in neighbours
        if memory.in_force
        and not memory.pinned
        and memory.created_at <= candidate.at_ms
        and memory.metadata.get("category") == memory_candidates.AGREEMENT
    ]
    (best, _, memory), (second, *_) = [*sorted(earlier, reverse=True), (0, 0, None), (0, 0, None)][
        :2
    ]
    return memory if best >= _MIN_AMENDED and best >= _MARGIN * second else None


def _replaced(
    candidate: MemoryCandidate, neighbours: Sequence[Memory], context: CallContext
) -> tuple[str, ...]:
    """Return the id of the memory that a candidate corrects; nothing if that is ambiguous."""
    corrected = [
        memory
        for memory in neighbours
        if memory.in_force
        and not memory.pinned
        and memory.created_at <= candidate.at_ms
        and (
            candidate.kind == memory_candidates.CORRECTION
            or statement_set.names_rejected_value(memory.content, candidate.text)
        )
        and _corrects(candidate, memory, context)
    ]
    from_session = [memory for memory in corrected if memory.session == context.session]
    chosen = from_session if len(from_session) == 1 else corrected
    return (chosen[0].id,) if len(chosen) == 1 else ()


def _corrects(candidate: MemoryCandidate, memory: Memory, context: CallContext) -> bool:
    """Tell whether a candidate corrects a memory, by its own words or by what it replies to."""
    content = memory_candidates.without_corrected_text(memory.content)
    if statement_set.corrects(candidate.text, content, loosely=memory.session == context.session):
        return True
    replied_to = candidate.instead_of
    return (
        bool(replied_to)
        and statement_set.entails(content, replied_to)
        and statement_set.entails(replied_to, content)
    )
