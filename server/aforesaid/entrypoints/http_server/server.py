"""The MCP server over HTTP: streamable HTTP at ``/mcp``, and SSE at ``/sse`` for older clients.

Here: the process from its socket to its end. Not here: authentication (auth.py), the session of a
request (sessions.py), what a request does (entrypoints/mcp/server.py). Reasons: docs/adr/0035.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from aforesaid.adapters.system.auth_token import read_token
from aforesaid.bootstrap.paths import token_path
from aforesaid.domain.errors import InvalidInputError
from aforesaid.entrypoints.mcp.server import make_server
from aforesaid.entrypoints.preload import start_preload

from .auth import AuthMiddleware, allowed_host_names, is_loopback
from .listening import listen, shutdown_event
from .listening import make_server as http_server_of
from .log_rate import limit_log_rate
from .sessions import IDLE_SECONDS, MAX_SESSIONS, Sessions, SseTransport

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send


def main(*, host: str, port: int, allowed_hosts: Sequence[str] = ()) -> int:
    """Serve until a signal ends it; return the exit code.

    Args:
        host: the address to listen at.
        port: 0 for any free one.
        allowed_hosts: additional names by which clients reach this machine.

    Raises:
        InvalidInputError: the host listens on all interfaces, and no name that clients use is
            given.
        UnavailableError: the address is not available, or the token cannot be stored.
    """
    if host in {"", "0.0.0.0", "::"} and not allowed_hosts:  # noqa: S104 - compared, not bound
        raise InvalidInputError(
            f"host {host!r} listens on every network interface: name the host that clients use "
            "with --allow-host NAME (repeatable), or leave out --host"
        )
    token = read_token(token_path())
    listener = listen(host, port, "aforesaid serve --http")
    port = listener.getsockname()[1]
    auth = AuthMiddleware(token, allowed_host_names(host, port, allowed_hosts))
    start_preload()
    anyio.run(_serve, auth, listener, _banner(host, port, allowed_hosts))
    os._exit(0)  # everything is durable already


def _banner(host: str, port: int, allowed_hosts: Sequence[str]) -> str:
    shown = allowed_hosts[0] if allowed_hosts else host
    shown = f"[{shown}]" if ":" in shown else shown
    lines = [
        f"aforesaid: MCP at http://{shown}:{port}/mcp (SSE for older clients: /sse)",
        "aforesaid: each request needs the header Authorization: Bearer <token>; the token is in "
        + token_path(),
    ]
    if not is_loopback(host):
        lines.append(
            f"aforesaid: WARNING: other machines can reach {host}, and plain HTTP exposes the "
            "token and every memory on the way: put a TLS proxy in front of it, or use ssh -L"
        )
    return "\n".join(lines) + "\n"


async def _serve(auth: AuthMiddleware, listener: socket.socket, banner: str) -> None:
    limit_log_rate()
    sessions = Sessions(os.environ)
    sessions.warm_up()
    manager = StreamableHTTPSessionManager(
        make_server(sessions.of), session_idle_timeout=IDLE_SECONDS, max_sessions=MAX_SESSIONS
    )
    sse = SseTransport(sessions)
    auth.app = _routes(manager, sse)
    server = http_server_of(auth)
    shutdown = shutdown_event()
    async with anyio.create_task_group() as tasks:
        async with manager.run():
            tasks.start_soon(server.serve, [listener])
            sys.stderr.write(banner)
            sys.stderr.flush()
            await shutdown.wait()
            auth.closing = True
            sse.close()
        server.should_exit = True


def _routes(manager: StreamableHTTPSessionManager, sse: SseTransport) -> ASGIApp:
    async def not_found(_request: object, _error: Exception) -> PlainTextResponse:
        return PlainTextResponse("Not found: MCP is at /mcp\n", status_code=404)

    return Starlette(
        routes=[
            Route("/mcp", endpoint=_App(manager.handle_request)),
            Route("/sse", endpoint=_App(sse.open), methods=["GET"]),
            Route("/messages", endpoint=_App(sse.messages)),
        ],
        exception_handlers={404: not_found},
    )


class _App:
    """Wraps a method as an application: a route would take the bare method for an endpoint."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
