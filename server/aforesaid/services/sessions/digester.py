"""What happened in a session becomes its digest, what outlives it memories: once, however ended."""

from __future__ import annotations

from aforesaid.domain.digest import candidates_of, facts_of, revise_digest, write_digest
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import DIGEST_TAG, GLOBAL_PROJECT, Memory, Session
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.transcript import PRIVATE
from aforesaid.domain.text.distinctive_phrases import sentences_of
from aforesaid.domain.text.hashing import keyed_hash
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.value import Value
from aforesaid.services.graph.relations import follow_in_project
from aforesaid.services.memories.footprint import forgotten_marks

from .candidates import Candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.domain.digest import Digest, MemoryCandidate, SessionFacts
    from aforesaid.domain.digest.activity import CommitLike
    from aforesaid.domain.model.import_item import ImportItem
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, CommitSource, Store, TranscriptSource
    from aforesaid.services.memories.writer import MemoryWriter

DIGEST_IMPORTANCE = 0.5
_MAX_FORKS = 20  #: of one session that are compared


class SessionEvent(Value):
    """What a client tells about a session when it starts or ends."""

    session_id: str
    transcript_path: str
    folder: str
    client: int | None = None  #: pid of the client that told it
    told_at: int | None = None  #: ms


class SessionDigester:
    """Digests of sessions."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        remember: MemoryWriter,
        transcripts: TranscriptSource,
        commits: CommitSource,
        settle: Callable[[str, Session | None], CallContext | None],
        max_tokens: int = 350,
        *,
        candidates: bool = True,
        take: Callable[[Sequence[ImportItem], CallContext], object] | None = None,
    ) -> None:
        """Join the path from transcript to memory.

        Args:
            store: where sessions and memories are.
            clock: the present time.
            remember: the write path.
            transcripts: reads a conversation.
            commits: reads the commits of a folder between two times.
            settle: the place of a folder, given its session; None where memory is off.
            max_tokens: of a digest.
            candidates: whether what users say in passing becomes memories, too.
            take: takes in a session's commits as memories, each once; None leaves them to digests.
        """
        self._take = take
        self._candidates = Candidates(store, remember) if candidates else None
        self._store = store
        self._clock = clock
        self._remember = remember
        self._transcripts = transcripts
        self._commits = commits
        self.settle = settle
        self._max_tokens = max_tokens

    def end_session(self, event: SessionEvent) -> Memory | None:
        """Digest a session that its client told about; return its digest, if there is one now.

        One that was opened again since stays open: its end is still to come.
        """
        session = self._told(event)
        return self.digest(session, over=not _opened_since(session, event))

    def checkpoint(self, event: SessionEvent) -> Memory | None:
        """Digest a session as far as it went, before its client drops detail; it goes on."""
        return self.digest(self._told(event), over=False)

    def end_without_digest(self, event: SessionEvent) -> None:
        """Note that a session ended which cannot be digested now."""
        session = self._told(event)
        if not _opened_since(session, event):
            self._mark_ended(session)

    def _told(self, event: SessionEvent) -> Session:
        session = self._store.sessions.get(event.session_id)
        if session is None:
            session = Session(id=event.session_id, started_at=self._clock.now())
        return session.replace(
            transcript_path=event.transcript_path or session.transcript_path,
            folder=session.folder or event.folder,
        )

    def register(self, event: SessionEvent, client: int | None, start: int | None) -> None:
        """Keep a session that began before there was a store, unless it is known by now.

        Args:
            event: what its client told.
            client: the client's pid, if known.
            start: what tells that process from a later one with its pid.
        """
        with self._store.transaction():
            if self._store.sessions.get(event.session_id) is None:
                self._store.sessions.put(
                    Session(
                        id=event.session_id,
                        client_pid=client,
                        client_start=start,
                        folder=event.folder,
                        transcript_path=event.transcript_path,
                        started_at=self._clock.now(),
                    )
                )

    def ended_sessions(self, is_over: Callable[[Session], bool]) -> list[Session]:
        """Return every session that was not ended and is over, oldest first.

        Args:
            is_over: tells whether a session's client is gone.
        """
        return [session for session in self._store.sessions.list_open() if is_over(session)]

    def digest(self, session: Session, *, over: bool = True) -> Memory | None:
        """Write the digest of what a session's transcript holds now.

        A later pass over more of the same session supersedes the earlier digest; a pass over
        nothing new changes nothing, however many run at once.

        Args:
            session: as the store knows it.
            over: whether it ended; else it stays open, to be digested again.

        Returns:
            The session's digest in force; None for a session of no substance.

        Raises:
            InvalidInputError: its transcript cannot be read now.
        """
        if not session.transcript_path:  # no hook told it: its start failed, or was not told
            session = session.replace(transcript_path=self._transcripts.find(session.id) or None)
        conversation = self.read(session, strict=True)
        if conversation is None or conversation.bytes_read <= session.bytes_ingested:
            if over:
                self._mark_ended(session)
            return self._current(session)
        place = self.settle(session.folder or conversation.cwd, session)
        if place is None:  # memory is off there: nothing more of it is waited for
            if over:
                self._mark_ended(session)
            return None
        known = session.digest
        session = self._detach_stale_digest(self._forked(session, conversation), conversation)
        facts = self._facts(session, conversation)
        digest = self._write_digest(facts, self._max_tokens, (place.project.key,))
        # before the watermark: whoever dies in between is followed by one that takes them again
        self._import_commits(session, conversation, place)
        with self._store.transaction():
            current = self._store.sessions.get(session.id) or session
            if current.bytes_ingested >= conversation.bytes_read:
                return self._current(current)  # another pass was faster
            if (current.bytes_ingested, current.digest) == (session.bytes_ingested, known):
                said = candidates_of(facts, conversation.seen_ms)
                ended = self._clock.now() if over and _same(session, current) else current.ended_at
                current = current.replace(
                    # the session's own row must know its project before a memory can be put there
                    project=current.project or (place.project.key if place.known else None),
                    folder=current.folder or conversation.cwd or None,
                    transcript_path=current.transcript_path or session.transcript_path,
                    started_at=conversation.started_ms or current.started_at,
                    forked_at=session.forked_at or current.forked_at,
                    first_line=conversation.first_line or current.first_line,
                    bytes_ingested=conversation.bytes_read,
                    digest=session.digest,
                    ended_at=ended,
                )
                return self._write(current, digest, said, place, conversation.skipped)
        # another pass read a part or told it meanwhile: what it saw must not be taken again
        current = current.replace(transcript_path=session.transcript_path)
        return self.digest(current, over=over and _same(session, current))

    def _write(
        self,
        session: Session,
        digest: Digest | None,
        said: Sequence[MemoryCandidate],
        place: CallContext,
        skipped: Mapping[str, int],
    ) -> Memory | None:
        """Put a session's digest and candidates in the store; the watermark is in its row."""
        memory = None
        if digest is not None and not session.digest_refused:
            memory = self._store_digest(session, digest, place, skipped.get(PRIVATE, 0))
            if memory is not None:
                follow_in_project(self._store, memory, DIGEST_TAG, self._clock.now())
        self._store.sessions.put(
            session.replace(digest=memory.key if memory is not None else session.digest)
        )
        if self._candidates is not None and not session.digest_refused:
            now = self._clock.now()  # no clock that was ahead makes a memory of the future
            told = [one.replace(at_ms=min(one.at_ms, now)) for one in said]
            self._candidates.keep(told, place.replace(session=session.id))
        return memory or self._current(session)

    def read(self, session: Session, *, strict: bool = False) -> Conversation | None:
        """Return what a session's transcript holds now; None if there is none of a session.

        Args:
            session: as the store knows it.
            strict: whether a transcript that cannot be opened, or was there before, is an error.

        Raises:
            InvalidInputError: it is there and cannot be read now.
        """
        if not session.transcript_path:
            return None
        try:
            conversation = self._transcripts.read(session.transcript_path, session.bytes_ingested)
        except (NotFoundError, InvalidInputError) as error:
            if strict and (session.bytes_ingested or isinstance(error, InvalidInputError)):
                raise InvalidInputError(str(error)) from error
            return None  # never written, or removed: there is nothing to digest
        except UnavailableError as error:  # this one, unlike the store, costs no other anything
            raise InvalidInputError(str(error)) from error
        return None if conversation.subagent else conversation

    def written(
        self, session: Session, conversation: Conversation, max_tokens: int
    ) -> Digest | None:
        """Return the digest without what was erased before and what must not be stored."""
        projects = () if session.project is None else (session.project,)
        return self._write_digest(self._facts(session, conversation), max_tokens, projects)

    def _facts(self, session: Session, conversation: Conversation) -> SessionFacts:
        """Return what happened in a session, with the commits of its repository."""
        conversation = _own_part(session, conversation)
        commits: Sequence[CommitLike] = ()
        span = self._span(session, conversation)
        if span is not None:
            commits = self._commits.commits(*span)
        return facts_of(conversation, commits)

    def _forked(self, session: Session, conversation: Conversation) -> Session:
        """Return a session that knows what of its transcript other sessions have told already.

        A client does not always say that it forks, and an old transcript never does; what was
        copied has the ids and times that it had.
        """
        if session.forked_at is not None or session.bytes_ingested or not conversation.first_line:
            return session
        latest = 0
        for other in self._store.sessions.list_from(conversation.first_line, _MAX_FORKS):
            if other.id == session.id or not other.bytes_ingested or not other.transcript_path:
                continue
            try:
                shared = self._transcripts.shared_until(
                    session.transcript_path or "", other.transcript_path, other.forked_at or 0
                )
            except (NotFoundError, InvalidInputError, UnavailableError):
                continue  # gone, or not to be read: nothing can be compared
            latest = max(latest, shared)
        return session.replace(forked_at=latest + 1) if latest else session

    def _detach_stale_digest(self, session: Session, conversation: Conversation) -> Session:
        """Return a session whose digest was forgotten or rewritten as one that begins after it.

        What that digest told is not told again; what came since has a digest of its own.
        """
        if session.digest is None or self._current(session) is not None:
            return session
        return session.replace(digest=None, forked_at=conversation.seen_ms + 1)

    def _import_commits(
        self, session: Session, conversation: Conversation, place: CallContext
    ) -> None:
        """Make memories of the commits of a session; those that came in before stay as they are."""
        span = self._span(session, _own_part(session, conversation))
        if self._take is None or span is None or not place.known or session.digest_refused:
            return
        folder, since, until = span
        made = [
            piece.replace(
                statement=piece.statement.replace(
                    metadata={**(piece.statement.metadata or {}), "session_id": session.id}
                )
            )
            for piece in self._commits.made(folder, place.project.identity, since, until)
        ]
        if made:
            self._take(made, place.replace(session=None))

    def _span(self, session: Session, conversation: Conversation) -> tuple[str, int, int] | None:
        """Return folder, beginning and end (ms) of a session, as far as they are known."""
        folder = session.folder or conversation.cwd
        if not folder or not conversation.started_ms:
            return None
        return folder, conversation.started_ms, conversation.ended_ms or self._clock.now()

    def _write_digest(
        self, facts: SessionFacts, max_tokens: int, projects: Sequence[int]
    ) -> Digest | None:
        """Return a digest without what was forgotten in these projects, or erased."""
        digest = write_digest(facts, max_tokens=max_tokens)
        if digest is None:
            return None
        secret = self._store.meta("install_secret") or ""
        forgotten = forgotten_marks(self._store, (GLOBAL_PROJECT, *projects))

        def is_let_go(text: str) -> bool:
            said = {text, *sentences_of(text)}
            erased = any(self._store.memories.is_erased(keyed_hash(one, secret)) for one in said)
            return erased or forgotten.repeated_by(text)

        return revise_digest(digest, lambda item: None if is_let_go(item.text) else item)

    def _store_digest(
        self, session: Session, digest: Digest, place: CallContext, private: int
    ) -> Memory | None:
        previous = self._current(session)
        stored = self._remember.store(
            Statement(
                content=digest.text,
                type="episodic",
                scope="project",
                summary=digest.summary,
                tags=(DIGEST_TAG,),
                importance=DIGEST_IMPORTANCE,
                provenance="derived",
                supersedes=(previous.id,) if previous is not None else (),
                created_at=min(digest.event_date_ms, self._clock.now()) or None,
                metadata={
                    "session_id": session.id,
                    "event_date": to_iso(digest.event_date_ms)[:10],
                    "title": digest.title,
                    **({"commands": list(digest.ran)} if digest.ran else {}),
                    **({"removed_spans": private} if private else {}),
                },
            ),
            place.replace(session=session.id),
            ingested=True,
        )
        return None if stored is None else stored.memory

    def _current(self, session: Session) -> Memory | None:
        """Return the session's digest if it is in force."""
        if session.digest is None:
            return None
        found = self._store.memories.get([session.digest])
        return found[0] if found and found[0].in_force else None

    def _mark_ended(self, session: Session) -> None:
        with self._store.transaction():
            current = self._store.sessions.get(session.id)
            if current is not None and current.ended_at is None and _same(session, current):
                self._store.sessions.put(current.replace(ended_at=self._clock.now()))


def _opened_since(session: Session, event: SessionEvent) -> bool:
    """Tell whether a session was opened again after its client told that it ended.

    By another client, or by the same one later: notes are read when there is time for them.
    """
    if session.ended_at is not None or not session.opened_at:
        return False
    other = event.client is not None and session.client_pid not in {None, event.client}
    return other or (event.told_at is not None and session.opened_at >= event.told_at)


def _same(session: Session, current: Session) -> bool:
    """Tell whether a session was not opened again since it was looked at."""
    return session.opened_at == current.opened_at


def _own_part(session: Session, conversation: Conversation) -> Conversation:
    """Return a conversation without what it was forked from: that is told in the other's digest."""
    if session.forked_at is None:
        return conversation
    return conversation.since(session.forked_at)
