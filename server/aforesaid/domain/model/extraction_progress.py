"""The progress of extraction in a session, when it may be retried, and the daily call count.

Stored by the port ExtractionStore.
"""

from __future__ import annotations

import time

from aforesaid.domain.value import Value

#: Requests for one batch until it is abandoned; its digest stays as the rules wrote it.
MAX_ATTEMPTS = 6
_FIRST_WAIT_MS = 600_000  #: also how long one process may take for a batch before another may try
_GROWTH = 4  #: the last attempt is two days after the first

#: Meta keys: the calls of a day, and why the last one failed (empty: it succeeded).
CALLS, FAILURE = "summariser_calls", "summariser_failure"


def calls_of_day(stored: str, now: int) -> int:
    """Return how many calls the meta value of ``CALLS`` records for the UTC day of a time (ms)."""
    day, _, count = stored.partition(" ")
    return int(count) if day == day_of(now) and count.isdigit() else 0


def day_of(now: int) -> str:
    """Return the UTC day of a time (ms) as ``2026-11-23``."""
    return time.strftime("%Y-%m-%d", time.gmtime(now / 1000))


class ExtractionProgress(Value):
    """How far one session was extracted."""

    session: str
    until_ms: int = 0  #: turns up to this time were extracted
    bytes_extracted: int = 0  #: size of the transcript when all its turns were last extracted
    attempts: int = 0  #: requests for the next batch, counted before each is sent
    asked_at: int = 0  #: ms, when the last request was sent

    def is_waiting(self, now: int) -> bool:
        """Return whether a request is in progress, or it is too early for the next attempt."""
        if not self.attempts:
            return False
        last = self.attempts >= MAX_ATTEMPTS
        wait = _FIRST_WAIT_MS * (1 if last else _GROWTH ** (self.attempts - 1))
        return 0 <= now - self.asked_at < wait  # negative if the clock was set back: no wait then
