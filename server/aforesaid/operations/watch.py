"""The watcher: digests sessions as they end, and starts maintenance, for use without hooks."""

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

from .backfill import find_transcripts, make_backfill, skip_headless, transcripts_folder
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
#: While nothing changes and no session is pending, the folder is listed at every tenth poll only.
_IDLE_POLLS = 10


def watcher_lock(environment: Mapping[str, str]) -> ProcessLock:
    """Return the lock of this user's watcher."""
    return ProcessLock(os.path.join(load_settings(environment).state_folder, "watch.lock"))


class Watcher:
    """Digests sessions as they end, until it is stopped."""

    def __init__(
        self, environment: Mapping[str, str], folder: str | None, quiet_ms: int = QUIET_MS
    ) -> None:
        """Set up the watcher.

        Args:
            environment: The environment variables.
            folder: The folder of transcripts; by default, that of this user's client.
            quiet_ms: How long a session without a hook must have been quiet to count as ended.
        """
        self._environment = environment
        self._folder = folder or transcripts_folder(environment)
        self._quiet_ms = quiet_ms
        self._maintained_at_ms = 0  # when it last started maintenance
        self._tried_sizes: dict[str, int] = {}  # size of each transcript when it was last read
        self.digested = 0

    def run(self, stop: threading.Event, report: Callable[[str], None]) -> None:
        """Watch the folder until stopped, holding this user's watcher lock.

        Raises:
            ConflictError: Another watcher is running.
        """
        lock = watcher_lock(self._environment)
        lock.acquire()
        settings = load_settings(self._environment)
        since = to_iso(SystemClock().now())
        idle = 0
        pending = self._round(lock, since, report)
        for changed in changes(self._folder, settings["digest.poll_seconds"], stop):
            idle = 0 if changed or pending else idle + 1
            if idle % _IDLE_POLLS == 0:
                pending = self._round(lock, since, report)

    def _round(self, lock: ProcessLock, since: str, report: Callable[[str], None]) -> bool:
        """Digest ended sessions; return whether to look again even if no file changes."""
        facts: dict[str, Any] = {"since": since, "folder": self._folder}
        try:
            pending = self._digest(report)
        except AforesaidError as error:
            pending = True  # the disk is full, or the store locked: retried
            facts["error"] = str(error)[:1_000]
            report(f"aforesaid: {error}")
        lock.write_status(**facts, digested=self.digested)
        return pending

    def _digest(self, report: Callable[[str], None]) -> bool:
        if not os.path.isdir(self._folder):
            return False
        settings = load_settings(self._environment)
        store = factories.open_store(settings)
        try:
            backfill = make_backfill(store, settings, self._environment)
            transcripts = find_transcripts([self._folder], self._environment)
            backlog = backfill.plan(transcripts, quiet_ms=self._quiet_ms)
            untried = [
                transcript
                for transcript in backlog.waiting
                if self._tried_sizes.get(transcript.path) != transcript.size
            ]

            def mark_tried(transcript: Transcript) -> None:
                self._tried_sizes[transcript.path] = transcript.size

            result = backfill.run(skip_headless(untried, settings), mark_tried)
            self.digested += result.digested
            if result.digested:
                report(f"{pluralize(result.digested, 'session')} digested")
            if result.digested and settings["digest.summariser"] != "none":
                from aforesaid.wiring.embedder_loader import embedder_of

                from .llm_extraction import extract_in_background

                embedder = embedder_of(store, settings, self._environment)
                extract_in_background(store, settings, self._environment, embedder.get)
            self._start_maintenance(store, settings)
        finally:
            store.close()
        return bool(backlog.running_count)

    def _start_maintenance(self, store: SqliteStore, settings: Settings) -> None:
        """Start a sweep if maintenance is due: without hooks, nothing else does."""
        now = SystemClock().now()
        if has_passed(RETRY_MS, self._maintained_at_ms, now) and is_due(store, settings, now):
            self._maintained_at_ms = now
            start_sweep("watch")


def start_watcher(environment: Mapping[str, str], options: list[str]) -> dict[str, Any]:
    """Start the watcher as a background process; return what it reports once it runs.

    Args:
        environment: The environment variables.
        options: The options of ``aforesaid watch``.

    Raises:
        UnavailableError: It did not start in time.
    """
    lock = watcher_lock(environment)
    running = lock.read_status()
    if running:
        return running
    arguments = sys.orig_argv
    start_detached([sys.executable, *arguments[1 : arguments.index("watch")], "watch", *options])
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        running = lock.read_status()
        if "since" in running:
            return running
        time.sleep(_STEP_SECONDS)
    raise UnavailableError(
        "the watcher did not start: run `aforesaid watch` in the foreground to see why"
    )
