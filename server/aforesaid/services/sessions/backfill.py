"""Sessions from before there was a memory, or that no hook told about: each digested once."""

from __future__ import annotations

from aforesaid.domain.model.backlog import QUIET_MS, Backlog, choose_waiting
from aforesaid.domain.model.memory import Session
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aforesaid.domain.model.backlog import Transcript
    from aforesaid.ports import Clock, Store
    from aforesaid.services.sessions.digester import SessionDigester


class BackfillResult(Value):
    """What reading a backlog did."""

    digested: int = 0  #: a digest was written, or written anew
    unchanged: int = 0  #: nothing that counts had come since the last time
    empty: int = 0  #: of no substance, or of a project whose memory is switched off
    failed: int = 0  #: nobody foresaw why; they wait for the next time


class SessionBackfill:
    """The way from transcripts on the disk to digests."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        ingest: SessionDigester,
        is_over: Callable[[Session], bool],
        failed: Callable[[Exception], None],
    ) -> None:
        """Join the way.

        Args:
            store: where sessions are.
            clock: the present time.
            ingest: digests one session.
            is_over: tells whether the client of a session that hooks registered is gone.
            failed: told what nobody foresaw in one transcript; raises what is no transcript's.
        """
        self._failed = failed
        self._store = store
        self._clock = clock
        self._ingest = ingest
        self._is_over = is_over

    def plan(
        self,
        transcripts: Iterable[Transcript],
        *,
        since: int | None = None,
        quiet_ms: int = QUIET_MS,
    ) -> Backlog:
        """Return which transcripts wait, by watermark: nothing is read yet.

        Args:
            transcripts: all there are.
            since: leave out what was last written before (ms).
            quiet_ms: how long a session that no hook told about must have been silent.
        """
        listed = list(transcripts)
        found = {one.session: self._store.sessions.get(one.session) for one in listed}
        known = {name: session for name, session in found.items() if session is not None}
        running = {
            name: session.ended_at is None and not self._is_over(session)
            for name, session in known.items()
            if session.client_pid is not None
        }
        return choose_waiting(
            listed, known, running, now=self._clock.now(), since=since, quiet_ms=quiet_ms
        )

    def run(
        self, waiting: Iterable[Transcript], progress: Callable[[Transcript], None]
    ) -> BackfillResult:
        """Digest each, whatever becomes of the others; what is done stays done.

        Args:
            waiting: as ``plan`` returned them.
            progress: told each transcript once it is done.

        Raises:
            UnavailableError: the store cannot be written now; the rest waits for the next time.
        """
        digested = unchanged = empty = failed = 0
        for one in waiting:
            session = self._store.sessions.get(one.session)
            if session is None:
                session = Session(id=one.session, started_at=one.changed_at)
            try:
                digest = self._ingest.digest(session.replace(transcript_path=one.path))
            except Exception as error:  # noqa: BLE001 - a transcript's outermost boundary
                self._failed(error)
                failed += 1
                progress(one)
                continue
            if digest is None:
                empty += 1
            elif digest.key == session.digest:
                unchanged += 1
            else:
                digested += 1
            progress(one)
        return BackfillResult(digested=digested, unchanged=unchanged, empty=empty, failed=failed)
