"""All or nothing: what every port that writes builds on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Transactions(Protocol):
    """All or nothing."""

    def transaction(self, *, wait: bool = True) -> AbstractContextManager[None]:
        """Open a write transaction; what is inside becomes durable at its end, or not at all.

        Args:
            wait: for another process that writes now.

        Raises:
            UnavailableError: on entering, others write too long, or without ``wait`` at all.
        """
        ...
