"""How far a session's turns were extracted, and when the next try may be.

Here: the watermark and the rule of tries. Not here: where it is kept (the ExtractionStore port).
"""

from __future__ import annotations

import time

from aforesaid.domain.value import Value

#: A batch that was asked for so often is given up: the facts of its digest stay.
MAX_ATTEMPTS = 6
_FIRST_WAIT_MS = 600_000  #: also how long a process may take for one batch before another may
_GROWTH = 4  #: so the last try comes two days after the first


#: Facts about the store itself: calls of a day, and why the last one failed (empty: it did not).
CALLS, FAILURE = "summariser_calls", "summariser_failure"


def calls_of_day(kept: str, now: int) -> int:
    """Return how many calls of the day of a time (ms, UTC) were kept under ``CALLS``."""
    day, _, count = kept.partition(" ")
    return int(count) if day == day_of(now) and count.isdigit() else 0


def day_of(now: int) -> str:
    """Return the day of a time (ms) in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(now / 1000))


class ExtractionProgress(Value):
    """The watermark of one session."""

    session: str
    until_ms: int = 0  #: turns up to this time are done
    bytes_extracted: int = 0  #: of the transcript, once all its turns then were done
    attempts: int = 0  #: for the next batch, counted before it is asked for
    asked_at: int = 0  #: ms

    def is_waiting(self, now: int) -> bool:
        """Tell whether another process asks, or the last try is too fresh for the next."""
        if not self.attempts:
            return False
        last = self.attempts >= MAX_ATTEMPTS
        wait = _FIRST_WAIT_MS * (1 if last else _GROWTH ** (self.attempts - 1))
        return 0 <= now - self.asked_at < wait  # a clock that was set back holds nobody up
