"""The MCP server over HTTP: streamable HTTP at ``/mcp``, and SSE at ``/sse`` for older clients.

Here: the process from its socket to its end. Not here: who may come in (auth.py), whose request it
is (sessions.py), what a request does (entrypoints/mcp/server.py). Why it is like this:
docs/adr/0035.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from typing import TYPE_CHECKING

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from aforesaid.adapters.system.auth_token import read_token
from aforesaid.bootstrap.paths import token_path
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.entrypoints.mcp.server import make_server
from aforesaid.entrypoints.preload import start_preload

from .auth import AuthMiddleware, is_loopback, names_of
from .connections import BACKLOG, Connections, limited, max_connections
from .log_rate import limit_log_rate
from .sessions import IDLE_SECONDS, MAX_SESSIONS, Sessions, SseTransport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

DRAIN_SECONDS = 3  #: how long answers that are on their way are waited for at the end


def main(*, host: str, port: int, allowed_hosts: Sequence[str] = ()) -> int:
    """Serve until a signal ends it; return the exit code.

    Args:
        host: the address to listen at.
        port: 0 takes any that is free.
        allowed_hosts: further names by which clients reach this machine.

    Raises:
        InvalidInputError: the host listens everywhere and no name was given that clients use.
        UnavailableError: nothing can listen there, or the token cannot be kept.
    """
    if host in {"", "0.0.0.0", "::"} and not allowed_hosts:  # noqa: S104 - looked for, not bound
        raise InvalidInputError(
            f"host {host!r} listens on every network of this machine: say by which name clients "
            "reach it, with --allow-host NAME (again for a second one), or leave --host out"
        )
    token = read_token(token_path())
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    gate = AuthMiddleware(token, names_of(host, port, allowed_hosts))
    start_preload()
    anyio.run(_serve, gate, listening, _where(host, port, allowed_hosts))
    os._exit(0)  # no thread of ours holds anything that is not durable already


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise UnavailableError(
            f"cannot listen at {host} port {port}: {error.strerror or error}; is another "
            "`aforesaid serve --http` running? --port takes another, --port 0 any that is free"
        ) from error
    return listening


def _where(host: str, port: int, allowed_hosts: Sequence[str]) -> str:
    """Return what the one who started this is told."""
    shown = allowed_hosts[0] if allowed_hosts else host
    shown = f"[{shown}]" if ":" in shown else shown
    lines = [
        f"aforesaid: MCP at http://{shown}:{port}/mcp (SSE for older clients: /sse)",
        "aforesaid: each request needs the header Authorization: Bearer <token>; the token is in "
        + token_path(),
    ]
    if not is_loopback(host):
        lines.append(
            f"aforesaid: WARNING: {host} is reached from other machines, and plain HTTP shows the "
            "token and every memory to all in between: put a TLS proxy before it, or use ssh -L"
        )
    return "\n".join(lines) + "\n"


async def _serve(gate: AuthMiddleware, listening: socket.socket, where: str) -> None:
    limit_log_rate()
    sessions = Sessions(os.environ)
    sessions.warm_up()
    manager = StreamableHTTPSessionManager(
        make_server(sessions.of), session_idle_timeout=IDLE_SECONDS, max_sessions=MAX_SESSIONS
    )
    sse = SseTransport(sessions)
    gate.inside = _routes(manager, sse)
    server = _Server(
        uvicorn.Config(
            gate,
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
    told_to_end = _until_signalled()
    async with anyio.create_task_group() as tasks:
        async with manager.run():
            tasks.start_soon(server.serve, [listening])
            sys.stderr.write(where)
            sys.stderr.flush()
            await told_to_end.wait()
            gate.closing = True
            sse.close()
        server.should_exit = True


def _routes(manager: StreamableHTTPSessionManager, sse: SseTransport) -> ASGIApp:
    async def nothing(_request: object, _error: Exception) -> PlainTextResponse:
        return PlainTextResponse("There is nothing here: MCP is at /mcp\n", status_code=404)

    return Starlette(
        routes=[
            Route("/mcp", endpoint=_App(manager.handle_request)),
            Route("/sse", endpoint=_App(sse.open), methods=["GET"]),
            Route("/messages", endpoint=_App(sse.messages)),
        ],
        exception_handlers={404: nothing},
    )


def _until_signalled() -> asyncio.Event:
    """Return what is set when the process is told to end; Windows has no other way than this."""
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: loop.call_soon_threadsafe(told.set))
    return told


class _App:
    """An application that is a method: a route takes a bare one for something else."""

    def __init__(self, inside: ASGIApp) -> None:
        self._inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._inside(scope, receive, send)


class _Server(uvicorn.Server):
    """Ends when it is told to, by us: signals are our own business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield
