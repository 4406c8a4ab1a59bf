"""Sessions of clients, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .transactions import Transactions

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session


class SessionStore(Transactions, Protocol):
    """Sessions of clients."""

    def session(self, session_id: str) -> Session | None:
        """Return a session by the client's id."""
        ...

    def put_session(self, session: Session) -> None:
        """Store a session, replacing what was known of it."""
        ...

    def spend(self, session_id: str, **counted: int) -> None:
        """Add to what a session's context took; one that is not known is passed over."""
        ...

    def sessions_of_client(self, pid: int, start: int | None, limit: int) -> list[Session]:
        """Return the sessions that this client process opened, the last one first."""
        ...

    def open_sessions(self) -> list[Session]:
        """Return sessions that were never ended, oldest first."""
        ...

    def shown_sessions(self, project: int, limit: int) -> list[Session]:
        """Return sessions of a project that were shown its context, the last one first."""
        ...

    def sessions_from(self, first_line: str, limit: int) -> list[Session]:
        """Return sessions whose transcripts begin with this line, ordered by id."""
        ...
