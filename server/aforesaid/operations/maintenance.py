"""Building the maintenance runner with its phases, and running it, once at a time per store."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from functools import partial

from aforesaid.domain.maintenance.thresholds import Thresholds

from .maintenance_schedule import is_due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.adapters.system.process_lock import ProcessLock
    from aforesaid.config import Settings
    from aforesaid.ports import Embedder
    from aforesaid.services.maintenance.llm_judge import LlmJudge
    from aforesaid.services.maintenance.phase import Phase
    from aforesaid.services.maintenance.runner import MaintenanceRunner
    from aforesaid.services.maintenance.summarize import Summarizer

MIN_REST_SECONDS = 0.02
MAX_REST_SECONDS = 5.0  #: even if the clock jumped and the lock seems to have been held for longer


def thresholds(settings: Settings) -> Thresholds:
    return Thresholds(**{name: settings[f"maintenance.{name}"] for name in Thresholds._fields})


def make_maintenance_runner(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> MaintenanceRunner:
    """Return the maintenance runner with all phases."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.services.maintenance.runner import MaintenanceRunner
    from aforesaid.wiring import factories

    def failed(phase: str, error: Exception) -> None:
        factories.log_unexpected(environment, f"maintenance phase {phase} failed", error)

    phases = make_phases(store, settings, environment, embedder)
    return MaintenanceRunner(store, SystemClock(), phases, _rest, failed)


def make_phases(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> list[Phase]:
    """Return the phases in order."""
    from aforesaid.adapters.git_reader.moves import GitMoves
    from aforesaid.adapters.system.cited_files import CitedFiles
    from aforesaid.adapters.system.machine import SystemClock, Uuid7Source
    from aforesaid.services.maintenance.anchor_repair import AnchorRepair
    from aforesaid.services.maintenance.archive import Archive
    from aforesaid.services.maintenance.branch_upkeep import BranchUpkeep
    from aforesaid.services.maintenance.compaction import Compaction
    from aforesaid.services.maintenance.contradictions import Contradictions
    from aforesaid.services.maintenance.freshness import Freshness
    from aforesaid.services.maintenance.links import Links
    from aforesaid.services.maintenance.promotion import Promotion
    from aforesaid.services.maintenance.retention import Retention
    from aforesaid.services.maintenance.topic_upkeep import TopicUpkeep
    from aforesaid.wiring import factories

    limits = thresholds(settings)
    summarizer = make_summarizer(store, settings, environment)
    projects = partial(factories.projects_with_memory, store, settings)
    return [
        Retention(store, limits),
        TopicUpkeep(store, SystemClock(), summarizer, limits, embedder),
        Links(store, limits),
        Compaction(store, Uuid7Source(), embedder, summarizer, limits),
        Promotion(store, Uuid7Source(), limits),
        Contradictions(store, _make_judge(store, settings, environment)),
        AnchorRepair(store, projects, CitedFiles(), GitMoves()),
        Freshness(store, projects, CitedFiles()),
        BranchUpkeep(store, projects, factories.make_branch_reader()),
        Archive(store, limits),
    ]


def _make_judge(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> LlmJudge | None:
    """Return the judge of contradictions; None without a summariser."""
    from aforesaid.wiring import factories

    from .llm_extraction import make_summariser

    summariser = make_summariser(settings, environment)
    if summariser is None:
        return None
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.text.token_budget import SummaryLimits
    from aforesaid.services.maintenance.llm_judge import LlmJudge

    return LlmJudge(
        store,
        SystemClock(),
        summariser,
        factories.make_outgoing_filter(settings),
        SummaryLimits(seconds=settings["digest.timeout_seconds"]),
        settings["digest.daily_calls"],
    )


def make_summarizer(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> Summarizer:
    """Return the writer of summaries, with the language model that the user chose, if any."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.text.token_budget import SummaryLimits
    from aforesaid.services.maintenance.summarize import Summarizer
    from aforesaid.wiring import factories

    from .llm_extraction import make_summariser

    summariser = make_summariser(settings, environment)
    return Summarizer(
        store,
        SystemClock(),
        summariser,
        str if summariser is None else factories.make_outgoing_filter(settings),
        settings["digest.daily_calls"],
        SummaryLimits(seconds=settings["digest.timeout_seconds"]),
    )


def rest_seconds(held_seconds: float) -> float:
    """Return how long to let waiting writers in: they retry within the time of the lock."""
    return min(max(held_seconds, MIN_REST_SECONDS), MAX_REST_SECONDS)


def _rest(held_seconds: float) -> None:
    time.sleep(rest_seconds(held_seconds))


def make_lock(settings: Settings) -> ProcessLock:
    """Return the lock of this store's maintenance."""
    from aforesaid.adapters.system.process_lock import ProcessLock
    from aforesaid.domain.text.hashing import blake2b

    name = blake2b(settings.db_path.encode(), digest_size=6).hexdigest()
    return ProcessLock(os.path.join(settings.state_folder, f"tend-{name}.lock"))


@contextmanager
def maintenance_lock(settings: Settings) -> Iterator[None]:
    """Hold the lock of this store's maintenance.

    Raises:
        ConflictError: Another process runs maintenance now.
    """
    from aforesaid.domain.errors import ConflictError, UnavailableError

    try:
        lock = make_lock(settings)
    except UnavailableError:  # this system has no such locks: run without one
        yield
        return
    try:
        lock.acquire()
    except ConflictError as error:
        raise ConflictError(
            f"maintenance of this store is already running ({error}): wait until it is done"
        ) from None
    try:
        yield
    finally:
        lock.release()


def run_if_due(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None] | None = None,
) -> None:
    """Run automatic maintenance, unless another process does or just did.

    Args:
        store: The store.
        settings: The settings.
        environment: The environment variables.
        embedder: Returns the model; by default that of the store, loaded here.
    """
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.domain.errors import ConflictError
    from aforesaid.wiring import factories
    from aforesaid.wiring.embedder_loader import embedder_of

    from .automatic_backup import back_up_daily

    try:
        with maintenance_lock(settings):
            if is_due(store, settings, SystemClock().now()):  # another process may just have run it
                back_up_daily(store, settings, environment)
                embed = embedder or embedder_of(store, settings, environment).get
                try:
                    factories.make_memory_writer(store, settings, embed).embed_missing(sys.maxsize)
                except Exception as error:  # noqa: BLE001 - maintenance can do without
                    factories.log_unexpected(environment, "missing vectors not computed", error)
                make_maintenance_runner(store, settings, environment, embed).run(
                    by="itself", limit_seconds=settings["maintenance.limit_seconds"]
                )
    except ConflictError:
        return
