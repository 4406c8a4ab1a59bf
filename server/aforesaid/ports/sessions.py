"""Port for sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session


class SessionStore(Protocol):
    """Sessions of clients."""

    def get(self, session_id: str) -> Session | None:
        """Return a session by the client's id; None if unknown."""
        ...

    def put(self, session: Session) -> None:
        """Store a session, replacing its previous row."""
        ...

    def add_counts(self, session_id: str, **counted: int) -> None:
        """Add to counters of a session, by column; an unknown session is ignored."""
        ...

    def of_client(self, pid: int, start: int | None, limit: int) -> list[Session]:
        """Return the sessions that a client process opened, latest first."""
        ...

    def list_open(self) -> list[Session]:
        """Return sessions that have not ended, oldest first."""
        ...

    def list_shown(self, project: int | None, limit: int) -> list[Session]:
        """Return sessions of a project, or of all, that were shown a context, latest first."""
        ...

    def keys_shown_often(self, project: int, sessions: int, times: int) -> set[int]:
        """Return keys of memories that many of a project's last sessions were shown.

        Args:
            project: key.
            sessions: how many of the last ones count.
            times: how many of these were shown the memory, at least.
        """
        ...

    def list_from(self, first_line: str, limit: int) -> list[Session]:
        """Return sessions whose transcripts begin with this line, ordered by id."""
        ...
