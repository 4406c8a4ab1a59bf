"""Every service of one process over the real store: for the server, the shell and programs."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from aforesaid.adapters.cited_files import CitedFiles
from aforesaid.adapters.dates import Dates
from aforesaid.adapters.system import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.embedding import SERVING
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.watermark import FAILURE
from aforesaid.services.organising.explore import Explore
from aforesaid.services.organising.find_entities import EntitySearch
from aforesaid.services.organising.mend_entities import MendEntities
from aforesaid.services.organising.mend_projects import MendProjects
from aforesaid.services.organising.relate import Relate
from aforesaid.services.organising.tasks import Tasks
from aforesaid.services.recalling.inspect import Inspect
from aforesaid.services.recalling.recall import Recall
from aforesaid.services.storing.curate import Curate

from . import parts
from .embedding import EmbedderSlot, chosen_source, is_remote
from .model_change import failure_of, resume_change, take_over

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.place import Place
    from aforesaid.ports import Embedder
    from aforesaid.services.tending.quality import Review

EMBED_EVERY_SECONDS = 30.0


class Core:
    """Every service of one process, over one store."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        path: str | None = None,
        embedder: EmbedderSlot | None = None,
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
        self.embedder = embedder or EmbedderSlot(environment)
        self.store = parts.open_store(self.settings)
        self.embedder.follow(lambda: self.store.model_in(SERVING), self.settings)
        self._announced = False
        self.clock = SystemClock()
        self.projects = parts.make_projects(self.store, self.settings)
        self.remember = parts.make_remember(self.store, self.settings, self.embed)
        self.dates = Dates(self.clock)
        self.tasks = Tasks(self.store, self.clock)
        self.recall = Recall(
            self.store, self.clock, self.embed, self.dates, parts.make_reranker(self.settings)
        )
        self.entities = self.remember.entities
        self.entity_search = EntitySearch(self.store, self.embed, parts.make_matcher())
        self.mend_entities = MendEntities(self.store, self.clock, self.entities)
        self.mend_projects = MendProjects(self.store, self.clock, self.projects)
        self.curate = Curate(self.store, self.clock, self.remember)
        self.relate = Relate(self.store, self.clock)
        self.inspect = Inspect(self.store, self.clock, CitedFiles())
        self.explore = Explore(self.store, self.embed)
        self.context = parts.make_context(self.store)
        self._embedded_at = 0.0

    def embed(self) -> Embedder | None:
        """Return the embedder of the model that serves; in a new store, of the one chosen."""
        embedder = self.embedder.get()
        if embedder is not None and not self._announced:
            self._announced = True
            if not self.store.read_only and self.store.model_in(SERVING) is None:
                self._announce(embedder)
        return embedder

    def _announce(self, embedder: Embedder) -> None:
        """Let the model that the settings name serve in a store that has none yet."""
        source = chosen_source(self.settings)
        if source and not self.store.has_vectors:
            return
        if source:
            from aforesaid.services.tending.change_model import ChangeModel

            try:
                ChangeModel(self.store).begin(embedder, source)
            except UnavailableError:
                if not is_remote(source):
                    raise
                self._announced = False  # an API that is down: the next call tries again

    # -- where a call comes from

    def visible(self, project: str | None, place: Place, task_id: str | None = None) -> Visibility:
        """Return what a call sees: its place, a named project, or all with ``*``.

        With a task, also what is inside it.
        """
        seen = self._projects_seen(project, place)
        return seen if task_id is None else seen.replace(tasks=self.tasks.keys(task_id, seen))

    def _projects_seen(self, project: str | None, place: Place) -> Visibility:
        if project is None:
            return place.visible
        if project.strip() == "*":
            keys = [known.key for known in self.store.projects()]
            return Visibility(projects=(GLOBAL_PROJECT, *keys))
        return Visibility.of_project(self.projects.get(project).key)

    def tidy(self) -> None:
        """Do what was left: uses, erased bytes; now and then vectors of what has none."""
        self.write_uses()
        self.store.finish_cleaning()
        embedder = self.embedder.peek()
        if embedder is None or time.monotonic() - self._embedded_at < EMBED_EVERY_SECONDS:
            return
        self._embedded_at = time.monotonic()
        take_over(self.store, embedder)
        resume_change(self.store, self.settings)
        self.remember.embed_missing(256)
        self.entity_search.embed_missing(64)

    def write_uses(self) -> None:
        """Write down what was recalled, unless another process writes now: then the next time."""
        self.recall.uses.write()

    def review(self) -> Review:
        """Return who looks through the store for what is not worth it, doubtful or stands twice."""
        from aforesaid.adapters.secrets import SecretRules
        from aforesaid.services.tending.quality import Review

        secrets = SecretRules(self.settings["privacy.extra_patterns"])
        return Review(self.store, self.clock, secrets, CitedFiles())

    def health(self) -> list[str]:
        """Return what does not work, in words; empty if all does."""
        found = []
        if not self.store.has_vectors:
            found.append(
                "words only: sqlite-vec is not installed; aforesaid setup --rebuild tries again"
            )
        if self.embedder.error:
            found.append(f"words only: {self.embedder.error}")
        if self.remember.unembedded_because:
            found.append(f"new memories by words only: {self.remember.unembedded_because}")
        if failure_of(self.store)[1]:
            found.append(
                f"the model was not changed: {failure_of(self.store)[1]}; aforesaid model status"
            )
        _, _, failure = (self.store.meta(FAILURE) or "").partition(" ")
        if failure and self.settings["digest.summariser"] != "none":
            found.append(f"digests by rules only: {failure}")
        if self.store.read_only:
            found.append("read only: the database was written by a newer version; update this one")
        return found

    def close(self) -> None:
        """Write down what was recalled, and let go of the store."""
        self.recall.uses.write(wait=True)
        self.store.close()
