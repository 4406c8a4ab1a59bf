"""Watches a folder for changes, by file events or else by polling."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

_STEP_MS = 1_000  #: how often the wait checks for events and for ``stop``
_DEBOUNCE_MS = 2_000


def changes(folder: str, poll_seconds: float, stop: threading.Event) -> Iterator[bool]:
    """Yield True when something may have changed, False when nothing has for ``poll_seconds``.

    Without file events (no wheel, no watches left, the folder does not exist yet) this yields True
    every ``poll_seconds``.

    Args:
        folder: watched recursively.
        poll_seconds: the longest wait.
        stop: ends the iteration.
    """
    while not stop.is_set():
        try:
            yield from _events(folder, poll_seconds, stop)
        except (ImportError, OSError, RuntimeError):
            if not stop.wait(poll_seconds):
                yield True


def _events(folder: str, poll_seconds: float, stop: threading.Event) -> Iterator[bool]:
    from watchfiles import watch

    if not os.path.isdir(folder):
        raise FileNotFoundError(folder)
    for changed in watch(
        folder,
        watch_filter=None,
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        stop_event=stop,
        rust_timeout=max(int(poll_seconds * 1000), 1),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        yield bool(changed)
        if not os.path.isdir(folder):
            raise FileNotFoundError(folder)
