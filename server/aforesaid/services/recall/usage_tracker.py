"""What was recalled, kept until it is written that it was used.

Recall by a person or an agent reinforces; what is shown unasked does not. An answer only notes its
memories here; whoever gave it writes them afterwards, all that gathered in one transaction, and
leaves that for the next time while another process writes. A killed process loses what it noted
since, which are counts and no memory. Not here: the figures (domain/model/decay.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.decay import FACTORS, spreading_activation
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.model.relation import ASSOCIATED, CONTRADICTS, FOLLOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Clock, Store

    from .query import RecallHit, RecallResult

MAX_KEPT = 64  #: answers that wait to be written; beyond them the oldest is dropped
BATCH = 16  #: answers after which a program that recalls on and on has them written
#: Relevance from which a result counts as used: in itself, and as a share of the best one's.
MIN_RELEVANCE, MIN_SHARE = 0.02, 0.05
SPREADING = 5  #: of each recalled memory, so many links, the heaviest


class _Use:
    """The memories of one answer, in force, and when they were given."""

    __slots__ = ("at", "memories", "session", "tokens")

    def __init__(self, memories: list[Memory], at: int, session: str | None, tokens: int) -> None:
        self.memories = memories
        self.at = at
        self.session = session
        self.tokens = tokens


class UsageTracker:
    """What was recalled and not yet written down."""

    def __init__(self, store: Store, clock: Clock, factors: Factors = FACTORS) -> None:
        self._store = store
        self._clock = clock
        self._factors = factors
        self._kept: list[_Use] = []

    def __len__(self) -> int:
        """Return how many answers wait to be written."""
        return len(self._kept)

    def note(self, recalled: RecallResult, session: str | None = None) -> None:
        """Take note of an answer that somebody, or a session, asked for; nothing is written yet."""
        shown = [one for one in recalled.results if one.node is None]
        used = [one.memory for one in _answering(shown) if one.memory.in_force]
        if used:
            self._kept = [*self._kept[1 - MAX_KEPT :], self._use(used, recalled, session)]

    def _use(self, used: list[Memory], recalled: RecallResult, session: str | None) -> _Use:
        return _Use(used, self._clock.now(), session, recalled.token_estimate)

    def write(self, *, wait: bool = False) -> bool:
        """Write down what was noted, in one transaction. Not part of a reply's path.

        Args:
            wait: for another process that writes; else it is left for the next time.

        Returns:
            False if something is left.
        """
        if not self._kept:
            return True
        fresher = [self._spread(use) for use in self._kept]
        try:
            with self._store.transaction(wait=wait):
                for use, shares in zip(self._kept, fresher, strict=True):
                    self._write(use, shares)
        except UnavailableError:
            return False
        self._kept = []
        return True

    def _write(self, use: _Use, shares: dict[int, float]) -> None:
        keys = [one.key for one in use.memories]
        self._store.usage.reinforce(keys, use.at, self._factors.use_confidence)
        if use.session is not None:
            self._store.sessions.spend(use.session, asked_tokens=use.tokens)
        if shares:
            self._store.usage.refresh(shares, use.at)
        if len(keys) > 1:
            gain, decay = self._factors.use_link, self._factors.link_decay
            self._store.usage.strengthen(keys, ASSOCIATED, gain, use.at, decay)

    def _spread(self, use: _Use) -> dict[int, float]:
        """Return what is linked to recalled memories, and by what share it gets fresher.

        Read before the transaction: nobody waits for it. What contradicts gains nothing by that,
        nor does what was merely said next.
        """
        recalled = {one.key for one in use.memories}
        seen = Visibility(
            projects=tuple({GLOBAL_PROJECT, *(one.project for one in use.memories)}),
            tasks=tuple({one.task for one in use.memories if one.task is not None}),
        )
        links: dict[int, list[tuple[int, float]]] = {}
        for one in self._store.relations.of(list(recalled), seen):
            if one.kind not in {CONTRADICTS, FOLLOWS} and one.other not in recalled:
                links.setdefault(one.head, []).append((one.other, one.weight))
        weights: dict[int, list[float]] = {}
        for reached in links.values():
            heaviest = sorted(reached, key=lambda link: (-link[1], link[0]))[:SPREADING]
            for other, weight in heaviest:
                weights.setdefault(other, []).append(weight)
        return {key: spreading_activation(found) for key, found in weights.items()}


def _answering(results: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the results that may have answered.

    What merely filled up an answer, or stands first where nothing answers, was of no use to
    anybody, and must not stay because of it.
    """
    likely = max((one.relevance or 0.0 for one in results), default=0.0)
    least = max(MIN_RELEVANCE, MIN_SHARE * likely)
    return [one for one in results if one.relevance is None or one.relevance >= least]
