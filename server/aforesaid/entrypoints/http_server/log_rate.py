"""Rate-limits repeated log lines: a faulty client may cause the same one very often."""

from __future__ import annotations

import logging
import time

SECONDS = 60.0
_MAX_KINDS = 200
_KIND_CHARS = 80


class RateFilter(logging.Filter):
    """Passes one line of each kind per interval, with the number omitted since the last."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """Create the filter.

        Args:
            seconds: the interval between lines of the same kind.
        """
        super().__init__()
        self._seconds = seconds
        self._kinds: dict[tuple[str, str], tuple[float, int]] = {}  #: last written, omitted since

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        kind = (record.name, str(record.msg).partition("\n")[0][:_KIND_CHARS])
        if kind not in self._kinds and len(self._kinds) >= _MAX_KINDS:
            kind = (record.name, "")
        written, omitted = self._kinds.get(kind, (None, 0))
        now = time.monotonic()
        if written is not None and now - written < self._seconds:
            self._kinds[kind] = (written, omitted + 1)
            return False
        self._kinds[kind] = (now, 0)
        if omitted:
            record.msg = f"{record.getMessage()} ({omitted} similar lines omitted)"
            record.args = ()
        return True


def limit_log_rate() -> None:
    """Log this process's warnings and errors to standard error, rate-limited."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.addFilter(RateFilter())
    logging.getLogger().addHandler(handler)
