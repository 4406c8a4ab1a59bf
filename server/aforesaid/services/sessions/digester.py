"""Digests sessions: each part of a transcript is digested once, however the session ends."""

from __future__ import annotations

import posixpath

from aforesaid.domain.digest import facts_of, failures_of, remarks_of
from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import DIGEST_TAG, WORK, Memory, Session
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.transcript import EDIT, PRIVATE, ToolUse
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.services.branches import on_branch
from aforesaid.services.graph.relations import follow_in_project

from .candidates import Candidates
from .closed_items import close_items
from .failures import FailureWriter
from .kept_digest import write_kept_digest
from .overtaken import OvertakenWriter
from .session_event import SessionEvent, is_not_reopened, opened_since, own_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.digest import Digest, SessionFacts
    from aforesaid.domain.digest.activity import CommitLike
    from aforesaid.domain.digest.lasting import SentenceJudge
    from aforesaid.domain.model.import_item import ImportItem
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.ports import Clock, CommitSource, Store, TranscriptSource
    from aforesaid.services.guards import Guards
    from aforesaid.services.memories.writer import MemoryWriter

DIGEST_IMPORTANCE = 0.5
_MAX_FORKS = 20  #: sessions with the same first line that are compared


class SessionDigester:
    """Writes digests and memory candidates of sessions."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        transcripts: TranscriptSource,
        commits: CommitSource,
        resolve_context: Callable[[str, Session | None], CallContext | None],
        max_tokens: int = 350,
        *,
        stores_candidates: bool = True,
        import_items: Callable[[Sequence[ImportItem], CallContext], object] | None = None,
        judge: SentenceJudge | None = None,
        guards: Guards,
    ) -> None:
        """Create the service.

        Args:
            store: where sessions and memories are.
            clock: the present time.
            writer: the write path.
            transcripts: reads a conversation.
            commits: reads the commits of a folder between two times.
            resolve_context: returns the call context of a folder; None where memory is off.
            max_tokens: of a digest.
            stores_candidates: whether to store memory candidates, too.
            import_items: imports a session's commits as memories; None only digests them.
            judge: judges which sentences of the user last; None leaves that to rules.
            guards: counts the sessions that kept them.
        """
        self._judge = judge
        self._import_items = import_items
        self._candidates = Candidates(store, writer, judge) if stores_candidates else None
        self._overtaken = OvertakenWriter(store, judge)
        self._failures = FailureWriter(store, writer)
        self._guards = guards
        self._store = store
        self._clock = clock
        self._writer = writer
        self._transcripts = transcripts
        self._commits = commits
        self.resolve_context = resolve_context
        self._max_tokens = max_tokens

    def end_session(self, event: SessionEvent) -> Memory | None:
        """Digest a session whose client reported its end, unless it was opened again since."""
        session = self._session_of(event)
        return self.digest(session, over=not opened_since(session, event))

    def checkpoint(self, event: SessionEvent) -> Memory | None:
        """Digest a running session, before its client compacts the conversation."""
        return self.digest(self._session_of(event), over=False)

    def end_without_digest(self, event: SessionEvent) -> None:
        """Mark a session that cannot be digested now as ended."""
        session = self._session_of(event)
        if not opened_since(session, event):
            self._mark_ended(session)

    def _session_of(self, event: SessionEvent) -> Session:
        session = self._store.sessions.get(event.session_id)
        if session is None:
            session = Session(id=event.session_id, started_at=self._clock.now())
        return session.replace(
            transcript_path=event.transcript_path or session.transcript_path,
            folder=session.folder or event.folder,
        )

    def register(self, event: SessionEvent, client: int | None, start: int | None) -> None:
        """Register a session that started before the store existed, unless it is registered.

        Args:
            event: reported by its client.
            client: the client's pid, if known.
            start: start time of that process, which distinguishes it from a later one.
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

    def digest(self, session: Session, *, over: bool = True) -> Memory | None:
        """Write the digest of what a session's transcript contains now.

        A later pass over a longer transcript supersedes the earlier digest; passes may overlap.

        Args:
            session: its row.
            over: whether it ended; otherwise it stays open.

        Returns:
            The session's digest in force; None for a session of no substance.

        Raises:
            InvalidInputError: its transcript cannot be read now.
        """
        if self._is_off(session, over=over):
            return None
        if not session.transcript_path:  # no hook reported it
            session = session.replace(transcript_path=self._transcripts.find(session.id) or None)
        conversation = self.read(session, strict=True)
        if conversation is None or conversation.bytes_read <= session.bytes_ingested:
            self._mark_ended(session, over=over)
            return self.current_digest(session)
        context = self.resolve_context(session.folder or conversation.cwd, session)
        if context is None:  # memory is off in that project
            self._mark_ended(session, over=over)
            return None
        context = on_branch(context, conversation.branch)
        progress = (session.bytes_ingested, session.digest)
        session = self._detach_stale_digest(self._find_fork(session, conversation), conversation)
        facts = self._facts(session, conversation)
        digest = write_kept_digest(self._store, facts, self._max_tokens, (context.project.key,))
        # before the offset is written: if this process dies in between, the next one repeats it
        self._import_commits(session, conversation, context)
        with self._store.transaction():
            current = self._store.sessions.get(session.id) or session
            if current.bytes_ingested >= conversation.bytes_read:
                return self.current_digest(current)  # another pass was faster
            is_next = (current.bytes_ingested, current.digest) == progress
            if is_next:
                ended = over and is_not_reopened(session, current)
                current = current.replace(
                    # memories can only be stored once the session's row has a project
                    project=current.project or context.project_key,
                    folder=current.folder or conversation.cwd or None,
                    transcript_path=current.transcript_path or session.transcript_path,
                    started_at=conversation.started_ms or current.started_at,
                    forked_at=session.forked_at or current.forked_at,
                    first_line=conversation.first_line or current.first_line,
                    bytes_ingested=conversation.bytes_read,
                    digest=session.digest,
                    ended_at=self._clock.now() if ended else current.ended_at,
                )
                memory = self._write(current, digest, facts, conversation, context)
        if is_next:  # comparing texts takes seconds, so nobody waits for it
            self._overtaken.mark(current, conversation, facts, context)
            return memory
        # another pass digested a part meanwhile, which must not be digested again
        current = current.replace(transcript_path=session.transcript_path)
        return self.digest(current, over=over and is_not_reopened(session, current))

    def _write(
        self,
        session: Session,
        digest: Digest | None,
        facts: SessionFacts,
        conversation: Conversation,
        context: CallContext,
    ) -> Memory | None:
        """Store what is kept of a session, and its row with the new byte offset."""
        memory = None
        if digest is not None and not session.digest_refused:
            memory = self._store_digest(
                session, digest, context, conversation.skipped.get(PRIVATE, 0)
            )
            if memory is not None:
                follow_in_project(self._store, memory, DIGEST_TAG, self._clock.now())
                close_items(self._store, self._judge, facts, context.project.key)
        self._store.sessions.put(
            session.replace(digest=memory.key if memory is not None else session.digest)
        )
        new = own_part(session, conversation).since(conversation.seen_ms + 1)
        if self._candidates is not None and not session.digest_refused:
            now = self._clock.now()  # a clock that ran ahead must not date a memory in the future
            context = context.replace(session=session.id)
            remarks = remarks_of(facts, conversation.seen_ms)
            dated = [remark.replace(at_ms=min(remark.at_ms, now)) for remark in remarks]
            changed = [posixpath.join(conversation.cwd, file.path) for file in facts.files]
            self._candidates.store_new(dated, context, changed, since=conversation.seen_ms)
            edits = [
                turn.path for turn in new.turns if isinstance(turn, ToolUse) and turn.kind == EDIT
            ]
            self._writer.anchors.renew(context, edits, session.shown)
            self._failures.store(failures_of(facts, conversation.seen_ms), now, context)
        self._guards.count(new.turns, session.id, context)
        return memory or self.current_digest(session)

    def read(self, session: Session, *, strict: bool = False) -> Conversation | None:
        """Return what a session's transcript contains now; None if there is none, or a subagent's.

        Args:
            session: its row.
            strict: whether a transcript that cannot be opened, or disappeared, is an error.

        Raises:
            InvalidInputError: it exists and cannot be read now.
        """
        if not session.transcript_path:
            return None
        try:
            conversation = self._transcripts.read(session.transcript_path, session.bytes_ingested)
        except (NotFoundError, InvalidInputError) as error:
            if strict and (session.bytes_ingested or isinstance(error, InvalidInputError)):
                raise InvalidInputError(str(error)) from error
            return None  # never written, or deleted
        except UnavailableError as error:  # of this transcript, not of the store
            raise InvalidInputError(str(error)) from error
        return None if conversation.subagent else conversation

    def write_digest(
        self, session: Session, conversation: Conversation, max_tokens: int
    ) -> Digest | None:
        """Return the digest by rules, without what was erased or forgotten."""
        projects = () if session.project is None else (session.project,)
        facts = self._facts(session, conversation)
        return write_kept_digest(self._store, facts, max_tokens, projects)

    def _facts(self, session: Session, conversation: Conversation) -> SessionFacts:
        """Return what happened in a session, with the commits of its repository."""
        conversation = own_part(session, conversation)
        commits: Sequence[CommitLike] = ()
        span = self._span(session, conversation)
        if span is not None:
            commits = self._commits.commits(*span)
        return facts_of(conversation, commits, self._judge)

    def _find_fork(self, session: Session, conversation: Conversation) -> Session:
        """Return a session with the end of the part that it copied from another session.

        Clients do not always report a fork, and old transcripts never do; the copied part has the
        ids and times of the original.
        """
        if session.forked_at is not None or session.bytes_ingested or not conversation.first_line:
            return session
        shared_until = 0
        for source in self._store.sessions.list_from(conversation.first_line, _MAX_FORKS):
            if source.id == session.id or not (source.bytes_ingested and source.transcript_path):
                continue
            try:
                shared = self._transcripts.shared_until(
                    session.transcript_path or "", source.transcript_path, source.forked_at or 0
                )
            except (NotFoundError, InvalidInputError, UnavailableError):
                continue  # deleted or unreadable
            shared_until = max(shared_until, shared)
        return session.replace(forked_at=shared_until + 1) if shared_until else session

    def _detach_stale_digest(self, session: Session, conversation: Conversation) -> Session:
        """Return a session that starts after its digest, if that was forgotten or rewritten.

        What the digest covered is not digested again; later turns get a new digest.
        """
        if session.digest is None or self.current_digest(session) is not None:
            return session
        return session.replace(digest=None, forked_at=conversation.seen_ms + 1)

    def _import_commits(
        self, session: Session, conversation: Conversation, context: CallContext
    ) -> None:
        """Store a session's commits as memories; those imported before stay as they are."""
        span = self._span(session, own_part(session, conversation))
        is_wanted = context.has_project and not session.digest_refused
        if self._import_items is None or span is None or not is_wanted:
            return
        folder, since, until = span
        items = [
            item.replace(
                statement=item.statement.replace(
                    metadata={**(item.statement.metadata or {}), "session_id": session.id}
                )
            )
            for item in self._commits.import_items(folder, context.project.identity, since, until)
        ]
        if items:
            self._import_items(items, context.replace(session=None))

    def _span(self, session: Session, conversation: Conversation) -> tuple[str, int, int] | None:
        """Return a session's folder, start and end (ms); None if folder or start is unknown."""
        folder = session.folder or conversation.cwd
        if not folder or not conversation.started_ms:
            return None
        return folder, conversation.started_ms, conversation.ended_ms or self._clock.now()

    def _store_digest(
        self, session: Session, digest: Digest, context: CallContext, private: int
    ) -> Memory | None:
        previous = self.current_digest(session)
        stored = self._writer.store(
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
                    WORK: digest.work,
                    **({"commands": list(digest.command_heads)} if digest.command_heads else {}),
                    **({"removed_spans": private} if private else {}),
                },
            ),
            context.replace(session=session.id),
            ingested=True,
        )
        return None if stored is None else stored.memory

    def current_digest(self, session: Session) -> Memory | None:
        """Return the session's digest if it is in force."""
        if session.digest is None:
            return None
        digests = self._store.memories.get([session.digest])
        return digests[0] if digests and digests[0].in_force else None

    def _is_off(self, session: Session, *, over: bool) -> bool:
        """Tell whether memory is off in a session's folder; then its transcript is not read."""
        is_off = bool(session.folder and self.resolve_context(session.folder, session) is None)
        if is_off:
            self._mark_ended(session, over=over)
        return is_off

    def _mark_ended(self, session: Session, *, over: bool = True) -> None:
        if not over:
            return
        with self._store.transaction():
            current = self._store.sessions.get(session.id)
            if (
                current is not None
                and current.ended_at is None
                and is_not_reopened(session, current)
            ):
                self._store.sessions.put(current.replace(ended_at=self._clock.now()))
