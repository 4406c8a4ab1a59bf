"""What a client reports about a session, and whether a session was opened again."""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Session
    from aforesaid.domain.model.transcript import Conversation


class SessionEvent(Value):
    """What a client reports about a session when it starts or ends."""

    session_id: str
    transcript_path: str
    folder: str
    client: int | None = None  #: pid of the reporting client
    reported_at: int | None = None  #: ms


def opened_since(session: Session, event: SessionEvent) -> bool:
    """Tell whether a session was opened again after its client reported its end.

    By another client, or later by the same one: notes are not read at once.
    """
    if session.ended_at is not None or not session.opened_at:
        return False
    other_client = event.client is not None and session.client_pid not in {None, event.client}
    return other_client or (
        event.reported_at is not None and session.opened_at >= event.reported_at
    )


def is_not_reopened(session: Session, current: Session) -> bool:
    """Return whether no client opened a session between two readings of its row."""
    return session.opened_at == current.opened_at


def own_part(session: Session, conversation: Conversation) -> Conversation:
    """Return a conversation without the part copied from another session, which has a digest."""
    if session.forked_at is None:
        return conversation
    return conversation.since(session.forked_at)
