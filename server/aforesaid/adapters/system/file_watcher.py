"""Something changed below a folder, or may have: by file events, else by the clock."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_STEP_MS = 1_000  #: how often the wait looks up; also how late it notices that it is to stop
_DEBOUNCE_MS = 2_000


def changes(folder: str, poll_seconds: float, stop: threading.Event) -> Iterator[bool]:
    """Yield True when something changed, False when nothing did for as long as was asked.

    Where there are no file events (no wheel, no watches left, a folder that is not there yet) the
    clock alone counts, and each time something may have changed.

    Args:
        folder: with all below it.
        poll_seconds: the longest wait.
        stop: ends it.
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
