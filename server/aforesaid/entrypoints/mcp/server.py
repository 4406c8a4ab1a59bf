"""The MCP server over standard input and output, on the official SDK.

It usually starts as bootstrap/handshake_server.py, which answers the client at once and then
becomes this process by exec: the messages so far are replayed here, and the second answer to
``initialize`` is dropped.
"""

from __future__ import annotations

import json
import os
import signal
import time
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn, cast

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from aforesaid.adapters.system.log import type_and_location
from aforesaid.bootstrap import handover, import_errors, paths
from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.model.memory import REPLY_CHARS
from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.entrypoints.api.listed_tools import listed_schemas
from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.entrypoints.preload import start_preload
from aforesaid.operations.client_connection import run_deferred_work
from aforesaid.version import __version__

from . import prompts
from .transport import DISCOVER, NO_DISCOVER, Input, Output, WorkerPool, replayed_lines

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mcp.server.context import ServerRequestContext

    from aforesaid.operations.client_connection import ClientConnection

    Context = ServerRequestContext[Any]

_HERE = os.path.dirname(os.path.abspath(__file__))


def instructions() -> str:
    """Return the server's instructions for the client's model."""
    with open(os.path.join(_HERE, "instructions.txt"), encoding="utf-8") as file:
        return file.read().strip()


def listed_tools() -> list[types.Tool]:
    """Return the tools in the form of a client's list."""
    return [
        types.Tool.model_validate({"name": name, **tool}) for name, tool in listed_schemas().items()
    ]


def describe() -> dict[str, Any]:
    """Return what this server sends clients; the handshake server answers with it."""
    from aforesaid.operations.client_connection import ClientConnection

    handlers = RequestHandlers(ClientConnection(os.environ))
    server = make_server(lambda _context: handlers)
    capabilities = server.get_capabilities()
    return {
        "serverInfo": server.server_info.model_dump(by_alias=True, mode="json", exclude_none=True),
        "capabilities": capabilities.model_dump(by_alias=True, mode="json", exclude_none=True),
        "instructions": instructions(),
        "tools": _plain(listed_tools()),
        "prompts": _plain(prompts.PROMPTS),
        "promptsHiddenFrom": list(prompts.HAVE_COMMANDS),
        "resources": _plain(prompts.RESOURCES),
        "resourceTemplates": _plain(prompts.TEMPLATES),
    }


def _plain(models: Sequence[Any]) -> list[dict[str, Any]]:
    return [model.model_dump(by_alias=True, mode="json", exclude_none=True) for model in models]


_MAX_NEAREST = 2  #: results of a recall without a good match


class ToolRunner:
    """Runs the calls of one client in order, each in the least busy worker thread."""

    def __init__(self, client: ClientConnection, workers: WorkerPool | None = None) -> None:
        self._client = client
        self._workers = workers or WorkerPool()
        self._turn = anyio.Lock()

    async def run(self, tool: str, arguments: dict[str, Any] | None) -> tuple[str, bool]:
        """Return a call's answer as text, and whether it is an error."""
        after: list[Callable[[], None]] = []
        async with self._turn:
            worker = self._workers.least_busy()
            answer = await worker.run(partial(self._answer, tool, arguments, after))
        for work in after:
            worker.later(partial(self._run_logged, work))
        return answer

    def prepare(self) -> None:
        """Make the services ready; the first call waits for that in the same thread."""
        self._workers.least_busy().later(self._prepare)

    def _prepare(self) -> None:
        try:
            self._client.core.prepare()
        except Exception as error:  # noqa: BLE001 - the first call tries again and reports it
            self._client.log.write("debug", f"services not ready: {type_and_location(error)}")
        start_preload()

    def _answer(
        self, tool: str, arguments: dict[str, Any] | None, after: list[Callable[[], None]]
    ) -> tuple[str, bool]:
        """Run one call in a worker thread; add the work that can follow the reply to ``after``."""
        log = self._client.log
        began = time.monotonic()
        try:
            if tool not in TOOLS:
                return f"there is no tool {tool!r}: use one of {', '.join(TOOLS)}", True
            off = "" if tool == "set_project" else self._client.switched_off_project()
            if off:
                return f"Memory is off in {off} (setting project.off): continue without it.", True
            calls = ToolCalls(self._client)
            answer = calls.call(tool, arguments)
            if answer.get("no_good_match") and "min_relevance" not in (arguments or {}):
                answer["results"] = answer["results"][:_MAX_NEAREST]
            if warning := self._client.new_warnings():
                answer = {"notice": warning, **answer}
            deferred = partial(run_deferred_work, self._client.core)
            after += [*calls.after, deferred, paths.mark_own_environment_used]
            log.write("debug", f"{tool} took {(time.monotonic() - began) * 1000:.0f} ms")
        except (UnavailableError, CorruptError) as error:
            log.write("error", f"{tool}: {type(error).__name__}: {error}")
            return _to_utf8(str(error)[:REPLY_CHARS]), True
        except AforesaidError as error:
            # without its message, which may quote the arguments
            log.write("debug", f"{tool}: {type(error).__name__}")
            return _to_utf8(str(error)[:REPLY_CHARS]), True
        except Exception as error:  # noqa: BLE001 - the outermost boundary of a call
            log.write("error", f"{tool}: {type_and_location(error)}")
            return _to_utf8(_unexpected(tool, error)), True
        return _to_utf8(_truncate_reply(answer)), False

    def _run_logged(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a thread's outermost boundary
            self._client.log.write(
                "error", f"work after a reply failed: {type_and_location(error)}"
            )


def _unexpected(tool: str, error: Exception) -> str:
    if isinstance(error, ImportError) or import_errors.code_was_replaced():
        return import_errors.explain(error)
    return f"internal error in {tool} ({type(error).__name__}; see the log): no data is lost"


def _truncate_reply(answer: dict[str, Any]) -> str:
    """Return an answer as JSON within the limit of a reply; the last results are dropped first.

    A single result is kept whole.
    """
    while True:
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        results = answer.get("results")
        if not results:
            return text[:REPLY_CHARS]
        if len(text) <= REPLY_CHARS or len(results) == 1:
            return text
        shortened = results[: max(len(results) * REPLY_CHARS // len(text), 1)]
        note = "truncated to fit: ask for fewer results, or read them with ids=[...]"
        answer = {**answer, "results": shortened, "note": note}


def _to_utf8(text: str) -> str:
    """Return text that UTF-8 can encode and clients accept, which names of folders may not be."""
    return remove_invisible(text).encode("utf-8", "replace").decode("utf-8")


class RequestHandlers:
    """Handles each kind of request of one client."""

    def __init__(self, client: ClientConnection, workers: WorkerPool | None = None) -> None:
        self._client = client
        self._runner = ToolRunner(client, workers)
        self._learning = anyio.Lock()  # concurrent calls all wait for the client's identity

    def prepare(self) -> None:
        """Make the services ready before the first call."""
        self._runner.prepare()

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed_tools())

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Run a tool."""
        async with self._learning:
            await _learn_client(context, self._client)
        text, failed = await self._runner.run(params.name, params.arguments)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], is_error=failed
        )

    async def list_prompts(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """List the prompts, except to clients that have our slash commands."""
        hidden = _client_name(context) in prompts.HAVE_COMMANDS
        return types.ListPromptsResult(prompts=[] if hidden else prompts.PROMPTS)

    async def get_prompt(
        self, _context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Write a prompt's message."""
        try:
            return prompts.write_prompt(params.name, params.arguments)
        except NotFoundError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error

    async def list_resources(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List the resources with a fixed URI."""
        return types.ListResourcesResult(resources=prompts.RESOURCES)

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List the URI templates."""
        return types.ListResourceTemplatesResult(resource_templates=prompts.TEMPLATES)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read the session context, or one memory."""
        async with self._learning:
            await _learn_client(context, self._client)
        uri = str(params.uri)
        try:
            tool, arguments = prompts.read_resource(uri)
        except NotFoundError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        text, failed = await self._runner.run(tool, arguments)
        if failed:
            raise MCPError(types.INVALID_PARAMS, text)
        mime_type = "application/json"
        if uri == prompts.CONTEXT_URI:
            mime_type, text = "text/plain", json.loads(text)["context"]
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)]
        )


def make_server(find_handlers: Callable[[Context], RequestHandlers]) -> Server[Any]:
    """Return a server whose requests are answered by the handlers from ``find_handlers``."""

    def handle(method: str) -> Callable[[Context, Any], Awaitable[Any]]:
        async def answer(context: Context, params: Any) -> Any:
            return await getattr(find_handlers(context), method)(context, params)

        return answer

    server = Server[Any](
        "aforesaid",
        version=__version__,
        title="Aforesaid",
        instructions=instructions(),
        on_list_tools=handle("list_tools"),
        on_call_tool=handle("call_tool"),
        on_list_prompts=handle("list_prompts"),
        on_get_prompt=handle("get_prompt"),
        on_list_resources=handle("list_resources"),
        on_list_resource_templates=handle("list_templates"),
        on_read_resource=handle("read_resource"),
    )
    # Clients that know both eras of the protocol then use the one with sessions and roots, as with
    # the handshake server.
    server.add_request_handler(DISCOVER, types.RequestParams, _decline)
    return server


async def _decline(_context: Context, _params: object) -> types.DiscoverResult:
    raise MCPError(NO_DISCOVER["code"], NO_DISCOVER["message"])


def _client_name(context: Context) -> str:
    params = context.session.client_params
    return "unknown" if params is None or params.client_info is None else params.client_info.name


async def _learn_client(context: Context, client: ClientConnection) -> None:
    """Ask the client once for its name and, unless a variable names the folder, for its roots."""
    if client.client_name:
        return
    params = context.session.client_params
    client.client_name = _client_name(context)
    if client.environment.get("CLAUDE_PROJECT_DIR") or client.environment.get("AFORESAID_CWD"):
        return
    if params is None or params.capabilities.roots is None or not context.session.can_send_request:
        return
    # Over HTTP the answer to the call carries the question: there may be no other stream.
    metadata = ServerMessageMetadata(related_request_id=context.request_id)
    with anyio.move_on_after(2):
        try:
            answer = await context.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, metadata=metadata
            )
        except Exception as error:  # noqa: BLE001 - the client may be unable to answer
            client.log.write("warning", f"the client named no roots: {error}")
            return
        client.roots = [
            path for root in answer.roots if (path := _path_of(str(root.uri))) is not None
        ]


def _path_of(uri: str) -> str | None:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" else None


async def _serve(client: ClientConnection) -> None:
    replayed, answered_id = replayed_lines(handover.take())
    # anything printed must not reach the protocol's stream
    stdin, stdout = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    source = TextIOWrapper(os.fdopen(stdin, "rb"), encoding="utf-8", errors="replace")
    sink = TextIOWrapper(os.fdopen(stdout, "wb"), encoding="utf-8", newline="\n")
    handlers = RequestHandlers(client)
    handlers.prepare()
    server = make_server(lambda _context: handlers)
    output = Output(answered_id, anyio.wrap_file(sink))
    async with stdio_server(
        cast("anyio.AsyncFile[str]", Input(replayed, anyio.wrap_file(source), output)),
        cast("anyio.AsyncFile[str]", output),
    ) as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def main(_arguments: Sequence[str]) -> NoReturn:
    """Serve one client until it closes its end or interrupts; ends the process."""
    from aforesaid.operations.client_connection import ClientConnection

    client = ClientConnection(os.environ)
    client.log.write("info", f"server {__version__} for the client in process {os.getppid()}")
    # asyncio's handler would wait for the thread that reads standard input
    signal.signal(signal.SIGINT, lambda *_: _end(client))
    client.warm_up()
    anyio.run(_serve, client)
    _end(client)


def _end(client: ClientConnection) -> NoReturn:
    client.close()
    os._exit(0)  # everything is durable already
