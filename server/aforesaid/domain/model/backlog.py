"""Transcripts that a client wrote, and which of them wait to be digested.

Here: what is known of a transcript by its file alone, and the choice. Not here: listing files
(adapters/claude_transcripts), reading one (there too), digesting (services/sessions/backfill.py).
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .memory import Session

#: Without hooks nobody says that a session is over; one that wrote nothing for so long is.
QUIET_MS = 120_000


class Transcript(Value):
    """A transcript as its file shows it, unread."""

    path: str
    session: str  #: the client's id of the session
    size: int  #: bytes
    changed_at: int  #: ms


class Backlog(Value):
    """What a folder of transcripts comes to."""

    waiting: tuple[Transcript, ...] = ()  #: to be digested, oldest first
    known: int = 0  #: digested to their last byte
    running: int = 0  #: their sessions go on
    older: int = 0  #: last written before the time asked for


def choose_waiting(
    transcripts: Iterable[Transcript],
    sessions: Mapping[str, Session],
    running: Mapping[str, bool],
    *,
    now: int,
    since: int | None = None,
    quiet_ms: int = QUIET_MS,
) -> Backlog:
    """Return which transcripts are to be read.

    Args:
        transcripts: all there are.
        sessions: what is known of each session, by its id.
        running: whether its client still runs, for sessions whose client is known.
        now: ms.
        since: leave out what was last written before (ms).
        quiet_ms: a session whose client is not known counts as over after so long.
    """
    waiting: list[Transcript] = []
    known = going_on = older = 0
    for one in transcripts:
        session = sessions.get(one.session)
        if since is not None and one.changed_at < since:
            older += 1
        elif session is not None and session.bytes_ingested >= one.size:
            known += 1
        elif running.get(one.session, now - one.changed_at < quiet_ms):
            going_on += 1
        else:
            waiting.append(one)
    waiting.sort(key=lambda one: (one.changed_at, one.session))
    return Backlog(waiting=tuple(waiting), known=known, running=going_on, older=older)
