"""Sessions of clients, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session


class SessionStore(Protocol):
    """Sessions of clients."""

    def get(self, session_id: str) -> Session | None:
        """Return a session by the client's id."""
        ...

    def put(self, session: Session) -> None:
        """Store a session, replacing what was known of it."""
        ...

    def spend(self, session_id: str, **counted: int) -> None:
        """Add to what a session's context took; one that is not known is passed over."""
        ...

    def of_client(self, pid: int, start: int | None, limit: int) -> list[Session]:
        """Return the sessions that this client process opened, the last one first."""
        ...

    def list_open(self) -> list[Session]:
        """Return sessions that were never ended, oldest first."""
        ...

    def list_shown(self, project: int, limit: int) -> list[Session]:
        """Return sessions of a project that were shown its context, the last one first."""
        ...

    def list_from(self, first_line: str, limit: int) -> list[Session]:
        """Return sessions whose transcripts begin with this line, ordered by id."""
        ...
