"""Usage of recalled memories, collected after each answer and written later in one transaction.

A recall by a person or an agent strengthens the memories; what is shown automatically does not. If
another process is writing, the uses wait for the next time. A process that is killed loses what it
has collected, which are counts only. The numbers are in domain/model/decay.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.decay import FACTORS, Factors, spreading_activation
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Visibility
from aforesaid.domain.model.relation import ASSOCIATED, CONTRADICTS, FOLLOWS
from aforesaid.ports import Clock, Store

from .query import RecallHit, RecallResult

MAX_KEPT = 64  #: answers that are not yet written; beyond that the oldest is dropped
BATCH = 16  #: answers after which a program that never pauses should write
#: A result counts as used from this relevance on, and from this share of the best one's.
MIN_RELEVANCE, MIN_SHARE = 0.02, 0.05
SPREADING = 5  #: links of each recalled memory that pass activation on, heaviest first


@dataclass(slots=True, frozen=True)
class _Use:
    """The memories in force of one answer."""

    memories: list[Memory]
    at_ms: int
    session: str | None
    tokens: int


class UsageTracker:
    """Recalls that are not yet written as usage."""

    def __init__(self, store: Store, clock: Clock, factors: Factors = FACTORS) -> None:
        self._store = store
        self._clock = clock
        self._factors = factors
        self._uses: list[_Use] = []
        self._lock = Lock()  # a server collects in one thread while another writes

    def __len__(self) -> int:
        """Return how many answers are not yet written."""
        return len(self._uses)

    def collect(
        self, result: RecallResult, session: str | None = None, *, browsed: bool = False
    ) -> None:
        """Collect an answer that a person, or a session, asked for; nothing is written yet.

        Args:
            result: the answer.
            session: its id; its tokens are counted.
            browsed: it lists memories that nobody looked for, which does not strengthen them.
        """
        hits = [hit for hit in result.results if hit.node is None]
        memories = [hit.memory for hit in _relevant(hits) if hit.memory.in_force]
        if browsed:
            memories = []
        if memories or (browsed and hits and session is not None):
            use = _Use(memories, self._clock.now(), session, result.token_estimate)
            with self._lock:
                self._uses = [*self._uses[1 - MAX_KEPT :], use]

    def write(self, *, wait: bool = False) -> bool:
        """Write the collected uses in one transaction. Call it after the reply is sent.

        Args:
            wait: for another process that is writing, rather than leave the uses for next time.

        Returns:
            False if something is left.
        """
        with self._lock:
            uses, self._uses = self._uses, []
        if not uses:
            return True
        # read before the transaction, to keep it short
        spread = [self._spread(use) for use in uses]
        try:
            with self._store.transaction(wait=wait):
                for use, shares in zip(uses, spread, strict=True):
                    self._write(use, shares)
        except UnavailableError:
            with self._lock:
                self._uses = [*uses, *self._uses][-MAX_KEPT:]
            return False
        return True

    def _write(self, use: _Use, shares: dict[int, float]) -> None:
        keys = [memory.key for memory in use.memories]
        if keys:
            self._store.usage.reinforce(keys, use.at_ms, self._factors.use_confidence)
        if use.session is not None:
            self._store.sessions.add_counts(use.session, recalled_tokens=use.tokens)
        if shares:
            self._store.usage.refresh(shares, use.at_ms)
        if len(keys) > 1:
            gain, decay = self._factors.use_link, self._factors.link_decay
            self._store.usage.strengthen(keys, ASSOCIATED, gain, use.at_ms, decay)

    def _spread(self, use: _Use) -> dict[int, float]:
        """Return the share of activation that passes to each linked memory.

        Contradicting memories and mere successors in a session get nothing.
        """
        recalled = {memory.key for memory in use.memories}
        visible = Visibility(
            projects=tuple({GLOBAL_PROJECT, *(memory.project for memory in use.memories)}),
            tasks=tuple({memory.task for memory in use.memories if memory.task is not None}),
        )
        links: dict[int, list[tuple[int, float]]] = {}
        for relation in self._store.relations.of(list(recalled), visible):
            if relation.kind not in {CONTRADICTS, FOLLOWS} and relation.other not in recalled:
                links.setdefault(relation.head, []).append((relation.other, relation.weight))
        weights: dict[int, list[float]] = {}
        for targets in links.values():
            heaviest = sorted(targets, key=lambda link: (-link[1], link[0]))[:SPREADING]
            for target, weight in heaviest:
                weights.setdefault(target, []).append(weight)
        return {key: spreading_activation(incoming) for key, incoming in weights.items()}


def _relevant(hits: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the hits that may have answered; mere fillers must not gain from being returned."""
    best = max((hit.relevance or 0.0 for hit in hits), default=0.0)
    cutoff = max(MIN_RELEVANCE, MIN_SHARE * best)
    return [hit for hit in hits if hit.relevance is None or hit.relevance >= cutoff]
