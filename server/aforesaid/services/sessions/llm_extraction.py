"""Extraction: a summariser reads sessions batch by batch, for items and a better digest.

What it is asked, and how far it is trusted, is in domain/extraction. Attempts are counted before
the summariser is called; a batch's items, the digest and the progress are written in one
transaction. So if the process dies in between, the batch is read again and stored once.
"""

from __future__ import annotations

from collections.abc import Callable

from aforesaid.domain.digest import without_erased
from aforesaid.domain.digest.message_text import sentences
from aforesaid.domain.digest.statement_set import KnownLines
from aforesaid.domain.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.extraction import (
    INSTRUCTION,
    ExtractionResponse,
    PromptBackground,
    TurnBatch,
    build_prompt,
    compose,
    cut_batches,
    is_grounded,
    llm_text_in,
    llm_token_share,
    read_answer,
    summary_of,
)
from aforesaid.domain.model.extraction_progress import (
    CALLS,
    FAILURE,
    MAX_ATTEMPTS,
    ExtractionProgress,
    calls_of_day,
    day_of,
)
from aforesaid.domain.model.memory import CallContext, Filters, Memory, Session
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.transcript import Conversation
from aforesaid.domain.text.hashing import fence_nonce, keyed_hash
from aforesaid.domain.text.token_budget import SummaryLimits
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store, Summariser
from aforesaid.services.memories.writer import MemoryWriter

from .digester import SessionDigester
from .extraction_writer import ExtractionWriter

_KNOWN_TYPES = ("semantic", "procedural", "entity")
_MAX_KNOWN_MEMORIES = 15
_MAX_NAMES = 60


class ExtractionLimits(Value):
    """Limits of extraction: cost, and how much is read at once."""

    call: SummaryLimits
    batch_turns: int = 20
    daily_calls: int = 50
    max_tokens: int = 350  #: of a digest


class LlmExtractor:
    """Extraction of one store's sessions."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        digester: SessionDigester,
        summariser: Summariser,
        clean_outgoing: Callable[[str], str],
        limits: ExtractionLimits,
        prepare: Callable[[list[str]], None] = lambda _: None,
    ) -> None:
        """Create the service.

        Args:
            store: where sessions and memories are.
            clock: the present time.
            writer: the write path.
            digester: reads sessions, and writes rule-based digests.
            summariser: the model.
            clean_outgoing: removes private spans and secrets from everything that is sent.
            limits: what it may cost.
            prepare: embeds texts that are about to be stored.
        """
        self._store = store
        self._clock = clock
        self._digester = digester
        self._writer = writer
        self._summariser = summariser
        self._clean_outgoing = clean_outgoing
        self._limits = limits
        self._item_writer = ExtractionWriter(store, writer, summariser.name, prepare)

    def run(self) -> int:
        """Read the unread batches of ended sessions, newest first; return how many were read.

        Failures are noted (``FAILURE``) and retried later; the rule-based digests stay.
        """
        batches = 0
        tried_ids: set[str] = set()
        try:
            self._summariser.check()
            pending = self._store.extractions.pending
            while waiting := [session for session in pending() if session.id not in tried_ids]:
                for session in waiting:
                    tried_ids.add(session.id)
                    batches += self._extract(session)
        except UnavailableError as error:
            self._record_failure(str(error))
        return batches

    def _extract(self, session: Session) -> int:
        """Read the batches of one session; return how many were read.

        Raises:
            UnavailableError: the summariser does not answer, or its calls for today are used up.
        """
        if self._store.extractions.get(session.id).is_waiting(self._clock.now()):
            return 0
        source = self._read(session)
        if source is None:
            return 0
        context, conversation = source
        if session.forked_at is not None:
            conversation = conversation.since(session.forked_at)
        conversation = without_erased(conversation)
        context = context.replace(session=session.id)
        progress = self._store.extractions.get(session.id)
        batches = cut_batches(
            conversation.turns, progress.until_ms, self._limits.batch_turns, self._may_be_shown
        )
        done = 0
        for batch in batches:
            if batch.is_worth_asking and progress.attempts < MAX_ATTEMPTS:
                claimed = self._claim_batch(progress)
                if claimed is None:
                    return done  # another process was faster
                try:
                    answer = self._ask_llm(session, context, batch)
                except InvalidInputError as error:
                    self._record_failure(str(error), session)
                    return done
                except UnavailableError as error:
                    self._record_failure(str(error), session)
                    raise
                if not self._store_answer(session, conversation, context, batch, answer, claimed):
                    return done
                done += 1
            else:
                self._skip_batch(session, progress, batch)
            progress = self._store.extractions.get(session.id)
        self._finish(session, max(conversation.bytes_read, session.bytes_ingested))
        return done

    def _finish(self, session: Session, bytes_extracted: int) -> None:
        with self._store.transaction():
            progress = self._store.extractions.get(session.id)
            self._store.extractions.put(progress.replace(bytes_extracted=bytes_extracted))

    def _read(self, session: Session) -> tuple[CallContext, Conversation] | None:
        """Return a session's call context and conversation; None if it must not be read."""
        context = (
            self._digester.resolve_context(session.folder, session) if session.folder else None
        )
        if context is None and session.folder:
            return None  # memory is off in its project
        try:
            conversation = self._digester.read(session)
        except InvalidInputError as error:
            self._record_failure(str(error), session)
            return None
        if conversation is None:  # the transcript was deleted
            self._finish(session, session.bytes_ingested)
            return None
        context = context or self._digester.resolve_context(conversation.cwd, session)
        return None if context is None else (context, conversation)

    # -- one batch

    def _may_be_shown(self, sentence: str) -> bool:
        secret = self._store.meta("install_secret") or ""
        return not any(
            self._store.memories.is_erased(keyed_hash(text, secret))
            for text in {sentence, *sentences([sentence])}
        )

    def _claim_batch(self, progress: ExtractionProgress) -> ExtractionProgress | None:
        """Count an attempt and a call; None if another process has claimed the batch.

        Raises:
            UnavailableError: the calls for today are used up.
        """
        now = self._clock.now()
        with self._store.transaction():
            current = self._store.extractions.get(progress.session)
            if current.until_ms != progress.until_ms or current.is_waiting(now):
                return None
            count_call(self._store, now, self._limits.daily_calls)
            claimed = current.replace(attempts=current.attempts + 1, asked_at=now)
            self._store.extractions.put(claimed)
        return claimed

    def _ask_llm(
        self, session: Session, context: CallContext, batch: TurnBatch
    ) -> ExtractionResponse:
        session = self._store.sessions.get(session.id) or session  # changed by the previous batch
        digest = self._digester.current_digest(session)
        topics = self._store.topics.of_projects([context.project.key])[:_MAX_NAMES]
        entities = self._store.entities.list_visible(context.visible, limit=_MAX_NAMES)
        known = PromptBackground(
            topics=tuple(topic.path for topic in topics),
            entities=tuple(entity.name for entity in entities),
            memories=tuple(self._item_writer.shown(self._neighbours(context, batch))),
            facts="" if digest is None else digest.content,
            summary=""
            if digest is None or llm_text_in(digest.content)
            else self._earlier_summary(session),
        )
        text = self._clean_outgoing(batch.text)
        nonce = fence_nonce(text, self._store.meta("install_secret") or "")
        prompt = self._clean_outgoing(build_prompt(text, known, nonce))
        return read_answer(self._summariser.summarise(prompt, INSTRUCTION, self._limits.call))

    def _neighbours(self, context: CallContext, batch: TurnBatch) -> list[Memory]:
        """Return trusted memories in force that share words with a batch, best first.

        Untrusted memories are left out: the model must not repeat one as its own statement.
        """
        terms = query_terms(batch.user) or query_terms(batch.text)
        hits = self._store.search.by_words(
            terms, context.visible, Filters(types=_KNOWN_TYPES), _MAX_KNOWN_MEMORIES
        )
        heads = dict.fromkeys(hit.head for hit in hits)
        return [
            memory.replace(  # cleaned before a preview cuts it
                content=self._clean_outgoing(memory.content),
                summary=self._clean_outgoing(memory.summary or ""),
            )
            for memory in self._store.memories.get(list(heads))
            if memory.in_force and memory.trusted
        ]

    def _store_answer(
        self,
        session: Session,
        conversation: Conversation,
        context: CallContext,
        batch: TurnBatch,
        answer: ExtractionResponse,
        claimed: ExtractionProgress,
    ) -> bool:
        """Store the items, digest and progress of a batch; False if another process has the batch.

        Raises:
            UnavailableError: the store cannot be written now.
        """
        recalled = KnownLines([line for text in conversation.recalled for line in text.split("\n")])
        ready = self._item_writer.prepare(answer, batch, lambda text: not recalled.has(text))
        while True:
            ready.failed = None
            try:
                with self._store.transaction():
                    if self._store.extractions.get(session.id) != claimed:
                        return False
                    stored = self._item_writer.store(ready, context)
                    digest = self._update_digest(session, conversation, context, batch, answer)
                    now = self._clock.now()
                    self._store.extractions.put(
                        claimed.replace(until_ms=batch.until_ms, attempts=0)
                    )
                    self._store.set_meta(FAILURE, "")
                    self._store.memories.record(
                        "extract", digest, now, turns=batch.spoken, items=stored
                    )
            except (InvalidInputError, NotFoundError, ConflictError):
                if ready.failed is None:
                    raise
                del ready.items[ready.failed]  # store the others without it
            else:
                return True

    def _skip_batch(self, session: Session, progress: ExtractionProgress, batch: TurnBatch) -> None:
        """Move past a batch that is empty, or that failed too often."""
        with self._store.transaction():
            current = self._store.extractions.get(session.id)
            if current == progress:
                self._store.extractions.put(current.replace(until_ms=batch.until_ms, attempts=0))
                if progress.attempts:
                    now = self._clock.now()
                    self._store.memories.record(
                        "extract", session.digest, now, given_up=progress.attempts
                    )

    # -- the digest

    def _update_digest(
        self,
        session: Session,
        conversation: Conversation,
        context: CallContext,
        batch: TurnBatch,
        answer: ExtractionResponse,
    ) -> int | None:
        """Rewrite the session's digest with the summariser's text; return its key.

        A digest that was edited, forgotten or erased stays as it is, and so does any digest if
        most of the summariser's text is not grounded in the session.
        """
        current = self._store.sessions.get(session.id)
        digest = None if current is None else self._digester.current_digest(current)
        if current is None or digest is None:
            return None
        source = "\n".join((batch.text, digest.content, self._earlier_summary(current)))
        if not answer.digest or not is_grounded(f"{answer.title} {answer.digest}", source):
            return digest.key
        budget_tokens = self._limits.max_tokens - llm_token_share(self._limits.max_tokens)
        facts = self._digester.write_digest(current, conversation, budget_tokens)
        if facts is None:
            return digest.key
        stored = self._writer.store(
            Statement(
                content=compose(answer.title, answer.digest, facts.text, self._limits.max_tokens),
                type="episodic",
                scope="project",
                summary=summary_of(answer.digest),
                tags=digest.tags,
                importance=digest.importance,
                provenance="derived",
                supersedes=(digest.id,),
                created_at=digest.created_at,
                metadata={
                    **digest.metadata,
                    "title": answer.title or facts.title,
                    "summariser": self._summariser.name,
                },
            ),
            context,
            ingested=True,
        )
        if stored is None:
            return digest.key
        self._store.sessions.put(current.replace(digest=stored.memory.key))
        return stored.memory.key

    def _earlier_summary(self, session: Session) -> str:
        """Return the last summary by a model; a resumed session has it in an older version."""
        digest = self._digester.current_digest(session)
        versions = [] if digest is None else self._store.memories.chain(digest.key)
        texts = [
            llm_text_in(version.content) for version in versions if version.forgotten_at is None
        ]
        return next((text for text in reversed(texts) if text), "")

    def _record_failure(self, text: str, session: Session | None = None) -> None:
        """Record why extraction stopped, for status commands and the digest's log."""
        line = self._clean_outgoing(" ".join(text.split()))[:300]
        now = self._clock.now()
        with self._store.transaction():
            self._store.set_meta(FAILURE, f"{now} {line}")
            if session is not None:
                self._store.memories.record("extract", session.digest, now, failed=line)


def count_call(store: Store, now: int, limit: int) -> None:
    """Count a call of the summariser, before it is made and inside the caller's transaction.

    Args:
        store: where the calls of the day are counted.
        now: ms.
        limit: calls per day (UTC).

    Raises:
        UnavailableError: they are used up.
    """
    calls = calls_of_day(store.meta(CALLS) or "", now)
    if calls >= limit:
        raise UnavailableError(
            f"the summariser was called {calls} times today, the limit of digest.daily_calls: "
            "the rest is read tomorrow"
        )
    store.set_meta(CALLS, f"{day_of(now)} {calls + 1}")
