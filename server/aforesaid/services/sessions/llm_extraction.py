"""A summariser reads what sessions said, batch by batch: items and a better digest, exactly once.

What is asked and believed is in domain/extraction. Here: in which order, and what holds it
together. A batch's tries are counted before it is asked for; its items, the digest and the
watermark are written in one transaction. So a process that dies between answer and commit has
stored nothing: the batch is asked for again, and what it says is stored once.
"""

from __future__ import annotations

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
    ask,
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
    calls_of_day,
    day_of,
)
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.hashing import fence_nonce, keyed_hash
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value

from .extraction_writer import ExtractionWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.extraction import TurnBatch
    from aforesaid.domain.model.extraction_progress import ExtractionProgress
    from aforesaid.domain.model.memory import Memory, Session
    from aforesaid.domain.model.transcript import Conversation
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.domain.text.token_budget import SummaryLimits
    from aforesaid.ports import Clock, Store, Summariser
    from aforesaid.services.memories.writer import MemoryWriter

    from .digester import SessionDigester

_KNOWN_TYPES = ("semantic", "procedural", "entity")
_KNOWN_MEMORIES = 15
_NAMES = 60


class ExtractionLimits(Value):
    """What extraction may cost, and how much it reads at once."""

    limits: SummaryLimits
    batch_turns: int = 20
    daily_calls: int = 50
    max_tokens: int = 350  #: of a digest


class LlmExtractor:
    """Extraction of one store's sessions."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        remember: MemoryWriter,
        ingest: SessionDigester,
        summariser: Summariser,
        outgoing: Callable[[str], str],
        bounds: ExtractionLimits,
        prepare: Callable[[list[str]], None] = lambda _: None,
    ) -> None:
        """Join the way from transcript to topic tree.

        Args:
            store: where everything is.
            clock: the present time.
            remember: the write path.
            ingest: reads sessions, and writes their facts.
            summariser: the model.
            outgoing: takes private spans and secrets out of all that is sent.
            bounds: what it may cost.
            prepare: makes vectors of texts that are about to be stored.
        """
        self._store = store
        self._clock = clock
        self._ingest = ingest
        self._remember = remember
        self._summariser = summariser
        self._outgoing = outgoing
        self._bounds = bounds
        self._items = ExtractionWriter(store, remember, summariser.name, prepare)

    def run(self) -> int:
        """Extract what ended sessions have left, newest first; return how many batches were.

        What fails is noted (``FAILURE``) and tried again later; the digests by rules stay.
        """
        done = 0
        seen: set[str] = set()
        try:
            self._summariser.check()
            pending = self._store.extractions.pending
            while waiting := [session for session in pending() if session.id not in seen]:
                for session in waiting:
                    seen.add(session.id)
                    done += self._session(session)
        except UnavailableError as error:
            self._note(str(error))
        return done

    def _session(self, session: Session) -> int:
        """Extract the batches of one session; return how many.

        Raises:
            UnavailableError: the summariser does not answer, or may not be asked any more today.
        """
        if self._store.extractions.get(session.id).is_waiting(self._clock.now()):
            return 0
        found = self._found(session)
        if found is None:
            return 0
        place, conversation = found
        if session.forked_at is not None:
            conversation = conversation.since(session.forked_at)
        conversation = without_erased(conversation)
        place = place.replace(session=session.id)
        progress = self._store.extractions.get(session.id)
        batches = cut_batches(
            conversation.turns, progress.until_ms, self._bounds.batch_turns, self._may_be_shown
        )
        done = 0
        for batch in batches:
            if batch.worth_asking and progress.attempts < MAX_ATTEMPTS:
                claimed = self._claim_batch(progress)
                if claimed is None:
                    return done  # another process was faster
                try:
                    answer = self._ask_llm(session, place, batch)
                except InvalidInputError as error:
                    self._note(str(error), session)
                    return done
                except UnavailableError as error:
                    self._note(str(error), session)
                    raise
                kept = self._keep(session, conversation, place, batch, answer, claimed)
                if not kept:
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

    def _found(self, session: Session) -> tuple[CallContext, Conversation] | None:
        """Return where a session took place and what it said; None if it is not to be read."""
        place = self._ingest.settle(session.folder, session) if session.folder else None
        if place is None and session.folder:
            return None  # its project is off
        try:
            conversation = self._ingest.read(session)
        except InvalidInputError as error:
            self._note(str(error), session)
            return None
        if conversation is None:  # removed since: its digest is what is left
            self._finish(session, session.bytes_ingested)
            return None
        place = place or self._ingest.settle(conversation.cwd, session)
        return None if place is None else (place, conversation)

    # -- one batch

    def _may_be_shown(self, sentence: str) -> bool:
        secret = self._store.meta("install_secret") or ""
        return not any(
            self._store.memories.is_erased(keyed_hash(text, secret))
            for text in {sentence, *sentences([sentence])}
        )

    def _claim_batch(self, progress: ExtractionProgress) -> ExtractionProgress | None:
        """Count a try, and the call, before the model is asked; None where another process asks.

        Raises:
            UnavailableError: the calls of this day are used up.
        """
        now = self._clock.now()
        with self._store.transaction():
            current = self._store.extractions.get(progress.session)
            if current.until_ms != progress.until_ms or current.is_waiting(now):
                return None
            count_call(self._store, now, self._bounds.daily_calls)
            claimed = current.replace(attempts=current.attempts + 1, asked_at=now)
            self._store.extractions.put(claimed)
        return claimed

    def _ask_llm(
        self, session: Session, place: CallContext, batch: TurnBatch
    ) -> ExtractionResponse:
        session = self._store.sessions.get(session.id) or session  # the batch before wrote it anew
        digest = self._digest(session)
        topics = self._store.topics.of_projects([place.project.key])[:_NAMES]
        entities = self._store.entities.list_visible(place.visible, limit=_NAMES)
        known = PromptBackground(
            topics=tuple(topic.path for topic in topics),
            entities=tuple(entity.name for entity in entities),
            memories=tuple(self._items.shown(self._near(place, batch))),
            facts="" if digest is None else digest.content,
            told="" if digest is None or llm_text_in(digest.content) else self._told(session),
        )
        text = self._outgoing(batch.text)
        nonce = fence_nonce(text, self._store.meta("install_secret") or "")
        question = self._outgoing(ask(text, known, nonce))
        return read_answer(self._summariser.summarise(question, INSTRUCTION, self._bounds.limits))

    def _near(self, place: CallContext, batch: TurnBatch) -> list[Memory]:
        """Return memories in force that share words with a batch, best first."""
        terms = query_terms(batch.user) or query_terms(batch.text)
        hits = self._store.search.by_words(
            terms, place.visible, Filters(types=_KNOWN_TYPES), _KNOWN_MEMORIES
        )
        heads = dict.fromkeys(hit.head for hit in hits)
        # what is not trusted must not come back as something that the model says
        near = [
            memory
            for memory in self._store.memories.get(list(heads))
            if memory.in_force and memory.trusted
        ]
        return [  # clean before a preview cuts it
            one.replace(
                content=self._outgoing(one.content), summary=self._outgoing(one.summary or "")
            )
            for one in near
        ]

    def _keep(
        self,
        session: Session,
        conversation: Conversation,
        place: CallContext,
        batch: TurnBatch,
        answer: ExtractionResponse,
        claimed: ExtractionProgress,
    ) -> bool:
        """Write what a batch gave, with its watermark; False where another process has the batch.

        Raises:
            UnavailableError: the store cannot be written now.
        """
        known = KnownLines([line for text in conversation.recalled for line in text.split("\n")])
        ready = self._items.ready(answer, batch, lambda text: not known.has(text))
        while True:
            ready.failed = None
            try:
                with self._store.transaction():
                    if self._store.extractions.get(session.id) != claimed:
                        return False
                    stored = self._items.store(ready, place)
                    digest = self._update_digest(session, conversation, place, batch, answer)
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
                ready.drop(ready.failed)  # one item must not cost the others
            else:
                return True

    def _skip_batch(self, session: Session, progress: ExtractionProgress, batch: TurnBatch) -> None:
        """Go on behind a batch in which nobody said anything, or that was tried too often."""
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
        place: CallContext,
        batch: TurnBatch,
        answer: ExtractionResponse,
    ) -> int | None:
        """Write the session's digest anew with what was told; return its key.

        It stays as it is where the user or the agent has rewritten, forgotten or erased it, and
        where most of what is told was not said.
        """
        current = self._store.sessions.get(session.id)
        digest = None if current is None else self._digest(current)
        if current is None or digest is None:
            return None
        said = "\n".join((batch.text, digest.content, self._told(current)))
        if not answer.digest or not is_grounded(f"{answer.title} {answer.digest}", said):
            return digest.key  # words from elsewhere
        room = self._bounds.max_tokens - llm_token_share(self._bounds.max_tokens)
        facts = self._ingest.written(current, conversation, room)
        if facts is None:
            return digest.key
        stored = self._remember.store(
            Statement(
                content=compose(answer.title, answer.digest, facts.text, self._bounds.max_tokens),
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
            place,
            ingested=True,
        )
        if stored is None:
            return digest.key
        self._store.sessions.put(current.replace(digest=stored.memory.key))
        return stored.memory.key

    def _digest(self, session: Session) -> Memory | None:
        """Return the session's digest if it is in force and nobody else's words."""
        found = self._store.memories.get([session.digest]) if session.digest is not None else []
        return found[0] if found and found[0].in_force else None

    def _told(self, session: Session) -> str:
        """Return what was told of the session before: a resumed one has it in an older version."""
        digest = self._digest(session)
        versions = [] if digest is None else self._store.memories.chain(digest.key)
        told = [llm_text_in(one.content) for one in versions if one.forgotten_at is None]
        return next((text for text in reversed(told) if text), "")

    def _note(self, text: str, session: Session | None = None) -> None:
        """Keep why nothing more was extracted, for those who ask how the store or a digest is."""
        line = self._outgoing(" ".join(text.split()))[:300]
        now = self._clock.now()
        with self._store.transaction():
            self._store.set_meta(FAILURE, f"{now} {line}")
            if session is not None:
                self._store.memories.record("extract", session.digest, now, failed=line)


def count_call(store: Store, now: int, most: int) -> None:
    """Count a question to a summariser, inside the caller's transaction and before it is asked.

    Args:
        store: where the calls of the day are kept.
        now: ms.
        most: questions that one day (UTC) allows.

    Raises:
        UnavailableError: they are used up.
    """
    calls = calls_of_day(store.meta(CALLS) or "", now)
    if calls >= most:
        raise UnavailableError(
            f"the summariser was asked {calls} times today, digest.daily_calls allows no more: "
            "the rest waits for tomorrow"
        )
    store.set_meta(CALLS, f"{day_of(now)} {calls + 1}")
