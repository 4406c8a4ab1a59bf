"""Threads that calls run in, each with a connection and services of its own.

Here: which thread takes a call, and what is left for when nobody waits. Not here: what a call does
(server.py), whose it is (http_server/sessions.py).
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")


class WorkerThread:
    """One thread, and how much is due in it. Used from one event loop alone."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="calls")
        self.due = 0  #: calls and what they left, not yet done

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Return what work returns, done behind what is due here."""
        return await self._submit(work)

    def later(self, work: Callable[[], None]) -> None:
        """Have work done that nobody waits for, behind what is due by then."""
        self._submit(work)

    def _submit(self, work: Callable[[], Answer]) -> asyncio.Future[Answer]:
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        self.due += 1
        future.add_done_callback(self._done)
        return future

    def _done(self, _future: object) -> None:
        self.due -= 1


class WorkerPool:
    """The lanes of one process."""

    def __init__(self, count: int = 1) -> None:
        """Make lanes; a thread starts with the first call that it takes."""
        self._lanes = [WorkerThread() for _ in range(count)]

    def least_busy(self) -> WorkerThread:
        """Return the lane with the least due, the first of equals: few clients use few threads."""
        return min(self._lanes, key=lambda lane: lane.due)
