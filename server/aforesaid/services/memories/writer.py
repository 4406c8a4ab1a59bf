"""Storing a statement: checked, cleaned, embedded, then recognised or added in one transaction."""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, UnavailableError
from aforesaid.domain.model.decay import FACTORS
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, text_to_embed
from aforesaid.domain.model.statement import (
    Statement,
    check_statement,
    choose_scope,
    default_importance,
    may_join,
)
from aforesaid.domain.text.hashing import content_hash, keyed_hash
from aforesaid.domain.value import Value
from aforesaid.services.anchors import Anchors
from aforesaid.services.graph.entities import Entities
from aforesaid.services.graph.topics import TopicAssignment, TopicService
from aforesaid.services.resolve_id import locate_head
from aforesaid.services.tasks import Tasks

from .derived import compact_into, is_summary
from .duplicate_check import DuplicateCheck, check_against_neighbours, may_copy_metadata_from
from .duplicate_merge import fields_to_merge
from .embed_missing import BATCH, EmbeddingUnavailableError, embed_missing
from .near_duplicates import NEAR_COSINE, find_neighbours
from .results import StoreResult
from .sanitizer import Sanitizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.entity import Entity
    from aforesaid.domain.model.task import Task
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import (
        Clock,
        Embedder,
        FileReader,
        IdSource,
        NameMatcher,
        SecretFilter,
        Store,
    )


class PreparedStatement(Value):
    """A statement that can be written: checked, cleaned, embedded."""

    statement: Statement
    cleaner: Sanitizer
    windows: list[bytes] = []  #: one vector each; none while there is no embedder
    model: str = ""  #: that made them


class MemoryWriter:
    """The write path of memories."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        ids: IdSource,
        embedder: Callable[[], Embedder | None],
        secrets: SecretFilter | None,
        private_tag: str = "private",
        near_cosine: float = NEAR_COSINE,
        matcher: NameMatcher | None = None,
        files: FileReader | None = None,
        repeat_confidence: float = FACTORS.repeat_confidence,
    ) -> None:
        """Join the write path to its world.

        Args:
            store: where memories go.
            clock: the present time.
            ids: new ids.
            embedder: gives the embedder, or None while there is none (words only).
            secrets: finds secrets; None stores text as it is (``[privacy] redact = false``).
            private_tag: the tag whose spans are never stored.
            near_cosine: above it two texts are compared for sameness.
            matcher: finds near names of entities; None offers none.
            files: reads what memories cite; None where nothing may be cited.
            repeat_confidence: gained when the same thing is stored again.
        """
        self._store = store
        self._clock = clock
        self._ids = ids
        self._embedder = embedder
        self._secrets = secrets
        self._private_tag = private_tag
        self._tasks = Tasks(store, clock)
        self.anchors = Anchors(store, files)
        self._near_cosine = near_cosine
        self._repeat_confidence = repeat_confidence
        self.unembedded_because = ""  #: why the last memories got no vectors, in words
        self.topics = TopicService(store, clock)
        self.entities = Entities(store, clock, matcher)

    def cleaner(self) -> Sanitizer:
        """Return a fresh cleaner, for other text that is about to be written."""
        return Sanitizer(self._secrets, self._private_tag)

    def store(
        self, statement: Statement, place: CallContext, *, ingested: bool = False
    ) -> StoreResult | None:
        """Store a statement from a place, or recognise it.

        Args:
            statement: what to store.
            place: where it is said.
            ingested: it comes from a transcript or an import: what was erased stays away.

        Returns:
            What became of it; None only for an ingested text that was erased before.

        Raises:
            InvalidInputError: a field is outside its limits.
            NotFoundError: ``supersedes`` names nothing that this place can see.
        """
        return self.store_many([statement], place, ingested=ingested)[0]

    def store_many(
        self, statements: Sequence[Statement], place: CallContext, *, ingested: bool = False
    ) -> list[StoreResult | None]:
        """Store several statements in one transaction; all or none. See ``store``."""
        prepared = self.prepare(statements, place)
        with self._store.transaction():
            return [self.write(one, place, ingested=ingested) for one in prepared]

    def prepare(
        self, statements: Sequence[Statement], place: CallContext
    ) -> list[PreparedStatement]:
        """Make statements ready to be written, outside a transaction: an API may be asked.

        Raises:
            InvalidInputError: a field is outside its limits.
        """
        prepared = []
        for given in statements:
            cleaner = self.cleaner()
            statement = cleaner.told(check_statement(given, cleaner.clean))
            cited = (*statement.cited, *self.anchors.cite(statement.anchors, place))
            statement = statement.replace(cited=cited)
            prepared.append(PreparedStatement(statement=statement, cleaner=cleaner))
        embedder = self._embedder() if prepared else None
        if embedder is None or not self._store.search.has_vectors:
            return prepared
        try:
            model = embedder.model
            told = [one.statement for one in prepared]
            texts = [text_to_embed(one.content, one.metadata) for one in told]
            vectors = embedder.embed_documents(texts)
        except UnavailableError:
            return prepared  # an API that is down: stored by words, and embedded once it answers
        return [
            one.replace(windows=windows, model=model)
            for one, windows in zip(prepared, vectors, strict=True)
        ]

    def write(
        self, prepared: PreparedStatement, place: CallContext, *, ingested: bool = False
    ) -> StoreResult | None:
        """Write a statement, or recognise it, inside the caller's transaction. See ``store``."""
        statement, cleaner = prepared.statement, prepared.cleaner
        windows, model = prepared.windows, prepared.model
        if ingested and self._store.memories.is_erased(self._keyed(statement.content)):
            return None
        place = self._as_it_is(place)
        subject = self.entities.known_for(statement, place.visible)
        scope = choose_scope(statement, project_known=place.known, about=subject)
        project = GLOBAL_PROJECT if scope == "global" else place.project.key
        parent = self.topics.parent_of(statement, place.visible)
        if parent is not None and statement.scope is None and may_join(statement, parent.scope):
            scope, project = parent.scope, parent.project
        task = self._tasks.of(statement, scope, project, parent)
        replaced = self._to_supersede(statement.supersedes, place)
        judged = self._judge(prepared, scope, project, task, replaced, subject)
        same = judged.same
        replaced += judged.vouched
        if same is not None:
            kept = self._reinforce_duplicate(same, statement, task, ingested=ingested)
            filing = self.topics.reassign_topic(kept, statement)
        else:
            filing = self.topics.assign_topic(
                statement,
                project,
                parent=parent,
                replaced=replaced,
                windows=windows,
                model=model,
            )
            kept = self._add(statement, scope, project, task, place, filing)
            if windows:
                self._store.search.set_vectors(kept.key, windows, model)
        if is_summary(statement):
            compact_into(self._store, replaced, kept, self._clock.now())
        else:
            self._supersede(replaced, kept, kept.created_at if same is None else self._clock.now())
        self.topics.tell(filing, kept.key)
        if task is not None:
            self._tasks.state(task, kept)
        kept, named = self.entities.attach(kept, statement, subject)
        self.anchors.keep(
            kept.key, statement.cited if may_copy_metadata_from(statement, kept) else ()
        )
        linked = self._link(kept, statement, place, follows=same is None and not ingested)
        return StoreResult(
            memory=self._store.memories.get([kept.key])[0],
            deduplicated=same is not None,
            superseded=tuple(replaced),
            conflicts=judged.conflicts,
            redacted=tuple(cleaner.kinds),
            private_removed=cleaner.private,
            linked=linked,
            named=named,
            scope_chosen=statement.scope is None,
            filing=filing,
            embedded=bool(windows),
        )

    def _as_it_is(self, place: CallContext) -> CallContext:
        """Return a place whose project another process may have merged since it was settled.

        Raises:
            ConflictError: nothing says which project that is now.
        """
        if self._store.projects.get(place.project.key) is not None:
            return place
        kept = self._store.projects.by_key(place.project.identity)
        if kept is None:
            raise ConflictError(f"project {place.project.name!r} is gone: call again")
        return place.replace(project=kept)

    def _judge(
        self,
        prepared: PreparedStatement,
        scope: str,
        project: int,
        task: Task | None,
        replaced: Sequence[Memory],
        subject: Entity | None,
    ) -> DuplicateCheck:
        """Return what a statement is beside what is in force, apart from what it replaces."""
        statement, leaving = prepared.statement, {one.key for one in replaced}
        beside = find_neighbours(
            self._store,
            statement,
            scope,
            project,
            task,
            prepared.windows,
            prepared.model,
            self._near_cosine,
        )
        return check_against_neighbours(
            statement,
            [one for one in beside if one[0].key not in leaving],
            self._clock.now(),
            self._near_cosine,
            lambda one: self.entities.may_be_about(one, statement, subject),
        )

    def _add(
        self,
        statement: Statement,
        scope: str,
        project: int,
        task: Task | None,
        place: CallContext,
        filing: TopicAssignment,
    ) -> Memory:
        now = self._clock.now()
        created = statement.created_at if statement.created_at is not None else now
        memory = self._store.memories.add(
            Memory(
                id=self._ids.next_id(self._store.memories.last_id(), now),
                type=statement.type,
                scope=scope,
                project=project,
                origin_project=place.project.key if place.known else None,
                topic=filing.topic,
                parent=filing.parent,
                depth=filing.depth,
                task=None if task is None else task.key,
                content=statement.content,
                summary=statement.summary,
                importance=default_importance(statement),
                confidence=statement.confidence,
                pinned=statement.pinned,
                valid_from=statement.valid_from,
                valid_to=statement.valid_to,
                event_at=statement.event_at if statement.type == "episodic" else None,
                last_reinforced_at=created,
                created_at=created,
                updated_at=created,
                provenance=statement.provenance,
                session=place.session,
                metadata=statement.metadata,
                tags=statement.tags,
                content_hash=content_hash(statement.content),
            )
        )
        self._store.memories.record("create", memory.key, now)
        return memory

    def _reinforce_duplicate(
        self, memory: Memory, statement: Statement, task: Task | None, *, ingested: bool
    ) -> Memory:
        """Strengthen a memory that was said again."""
        now = self._clock.now()
        new = fields_to_merge(memory, statement, task, ingested=ingested)
        self._store.memories.change(memory.key, **new, updated_at=now)
        self._store.usage.reinforce([memory.key], now, self._repeat_confidence)
        self._store.memories.record("merge", memory.key, now)
        return self._store.memories.get([memory.key])[0]

    def _to_supersede(self, references: Sequence[str], place: CallContext) -> list[Memory]:
        """Return the heads of the memories that these ids name, each once."""
        heads: dict[int, Memory] = {}
        for reference in references:
            head = locate_head(self._store, reference, place.visible)
            heads[head.key] = head
        return list(heads.values())

    def _supersede(self, replaced: Sequence[Memory], new: Memory, at: int) -> None:
        """Chain what is replaced to what replaces it, from the moment that one holds."""
        now = self._clock.now()
        for old in replaced:
            if old.key != new.key:
                self._store.memories.supersede(old.key, new.key, max(at, old.created_at))
                self._store.memories.record("supersede", old.key, now, by=new.id)

    def _link(
        self, memory: Memory, statement: Statement, place: CallContext, *, follows: bool
    ) -> int:
        """Link a memory as its statement says, and to what its session said before.

        What its own chain says already, such as that it contradicts what it supersedes, is left
        out. Returns how many of the relations given are new.
        """
        if not statement.relations and not (follows and memory.session):
            return 0
        from aforesaid.services.graph.relations import follow_in_session
        from aforesaid.services.graph.relations import (  # only what is linked needs it
            link as connect,
        )

        now = self._clock.now()
        made = 0
        for link in statement.relations:
            target = locate_head(self._store, link.target, place.visible)
            if target.head != memory.head:
                made += connect(self._store, memory, link.kind, target, place.visible, now)
        if follows and memory.session:
            follow_in_session(self._store, memory, now)
        return made

    def _keyed(self, text: str) -> str:
        return keyed_hash(text, self._store.meta("install_secret") or "")

    def embed_changed(self) -> None:
        """Give vectors to what was just changed, as far as that is possible now, else later."""
        try:
            self.embed_missing(BATCH)
        except UnavailableError:  # another process writes: the change itself is done
            return

    def embed_missing(self, most: int) -> int:
        """Give vectors to memories that have none yet; return how many got some.

        Where a model behind an API does not answer, that is none, and ``unembedded_because`` why.
        """
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return 0
        try:
            done = embed_missing(self._store, embedder, most)
        except EmbeddingUnavailableError as error:
            self.unembedded_because = str(error)
            return 0
        self.unembedded_because = ""
        return done
