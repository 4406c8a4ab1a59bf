"""Digests of the backlog: sessions from before the install, or that no hook reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aforesaid.domain.model.backlog import QUIET_MS, Backlog, Transcript, choose_waiting
from aforesaid.domain.model.memory import Session
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store
from aforesaid.services.sessions.digester import SessionDigester


class BackfillResult(Value):
    """What digesting a backlog did."""

    digested: int = 0  #: new or rewritten digests
    unchanged: int = 0  #: nothing new in the transcript
    empty: int = 0  #: no substance, or memory is off in the project
    failed: int = 0  #: unexpected errors; retried next time


class SessionBackfill:
    """Digests transcripts on disk that have no digest yet."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        digester: SessionDigester,
        is_client_gone: Callable[[Session], bool],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Create the service.

        Args:
            store: where sessions are.
            clock: the present time.
            digester: digests one session.
            is_client_gone: tells whether the client of a registered session is gone.
            on_error: gets unexpected errors of one transcript; raises those that concern all.
        """
        self._store = store
        self._clock = clock
        self._digester = digester
        self._is_client_gone = is_client_gone
        self._on_error = on_error

    def plan(
        self,
        transcripts: Iterable[Transcript],
        *,
        since: int | None = None,
        quiet_ms: int = QUIET_MS,
    ) -> Backlog:
        """Return which transcripts have no complete digest; none is read yet.

        Args:
            transcripts: all there are.
            since: skip transcripts that were last written before (ms).
            quiet_ms: how long a session that no hook reported must have been silent.
        """
        transcripts = list(transcripts)
        sessions = {
            session.id: session
            for transcript in transcripts
            if (session := self._store.sessions.get(transcript.session)) is not None
        }
        running = {
            session_id: session.ended_at is None and not self._is_client_gone(session)
            for session_id, session in sessions.items()
            if session.client_pid is not None
        }
        return choose_waiting(
            transcripts, sessions, running, now=self._clock.now(), since=since, quiet_ms=quiet_ms
        )

    def run(
        self, waiting: Iterable[Transcript], progress: Callable[[Transcript], None]
    ) -> BackfillResult:
        """Digest each transcript on its own: an error in one does not affect the others.

        Args:
            waiting: from ``plan``.
            progress: gets each transcript once it is done.

        Raises:
            UnavailableError: the store cannot be written now; the rest is done next time.
        """
        digested = unchanged = empty = failed = 0
        for transcript in waiting:
            session = self._store.sessions.get(transcript.session)
            if session is None:
                session = Session(id=transcript.session, started_at=transcript.changed_at)
            try:
                digest = self._digester.digest(session.replace(transcript_path=transcript.path))
            except Exception as error:  # noqa: BLE001 - one transcript must not stop the others
                self._on_error(error)
                failed += 1
            else:
                if digest is None:
                    empty += 1
                elif digest.key == session.digest:
                    unchanged += 1
                else:
                    digested += 1
            progress(transcript)
        return BackfillResult(digested=digested, unchanged=unchanged, empty=empty, failed=failed)
