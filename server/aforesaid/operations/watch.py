"""The process that digests sessions as they end, and has the store tended, without hooks."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.system.file_watcher import changes
from aforesaid.adapters.system.machine import SystemClock, start_detached
from aforesaid.adapters.system.process_lock import ProcessLock
from aforesaid.config import load_settings
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.backlog import QUIET_MS
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.wiring import factories

from .backfill import find_transcripts, make_backfill, transcripts_folder, wanted
from .maintenance_schedule import RETRY_MS, has_passed, is_due
from .session_start import start_sweep

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.backlog import Transcript

START_SECONDS = 15.0
_STEP_SECONDS = 0.1
#: With nothing waiting and nothing changed, only every so many waits the folder is listed.
_IDLE_WAITS = 10


def one_watcher(environment: Mapping[str, str]) -> ProcessLock:
    """Return the lock of this user's watcher."""
    return ProcessLock(os.path.join(load_settings(environment).state_folder, "watch.lock"))


class Watcher:
    """Digests what ended, again and again."""

    def __init__(
        self, environment: Mapping[str, str], folder: str | None, quiet_ms: int = QUIET_MS
    ) -> None:
        """Say what to follow.

        Args:
            environment: the process's.
            folder: of transcripts; None for this user's client's.
            quiet_ms: how long a session that no hook told about must have been silent.
        """
        self._environment = environment
        self._folder = folder or transcripts_folder(environment)
        self._quiet_ms = quiet_ms
        self._tended_at = 0  # ms, when tending was last started from here
        self._tried: dict[str, int] = {}  # path to the size that was read: a cut line stays cut
        self.digested = 0

    def run(self, stop: threading.Event, say: Callable[[str], None]) -> None:
        """Follow the folder until it is to stop; holds the user's one place for it.

        Raises:
            ConflictError: another process does so already.
        """
        one = one_watcher(self._environment)
        one.take()
        settings = load_settings(self._environment)
        since = to_iso(SystemClock().now())
        idle = 0
        pending = self._round(one, since, say)
        for changed in changes(self._folder, settings["digest.poll_seconds"], stop):
            idle = 0 if changed or pending else idle + 1
            if idle % _IDLE_WAITS == 0:
                pending = self._round(one, since, say)

    def _round(self, one: ProcessLock, since: str, say: Callable[[str], None]) -> bool:
        """Digest what waits; return whether something will, though nothing more changes."""
        facts: dict[str, Any] = {"since": since, "folder": self._folder}
        try:
            pending = self._digest(say)
        except AforesaidError as error:
            pending = True  # a full disk, a lock: tried again
            facts["error"] = str(error)[:1_000]
            say(f"aforesaid: {error}")
        one.tell(**facts, digested=self.digested)
        return pending

    def _digest(self, say: Callable[[str], None]) -> bool:
        if not os.path.isdir(self._folder):
            return False
        settings = load_settings(self._environment)
        store = factories.open_store(settings)
        try:
            backfill = make_backfill(store, settings, self._environment)
            found = find_transcripts([self._folder], self._environment)
            backlog = backfill.plan(found, quiet_ms=self._quiet_ms)
            untried = [one for one in backlog.waiting if self._tried.get(one.path) != one.size]
            waiting = wanted(untried, settings)

            def tell(one: Transcript) -> None:
                self._tried[one.path] = one.size

            done = backfill.run(waiting, tell)
            self.digested += done.digested
            if done.digested:
                say(f"{pluralize(done.digested, 'session')} digested")
            if done.digested and settings["digest.summariser"] != "none":
                from aforesaid.wiring.embedder_loader import embedder_of

                from .llm_extraction import extract_by_itself

                embedder = embedder_of(store, settings, self._environment)
                extract_by_itself(store, settings, self._environment, embedder.get)
            self._tend(store, settings)
        finally:
            store.close()
        return bool(backlog.running)

    def _tend(self, store: SqliteStore, settings: Settings) -> None:
        """Start the sweep where the store is due to be tended: no hook may do so here."""
        now = SystemClock().now()
        if has_passed(RETRY_MS, self._tended_at, now) and is_due(store, settings, now):
            self._tended_at = now
            start_sweep("watch")


def start_watcher(environment: Mapping[str, str], options: list[str]) -> dict[str, Any]:
    """Start the watcher as a process of its own, and return what it says once it runs.

    Args:
        environment: the process's.
        options: of ``aforesaid watch``.

    Raises:
        UnavailableError: it did not start in time.
    """
    one = one_watcher(environment)
    running = one.told()
    if running:
        return running
    arguments = sys.orig_argv
    start_detached([sys.executable, *arguments[1 : arguments.index("watch")], "watch", *options])
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        running = one.told()
        if "since" in running:
            return running
        time.sleep(_STEP_SECONDS)
    raise UnavailableError(
        "the watcher did not start: run `aforesaid watch` in the foreground to see why"
    )
