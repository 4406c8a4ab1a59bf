"""What a user said that outlives the session becomes memories of their own, through the write path.

Here: what is known already, what a correction replaces, and storing the rest. Not here: which
sentences are candidates (domain/digest/memory_candidates.py), when a session is read (digester.py),
what makes two statements close (domain/digest/statement_similarity.py).
"""

from __future__ import annotations

from aforesaid.domain.digest import memory_candidates, statement_similarity
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import CANDIDATE_TAG, Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.tokenize import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.memory_candidates import MemoryCandidate
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Store
    from aforesaid.services.memories.writer import MemoryWriter

#: Below what somebody stored on purpose (1.0): it was heard, not asked to be kept.
CONFIDENCE = {
    memory_candidates.RULE: 0.8,
    memory_candidates.PREFERENCE: 0.8,
    memory_candidates.CORRECTION: 0.8,
    memory_candidates.DECISION: 0.7,
    memory_candidates.FACT: 0.7,
}
#: What was asked for or put right is as important as what a user had stored; what was told in
#: passing is not, and stands below what somebody stored on purpose.
IMPORTANCE = {memory_candidates.DECISION: 0.5, memory_candidates.FACT: 0.5}
#: Candidates of one pass over a session; in a longer list the last ones count: they stand.
MAX_CANDIDATES = 40
_KINDS = ("semantic", "procedural")
_NEIGHBOURS = 12


class Candidates:
    """Memories of what users said in passing."""

    def __init__(self, store: Store, remember: MemoryWriter) -> None:
        """Join what is stored to the write path."""
        self._store = store
        self._remember = remember

    def keep(self, candidates: Sequence[MemoryCandidate], place: CallContext) -> list[Memory]:
        """Store candidates that are not known yet; return the memories, oldest first.

        Args:
            candidates: of one session, oldest first.
            place: the session's; its id marks what this session stored itself.
        """
        kept: list[Memory] = []
        for candidate in candidates[-MAX_CANDIDATES:]:
            near = self._near(candidate, place)
            if any(one.trusted and self._says_it(one, candidate, place) for one in near):
                continue
            memory = self._store_one(candidate, place, self._replaced(candidate, near, place))
            if memory is not None:
                kept.append(memory)
        return kept

    def _near(self, candidate: MemoryCandidate, place: CallContext) -> list[Memory]:
        """Return lasting memories that share words, old versions as they were."""
        terms = query_terms(candidate.content)
        filters = Filters(types=_KINDS)
        hits = self._store.search.by_words(terms, place.visible, filters, _NEIGHBOURS)
        return self._store.memories.get([hit.key for hit in hits])

    def _says_it(self, memory: Memory, candidate: MemoryCandidate, place: CallContext) -> bool:
        """Tell whether a memory says this already, or said it until something later replaced it."""
        own = memory.session is not None and memory.session == place.session
        if not statement_similarity.entails(
            memory_candidates.without_wrong(memory.content), candidate.text, loosely=own
        ):
            return False
        if statement_similarity.is_value_only(
            candidate.text
        ) and not statement_similarity.shares_subject(memory.content, candidate.instead_of):
            return False
        later = memory.superseded_at is None or memory.superseded_at >= candidate.at_ms
        return memory.in_force or later

    def _replaced(
        self, candidate: MemoryCandidate, near: Sequence[Memory], place: CallContext
    ) -> tuple[str, ...]:
        """Return the id of the one memory that a candidate puts right; none where it is unclear."""
        wrong = [
            one
            for one in near
            if one.in_force
            and not one.pinned
            and one.created_at <= candidate.at_ms
            and (
                candidate.kind == memory_candidates.CORRECTION
                or statement_similarity.names_rejected_value(one.content, candidate.text)
            )
            and _puts_right(candidate, one, place)
        ]
        own = [one for one in wrong if one.session == place.session]
        chosen = own if len(own) == 1 else wrong
        return (chosen[0].id,) if len(chosen) == 1 else ()

    def _store_one(
        self, candidate: MemoryCandidate, place: CallContext, replaced: tuple[str, ...]
    ) -> Memory | None:
        metadata = {"category": candidate.kind, "session_id": place.session}
        statement = Statement(
            content=candidate.content,
            type="procedural" if candidate.kind == memory_candidates.RULE else "semantic",
            scope=candidate.scope,
            tags=(CANDIDATE_TAG,),
            confidence=CONFIDENCE[candidate.kind],
            importance=IMPORTANCE.get(candidate.kind),
            provenance="user",
            supersedes=replaced,
            created_at=candidate.at_ms or None,
            metadata={key: value for key, value in metadata.items() if value},
        )
        try:
            stored = self._remember.store(statement, place, ingested=True)
        except InvalidInputError:  # nothing is left of it once secrets and private spans are gone
            return None
        return None if stored is None or stored.deduplicated else stored.memory


def _puts_right(candidate: MemoryCandidate, memory: Memory, place: CallContext) -> bool:
    """Tell whether a candidate puts a memory right: by its own words, or by what it answers."""
    known = memory_candidates.without_wrong(memory.content)
    if statement_similarity.corrects(
        candidate.text, known, loosely=memory.session == place.session
    ):
        return True
    answered = candidate.instead_of
    return (
        bool(answered)
        and statement_similarity.entails(known, answered)
        and statement_similarity.entails(answered, known)
    )
