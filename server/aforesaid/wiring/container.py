"""Every service of one process over the real store: for the server, the shell and programs.

A service is imported and joined when it is first asked for: a command pays for what it uses.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.ledger import LOSSES
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.maintenance.backup_schedule import BACKUP_FAILURE
from aforesaid.domain.model.embedding_model import CHANGE_FAILURE
from aforesaid.domain.model.extraction_progress import FAILURE
from aforesaid.domain.model.loss import ADVICE, describe_losses
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility

from . import factories
from .embedder_loader import EmbedderLoader, StoreBoundEmbedder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.date_parser import Dates
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Embedder
    from aforesaid.services.anchors import Anchors
    from aforesaid.services.graph.entities import Entities
    from aforesaid.services.graph.entity_merge import EntityMerger
    from aforesaid.services.graph.entity_search import EntitySearch
    from aforesaid.services.graph.explore import TopicExplorer
    from aforesaid.services.graph.relations import RelationService
    from aforesaid.services.maintenance.quality_report import QualityReviewer
    from aforesaid.services.memories.editor import MemoryEditor
    from aforesaid.services.memories.writer import MemoryWriter
    from aforesaid.services.projects.merge import ProjectMerger
    from aforesaid.services.projects.registry import Projects
    from aforesaid.services.recall.inspect import MemoryInspector
    from aforesaid.services.recall.recall import Recall
    from aforesaid.services.sessions.session_context import SessionContextBuilder
    from aforesaid.services.tasks import Tasks

#: The services that most calls of a server need.
_CALLED = ("projects", "remember", "recall", "entities", "curate", "context", "explore")


class ServiceContainer:
    """Every service of one process, over one store."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        path: str | None = None,
        embedder: EmbedderLoader | None = None,
        lenient: bool = False,
    ) -> None:
        """Open the store and join the services.

        Args:
            environment: the process's.
            path: the database, where it is not the configured one.
            embedder: where the model is, or will be.
            lenient: pass over wrong settings.

        Raises:
            UnavailableError: the database cannot be opened.
            CorruptError: it is damaged.
            InvalidInputError: the configuration is wrong.
        """
        self.environment = environment
        self.settings = load_settings(environment, lenient=lenient)
        if path is not None:
            values = {**self.settings.values, "storage.db_path": os.path.abspath(path)}
            self.settings = self.settings.replace(values=values)
        self.embedder = embedder or EmbedderLoader(environment)
        self.store = factories.open_store(self.settings)
        self._of_store = StoreBoundEmbedder(self.embedder, self.store, self.settings)
        self.clock = SystemClock()
        self.embedded_at = 0.0  #: when what had no vector was last embedded (monotonic)

    # -- services

    @cached_property
    def projects(self) -> Projects:
        """Which project a place is."""
        return factories.make_projects(self.store, self.settings)

    @cached_property
    def remember(self) -> MemoryWriter:
        """The write path."""
        return factories.make_remember(self.store, self.settings, self.embed)

    @cached_property
    def dates(self) -> Dates:
        """Reads times in words."""
        from aforesaid.adapters.date_parser import Dates

        return Dates(self.clock)

    @cached_property
    def tasks(self) -> Tasks:
        """What is to be done."""
        from aforesaid.services.tasks import Tasks

        return Tasks(self.store, self.clock)

    @cached_property
    def recall(self) -> Recall:
        """The read path."""
        from aforesaid.services.recall.recall import Recall

        reranker = factories.make_reranker(self.settings)
        factors = factories.factors_of(self.settings)
        return Recall(self.store, self.clock, self.embed, self.dates, reranker, factors)

    @cached_property
    def entities(self) -> Entities:
        """The registry of what memories are about."""
        from aforesaid.services.graph.entities import Entities

        return Entities(self.store, self.clock, factories.make_matcher())

    @cached_property
    def anchors(self) -> Anchors:
        """Says which memories cite a file that changed."""
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.anchors import Anchors

        return Anchors(self.store, CitedFiles())

    @cached_property
    def entity_search(self) -> EntitySearch:
        """Finds in the registry."""
        from aforesaid.services.graph.entity_search import EntitySearch

        return EntitySearch(self.store, self.embed, factories.make_matcher())

    @cached_property
    def mend_entities(self) -> EntityMerger:
        """Merges and renames in the registry."""
        from aforesaid.services.graph.entity_merge import EntityMerger

        return EntityMerger(self.store, self.clock, self.entities)

    @cached_property
    def mend_projects(self) -> ProjectMerger:
        """Merges projects, and says whose a folder is."""
        from aforesaid.services.projects.merge import ProjectMerger

        return ProjectMerger(self.store, self.clock, self.projects)

    @cached_property
    def curate(self) -> MemoryEditor:
        """Changes, forgets, erases."""
        from aforesaid.services.memories.editor import MemoryEditor

        from .state_files import list_state_files

        return MemoryEditor(
            self.store, self.clock, self.remember, lambda: list_state_files(self.settings)
        )

    @cached_property
    def relate(self) -> RelationService:
        """Links memories."""
        from aforesaid.services.graph.relations import RelationService

        return RelationService(self.store, self.clock)

    @cached_property
    def inspect(self) -> MemoryInspector:
        """Tells everything of one memory."""
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.recall.inspect import MemoryInspector

        return MemoryInspector(
            self.store, self.clock, CitedFiles(), factories.factors_of(self.settings)
        )

    @cached_property
    def explore(self) -> TopicExplorer:
        """Looks around in the topic tree."""
        from aforesaid.services.graph.explore import TopicExplorer

        return TopicExplorer(self.store, self.embed)

    @cached_property
    def context(self) -> SessionContextBuilder:
        """Writes what a session is shown."""
        return factories.make_context(self.store, self.settings)

    def prepare(self) -> None:
        """Import and join what calls of a server need, so that none of them waits for that."""
        for name in _CALLED:
            getattr(self, name)
        self.recall.prepare()

    def embed(self) -> Embedder | None:
        """Return the embedder of the model that serves; in a new store, of the one chosen."""
        return self._of_store.get()

    def embed_here(self) -> Embedder | None:
        """Return that embedder unless it is behind an API: no transaction must wait for one."""
        embedder = self.embed()
        return None if self.embedder.remote else embedder

    # -- where a call comes from

    def visible(
        self, project: str | None, place: CallContext, task_id: str | None = None
    ) -> Visibility:
        """Return what a call sees: its place, a named project, or all with ``*``.

        With a task, also what is inside it.
        """
        seen = self._projects_seen(project, place)
        return seen if task_id is None else seen.replace(tasks=self.tasks.keys(task_id, seen))

    def _projects_seen(self, project: str | None, place: CallContext) -> Visibility:
        if project is None:
            return place.visible
        if project.strip() == "*":
            keys = [known.key for known in self.store.projects.list_all()]
            return Visibility(projects=(GLOBAL_PROJECT, *keys))
        return Visibility.of_project(self.projects.get(project).key)

    def write_uses(self) -> None:
        """Write down what was recalled, unless another process writes now: then the next time."""
        if "recall" in self.__dict__:
            self.recall.uses.write()

    def review(self) -> QualityReviewer:
        """Return who looks through the store for what is not worth it, doubtful or stands twice."""
        from aforesaid.adapters.secrets import SecretRedactor
        from aforesaid.adapters.system.cited_files import CitedFiles
        from aforesaid.services.maintenance.quality_report import QualityReviewer

        secrets = SecretRedactor(self.settings["privacy.extra_patterns"])
        return QualityReviewer(self.store, self.clock, secrets, CitedFiles())

    def losses(self) -> str:
        """Return what was acknowledged and is missing, in words; empty if nothing is."""
        return describe_losses(self.store.meta(LOSSES) or "")

    def warnings(self) -> list[str]:
        """Return what the user must know of the store, in sentences; empty if there is nothing."""
        lost = self.losses()
        return [one for one in (f"{lost}: {ADVICE}" if lost else "", self.store.newer) if one]

    def dismiss_losses(self) -> None:
        """Say no more that something is missing; the user knows."""
        with self.store.transaction():
            self.store.set_meta(LOSSES, "")

    def health(self) -> list[str]:
        """Return what does not work, in words; empty if all does."""
        _, _, failure = (self.store.meta(BACKUP_FAILURE) or "").partition(" ")
        backup = [f"no automatic backup: {failure}; aforesaid backup"] if failure else []
        return [*self.recall_health(), *backup]

    def recall_health(self) -> list[str]:
        """Return what of storing and recalling does not work, in words; empty if all does."""
        found = []
        if lost := self.losses():
            found.append(f"{lost}: {ADVICE}")
        if not self.store.search.has_vectors:
            found.append(
                "words only: sqlite-vec is not installed; aforesaid setup --rebuild tries again"
            )
        if self.embedder.error:
            found.append(f"words only: {self.embedder.error}")
        if "remember" in self.__dict__ and self.remember.unembedded_because:
            found.append(f"new memories by words only: {self.remember.unembedded_because}")
        _, _, failure = (self.store.meta(CHANGE_FAILURE) or "").partition(" ")
        if failure:
            found.append(f"the model was not changed: {failure}; aforesaid model status")
        _, _, failure = (self.store.meta(FAILURE) or "").partition(" ")
        if failure and self.settings["digest.summariser"] != "none":
            found.append(f"digests by rules only: {failure}")
        if self.store.newer:
            how = "it is only read: " if self.store.read_only else ""
            found.append(f"{how}{self.store.newer}")
        return found

    def close(self) -> None:
        """Write down what was recalled, and let go of the store."""
        if "recall" in self.__dict__:
            self.recall.uses.write(wait=True)
        self.store.close()
