"""Signals that end a command, which then leaves no half-written file behind."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING = ("SIGTERM", "SIGHUP")
_SIGNAL_EXIT = 128  #: plus the signal's number, as shells say it


@contextmanager
def clean_exit() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as an exception does, so that it cleans up."""
    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    changed = [one for one in numbers if signal.getsignal(one) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: object) -> None:
    raise SystemExit(_SIGNAL_EXIT + number)
