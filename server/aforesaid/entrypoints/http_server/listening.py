"""A listening socket, and a server that leaves signals to its caller: for MCP and the viewer."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from typing import TYPE_CHECKING

import uvicorn

from aforesaid.domain.errors import UnavailableError

from .connections import BACKLOG, Connections, limited, max_connections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

DRAIN_SECONDS = 3  #: time for running requests to finish at shutdown


def listen(host: str, port: int, command: str) -> socket.socket:
    """Return a socket that listens at an address.

    Args:
        host: the address.
        port: 0 for any free one.
        command: that may be running at the port already, for the error.

    Raises:
        UnavailableError: the address is not available.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # Connections inherit it. asyncio does not set it on those of a socket that it did not make,
        # and then a response's body waits for the acknowledgement of its head: 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        raise UnavailableError(
            f"cannot listen at {host} port {port}: {error.strerror or error}; if another "
            f"`{command}` is running, use --port for another port, or --port 0 for any"
        ) from error
    return listener


def make_server(app: ASGIApp) -> Server:
    """Return a server of an application, with limits on connections."""
    return Server(
        uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
            ws="none",
            http=limited(Connections(max_connections())),
            backlog=BACKLOG,
        )
    )


def shutdown_event() -> asyncio.Event:
    """Return an event that signals set; by ``signal.signal``, which is all that Windows has."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(event.set))
    return event


class Server(uvicorn.Server):
    """A server that leaves signals to its caller."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield
