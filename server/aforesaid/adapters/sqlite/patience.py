"""How long and how often a process asks for a store that another process holds.

The engine's own waits grow to 100 ms, so that of many writers the one that has waited longest asks
the most rarely: of 16 writers' calls half took 15 ms and some over 10 s. Here waits are random and
become shorter with time. The engine does not wait by itself in every case; nor is it asked to where
it would read what changed since: then all is done again, until the deadline.
"""

from __future__ import annotations

import os
import time

import apsw

from .engine_errors import BUSY, in_our_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from aforesaid.domain.errors import AforesaidError

    Result = TypeVar("Result")

_MIN_WAIT_US = 500
_MAX_WAIT_US = 20_000
_HALVED_AFTER_SECONDS = 0.5  #: the longest wait is half of it then, a third after twice that


def wait_patiently(connection: apsw.Connection, max_ms: int) -> None:
    """Have a connection ask for a lock again until it has it, or so much time is over."""
    began = 0.0

    def wait(tries: int) -> bool:
        nonlocal began
        if tries == 0:
            began = time.monotonic()
        waited = time.monotonic() - began
        if waited * 1000 > max_ms:
            return False
        _pause(waited)
        return True

    connection.set_busy_handler(wait if max_ms else None)


def run_patiently(
    work: Callable[[], Result],
    path: str,
    max_ms: int,
    translate: Callable[[apsw.Error], AforesaidError] | None = None,
) -> Result:
    """Return what work returns, begun again until nobody is in its way or time is over.

    Args:
        work: one statement, or the start of a transaction.
        path: of the store.
        max_ms: how long busy errors are retried.
        translate: makes our error of the engine's; by default ``in_our_words``.

    Raises:
        UnavailableError: the store was busy for all that time, or another error of the engine.
        CorruptError: it is damaged.
    """
    began = time.monotonic()
    while True:
        try:
            return work()
        except apsw.Error as error:
            waited = time.monotonic() - began
            if not isinstance(error, BUSY) and translate is not None:
                raise translate(error) from error
            if not isinstance(error, BUSY) or waited * 1000 >= max_ms:
                raise in_our_words(error, path, waited_seconds=waited) from error
            _pause(waited)


def _pause(waited_seconds: float) -> None:
    """Sleep a few milliseconds; two processes rarely sleep equally long."""
    longest = _MAX_WAIT_US / (1 + waited_seconds / _HALVED_AFTER_SECONDS)
    chance = int.from_bytes(os.urandom(2), "little") / 65_536
    time.sleep((_MIN_WAIT_US + chance * longest) / 1e6)
