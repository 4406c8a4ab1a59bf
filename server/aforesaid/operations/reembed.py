"""The process that embeds a store anew in the background, one for each file; anyone resumes it."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from aforesaid.adapters.system.machine import SystemClock, start_detached
from aforesaid.adapters.system.process_lock import ProcessLock
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.embedding_model import CHANGE_FAILURE, COMING, SERVING, Model
from aforesaid.domain.text.hashing import blake2b
from aforesaid.services.graph.entity_search import EntitySearch
from aforesaid.services.maintenance.reembed import ChangeModel
from aforesaid.wiring import factories
from aforesaid.wiring.embedder_loader import is_remote, open_source

from .maintenance_schedule import has_passed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.ports import Embedder

LOCAL_BATCH, API_BATCH = 32, 96  #: memories of one transaction
RESUME_MS = 600_000  #: after a failure, servers start it again so much later
TRIES, PAUSE_SECONDS = 5, 10.0  #: of the process itself, while an API is down
START_SECONDS = 15.0
_STEP_SECONDS = 0.1
#: The shell of this very package, however the process that starts it was started.
_STARTER = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from aforesaid.entrypoints.cli import main; sys.exit(main(sys.argv[2:]))"
)


def reembed_lock(settings: Settings) -> ProcessLock | None:
    """Return the lock of the process that embeds this file anew; None where there are no locks."""
    name = blake2b(os.path.realpath(settings.db_path).encode(), digest_size=8).hexdigest()
    try:
        return ProcessLock(os.path.join(settings.state_folder, f"model-{name}.lock"))
    except UnavailableError:
        return None


def is_changing(settings: Settings) -> bool:
    """Tell whether a process embeds this file anew, as far as that can be known here."""
    one = reembed_lock(settings)
    return one is not None and bool(one.told())


def failure_of(store: SqliteStore) -> tuple[int, str]:
    """Return when the last change stopped (ms), and why; 0 and nothing where it did not."""
    at, _, why = (store.meta(CHANGE_FAILURE) or "").partition(" ")
    return (int(at), why) if at.isdigit() else (0, "")


def run_change(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    told: Callable[[int], None],
    *,
    wait: Callable[[float], None] = time.sleep,
) -> bool:
    """Embed what the model that comes lacks, and let it serve; False if there is nothing to do.

    Args:
        store: whose model is changed.
        settings: of this process.
        environment: of this process.
        told: is told how many memories were embedded, after each transaction.
        wait: pauses while an API is down.

    Raises:
        ConflictError: another process does so already.
        UnavailableError: this environment cannot keep vectors.
        AforesaidError: the model cannot be opened, or its API stays down; the store says why.
    """
    if not store.search.has_vectors:
        raise UnavailableError(
            "this environment has words only, in which no model can serve: aforesaid setup "
            "--rebuild tries again"
        )
    one = reembed_lock(settings)
    if one is not None:
        one.take()
    done = False
    while (coming := store.models.in_state(COMING)) is not None:  # another one may come meanwhile
        _note(store, "")
        try:
            embedder = _open(coming, settings, environment)
            done = _run(store, coming, embedder, told, wait, one)
        except AforesaidError as error:
            _note(store, str(error))
            raise
        if done:
            _embed_names(store, embedder)
    return done


def _embed_names(store: SqliteStore, embedder: Embedder) -> None:
    """Give the names of entities vectors of the model that serves now."""
    search = EntitySearch(store, lambda: embedder, factories.make_matcher())
    while search.embed_missing(LOCAL_BATCH):
        pass


def _open(coming: Model, settings: Settings, environment: Mapping[str, str]) -> Embedder:
    embedder = open_source(coming.source, settings, environment, coming.dimensions, patient=True)
    if embedder.model != coming.name:
        raise UnavailableError(
            f"{coming.name} was to serve, and what is there now is {embedder.model}: nothing was "
            "changed; run `aforesaid model use` for the one that you want"
        )
    return embedder


def _run(
    store: SqliteStore,
    coming: Model,
    embedder: Embedder,
    told: Callable[[int], None],
    wait: Callable[[float], None],
    one: ProcessLock | None,
) -> bool:
    """Run the change, going on after failures of an API as long as it gets further."""
    batch = API_BATCH if is_remote(coming.source) else LOCAL_BATCH
    count = failures = 0

    def tell(done: int) -> None:
        nonlocal count, failures
        count, failures = count + done, 0
        if one is not None:
            one.tell(model=coming.name, done=count)
        told(done)

    while True:
        try:
            return ChangeModel(store).run(embedder, batch, tell)
        except UnavailableError:
            failures += 1
            if failures == TRIES:
                raise
            wait(PAUSE_SECONDS * failures)


def _note(store: SqliteStore, why: str) -> None:
    if why or store.meta(CHANGE_FAILURE):
        with store.transaction():
            text = f"{SystemClock().now()} {' '.join(why.split())[:500]}" if why else ""
            store.set_meta(CHANGE_FAILURE, text)


def start_change(store: SqliteStore, settings: Settings) -> None:
    """Start the process that embeds anew, if none runs; wait until it does, is done or failed."""
    if is_changing(settings):
        return
    _note(store, "")
    _spawn(settings)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and store.models.in_state(COMING) is not None:
        if is_changing(settings) or failure_of(store)[1]:
            return
        time.sleep(_STEP_SECONDS)


def resume_change(store: SqliteStore, settings: Settings) -> None:
    """Start the process again that embeds anew, where one is needed and none runs."""
    if store.read_only or not store.search.has_vectors or store.models.in_state(COMING) is None:
        return
    at, _why = failure_of(store)
    late = has_passed(RESUME_MS, at, SystemClock().now())
    if late and reembed_lock(settings) is not None and not is_changing(settings):
        _spawn(settings)


def _spawn(settings: Settings) -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    command = ["model", "embed", "--database", settings.db_path]
    start_detached([sys.executable, "-c", _STARTER, root, *command])


def schedule_shipped_upgrade(store: SqliteStore, embedder: Embedder) -> None:
    """Announce a later build of the shipped model: what ships now cannot read the old vectors."""
    serving = store.models.in_state(SERVING)
    if (
        serving is not None
        and not serving.source
        and serving.name != embedder.model
        and serving.name.partition("@")[0] == embedder.model.partition("@")[0]
        and not store.read_only
        and store.models.in_state(COMING) is None
    ):
        ChangeModel(store).start_reembedding(embedder, "")
