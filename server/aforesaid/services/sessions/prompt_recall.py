"""Prompt recall: the memories that are relevant to a prompt, if any.

Runs in the MCP server, or in the hook's process if there is none. Not here: the recall tool
(services/recall/recall.py), the text that is shown (domain/context/prompt_context.py).
"""

from __future__ import annotations

from aforesaid.domain.conflict.supersession import OUTDATES, asks_for_past
from aforesaid.domain.context.prompt_context import (
    MAX_SHOWN,
    PROMPT_TOKENS,
    REASON_CHARS,
    PromptMatch,
    is_global_preference,
    match_reason,
    names_trigger,
    prompt_query,
    render_matches,
    with_notes,
)
from aforesaid.domain.context.session_context import RenderedContext
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.overtaken_parts import without_overtaken
from aforesaid.domain.retrieval.fusion import CANDIDATES, PROMPT_WEIGHTS, SHORTLIST, fuse
from aforesaid.domain.retrieval.prompt_relevance import (
    prompt_features,
    prompt_relevance,
    relevance_cutoff,
)
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.services.branches import Branches
from aforesaid.services.recall.supersede_filter import (
    MAX_COMPARED,
    find_superseded,
    fits_at_least_as_well,
    latest_change,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aforesaid.domain.model.memory import CallContext, Hit, Memory
    from aforesaid.domain.retrieval.prompt_relevance import PromptFeatures
    from aforesaid.ports import BranchReader, Clock, Embedder, Store

MAX_TRIGGERS = 200  #: memories whose triggers are compared with a prompt
_TRUSTED = Filters(trusted_only=True)


class PromptCandidate:
    """A memory that may be relevant to a prompt."""

    __slots__ = ("evidence", "memory", "probability")

    def __init__(self, memory: Memory, evidence: PromptFeatures, *, vectors: bool) -> None:
        self.memory = memory
        self.evidence = evidence
        self.probability = prompt_relevance(evidence, vectors=vectors)  #: in [0, 1]


class PromptRecall:
    """Finds memories that are relevant to a prompt."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        embedder: Callable[[], Embedder | None] | None = None,
        branches: Callable[[], BranchReader] | None = None,
    ) -> None:
        """Create the service.

        Args:
            store: where memories are.
            clock: the present time.
            embedder: returns the embedder, or None while there is none; without it, words only.
            branches: returns the reader of branches; called only if a memory has a branch.
        """
        self._store = store
        self._clock = clock
        self._embedder = embedder
        self._branches = Branches(store, branches)

    def render(
        self,
        prompt: str,
        context: CallContext,
        known: Collection[int],
        *,
        budget_tokens: int = PROMPT_TOKENS,
    ) -> RenderedContext:
        """Return what is shown with a prompt; its text is empty if nothing is relevant.

        Args:
            prompt: as the user typed it, without private spans.
            context: of the session.
            known: keys of memories that the session was shown before.
            budget_tokens: for everything.
        """
        matches = self.find(prompt, context, known)
        if not matches:
            return RenderedContext(text="")
        short_ids = self._store.memories.short_ids([match.memory.key for match in matches])
        secret = self._store.meta("install_secret") or ""
        return render_matches(
            matches,
            short_ids,
            self._clock.now(),
            secret,
            query=prompt_query(prompt),
            budget_tokens=budget_tokens,
        )

    def find(
        self, prompt: str, context: CallContext, known: Collection[int] = ()
    ) -> list[PromptMatch]:
        """Return the relevant memories: procedures whose trigger matches, then the best others."""
        query = prompt_query(prompt)
        if not query_terms(query):
            return []
        triggered = self._find_triggered(query, context, known)
        known = {*known, *(match.memory.key for match in triggered)}
        candidates, vectors = self.candidates(query, context)
        branch_remarks = self._branches.notes(
            (candidate.memory for candidate in candidates), context
        )
        current = [
            candidate for candidate in candidates if candidate.memory.key not in branch_remarks
        ]
        superseded = () if asks_for_past(query) else self._superseded(current, vectors=vectors)
        eligible = [
            candidate
            for candidate in candidates
            if candidate.memory.key not in superseded
            and self._is_eligible(candidate.memory, context, known)
        ]
        cutoff = relevance_cutoff([one.evidence for one in eligible], vectors=vectors)
        relevant = [
            candidate for candidate in eligible[:MAX_SHOWN] if candidate.probability >= cutoff
        ]
        if not asks_for_past(query):
            relevant = self._with_changes(relevant, current, query)
        matches = [
            PromptMatch(
                memory=candidate.memory,
                reason=match_reason(query, candidate.memory, candidate.evidence),
            )
            for candidate in relevant
            if self._is_eligible(candidate.memory, context, known)
        ]
        return with_notes([*triggered, *matches][:MAX_SHOWN], branch_remarks)

    def candidates(self, query: str, context: CallContext) -> tuple[list[PromptCandidate], bool]:
        """Return candidates, most relevant first, and whether vectors were searched, too.

        Only trusted memories that the session may see.
        """
        terms = query_terms(query)
        word_hits = self._store.search.by_words(terms, context.visible, _TRUSTED, CANDIDATES)
        vector_hits: list[Hit] = []
        generic_log_odds = 0.0
        embedder = self._embedder() if self._embedder is not None else None
        if embedder is not None and self._store.search.has_vectors:
            # imported only if there is a model
            from aforesaid.domain.retrieval.prompt_relevance import generic_prompt_log_odds

            vector = embedder.embed_query(query)
            generic_log_odds = generic_prompt_log_odds(vector, embedder.model)
            vector_hits = self._store.search.by_vector(
                vector, context.visible, _TRUSTED, CANDIDATES, embedder.model
            )
        fused = fuse(word_hits, vector_hits, PROMPT_WEIGHTS)[:SHORTLIST]
        identity = context.project.identity
        matching = self._store.memories.get([match.head for match in fused])
        standing = (without_overtaken(memory, identity) for memory in matching)
        memories = {memory.key: memory for memory in standing if memory is not None}
        features = prompt_features(query, memories, vector_hits, generic_log_odds)
        candidates = [
            PromptCandidate(memory, features[key], vectors=bool(vector_hits))
            for key, memory in memories.items()
        ]
        candidates.sort(key=lambda candidate: (-candidate.probability, candidate.memory.key))
        return candidates, bool(vector_hits)

    def _superseded(self, candidates: Sequence[PromptCandidate], *, vectors: bool) -> set[int]:
        """Return the keys of candidates that another one very probably supersedes."""
        memories = [candidate.memory for candidate in candidates[:MAX_COMPARED]]
        superseded = find_superseded(self._store, memories, self._clock.now(), vectors=vectors)
        return {old for old, (_, probability) in superseded.items() if probability >= OUTDATES}

    def _with_changes(
        self,
        relevant: Sequence[PromptCandidate],
        candidates: Sequence[PromptCandidate],
        query: str,
    ) -> list[PromptCandidate]:
        """Return the relevant candidates, each after the latest change of its subject, if any."""
        others = [(candidate.memory, candidate.evidence.meaning) for candidate in candidates]
        ordered: dict[int, PromptCandidate] = {}
        of_key = {candidate.memory.key: candidate for candidate in candidates}
        for candidate in relevant:
            change = latest_change(candidate.memory, others, query, self._clock.now())
            if change is not None and fits_at_least_as_well(candidate.memory, change, query):
                ordered.setdefault(change.key, of_key[change.key])
            ordered.setdefault(candidate.memory.key, candidate)
        return list(ordered.values())

    def _find_triggered(
        self, query: str, context: CallContext, known: Collection[int]
    ) -> list[PromptMatch]:
        triggers = {
            key: trigger
            for key, trigger in self._store.search.triggers(context.visible, MAX_TRIGGERS)
            if names_trigger(query, trigger)
        }
        return [
            PromptMatch(
                memory=memory,
                reason=f"its trigger: {' '.join(triggers[memory.key].split())[:REASON_CHARS]}",
            )
            for memory in self._store.memories.get(list(triggers))
            if self._is_eligible(memory, context, known)
        ]

    def _is_eligible(self, memory: Memory, context: CallContext, known: Collection[int]) -> bool:
        """Tell whether a memory may be shown: new to the session, valid, no global preference."""
        return (
            memory.key not in known
            and (context.session is None or memory.session != context.session)
            and not memory.is_expired(self._clock.now())
            and not is_global_preference(memory)
            and not memory.says_nothing
        )
