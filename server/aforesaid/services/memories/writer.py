"""Stores statements: prepared outside a transaction, then merged or added inside one."""

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
from aforesaid.services.branches import Branches
from aforesaid.services.graph.entities import Entities
from aforesaid.services.graph.relations import follow_in_session, link, refuse_too_soon
from aforesaid.services.graph.topics import TopicAssignment, TopicService
from aforesaid.services.guards import suggest_guard
from aforesaid.services.resolve_id import find_heads, locate_head
from aforesaid.services.tasks import Tasks

from .derived import compact_into, is_summary
from .duplicates import (
    NEAR_COSINE,
    DuplicateCheck,
    check_against_neighbours,
    fields_to_merge,
    find_neighbours,
    may_copy_metadata_from,
)
from .embed_missing import BATCH, EmbeddingUnavailableError, embed_missing
from .results import StoreResult
from .sanitizer import Sanitizer
from .text_marks import mark_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.entity import Entity
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import (
        BranchReader,
        Clock,
        Embedder,
        FileReader,
        IdSource,
        NameMatcher,
        SecretFilter,
        Store,
    )


class PreparedStatement(Value):
    """A statement that is validated, cleaned and embedded."""

    statement: Statement
    cleaner: Sanitizer
    chunk_vectors: list[bytes] = []  #: empty while there is no embedder
    model: str = ""  #: embedding model of the vectors


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
        branches: Callable[[], BranchReader] | None = None,
    ) -> None:
        """Create the write path.

        Args:
            store: where memories go.
            clock: the present time.
            ids: makes new ids.
            embedder: returns the embedder, or None while there is none (words only).
            secrets: finds secrets; None stores text as it is (``[privacy] redact = false``).
            private_tag: the tag whose spans are never stored.
            near_cosine: minimum cosine of texts that are checked for being duplicates.
            matcher: finds similar names of entities; None suggests none.
            files: reads cited files; without it, no anchors are made.
            repeat_confidence: gained when the same statement is stored again.
            branches: returns the reader of branches; without it, no branches are recorded.
        """
        self._store = store
        self._clock = clock
        self._ids = ids
        self._embedder = embedder
        self._secrets = secrets
        self._private_tag = private_tag
        self._tasks = Tasks(store, clock)
        self.anchors = Anchors(store, files)
        self._branches = Branches(store, branches)
        self._near_cosine = near_cosine
        self._repeat_confidence = repeat_confidence
        self.unembedded_because = ""  #: why the last memories got no vectors
        self.topics = TopicService(store, clock)
        self.entities = Entities(store, clock, matcher)

    def cleaner(self) -> Sanitizer:
        """Return a new sanitizer for text that is about to be written."""
        return Sanitizer(self._secrets, self._private_tag)

    def store(
        self, statement: Statement, context: CallContext, *, ingested: bool = False
    ) -> StoreResult | None:
        """Store a statement, or merge it into a memory that says the same.

        Args:
            statement: what to store.
            context: of the caller.
            ingested: it comes from a transcript or an import: erased texts are refused.

        Returns:
            What was done; None only for an ingested text that was erased before.

        Raises:
            InvalidInputError: a field is outside its limits.
            NotFoundError: ``supersedes`` names no visible memory.
            ConflictError: it is not yet true, and supersedes what is.
        """
        return self.store_many([statement], context, ingested=ingested)[0]

    def store_many(
        self, statements: Sequence[Statement], context: CallContext, *, ingested: bool = False
    ) -> list[StoreResult | None]:
        """Store several statements in one transaction; all or none. See ``store``."""
        prepared = self.prepare(statements, context)
        with self._store.transaction():
            return [self.write(statement, context, ingested=ingested) for statement in prepared]

    def prepare(
        self, statements: Sequence[Statement], context: CallContext
    ) -> list[PreparedStatement]:
        """Validate, clean and embed statements, outside a transaction: that may call an API.

        Raises:
            InvalidInputError: a field is outside its limits.
        """
        prepared = []
        for unchecked in statements:
            cleaner = self.cleaner()
            statement = cleaner.with_removed_spans(check_statement(unchecked, cleaner.clean))
            given = self.anchors.cite(statement.anchors, context, cleaner.clean)
            cited = (*statement.cited, *given)
            if not cited and statement.type != "episodic":
                cited = self.anchors.find_named(statement.content, context)
            statement = mark_text(statement.replace(cited=cited), self._clock.now())
            statement = self._branches.mark(statement, context)
            prepared.append(PreparedStatement(statement=statement, cleaner=cleaner))
        embedder = self._embedder() if prepared else None
        if embedder is None or not self._store.search.has_vectors:
            return prepared
        try:
            model = embedder.model
            vectors = embedder.embed_documents(
                [
                    text_to_embed(ready.statement.content, ready.statement.metadata)
                    for ready in prepared
                ]
            )
        except UnavailableError:
            return prepared  # an API is down: the memories are embedded once it answers
        return [
            ready.replace(chunk_vectors=chunk_vectors, model=model)
            for ready, chunk_vectors in zip(prepared, vectors, strict=True)
        ]

    def write(
        self, prepared: PreparedStatement, context: CallContext, *, ingested: bool = False
    ) -> StoreResult | None:
        """Store a prepared statement inside the caller's transaction. See ``store``."""
        statement, sanitizer = prepared.statement, prepared.cleaner
        if ingested and self._is_erased(statement.content):
            return None
        context = self._resolve_merged_project(context)
        subject = self.entities.find_subject(statement, context.visible)
        scope = choose_scope(statement, project_known=context.has_project, about=subject)
        project = GLOBAL_PROJECT if scope == "global" else context.project.key
        parent = self.topics.parent_of(statement, context.visible)
        if parent is not None and statement.scope is None and may_join(statement, parent.scope):
            scope, project = parent.scope, parent.project
        task = self._tasks.of(statement, scope, project, parent)
        replaced = find_heads(self._store, statement.supersedes, context.visible)
        refuse_too_soon(self._store, [] if ingested else replaced, statement, self._clock.now())
        check = self._check_duplicates(prepared, scope, project, task, replaced, subject)
        replaced += check.unconfirmed
        if (duplicate := check.same) is not None:
            memory = self._reinforce_duplicate(duplicate, statement, task, ingested=ingested)
            filing = self.topics.reassign_topic(memory, statement)
        else:
            filing = self.topics.assign_topic(
                statement,
                project,
                parent=parent,
                replaced=replaced,
                windows=prepared.chunk_vectors,
                model=prepared.model,
            )
            memory = self._add(statement, scope, project, task, context, filing)
            if vectors := prepared.chunk_vectors:
                self._store.search.set_vectors(memory.key, vectors, prepared.model)
        if statement.supersedes and is_summary(statement):
            compact_into(self._store, replaced, memory, self._clock.now())
        else:
            since = memory.created_at if duplicate is None else self._clock.now()
            self._supersede(replaced, memory, since)
        self.topics.set_overview(filing, memory.key)
        if task is not None:
            self._tasks.set_objective_if_missing(task, memory)
        memory, named = self.entities.attach(memory, statement, subject)
        if may_copy_metadata_from(statement, memory):
            self.anchors.add(memory.key, statement.cited)
        linked = self._link(memory, statement, context, follows=duplicate is None and not ingested)
        return StoreResult(
            memory=self._store.memories.get([memory.key])[0],
            given=statement,
            deduplicated=duplicate is not None,
            superseded=tuple(replaced),
            conflicts=check.conflicts,
            redacted=tuple(sanitizer.kinds),
            private_removed=sanitizer.private,
            linked=linked,
            named=named,
            filing=filing,
            released=self._tasks.release(memory.task, statement.assignment),
            embedded=bool(prepared.chunk_vectors),
        )

    def _is_erased(self, text: str) -> bool:
        secret = self._store.meta("install_secret") or ""
        return self._store.memories.is_erased(keyed_hash(text, secret))

    def _resolve_merged_project(self, context: CallContext) -> CallContext:
        """Return the context or, if another process merged its project away, one with the target.

        Raises:
            ConflictError: the project no longer exists.
        """
        if self._store.projects.get(context.project.key) is not None:
            return context
        project = self._store.projects.by_key(context.project.identity)
        if project is None:
            raise ConflictError(f"project {context.project.name!r} no longer exists: call again")
        return context.replace(project=project)

    def _check_duplicates(
        self,
        prepared: PreparedStatement,
        scope: str,
        project: int,
        task: Task | None,
        replaced: Sequence[Memory],
        subject: Entity | None,
    ) -> DuplicateCheck:
        """Compare a statement with memories in force, except for those that it replaces."""
        statement = prepared.statement
        replaced_keys = {memory.key for memory in replaced}
        neighbours = find_neighbours(
            self._store,
            statement,
            scope,
            project,
            task,
            prepared.chunk_vectors,
            prepared.model,
            self._near_cosine,
        )
        return check_against_neighbours(
            statement,
            [(memory, cosine) for memory, cosine in neighbours if memory.key not in replaced_keys],
            self._clock.now(),
            self._near_cosine,
            lambda memory: self.entities.may_be_about(memory, statement, subject),
        )

    def _add(
        self,
        statement: Statement,
        scope: str,
        project: int,
        task: Task | None,
        context: CallContext,
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
                origin_project=context.project_key,
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
                event_at=statement.event_at,
                last_reinforced_at=created,
                created_at=created,
                updated_at=created,
                provenance=statement.provenance,
                session=statement.session or context.session,
                metadata=statement.metadata,
                tags=statement.tags,
                content_hash=content_hash(statement.content),
            )
        )
        self._store.memories.record("create", memory.key, now)
        suggest_guard(self._store, memory, now)
        return memory

    def _reinforce_duplicate(
        self, memory: Memory, statement: Statement, task: Task | None, *, ingested: bool
    ) -> Memory:
        now = self._clock.now()
        fields = fields_to_merge(memory, statement, task, ingested=ingested)
        if memory.session is None and statement.session is not None:
            fields["session"] = statement.session
        self._store.memories.change(memory.key, **fields, updated_at=now)
        stated_at = now if statement.created_at is None else statement.created_at
        stated_at = max(stated_at, memory.last_reinforced_at)
        self._store.usage.reinforce([memory.key], stated_at, self._repeat_confidence)
        self._store.memories.record("merge", memory.key, now)
        return self._store.memories.get([memory.key])[0]

    def _supersede(self, replaced: Sequence[Memory], new: Memory, since_ms: int) -> None:
        now = self._clock.now()
        for old in replaced:
            if old.key != new.key:
                self._store.memories.supersede(old.key, new.key, max(since_ms, old.created_at))
                self._store.memories.record("supersede", old.key, now, by=new.id)

    def _link(
        self, memory: Memory, statement: Statement, context: CallContext, *, follows: bool
    ) -> int:
        """Add the statement's relations, and link a memory to its predecessor in the session.

        Relations within the memory's own chain are left out. Returns the number of new ones.
        """
        now = self._clock.now()
        linked = 0
        for relation in statement.relations:
            target = locate_head(self._store, relation.target, context.visible)
            if target.head != memory.head:
                linked += link(self._store, memory, relation.kind, target, context.visible, now)
        if follows and memory.session:
            follow_in_session(self._store, memory, now)
        return linked

    def embed_changed(self) -> None:
        """Embed what was just changed, if that is possible now; otherwise it happens later."""
        try:
            self.embed_missing(BATCH)
        except UnavailableError:  # another process is writing: the change itself is done
            return

    def embed_missing(self, limit: int) -> int:
        """Embed memories that have no vectors yet; return how many were processed.

        Returns 0 if the embedding API does not answer; ``unembedded_because`` then says why.
        """
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return 0
        try:
            processed = embed_missing(self._store, embedder, limit)
        except EmbeddingUnavailableError as error:
            self.unembedded_because = str(error)
            return 0
        self.unembedded_because = ""
        return processed
