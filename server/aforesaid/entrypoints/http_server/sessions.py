"""Whose request it is: each session over HTTP with a project of its own.

A client says where it is by headers (``Aforesaid-Project``, ``Aforesaid-Folder``,
``Aforesaid-Hint``, percent-encoded where they are not ASCII), by the same words in the address's
query (``/mcp?project=acme/payments``), or as MCP roots. What it does not say, this process's own
``AFORESAID_PROJECT`` says; its working directory says nothing about its clients.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import anyio
from mcp.server.sse import SseServerTransport
from starlette.requests import Request
from starlette.responses import Response

from aforesaid.entrypoints.mcp.server import RequestHandlers, make_server
from aforesaid.entrypoints.mcp.worker_threads import WorkerPool
from aforesaid.operations.client_connection import ClientConnection, ThreadLocalContainer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.context import ServerRequestContext
    from starlette.types import Receive, Scope, Send

MAX_SESSIONS = 256  #: open at once
IDLE_SECONDS = 3600.0  #: a session that asks nothing for so long is ended; its client begins anew
LANES = 8  #: calls of different sessions at once. Source: docs/adr/0035
_KEPT = 4 * MAX_SESSIONS  #: those that ended are not told of: the least recently used make room
SESSION_HEADER = "mcp-session-id"
#: What a client may say of its place, and the variable that says it over stdio.
SAID = {
    "project": "AFORESAID_PROJECT",
    "folder": "AFORESAID_CWD",
    "hint": "AFORESAID_HINT",
}
#: What this process knows of its own place, which is not its clients'.
_OF_THIS_PROCESS = ("CLAUDE_PROJECT_DIR", "AFORESAID_CWD", "AFORESAID_HINT")


class Sessions:
    """The conversations of this process, over one store and one model, some at a time."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {
            name: value for name, value in environment.items() if name not in _OF_THIS_PROCESS
        }
        self._shared = ThreadLocalContainer(self._environment)
        self._lanes = WorkerPool(LANES)
        self._open: OrderedDict[str, RequestHandlers] = OrderedDict()

    def warm_up(self) -> None:
        """Load the model in a thread."""
        self._shared.embedder.start()

    def of(self, context: ServerRequestContext[Any, Any]) -> RequestHandlers:
        """Return the handlers of a request's session, new with its first request.

        Clients of the newest protocol have no sessions: each request says where it comes from.
        """
        request = context.request
        assert request is not None  # this transport always has one
        session = request.headers.get(SESSION_HEADER)
        if session is None:
            return self.new(request, lasts=False)
        handlers = self._open.pop(session, None) or self.new(request)
        self._open[session] = handlers
        while len(self._open) > _KEPT:
            self._open.popitem(last=False)
        return handlers

    def new(self, request: Request, *, lasts: bool = True) -> RequestHandlers:
        """Return the handlers of a conversation that begins with a request, or is that request."""
        said = {
            variable: value for name, variable in SAID.items() if (value := _said(request, name))
        }
        conversation = ClientConnection({**self._environment, **said}, shared=self._shared.get)
        conversation.lasts = lasts
        return RequestHandlers(conversation, self._lanes)


def _said(request: Request, name: str) -> str:
    header = request.headers.get(f"aforesaid-{name}")
    text = unquote(header) if header is not None else request.query_params.get(name, "")
    return text.replace("\0", "").strip()


class SseTransport:
    """The transport before streamable HTTP: a stream for answers, requests beside it."""

    def __init__(self, sessions: Sessions, idle_seconds: float = IDLE_SECONDS) -> None:
        self._sessions = sessions
        self._idle_seconds = idle_seconds
        self._transport = SseServerTransport("/messages")
        self._scopes: set[anyio.CancelScope] = set()

    async def open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client for as long as its stream is open."""
        if len(self._scopes) >= MAX_SESSIONS:
            await Response("Too many open sessions\n", status_code=503)(scope, receive, send)
            return
        does = self._sessions.new(Request(scope, receive))
        idle = anyio.CancelScope()

        def find(_context: object) -> RequestHandlers:
            idle.deadline = anyio.current_time() + self._idle_seconds
            return does

        server = make_server(find)
        with idle:
            find(None)
            self._scopes.add(idle)
            try:
                async with self._transport.connect_sse(scope, receive, send) as (reading, writing):
                    await server.run(reading, writing, server.create_initialization_options())
            finally:
                self._scopes.discard(idle)

    @property
    def messages(self) -> Any:
        """What takes the client's requests."""
        return self._transport.handle_post_message

    def close(self) -> None:
        """End every stream."""
        for scope in self._scopes:
            scope.cancel()
