"""Signals end a command as an exception does, so that it leaves no half-written file behind."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNALS = ("SIGTERM", "SIGHUP")
_SIGNAL_EXIT = 128  #: plus the signal's number, as shells report it


@contextmanager
def clean_exit() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit inside the block."""
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    replaced = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, _exit)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)


def _exit(number: int, _frame: object) -> None:
    raise SystemExit(_SIGNAL_EXIT + number)
