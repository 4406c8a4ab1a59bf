"""Worker threads that run calls, each with its own connection and services.

Here: which thread takes a call. Not here: what a call does (server.py), which session it belongs
to (http_server/sessions.py).
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")


class WorkerThread:
    """A thread and the length of its queue. Used from one event loop only."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self.queued = 0  #: calls and deferred work, including what is running

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Return the result of work that is queued here."""
        return await self._submit(work)

    def later(self, work: Callable[[], None]) -> None:
        """Queue work whose result nobody waits for."""
        self._submit(work)

    def _submit(self, work: Callable[[], Answer]) -> asyncio.Future[Answer]:
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        self.queued += 1
        future.add_done_callback(self._finish)
        return future

    def _finish(self, _future: object) -> None:
        self.queued -= 1


class WorkerPool:
    """The worker threads of one process."""

    def __init__(self, count: int = 1) -> None:
        """Create workers; each thread starts with its first call."""
        self._workers = [WorkerThread() for _ in range(count)]

    def least_busy(self) -> WorkerThread:
        """Return the worker with the shortest queue; the first of equals, to use few threads."""
        return min(self._workers, key=lambda worker: worker.queued)
