"""Lines that repeat, once a minute: a client that does something wrong may do it very often."""

from __future__ import annotations

import logging
import time

SECONDS = 60.0
_MAX_KINDS = 200
_KIND_CHARS = 80


class RateFilter(logging.Filter):
    """Lets one line of each kind through in a while, with how many were left out since."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Begin with nothing seen.

        Args:
            seconds: after which a line of the same kind is written again.
        """
        super().__init__()
        self._seconds = seconds
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  #: last written, left out since

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is written."""
        kind = (record.name, str(record.msg).partition("\n")[0][:_KIND_CHARS])
        if kind not in self._kinds and len(self._kinds) >= _MAX_KINDS:
            kind = (record.name, "")
        written, left_out = self._kinds.get(kind, (None, 0))
        now = time.monotonic()
        if written is not None and now - written < self._seconds:
            self._kinds[kind] = (written, left_out + 1)
            return False
        self._kinds[kind] = (now, 0)
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more such lines were left out)"
            record.args = ()
        return True


def limit_log_rate() -> None:
    """Write warnings and errors of this process to standard error, each kind once in a while."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.addFilter(RateFilter())
    logging.getLogger().addHandler(handler)
