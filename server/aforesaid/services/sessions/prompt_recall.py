"""Recall at the prompt: what a prompt calls for, or nothing.

Lean enough for a hook's process. Not here: the tool's recall (services/recall/recall.py), where the
prompt comes from (operations/prompt_hook.py), how it is told (domain/context/prompt_context.py).
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
)
from aforesaid.domain.context.session_context import RenderedContext
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.retrieval.fusion import fuse
from aforesaid.domain.retrieval.prompt_relevance import (
    prompt_features,
    prompt_relevance,
    relevance_cutoff,
)
from aforesaid.domain.retrieval.ranking_weights import CANDIDATES, SHORTLIST, UNASKED
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.services.recall.supersede_filter import COMPARED, find_superseded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aforesaid.domain.model.memory import Hit, Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.domain.retrieval.prompt_relevance import PromptFeatures
    from aforesaid.ports import Clock, Embedder, Store

MAX_TRIGGERS = 200  #: procedures whose triggers are compared with a prompt
_UNASKED = Filters(trusted=True)


class PromptCandidate:
    """A memory beside a prompt."""

    __slots__ = ("evidence", "likely", "memory")

    def __init__(self, memory: Memory, evidence: PromptFeatures, *, vectors: bool) -> None:
        self.memory = memory
        self.evidence = evidence
        self.likely = prompt_relevance(evidence, vectors=vectors)  #: to be called for, in [0, 1]


class PromptRecall:
    """Memories that a prompt calls for."""

    def __init__(
        self, store: Store, clock: Clock, embedder: Callable[[], Embedder | None] | None = None
    ) -> None:
        """Join it to its world.

        Args:
            store: where memories are.
            clock: the present time.
            embedder: gives the embedder, or None while there is none; without it, words alone.
        """
        self._store = store
        self._clock = clock
        self._embedder = embedder

    def shown(
        self,
        prompt: str,
        place: CallContext,
        known: Collection[int],
        *,
        budget_tokens: int = PROMPT_TOKENS,
    ) -> RenderedContext:
        """Return what is shown with a prompt; its text is empty where nothing is called for.

        Args:
            prompt: as the user typed it, private spans taken out.
            place: the session's.
            known: keys of what this session was shown before.
            budget_tokens: for everything.
        """
        found = self.find(prompt, place, known)
        if not found:
            return RenderedContext(text="")
        short = self._store.memories.short_ids([one.memory.key for one in found])
        secret = self._store.meta("install_secret") or ""
        return render_matches(found, short, self._clock.now(), secret, budget_tokens=budget_tokens)

    def find(
        self, prompt: str, place: CallContext, known: Collection[int] = ()
    ) -> list[PromptMatch]:
        """Return what a prompt calls for, best first: procedures that it names, then the rest."""
        question = prompt_query(prompt)
        terms = query_terms(question)
        if not terms:
            return []
        named = self._triggered(question, place, known)
        told = {*known, *(one.memory.key for one in named)}
        candidates, vectors = self.candidates(question, place)
        outdated = () if asks_for_past(question) else self._outdated(candidates, vectors=vectors)
        wanted = [
            one
            for one in candidates
            if one.memory.key not in outdated and self._is_eligible(one.memory, place, told)
        ]
        least = relevance_cutoff(wanted[0].likely, vectors=vectors) if wanted else 0.0
        rest = [
            PromptMatch(memory=one.memory, reason=match_reason(question, one.memory, one.evidence))
            for one in wanted[:MAX_SHOWN]
            if one.likely >= least
        ]
        return [*named, *rest][:MAX_SHOWN]

    def candidates(self, question: str, place: CallContext) -> tuple[list[PromptCandidate], bool]:
        """Return what may be called for, likeliest first, and whether meaning was searched too.

        Only trusted memories that the place sees.
        """
        terms = query_terms(question)
        words = self._store.search.by_words(terms, place.visible, _UNASKED, CANDIDATES)
        vectors: list[Hit] = []
        usual = 0.0
        embedder = self._embedder() if self._embedder is not None else None
        if embedder is not None and self._store.search.has_vectors:
            from aforesaid.domain.retrieval.generic_prompt import (
                generic_prompt_log_odds,  # only where there is a model
            )

            vector = embedder.embed_query(question)
            usual = generic_prompt_log_odds(vector, embedder.model)
            vectors = self._store.search.by_vector(
                vector, place.visible, _UNASKED, CANDIDATES, embedder.model
            )
        fused = fuse(words, vectors, UNASKED)[:SHORTLIST]
        memories = {one.key: one for one in self._store.memories.get([one.head for one in fused])}
        evidence = prompt_features(question, memories, vectors, usual)
        weighed = [
            PromptCandidate(memory, evidence[key], vectors=bool(vectors))
            for key, memory in memories.items()
        ]
        weighed.sort(key=lambda one: (-one.likely, one.memory.key))
        return weighed, bool(vectors)

    def _outdated(self, candidates: Sequence[PromptCandidate], *, vectors: bool) -> set[int]:
        """Return the keys of those that another one surely outdates."""
        memories = [one.memory for one in candidates[:COMPARED]]
        found = find_superseded(self._store, memories, self._clock.now(), vectors=vectors)
        return {old for old, (_new, sure) in found.items() if sure >= OUTDATES}

    def _triggered(
        self, question: str, place: CallContext, known: Collection[int]
    ) -> list[PromptMatch]:
        keys = {
            key: trigger
            for key, trigger in self._store.search.triggers(place.visible, MAX_TRIGGERS)
            if names_trigger(question, trigger)
        }
        return [
            PromptMatch(
                memory=memory,
                reason=f"its trigger: {' '.join(keys[memory.key].split())[:REASON_CHARS]}",
            )
            for memory in self._store.memories.get(list(keys))
            if self._is_eligible(memory, place, known)
        ]

    def _is_eligible(self, memory: Memory, place: CallContext, known: Collection[int]) -> bool:
        """Tell whether a memory may be shown here: new to this session, and no standing wish."""
        return (
            memory.key not in known
            and (place.session is None or memory.session != place.session)
            and not memory.is_expired(self._clock.now())
            and not is_global_preference(memory)
        )
