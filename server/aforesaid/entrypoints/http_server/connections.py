"""Limits on the number of connections and on the time that a request may take to arrive.

Here: uvicorn's protocol with limits that its settings lack. Not here: authentication (auth.py).
Sizes are limited elsewhere: headers by uvicorn, bodies by the MCP SDK.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from typing import Any

HEADER_SECONDS = 5.0  #: for the whole request line and headers
BODY_SECONDS = 10.0  #: for the whole body, extended while it arrives at MIN_BODY_RATE
MIN_BODY_RATE = 2_000  #: bytes per second
MAX_CONNECTIONS = 1024
#: Connections that the system accepts before any is counted.
BACKLOG = 64
#: File descriptors kept free for the store, the model and connections being accepted.
RESERVED_FILES = BACKLOG + 96
_MIN_CONNECTIONS = 16
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 21\r\nConnection: close\r\n\r\n"
    b"Too many connections\n"
)
_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 26\r\nConnection: close\r\n\r\n"
    b"The request took too long\n"
)
_log = logging.getLogger("aforesaid.http")


def max_connections() -> int:
    """Return the number of connections that the limit on open files allows."""
    try:
        import resource
    except ImportError:  # Windows
        return MAX_CONNECTIONS
    files, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(_MIN_CONNECTIONS, min(MAX_CONNECTIONS, files - RESERVED_FILES))


class Connections:
    """The open connections, oldest first, up to a limit."""

    def __init__(self, limit: int) -> None:
        """Create an empty list of connections.

        Args:
            limit: of all connections; one peer may have half of them.
        """
        self._limit = limit
        self._peer_limit = max(1, limit // 2)
        self._open: dict[LimitedProtocol, str] = {}

    def admit(self, connection: LimitedProtocol, peer: str) -> bool:
        """Add a connection if there is room, or if an older one without a request can be closed.

        A peer at its limit loses its own oldest such connection, never another peer's.
        """
        same_peer = [other for other, other_peer in self._open.items() if other_peer == peer]
        if len(same_peer) >= self._peer_limit:
            candidates = same_peer
        elif len(self._open) >= self._limit:
            candidates = list(self._open)
        else:
            candidates = []
        if candidates:
            idle = next((candidate for candidate in candidates if candidate.is_incomplete), None)
            if idle is None:
                return False
            del self._open[idle]
            _log.warning("too many connections: closed one without a complete request")
            idle.transport.abort()
        self._open[connection] = peer
        return True

    def remove(self, connection: LimitedProtocol) -> None:
        """Remove a closed connection."""
        self._open.pop(connection, None)


class LimitedProtocol(H11Protocol):
    """One connection, closed if its request does not arrive in time."""

    limits: Connections  #: set by ``limited``

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None
        self._phase: object = None
        self._body_bytes = 0

    @property
    def is_incomplete(self) -> bool:
        """Whether no request, or only a part of one, has arrived."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit a connection, or refuse it."""
        super().connection_made(transport)
        if not self.limits.admit(self, self.client[0] if self.client else ""):
            _log.warning("too many connections: refused one")
            transport.write(_BUSY)
            transport.close()
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        self.limits.remove(self)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        if self.transport.is_closing():
            return
        self._body_bytes += len(data)
        super().data_received(data)
        self._watch()

    def _watch(self) -> None:
        """Start the timer when the headers or the body begin, not with each packet."""
        phase = self.conn.their_state
        if phase is self._phase:
            return
        self._phase = phase
        self._stop_timer()
        if phase is h11.IDLE:
            self._timer = self.loop.call_later(HEADER_SECONDS, self._give_up)
        elif phase is h11.SEND_BODY:
            self._wait_for_body()

    def _wait_for_body(self) -> None:
        self._body_bytes = 0
        self._timer = self.loop.call_later(BODY_SECONDS, self._check_body)

    def _check_body(self) -> None:
        if self._body_bytes >= MIN_BODY_RATE * BODY_SECONDS:
            self._wait_for_body()
        else:
            self._give_up()

    def _give_up(self) -> None:
        if self.transport.is_closing():
            return
        _log.warning("closed a connection: its request did not arrive in time")
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(_LATE)
        self.transport.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def limited(limits: Connections) -> type[LimitedProtocol]:
    """Return the protocol class for a server with these limits."""
    return type("LimitedProtocol", (LimitedProtocol,), {"limits": limits})
