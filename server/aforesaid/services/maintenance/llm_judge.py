"""Asking a summariser whether one memory replaces another; never called inside a transaction."""

from __future__ import annotations

from collections.abc import Callable

from aforesaid.domain.conflict.verdict_prompt import INSTRUCTION, read_verdict, verdict_message
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.memory import Memory
from aforesaid.domain.text.hashing import fence_nonce
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.text.token_budget import SummaryLimits
from aforesaid.ports import Clock, Store, Summariser
from aforesaid.services.sessions.llm_extraction import count_call


class LlmJudge:
    """Asks the summariser about pairs, until it fails or the daily limit is reached."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        summariser: Summariser,
        outgoing: Callable[[str], str],
        limits: SummaryLimits,
        daily_calls: int,
    ) -> None:
        """Set up the judge.

        Args:
            store: The store, where calls are counted.
            clock: The current time.
            summariser: The model.
            outgoing: Removes private spans and secrets from outgoing text.
            limits: The limits on time and size of an answer.
            daily_calls: The maximum number of summariser calls in a day, of all kinds.
        """
        self._store = store
        self._clock = clock
        self._summariser = summariser
        self._outgoing = outgoing
        self._limits = limits
        self._daily_calls = daily_calls
        self._unavailable = False

    def __call__(self, older: Memory, newer: Memory) -> bool | None:
        """Return whether the newer memory replaces the older; None if there is no answer."""
        if self._unavailable:
            return None
        try:
            self._summariser.check()
            with self._store.transaction():
                count_call(self._store, self._clock.now(), self._daily_calls)
            text = self._outgoing(
                verdict_message(_dated(older), _dated(newer), self._nonce(older, newer))
            )
            return read_verdict(self._summariser.summarise(text, INSTRUCTION, self._limits))
        except InvalidInputError:
            return None
        except UnavailableError:
            self._unavailable = True  # for the rest of the run
            return None

    def _nonce(self, older: Memory, newer: Memory) -> str:
        return fence_nonce(older.content + newer.content, self._store.meta("install_secret") or "")


def _dated(memory: Memory) -> tuple[str, str]:
    return to_iso(memory.valid_from or memory.created_at)[:10], memory.content
