"""The MCP server over standard input and output, on the official SDK.

It usually starts as bootstrap/handshake_server.py, which answers the client at once and then
becomes this process by exec: what the client said so far is replayed here, and our answer to it
swallowed.
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

from aforesaid.adapters.system.log import kind_and_place
from aforesaid.bootstrap import handover, import_errors, paths
from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.model.memory import REPLY_CHARS
from aforesaid.domain.text.invisible import remove_invisible
from aforesaid.entrypoints.api.arguments import read_arguments
from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.entrypoints.preload import start_preload
from aforesaid.operations.deferred_work import run_deferred_work
from aforesaid.version import __version__

from . import prompts
from .stdio import DISCOVER, NO_DISCOVER, Input, Output, replayed_lines
from .tool_handlers import ToolHandlers
from .worker_threads import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mcp.server.context import ServerRequestContext

    from aforesaid.operations.client_connection import ClientConnection

    Context = ServerRequestContext[Any]

_HERE = os.path.dirname(os.path.abspath(__file__))


def instructions() -> str:
    """Return what every client's model is told about this server."""
    with open(os.path.join(_HERE, "instructions.txt"), encoding="utf-8") as file:
        return file.read().strip()


def listed_tools() -> list[types.Tool]:
    """Return the tools as the client lists them."""
    return [types.Tool.model_validate({"name": name, **tool}) for name, tool in TOOLS.items()]


def describe() -> dict[str, Any]:
    """Return what this server says of itself, for the front to say in its place."""
    from aforesaid.operations.client_connection import ClientConnection

    does = RequestHandlers(ClientConnection(os.environ))
    server = make_server(lambda _context: does)
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


def _plain(listed: Sequence[Any]) -> list[dict[str, Any]]:
    return [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in listed]


class ToolRunner:
    """Runs the calls of one conversation, one after the other, each in a lane that is free."""

    def __init__(self, conversation: ClientConnection, lanes: WorkerPool | None = None) -> None:
        self._conversation = conversation
        self._lanes = lanes or WorkerPool()
        self._turn = anyio.Lock()

    async def run(self, tool: str, given: dict[str, Any] | None) -> tuple[str, bool]:
        """Return a call's answer as text, and whether it is an error."""
        after: list[Callable[[], None]] = []
        async with self._turn:
            lane = self._lanes.least_busy()
            answer = await lane.run(partial(self._answer, tool, given, after))
        for work in after:
            lane.later(partial(self._run_logged, work))
        return answer

    def prepare(self) -> None:
        """Have services ready for the first call, which waits for them in the same lane."""
        self._lanes.least_busy().later(self._prepare)

    def _prepare(self) -> None:
        try:
            self._conversation.core.prepare()
        except Exception as error:  # noqa: BLE001 - the first call tries again, and says why
            self._conversation.log.write("debug", f"not ready: {kind_and_place(error)}")
        start_preload()

    def _answer(
        self, tool: str, given: dict[str, Any] | None, after: list[Callable[[], None]]
    ) -> tuple[str, bool]:
        """Do one call, in its lane; what it leaves for later goes to ``after``."""
        log = self._conversation.log
        began = time.monotonic()
        try:
            if tool not in TOOLS:
                return f"there is no tool {tool!r}: use one of {', '.join(TOOLS)}", True
            off = "" if tool == "set_project" else self._conversation.off_in()
            if off:
                return f"Memory is switched off in {off} by [project] off: go on without.", True
            calls = ToolHandlers(self._conversation)
            found = calls.call(tool, read_arguments(tool, given))
            if warning := self._conversation.untold_warnings():
                found = {"notice": warning, **found}
            deferred = partial(run_deferred_work, self._conversation.core)
            after += [*calls.after, deferred, paths.mark_own_environment_used]
            log.write("debug", f"{tool} took {(time.monotonic() - began) * 1000:.0f} ms")
        except (UnavailableError, CorruptError) as error:
            log.write("error", f"{tool}: {type(error).__name__}: {error}")
            return _to_utf8(str(error)), True
        except AforesaidError as error:
            log.write(
                "debug", f"{tool}: {type(error).__name__}"
            )  # its words may quote what was asked
            return _to_utf8(str(error)), True
        except Exception as error:  # noqa: BLE001 - the outermost boundary of a call
            log.write("error", f"{tool}: {kind_and_place(error)}")
            return _to_utf8(_unexpected(tool, error)), True
        return _to_utf8(_truncate_reply(found)), False

    def _run_logged(self, work: Callable[[], None]) -> None:
        """Do what nobody waits for; a failure is one line of the log."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a thread's outermost boundary
            self._conversation.log.write("error", f"afterwards: {kind_and_place(error)}")


def _unexpected(tool: str, error: Exception) -> str:
    if isinstance(error, ImportError) or import_errors.code_was_replaced():
        return import_errors.explain(error)
    return f"{tool} failed inside Aforesaid ({type(error).__name__}): nothing is lost"


def _truncate_reply(found: dict[str, Any]) -> str:
    """Return an answer as JSON that a client takes whole; the last results go first."""
    while True:
        text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        if len(text) <= REPLY_CHARS or not found.get("results"):
            return text
        left = found["results"][: len(found["results"]) * REPLY_CHARS // len(text)]
        found = {**found, "results": left, "note": "cut to what fits: ask for fewer, or by ids"}


def _to_utf8(text: str) -> str:
    """Return text that UTF-8 can hold and a client takes: names of folders may be neither."""
    return remove_invisible(text[:REPLY_CHARS]).encode("utf-8", "replace").decode("utf-8")


class RequestHandlers:
    """What the server does for each kind of request of one client."""

    def __init__(self, conversation: ClientConnection, lanes: WorkerPool | None = None) -> None:
        self._conversation = conversation
        self._worker = ToolRunner(conversation, lanes)
        self._learning = anyio.Lock()  # calls that come together all wait for where they come from

    def prepare(self) -> None:
        """Have services ready before the first call."""
        self._worker.prepare()

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """List the tools."""
        return types.ListToolsResult(tools=listed_tools())

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Do what a tool does."""
        async with self._learning:
            await _learn_client(context, self._conversation)
        text, failed = await self._worker.run(params.name, params.arguments)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)], is_error=failed
        )

    async def list_prompts(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """List the prompts, but not to clients that have our commands."""
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
        """List the resources that have an address of their own."""
        return types.ListResourcesResult(resources=prompts.RESOURCES)

    async def list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List the forms of addresses."""
        return types.ListResourceTemplatesResult(resource_templates=prompts.TEMPLATES)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read the context, or one memory."""
        async with self._learning:
            await _learn_client(context, self._conversation)
        uri = str(params.uri)
        try:
            tool, given = prompts.read_resource(uri)
        except NotFoundError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        text, failed = await self._worker.run(tool, given)
        if failed:
            raise MCPError(types.INVALID_PARAMS, text)
        kind = "application/json"
        if uri == prompts.CONTEXT_URI:
            kind, text = "text/plain", json.loads(text)["context"]
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)]
        )


def make_server(find: Callable[[Context], RequestHandlers]) -> Server[Any]:
    """Return a server whose requests are answered by the handlers that ``find`` gives for each."""

    def by(kind: str) -> Callable[[Context, Any], Awaitable[Any]]:
        async def answer(context: Context, params: Any) -> Any:
            return await getattr(find(context), kind)(context, params)

        return answer

    server = Server[Any](
        "aforesaid",
        version=__version__,
        title="Aforesaid",
        instructions=instructions(),
        on_list_tools=by("list_tools"),
        on_call_tool=by("call_tool"),
        on_list_prompts=by("list_prompts"),
        on_get_prompt=by("get_prompt"),
        on_list_resources=by("list_resources"),
        on_list_resource_templates=by("list_templates"),
        on_read_resource=by("read_resource"),
    )
    # A client that knows both eras of the protocol takes the one with sessions and roots: so does
    # the front.
    server.add_request_handler(DISCOVER, types.RequestParams, _decline)
    return server


async def _decline(_context: Context, _params: object) -> types.DiscoverResult:
    raise MCPError(NO_DISCOVER["code"], NO_DISCOVER["message"])


def _client_name(context: Context) -> str:
    told = context.session.client_params
    return told.client_info.name if told is not None and told.client_info is not None else "unknown"


async def _learn_client(context: Context, conversation: ClientConnection) -> None:
    """Ask the client once who it is and, where no variable tells, which folders it works in."""
    if conversation.client_name:
        return
    told = context.session.client_params
    conversation.client_name = _client_name(context)
    environment = conversation.environment
    if environment.get("CLAUDE_PROJECT_DIR") or environment.get("AFORESAID_CWD"):
        return
    if told is None or told.capabilities.roots is None or not context.session.can_send_request:
        return
    # Over HTTP the answer to the call carries the question: a stream of its own may not be there.
    asked_in = ServerMessageMetadata(related_request_id=context.request_id)
    with anyio.move_on_after(2):
        try:
            answer = await context.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, metadata=asked_in
            )
        except Exception as error:  # noqa: BLE001 - a client that cannot tell is no failure
            conversation.log.write("warning", f"the client named no roots: {error}")
            return
        conversation.roots = [
            path for root in answer.roots if (path := _path_of(str(root.uri))) is not None
        ]


def _path_of(uri: str) -> str | None:
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" else None


async def _serve(conversation: ClientConnection) -> None:
    replayed, answered = replayed_lines(handover.take())
    # what anything prints must not reach the wire
    reading, writing = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    source = TextIOWrapper(os.fdopen(reading, "rb"), encoding="utf-8", errors="replace")
    sink = TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8", newline="\n")
    does = RequestHandlers(conversation)
    does.prepare()
    server = make_server(lambda _context: does)
    output = Output(answered, anyio.wrap_file(sink))
    async with stdio_server(
        cast("anyio.AsyncFile[str]", Input(replayed, anyio.wrap_file(source), output)),
        cast("anyio.AsyncFile[str]", output),
    ) as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def main(_arguments: Sequence[str]) -> NoReturn:
    """Serve one client until it closes its end or interrupts; ends the process."""
    from aforesaid.operations.client_connection import ClientConnection

    conversation = ClientConnection(os.environ)
    conversation.log.write("info", f"server {__version__} for the client in process {os.getppid()}")
    # asyncio's own way would wait for the thread that reads standard input
    signal.signal(signal.SIGINT, lambda *_: _end(conversation))
    conversation.warm_up()
    anyio.run(_serve, conversation)
    _end(conversation)


def _end(conversation: ClientConnection) -> NoReturn:
    conversation.close()
    os._exit(0)  # no thread of ours holds anything that is not durable already
