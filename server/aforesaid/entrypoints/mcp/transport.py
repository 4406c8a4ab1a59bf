"""How calls reach the server: lines over standard input and output, and worker threads.

Here: replaying the messages that the handshake server read, keeping one request from the SDK, and
which thread takes a call; each has its own connection and services. Not here: what a call does
(server.py), which session it belongs to (http_server/sessions.py), the hand-over
(bootstrap/handover.py).
"""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import mcp_types as types

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import anyio

DISCOVER = "server/discover"  #: asks for the newest era of the protocol
NO_DISCOVER: dict[str, Any] = {
    "code": types.METHOD_NOT_FOUND,
    "message": f"Method not found: {DISCOVER}",
}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Input:
    """The client's lines, first those that the handshake server read.

    If the first request is ``server/discover``, the SDK chooses the protocol's era without
    sessions, whatever the answer is: so that request is answered here.
    """

    def __init__(self, replayed: list[str], file: anyio.AsyncFile[str], output: Output) -> None:
        self._replayed = replayed
        self._file = file
        self._output = output

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._replayed:
            yield _repair_surrogates(line)
        async for line in self._file:
            refusal = _refuse_discovery(line)
            if refusal is None:
                yield _repair_surrogates(line)
            else:
                await self._output.write(refusal)
                await self._output.flush()


def _refuse_discovery(line: str) -> str | None:
    """Return the refusal of a ``server/discover`` request; None for any other message."""
    if DISCOVER not in line:
        return None
    try:
        message = json.loads(line)
        if message["method"] != DISCOVER:
            return None
        answer = {"jsonrpc": "2.0", "id": message["id"], "error": NO_DISCOVER}
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return json.dumps(answer) + "\n"


def _repair_surrogates(line: str) -> str:
    """Return a message with U+FFFD in place of lone surrogates.

    Text that was cut in the middle of an emoji ends with one; the SDK drops such a message
    unanswered.
    """
    if not _SURROGATE.search(line):
        return line
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Output:
    """Lines to the client, without the answer that the handshake server gave."""

    def __init__(self, answered_id: Any, file: anyio.AsyncFile[str]) -> None:
        self._answered_id = answered_id
        self._file = file

    async def write(self, line: str) -> None:
        """Write one message, unless its request was answered before."""
        if self._answered_id is not None:
            message = json.loads(line)
            if message.get("id") == self._answered_id and "method" not in message:
                self._answered_id = None
                return
        await self._file.write(line)

    async def flush(self) -> None:
        """Flush the stream."""
        await self._file.flush()


def replayed_lines(handed_over: dict[str, Any] | None) -> tuple[list[str], Any]:
    """Return the lines to replay, and the id of the request whose answer is dropped."""
    if handed_over is None:
        return [], None
    lines = []
    initialize = handed_over["initialize"]
    if initialize is not None:
        lines.append(json.dumps(initialize))
    if handed_over["initialized"]:
        lines.append('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    answered_id = None if initialize is None else initialize.get("id")
    return [*lines, *handed_over["pending"]], answered_id


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
