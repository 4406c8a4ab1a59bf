"""Sessions over HTTP, each with its own project.

A client names its project by headers (``Aforesaid-Project``, ``Aforesaid-Folder``,
``Aforesaid-Hint``, percent-encoded if not ASCII), by the same names in the query
(``/mcp?project=acme/payments``), or by MCP roots. The default is this process's own
``AFORESAID_PROJECT``; its working directory says nothing about its clients.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import anyio
from mcp.server.sse import SseServerTransport
from starlette.requests import Request
from starlette.responses import Response

from aforesaid.config import load_settings
from aforesaid.domain.errors import AforesaidError
from aforesaid.entrypoints.mcp.server import RequestHandlers, make_server
from aforesaid.entrypoints.mcp.transport import WorkerPool
from aforesaid.operations.client_connection import ClientConnection, ThreadLocalContainer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.context import ServerRequestContext
    from starlette.types import Receive, Scope, Send

MAX_SESSIONS = 256  #: open at once
IDLE_SECONDS = 3600.0  #: a session without requests for this long is closed
WORKERS = 8  #: calls of different sessions at once. Source: docs/adr/0035
#: The SDK reports no ended session, so the least recently used handlers are dropped.
_MAX_HANDLERS = 4 * MAX_SESSIONS
SESSION_HEADER = "mcp-session-id"
#: What a client may specify, and the variable that specifies it over stdio.
_VARIABLES = {
    "project": "AFORESAID_PROJECT",
    "folder": "AFORESAID_CWD",
    "hint": "AFORESAID_HINT",
}
#: Variables about this process, which do not apply to its clients.
_OWN_VARIABLES = ("CLAUDE_PROJECT_DIR", "AFORESAID_CWD", "AFORESAID_HINT")


class Sessions:
    """The sessions of this process, over one store and one model."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {
            name: value for name, value in environment.items() if name not in _OWN_VARIABLES
        }
        self._shared = ThreadLocalContainer(self._environment)
        self._workers = WorkerPool(WORKERS)
        self._open: OrderedDict[str, RequestHandlers] = OrderedDict()

    def warm_up(self) -> None:
        """Load the model in a thread, and hold the store open, so that the status lists us."""
        self._shared.embedder.start()
        settings = load_settings(self._environment, lenient=True)
        if os.path.exists(settings.db_path):
            with suppress(AforesaidError):  # the first request reports it
                self._shared.get().store.meta("install_secret")

    def of(self, context: ServerRequestContext[Any, Any]) -> RequestHandlers:
        """Return the handlers of a request's session, created with its first request.

        Clients of the newest protocol have no sessions: each request names its project.
        """
        request = context.request
        assert request is not None  # HTTP always has one
        session = request.headers.get(SESSION_HEADER)
        if session is None:
            return self.new(request, is_persistent=False)
        handlers = self._open.pop(session, None) or self.new(request)
        self._open[session] = handlers
        while len(self._open) > _MAX_HANDLERS:
            self._open.popitem(last=False)
        return handlers

    def new(self, request: Request, *, is_persistent: bool = True) -> RequestHandlers:
        """Return handlers for a session that begins with a request, or for that request alone."""
        named = {
            variable: value
            for name, variable in _VARIABLES.items()
            if (value := _parameter(request, name))
        }
        client = ClientConnection({**self._environment, **named}, shared=self._shared.get)
        client.is_persistent = is_persistent
        return RequestHandlers(client, self._workers)


def _parameter(request: Request, name: str) -> str:
    header = request.headers.get(f"aforesaid-{name}")
    text = unquote(header) if header is not None else request.query_params.get(name, "")
    return text.replace("\0", "").strip()


class SseTransport:
    """The older transport: a stream for answers, separate requests for messages."""

    def __init__(self, sessions: Sessions, idle_seconds: float = IDLE_SECONDS) -> None:
        self._sessions = sessions
        self._idle_seconds = idle_seconds
        self._transport = SseServerTransport("/messages")
        self._scopes: set[anyio.CancelScope] = set()

    async def open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client while its stream is open."""
        if len(self._scopes) >= MAX_SESSIONS:
            await Response("Too many open sessions\n", status_code=503)(scope, receive, send)
            return
        handlers = self._sessions.new(Request(scope, receive))
        idle = anyio.CancelScope()

        def find_handlers(_context: object) -> RequestHandlers:
            idle.deadline = anyio.current_time() + self._idle_seconds
            return handlers

        server = make_server(find_handlers)
        with idle:
            find_handlers(None)
            self._scopes.add(idle)
            try:
                async with self._transport.connect_sse(scope, receive, send) as (reader, writer):
                    await server.run(reader, writer, server.create_initialization_options())
            finally:
                self._scopes.discard(idle)

    @property
    def messages(self) -> Any:
        """The application that receives the clients' messages."""
        return self._transport.handle_post_message

    def close(self) -> None:
        """Close every stream."""
        for scope in self._scopes:
            scope.cancel()
