"""Port for transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Transactions(Protocol):
    """Write transactions."""

    def transaction(
        self, *, wait: bool = True, commits: bool = True
    ) -> AbstractContextManager[None]:
        """Open a write transaction, which is committed or rolled back at the end.

        Args:
            wait: wait for another process that is writing.
            commits: at its end; if false, it rolls back, as for a preview.

        Raises:
            UnavailableError: another process is writing, for too long or without ``wait``.
        """
        ...
