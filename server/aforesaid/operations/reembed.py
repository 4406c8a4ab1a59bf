"""The background process that computes the vectors of a new model; one for each store."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from aforesaid.adapters.system.machine import SystemClock, start_detached
from aforesaid.adapters.system.process_lock import ProcessLock
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.embedding_model import (
    CHANGE_FAILURE,
    COMING,
    SERVING,
    Model,
    is_shipped,
    known_scale,
)
from aforesaid.domain.text.hashing import blake2b
from aforesaid.services.graph.entity_search import EntitySearch
from aforesaid.services.maintenance.reembed import ModelChanger
from aforesaid.wiring import factories
from aforesaid.wiring.embedder_loader import is_remote, open_source

from .maintenance_schedule import has_passed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.ports import Embedder

LOCAL_BATCH, API_BATCH = 32, 96  #: memories of one transaction
RESUME_MS = 600_000  #: how long after a failure a server restarts the process
MAX_TRIES, PAUSE_SECONDS = 5, 10.0  #: of the process itself, while an API is down
START_SECONDS = 15.0
_POLL_SECONDS = 0.1
#: Runs the CLI of this package, however the current process was started.
_STARTER = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from aforesaid.entrypoints.cli import main; sys.exit(main(sys.argv[2:]))"
)


def reembed_lock(settings: Settings) -> ProcessLock | None:
    """Return the lock of the process that re-embeds this store; None if locks are unavailable."""
    name = blake2b(os.path.realpath(settings.db_path).encode(), digest_size=8).hexdigest()
    try:
        return ProcessLock(os.path.join(settings.state_folder, f"model-{name}.lock"))
    except UnavailableError:
        return None


def is_changing(settings: Settings) -> bool:
    """Whether a process is known to re-embed this store."""
    lock = reembed_lock(settings)
    return lock is not None and bool(lock.read_status())


def failure_of(store: SqliteStore) -> tuple[int, str]:
    """Return when (ms) and why the last change failed; 0 and an empty reason if it did not."""
    at, _, reason = (store.meta(CHANGE_FAILURE) or "").partition(" ")
    return (int(at), reason) if at.isdigit() else (0, "")


def run_change(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    progress: Callable[[int], None],
    *,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Compute the vectors of the pending model and activate it; False if there is nothing to do.

    Args:
        store: The store.
        settings: The settings.
        environment: The environment variables.
        progress: Called with the number of memories embedded, after each transaction.
        wait: Pauses while an API is down.

    Raises:
        ConflictError: Another process is already doing this.
        UnavailableError: This environment has no support for vectors.
        AforesaidError: The model cannot be opened, or its API stays down; the store records why.
    """
    if not store.search.has_vectors:
        raise UnavailableError(
            "this environment has no vector search, so it cannot use an embedding model: repair "
            "it with aforesaid setup --rebuild"
        )
    lock = reembed_lock(settings)
    if lock is not None:
        lock.acquire()
    done = False
    while (pending := store.models.in_state(COMING)) is not None:  # it may be replaced meanwhile
        _record_failure(store, "")
        try:
            embedder = _open(pending, settings, environment)
            done = _run(store, pending, embedder, progress, wait, lock)
        except AforesaidError as error:
            _record_failure(store, str(error))
            raise
        if done:
            _embed_entities(store, embedder)
    return done


def _embed_entities(store: SqliteStore, embedder: Embedder) -> None:
    search = EntitySearch(store, lambda: embedder, factories.make_matcher())
    while search.embed_missing(LOCAL_BATCH):
        pass


def _open(pending: Model, settings: Settings, environment: Mapping[str, str]) -> Embedder:
    embedder = open_source(pending.source, settings, environment, pending.dimensions, patient=True)
    if embedder.model != pending.name:
        raise UnavailableError(
            f"the pending model is {pending.name}, but its source now has {embedder.model}: "
            "nothing was changed; choose a model with `aforesaid model use`"
        )
    return embedder


def _run(
    store: SqliteStore,
    pending: Model,
    embedder: Embedder,
    progress: Callable[[int], None],
    wait: Callable[[float], None],
    lock: ProcessLock | None,
) -> bool:
    """Run the change, retrying after failures of an API as long as there is progress."""
    batch = API_BATCH if is_remote(pending.source) else LOCAL_BATCH
    count = failures = 0

    def report(done: int) -> None:
        nonlocal count, failures
        count, failures = count + done, 0
        if lock is not None:
            lock.write_status(model=pending.name, done=count)
        progress(done)

    while True:
        try:
            return ModelChanger(store).run(embedder, batch, report)
        except UnavailableError:
            failures += 1
            if failures == MAX_TRIES:
                raise
            wait(PAUSE_SECONDS * failures)


def _record_failure(store: SqliteStore, reason: str) -> None:
    if reason or store.meta(CHANGE_FAILURE):
        with store.transaction():
            text = f"{SystemClock().now()} {' '.join(reason.split())[:500]}" if reason else ""
            store.set_meta(CHANGE_FAILURE, text)


def start_change(store: SqliteStore, settings: Settings) -> None:
    """Start the process, unless it runs; wait until it runs, is done or has failed."""
    if is_changing(settings):
        return
    _record_failure(store, "")
    _spawn(settings)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and store.models.in_state(COMING) is not None:
        if is_changing(settings) or failure_of(store)[1]:
            return
        time.sleep(_POLL_SECONDS)


def resume_change(store: SqliteStore, settings: Settings) -> None:
    """Restart the process if a change is pending, none runs, and the last failure is old enough."""
    if store.read_only or not store.search.has_vectors or store.models.in_state(COMING) is None:
        return
    failed_at, _reason = failure_of(store)
    is_late = has_passed(RESUME_MS, failed_at, SystemClock().now())
    if is_late and reembed_lock(settings) is not None and not is_changing(settings):
        _spawn(settings)


def _spawn(settings: Settings) -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = ["model", "embed", "--database", settings.db_path]
    start_detached([sys.executable, "-c", _STARTER, root, *command])


def upgrade_shipped_model(store: SqliteStore, settings: Settings) -> None:
    """Compute new vectors in the background if those of the store are an earlier shipped model's.

    Also restarts a change that was interrupted.
    """
    active = store.models.in_state(SERVING)
    if active is None or store.read_only or not store.search.has_vectors:
        return
    if not active.source and is_shipped(active.name) and store.models.in_state(COMING) is None:
        from aforesaid.adapters.embedding.model_card import read_card
        from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER

        card = read_card(SHIPPED_FOLDER)
        if active.name != card.model:
            low, high = known_scale(card.model)
            store.models.announce(
                Model(name=card.model, dimensions=card.dimensions, low=low, high=high)
            )
    resume_change(store, settings)
