"""The backlog: which transcripts on disk have yet to be digested.

A transcript is judged by its file alone. Files are listed and read by adapters/transcripts,
digested by services/sessions/backfill.py.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .memory import Session

#: Without hooks, a session counts as ended once it has written nothing for this long.
QUIET_MS = 120_000


class Transcript(Value):
    """A transcript that was not read yet."""

    path: str
    session: str  #: the client's session id
    size: int  #: compared with ``Conversation.bytes_read``: bytes, or what its reader counts by
    changed_at: int  #: ms since the epoch


class Backlog(Value):
    """The transcripts of a folder, sorted by whether they are to be digested."""

    waiting: tuple[Transcript, ...] = ()  #: to be digested, oldest first
    digested_count: int = 0  #: digested to the last byte
    running_count: int = 0  #: whose session still runs
    older_count: int = 0  #: last written before ``since``


def choose_waiting(
    transcripts: Iterable[Transcript],
    sessions: Mapping[str, Session],
    running: Mapping[str, bool],
    *,
    now: int,
    since: int | None = None,
    quiet_ms: int = QUIET_MS,
) -> Backlog:
    """Return the transcripts to digest, oldest first, and counts of the others.

    Args:
        transcripts: all that exist.
        sessions: the known sessions by id.
        running: whether the client still runs, for sessions whose client is known.
        now: ms since the epoch.
        since: skip transcripts last written before this time (ms).
        quiet_ms: time after which a session with an unknown client counts as ended.
    """
    waiting: list[Transcript] = []
    digested = still_running = older = 0
    for transcript in transcripts:
        session = sessions.get(transcript.session)
        if since is not None and transcript.changed_at < since:
            older += 1
        elif session is not None and session.bytes_ingested >= transcript.size:
            digested += 1
        elif running.get(transcript.session, now - transcript.changed_at < quiet_ms):
            still_running += 1
        else:
            waiting.append(transcript)
    waiting.sort(key=lambda transcript: (transcript.changed_at, transcript.session))
    return Backlog(
        waiting=tuple(waiting),
        digested_count=digested,
        running_count=still_running,
        older_count=older,
    )
