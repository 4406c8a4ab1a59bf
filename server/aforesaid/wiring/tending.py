"""Maintenance with real adapters: its phases in order, one run at a time for each store."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager

from aforesaid.domain.tending.thresholds import Thresholds

from .due import is_due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aforesaid.adapters.one_process import OneProcess
    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.ports import Embedder
    from aforesaid.services.tending.judge import Judge
    from aforesaid.services.tending.phase import Phase
    from aforesaid.services.tending.summing import Summing
    from aforesaid.services.tending.tend import Tend

LEAST_REST_SECONDS = 0.02
MOST_REST_SECONDS = 5.0  #: whatever the clock says of how long others were held up: it may jump


def thresholds(settings: Settings) -> Thresholds:
    """Return the factors and thresholds that the settings name."""
    return Thresholds(**{name: settings[f"maintenance.{name}"] for name in Thresholds._fields})


def make_tend(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> Tend:
    """Return maintenance with all its phases."""
    from aforesaid.adapters.system import SystemClock
    from aforesaid.services.tending.tend import Tend

    from . import parts

    def failed(phase: str, error: Exception) -> None:
        parts.tell_unforeseen(environment, f"{phase} was not done to its end", error)

    phases = make_phases(store, settings, environment, embedder)
    return Tend(store, SystemClock(), phases, _rest, failed)


def make_phases(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    embedder: Callable[[], Embedder | None],
) -> list[Phase]:
    """Return the phases in order."""
    from aforesaid.adapters.cited_files import CitedFiles
    from aforesaid.adapters.system import SystemClock, Uuid7Source
    from aforesaid.services.tending.archive import Archive
    from aforesaid.services.tending.compaction import Compaction
    from aforesaid.services.tending.contradictions import Contradictions
    from aforesaid.services.tending.freshness import Freshness
    from aforesaid.services.tending.links import Links
    from aforesaid.services.tending.promotion import Promotion
    from aforesaid.services.tending.retention import Retention
    from aforesaid.services.tending.topics import Topics

    limits = thresholds(settings)
    summing = make_summing(store, settings, environment)
    return [
        Retention(store, limits),
        Topics(store, SystemClock(), summing, limits),
        Links(store, limits),
        Compaction(store, Uuid7Source(), embedder, summing, limits),
        Promotion(store, Uuid7Source(), limits),
        Contradictions(store, _make_judge(store, settings, environment)),
        Freshness(store, CitedFiles()),
        Archive(store, limits),
    ]


def _make_judge(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> Judge | None:
    """Return who settles contradictions; None where the user chose no summariser."""
    from .extraction import make_summariser, outgoing

    summariser = make_summariser(settings, environment)
    if summariser is None:
        return None
    from aforesaid.adapters.system import SystemClock
    from aforesaid.domain.budget import SummaryLimits
    from aforesaid.services.tending.judge import Judge

    return Judge(
        store,
        SystemClock(),
        summariser,
        outgoing(settings),
        SummaryLimits(seconds=settings["digest.timeout_seconds"]),
        settings["digest.daily_calls"],
    )


def make_summing(store: SqliteStore, settings: Settings, environment: Mapping[str, str]) -> Summing:
    """Return the writer of summaries: with the language model that the user chose, if any."""
    from aforesaid.adapters.system import SystemClock
    from aforesaid.domain.budget import SummaryLimits
    from aforesaid.services.tending.summing import Summing

    from .extraction import make_summariser, outgoing

    summariser = make_summariser(settings, environment)
    return Summing(
        store,
        SystemClock(),
        summariser,
        str if summariser is None else outgoing(settings),
        settings["digest.daily_calls"],
        SummaryLimits(seconds=settings["digest.timeout_seconds"]),
    )


def _rest(held_seconds: float) -> None:
    """Let waiting writers in: they look again after at most as long as they were held up."""
    time.sleep(min(max(held_seconds, LEAST_REST_SECONDS), MOST_REST_SECONDS))


def one_tending(settings: Settings) -> OneProcess:
    """Return the lock of whoever tends this store."""
    from aforesaid.adapters.one_process import OneProcess
    from aforesaid.domain.fingerprint import blake2b

    store = blake2b(settings.db_path.encode(), digest_size=6).hexdigest()
    return OneProcess(os.path.join(settings.state_folder, f"tend-{store}.lock"))


@contextmanager
def tending_alone(settings: Settings) -> Iterator[None]:
    """Hold the lock of this store's maintenance.

    Raises:
        ConflictError: another process tends it now.
    """
    from aforesaid.domain.errors import ConflictError, UnavailableError

    try:
        one = one_tending(settings)
    except UnavailableError:  # no such locks here: whoever asks sees to it
        yield
        return
    try:
        one.take()
    except ConflictError as error:
        raise ConflictError(
            f"this store is being tended now ({error}): wait until it is done"
        ) from None
    try:
        yield
    finally:
        one.leave()


def tend_alone(store: SqliteStore, settings: Settings, environment: Mapping[str, str]) -> None:
    """Tend the store by itself, unless another process does or just did."""
    from aforesaid.adapters.system import SystemClock
    from aforesaid.domain.errors import ConflictError

    from . import parts
    from .automatic_backup import back_up_daily
    from .embedding import embedder_of

    try:
        with tending_alone(settings):
            if is_due(store, settings, SystemClock().now()):  # another may have been faster
                back_up_daily(store, settings, environment)
                embed = embedder_of(store, settings, environment).get
                try:
                    parts.make_remember(store, settings, embed).embed_missing(sys.maxsize)
                except Exception as error:  # noqa: BLE001 - what is tended needs them not
                    parts.tell_unforeseen(environment, "vectors were not made", error)
                make_tend(store, settings, environment, embed).run(
                    by="itself", limit_seconds=settings["maintenance.limit_seconds"]
                )
    except ConflictError:
        return
