"""A write transaction as a ``with`` block."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from .database import Database


class Transaction:
    """``with`` block around a unit of work."""

    __slots__ = ("_database", "_wait")

    def __init__(self, database: Database, *, wait: bool) -> None:
        self._database = database
        self._wait = wait

    def __enter__(self) -> None:
        self._database.begin(wait=self._wait)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.end(commit=kind is None)
