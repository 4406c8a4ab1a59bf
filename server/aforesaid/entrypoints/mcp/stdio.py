"""Lines in and out over standard input and output, as the real server takes over from the front.

Here: what the front took and answered already, and the one request that the SDK must not see.
Not here: the server (server.py), the hand-over (bootstrap/handover.py).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import mcp_types as types

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import anyio

DISCOVER = "server/discover"  #: asks for the newest era of the protocol
NO_DISCOVER: dict[str, Any] = {
    "code": types.METHOD_NOT_FOUND,
    "message": f"Method not found: {DISCOVER}",
}
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Input:
    """Lines of the client: first those that the front took already.

    The SDK takes a first request for ``server/discover`` as the choice of the era without sessions,
    whatever it is answered; so it is answered here.
    """

    def __init__(self, replayed: list[str], file: anyio.AsyncFile[str], output: Output) -> None:
        self._replayed = replayed
        self._file = file
        self._output = output

    async def __aiter__(self) -> AsyncIterator[str]:
        for line in self._replayed:
            yield _without_halves(line)
        async for line in self._file:
            declined = _declined(line)
            if declined is None:
                yield _without_halves(line)
            else:
                await self._output.write(declined)
                await self._output.flush()


def _declined(line: str) -> str | None:
    """Return the answer to a request for the newest era; None where it is another message."""
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


def _without_halves(line: str) -> str:
    """Return a message with U+FFFD for each half of a surrogate pair.

    What was cut in the middle of an emoji ends with one; the SDK drops such a message unanswered.
    """
    if not _SURROGATE.search(line):
        return line
    try:
        told = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return told.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Output:
    """Lines to the client, without the answer that the front gave already."""

    def __init__(self, answered: Any, file: anyio.AsyncFile[str]) -> None:
        self._answered = answered
        self._file = file

    async def write(self, line: str) -> None:
        """Write one message, unless it answers what was answered before."""
        if self._answered is not None:
            message = json.loads(line)
            if message.get("id") == self._answered and "method" not in message:
                self._answered = None
                return
        await self._file.write(line)

    async def flush(self) -> None:
        """Send what was written."""
        await self._file.flush()


def replayed_lines(told: dict[str, Any] | None) -> tuple[list[str], Any]:
    """Return the lines to replay, and the id of the answer to swallow."""
    if told is None:
        return [], None
    lines = []
    answered = None
    if told["initialize"] is not None:
        lines.append(json.dumps(told["initialize"]))
        answered = told["initialize"].get("id")
    if told["initialized"]:
        lines.append('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return [*lines, *told["pending"]], answered
