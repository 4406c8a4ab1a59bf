"""The service container: the services of one process over the real store.

Each service is imported and built at its first use, so that a command pays only for what it uses.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.ledger import LOSSES
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.maintenance.backup_schedule import BACKUP_FAILURE
from aforesaid.domain.model.embedding_model import CHANGE_FAILURE, SERVING
from aforesaid.domain.model.extraction_progress import FAILURE
from aforesaid.domain.model.loss import ADVICE, describe_losses
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility

from . import factories
from .embedder_loader import EmbedderLoader, StoreBoundEmbedder, is_remote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.date_parser import Dates
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.ports import Embedder
    from aforesaid.services.anchors import Anchors
    from aforesaid.services.branches import Branches
    from aforesaid.services.graph.entities import Entities
    from aforesaid.services.graph.entity_merge import EntityMerger
    from aforesaid.services.graph.entity_search import EntitySearch
    from aforesaid.services.graph.explore import TopicExplorer
    from aforesaid.services.graph.relations import RelationService
    from aforesaid.services.guards import Guards
    from aforesaid.services.maintenance.quality_report import QualityReviewer
    from aforesaid.services.maintenance.suggestions import SuggestionService
    from aforesaid.services.memories.editor import MemoryEditor
    from aforesaid.services.memories.forget import MemoryForgetter
    from aforesaid.services.memories.writer import MemoryWriter
    from aforesaid.services.projects.merge import ProjectMerger
    from aforesaid.services.projects.registry import Projects
    from aforesaid.services.recall.inspect import MemoryInspector
    from aforesaid.services.recall.recall import Recall
    from aforesaid.services.sessions.session_context import SessionContextBuilder
    from aforesaid.services.tasks import Tasks

#: The services that most calls of a server need.
_PRELOADED = (
    "projects", "writer", "recall", "entities", "editor", "context_builder", "explorer",
)  # fmt: skip


class ServiceContainer:
    """The services of one process, over one store."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        path: str | None = None,
        embedder: EmbedderLoader | None = None,
        lenient: bool = False,
        busy_timeout_ms: int | None = None,
    ) -> None:
        """Open the store.

        Args:
            environment: the environment variables of the process.
            path: the database file, if not the configured one.
            embedder: the loader of the embedding model, if shared.
            lenient: ignore invalid settings.
            busy_timeout_ms: how long a write waits for other processes; None for the default.

        Raises:
            UnavailableError: the database cannot be opened.
            CorruptError: the database is damaged.
            InvalidInputError: a setting is invalid.
        """
        self.environment = environment
        self.settings = load_settings(environment, lenient=lenient)
        if path is not None:
            values = {**self.settings.values, "storage.db_path": os.path.abspath(path)}
            self.settings = self.settings.replace(values=values)
        self.embedder = embedder or EmbedderLoader(environment)
        self.store = factories.open_store(self.settings, busy_timeout_ms=busy_timeout_ms)
        self._store_embedder = StoreBoundEmbedder(self.embedder, self.store, self.settings)
        self.clock = SystemClock()
        self.embedded_at = 0.0  #: when missing vectors were last computed (monotonic seconds)

    # -- services

    @cached_property
    def projects(self) -> Projects:
        """The registry of projects."""
        return factories.make_projects(self.store, self.settings)

    @cached_property
    def writer(self) -> MemoryWriter:
        """Stores memories."""
        return factories.make_memory_writer(self.store, self.settings, self.get_embedder)

    @cached_property
    def dates(self) -> Dates:
        """Parses dates."""
        from aforesaid.adapters.date_parser import Dates

        return Dates(self.clock)

    @cached_property
    def tasks(self) -> Tasks:
        from aforesaid.services.tasks import Tasks

        return Tasks(self.store, self.clock)

    @cached_property
    def recall(self) -> Recall:
        from aforesaid.services.recall.recall import Recall

        reranker = factories.make_reranker(self.settings)
        factors = factories.factors_of(self.settings)
        return Recall(self.store, self.clock, self.get_embedder, self.dates, reranker, factors)

    @cached_property
    def entities(self) -> Entities:
        """The registry of entities."""
        from aforesaid.services.graph.entities import Entities

        return Entities(self.store, self.clock, factories.make_matcher())

    @cached_property
    def anchors(self) -> Anchors:
        """Checks anchors for changed files."""
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.anchors import Anchors

        return Anchors(self.store, CitedFiles())

    @cached_property
    def branches(self) -> Branches:
        """Tells which memories hold on another branch."""
        from aforesaid.services.branches import Branches

        return Branches(self.store, factories.make_branch_reader)

    @cached_property
    def guards(self) -> Guards:
        """Rules that actions are checked against."""
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.guards import Guards

        return Guards(self.store, self.clock, CitedFiles())

    @cached_property
    def entity_search(self) -> EntitySearch:
        from aforesaid.services.graph.entity_search import EntitySearch

        return EntitySearch(self.store, self.get_embedder, factories.make_matcher())

    @cached_property
    def entity_merger(self) -> EntityMerger:
        """Merges and renames entities."""
        from aforesaid.services.graph.entity_merge import EntityMerger

        return EntityMerger(self.store, self.clock, self.entities)

    @cached_property
    def project_merger(self) -> ProjectMerger:
        """Merges projects and assigns folders to them."""
        from aforesaid.services.projects.merge import ProjectMerger

        return ProjectMerger(self.store, self.clock, self.projects)

    @cached_property
    def editor(self) -> MemoryEditor:
        """Updates, forgets and erases memories."""
        from aforesaid.services.memories.editor import MemoryEditor

        return MemoryEditor(self.store, self.clock, self.writer, self.forgetter)

    @cached_property
    def forgetter(self) -> MemoryForgetter:
        """Forgets and erases memories."""
        from aforesaid.services.memories.forget import MemoryForgetter

        from .state_files import list_state_files

        return MemoryForgetter(
            self.store, self.clock, self.writer, lambda: list_state_files(self.settings)
        )

    @cached_property
    def relations(self) -> RelationService:
        """Links memories."""
        from aforesaid.services.graph.relations import RelationService

        return RelationService(self.store, self.clock)

    @cached_property
    def inspector(self) -> MemoryInspector:
        """Inspects one memory."""
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.recall.inspect import MemoryInspector

        return MemoryInspector(
            self.store, self.clock, CitedFiles(), factories.factors_of(self.settings)
        )

    @cached_property
    def suggestions(self) -> SuggestionService:
        """Answers suggestions of maintenance."""
        from aforesaid.services.maintenance.suggestions import SuggestionService

        return SuggestionService(self.store, self.clock, self.writer, self.editor, self.guards)

    @cached_property
    def explorer(self) -> TopicExplorer:
        """Explores the topic tree."""
        from aforesaid.services.graph.explore import TopicExplorer

        return TopicExplorer(self.store, self.get_embedder)

    @cached_property
    def context_builder(self) -> SessionContextBuilder:
        return factories.make_context_builder(self.store, self.settings)

    def prepare(self) -> None:
        """Build the services that most calls need, so that no call waits for that."""
        for name in _PRELOADED:
            getattr(self, name)
        self.recall.prepare()

    def get_embedder(self) -> Embedder | None:
        """Return the embedder of the active model; in a new store, of the configured one."""
        return self._store_embedder.get()

    def get_local_embedder(self) -> Embedder | None:
        """Return the embedder unless it calls an API, which no transaction may wait for."""
        embedder = self.get_embedder()
        return None if self.embedder.remote else embedder

    # -- visibility

    def visibility_of(
        self, project: str | None, context: CallContext, task_id: str | None = None
    ) -> Visibility:
        """Return the visibility of a call.

        Args:
            project: a project's name or key, ``*`` for all, None for that of the call context.
            context: where the call comes from.
            task_id: also show the memories in this task.

        Raises:
            NotFoundError: there is no such project or task.
        """
        visible = self._visible_projects(project, context)
        return (
            visible if task_id is None else visible.replace(tasks=self.tasks.keys(task_id, visible))
        )

    def _visible_projects(self, project: str | None, context: CallContext) -> Visibility:
        if project is None:
            return context.visible
        if project.strip() == "*":
            keys = [registered.key for registered in self.store.projects.list_all()]
            return Visibility(projects=(GLOBAL_PROJECT, *keys))
        return Visibility.of_project(self.projects.get(project).key)

    def record_usage(self) -> bool:
        """Record what was recalled; False if another process is writing, which leaves it."""
        return "recall" not in self.__dict__ or self.recall.uses.write()

    def quality_reviewer(self) -> QualityReviewer:
        """Return the service that reports low-value, doubtful and duplicate memories."""
        from aforesaid.adapters.secrets import SecretRedactor
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.maintenance.quality_report import QualityReviewer

        secrets = SecretRedactor(self.settings["privacy.extra_patterns"])
        return QualityReviewer(self.store, self.clock, secrets, CitedFiles())

    def losses(self) -> str:
        """Return a sentence on acknowledged changes that are missing; empty without any."""
        return describe_losses(self.store.meta(LOSSES) or "")

    def warnings(self) -> list[str]:
        """Return warnings about the store for the user."""
        lost = self.losses()
        return list(filter(None, (lost and f"{lost}: {ADVICE}", self.store.newer)))

    def dismiss_losses(self) -> None:
        """Stop reporting losses that the user knows about."""
        with self.store.transaction():
            self.store.set_meta(LOSSES, "")

    def api_health(self) -> list[str]:
        """Return why the embedding API of the store's model does not answer, if it has one."""
        active = self.store.models.in_state(SERVING)
        if active is None or not is_remote(active.source) or self.embedder.error:
            return []
        embedder = self.get_embedder()
        try:
            if embedder is not None:
                embedder.embed_query("test")
        except UnavailableError as error:
            return [f"words only: {error}"]
        return []

    def health(self) -> list[str]:
        """Return a message for each thing that does not work."""
        _, _, failure = (self.store.meta(BACKUP_FAILURE) or "").partition(" ")
        backup = [f"no automatic backup: {failure}; aforesaid backup"] if failure else []
        return [*self.recall_health(), *backup]

    def recall_health(self) -> list[str]:
        """Return a message for each thing that does not work in storing and recalling."""
        problems = []
        if lost := self.losses():
            problems.append(f"{lost}: {ADVICE}")
        if not self.store.search.has_vectors:
            problems.append("words only: sqlite-vec is not installed; aforesaid setup --rebuild")
        if self.embedder.error:
            problems.append(f"words only: {self.embedder.error}")
        if "writer" in self.__dict__ and self.writer.unembedded_because:
            problems.append(
                f"new memories are found by words only: {self.writer.unembedded_because}"
            )
        _, _, failure = (self.store.meta(CHANGE_FAILURE) or "").partition(" ")
        if failure:
            problems.append(
                f"the embedding model was not changed: {failure}; aforesaid model status"
            )
        _, _, failure = (self.store.meta(FAILURE) or "").partition(" ")
        if failure and self.settings["digest.summariser"] != "none":
            problems.append(f"digests by rules only: {failure}")
        if self.store.newer:
            how = "the store is opened read-only: " if self.store.read_only else ""
            problems.append(f"{how}{self.store.newer}")
        return problems

    def close(self) -> None:
        """Record what was recalled, and close the store."""
        if "recall" in self.__dict__:
            self.recall.uses.write(wait=True)
        self.store.close()
