"""A summariser's verdict on two memories: within the day's calls, never inside a transaction."""

from __future__ import annotations

from aforesaid.domain.conflict.verdict_prompt import INSTRUCTION, ask, read_verdict
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.text.hashing import fence_nonce
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.services.sessions.llm_extraction import count_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.text.token_budget import SummaryLimits
    from aforesaid.ports import Clock, Store, Summariser


class LlmJudge:
    """Asks about pairs until the summariser is not to be had any more."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        summariser: Summariser,
        outgoing: Callable[[str], str],
        limits: SummaryLimits,
        daily_calls: int,
    ) -> None:
        """Join the judge to its world.

        Args:
            store: where the calls of the day are counted.
            clock: the present time.
            summariser: the model.
            outgoing: takes private spans and secrets out of all that is sent.
            limits: on time and size of an answer.
            daily_calls: questions to a summariser that one day allows, of all kinds.
        """
        self._store = store
        self._clock = clock
        self._summariser = summariser
        self._outgoing = outgoing
        self._limits = limits
        self._daily_calls = daily_calls
        self._away = False

    def __call__(self, older: Memory, newer: Memory) -> bool | None:
        """Return whether the later takes the earlier one's place; None where nobody can say."""
        if self._away:
            return None
        try:
            self._summariser.check()
            with self._store.transaction():
                count_call(self._store, self._clock.now(), self._daily_calls)
            text = self._outgoing(ask(_told(older), _told(newer), self._nonce(older, newer)))
            return read_verdict(self._summariser.summarise(text, INSTRUCTION, self._limits))
        except InvalidInputError:
            return None
        except UnavailableError:
            self._away = True  # until the next run
            return None

    def _nonce(self, older: Memory, newer: Memory) -> str:
        return fence_nonce(older.content + newer.content, self._store.meta("install_secret") or "")


def _told(memory: Memory) -> tuple[str, str]:
    return to_iso(memory.valid_from or memory.created_at)[:10], memory.content
