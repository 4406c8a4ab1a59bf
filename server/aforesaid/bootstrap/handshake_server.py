"""Answers the MCP handshake at once, then replaces itself with the real server.

It uses the standard library only, and answers from surface.json, which is generated from the real
server (entrypoints/mcp/server.py). The requests that it does not answer are kept for the real
server, which takes over the connection by exec between two messages (handover.py). It reads
standard input unbuffered, so that no message is lost.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time

from aforesaid.bootstrap import handover, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

PROTOCOLS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
# How long a client is idle before the real server starts, after and before it listed the tools.
IDLE_SECONDS = 0.2
IDLE_BEFORE_LISTS_SECONDS = 1.0
POLL_SECONDS = 0.25  #: while the environment is being built
RETRY_SECONDS = 60.0
_READ_BYTES = 1 << 16
_MAX_MESSAGE_BYTES = 64 << 20
_LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
_REAL_SERVER_METHODS = {
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "tools/call",
}


class HandOver(Exception):  # noqa: N818 - not an error
    """Only the real server can answer this message, and it can run."""


class RefusalError(Exception):
    """A request is answered with a JSON-RPC error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def main(arguments: list[str], *, problem: str = "") -> int:
    """Serve standard input and output until input ends or the real server takes over.

    Args:
        arguments: the command line; unused.
        problem: why the real server cannot run, if known; calls are answered with it.
    """
    del arguments
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return HandshakeServer(problem).serve()
    except BrokenPipeError:
        os.close(1)
        return 0


class HandshakeServer:
    """Serves one client until the real server takes over."""

    def __init__(self, problem: str = "") -> None:
        with open(os.path.join(os.path.dirname(__file__), "surface.json"), encoding="utf-8") as f:
            self._surface: dict[str, Any] = json.load(f)
        self._off = os.environ.get("AFORESAID_OFF", "").lower() not in paths.NOT_OFF
        if self._off:
            # offer no tools, and do not instruct the model to use them
            self._surface.update(instructions="", tools=[])
        self._problem = problem
        self._initial_pointer = _pointer_stamp()
        self._initialize: Any = None
        self._initialized = False
        self._listed = False
        self._buffer = b""
        self._pending: list[bytes] = []
        self._setup_started: float | None = None
        state = handover.take()
        if state is not None:
            self._initialize = state["initialize"]
            self._initialized = state["initialized"]
            self._buffer = "".join(f"{line}\n" for line in state["pending"]).encode()

    def serve(self) -> int:
        """Answer until input ends or the real server takes over; return the exit code."""
        if not self._ready():
            self._set_up()
        ended = False
        while True:
            self._take_lines(ended=ended)
            # an incomplete message must be completed first
            if self._pending and (ended or not self._buffer):
                self._hand_over()
            if ended:
                return 0
            if not _readable(self._poll_timeout()):
                if self._ready():
                    self._hand_over()
                continue
            chunk = os.read(0, _READ_BYTES)
            ended = not chunk
            self._buffer += chunk
            if len(self._buffer) > _MAX_MESSAGE_BYTES:
                sys.stderr.write("aforesaid: received a message of more than 64 MiB; stopping\n")
                return 1

    def _take_lines(self, *, ended: bool) -> None:
        *lines, self._buffer = self._buffer.split(b"\n")
        if ended and self._buffer:
            lines.append(self._buffer)
            self._buffer = b""
        for line in lines:
            if not line.strip():
                continue
            if self._pending:
                self._pending.append(line)
            else:
                self._handle_line(line)

    def _handle_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._send(_error(None, -32700, f"Parse error: {error}"))
            return
        if not isinstance(message, list):
            answer = self._answer_or_keep(message, line)
            if answer is not None:
                self._send(answer)
            return
        if not message:
            self._send(_error(None, -32600, "Invalid request: an empty batch"))
            return
        answers = [
            self._answer_or_keep(item, json.dumps(item).encode("utf-8", "surrogatepass"))
            for item in message
        ]
        answers = [answer for answer in answers if answer is not None]
        if answers:
            self._send(answers)

    def _answer_or_keep(self, message: Any, line: bytes) -> dict[str, Any] | None:
        """Return the answer to one message, or keep the message for the real server."""
        if not isinstance(message, dict):
            return _error(None, -32600, "Invalid request: not an object")
        answer = None
        try:
            if self._pending:
                self._pending.append(line)
            elif "method" in message and not isinstance(message["method"], str):
                answer = _error(
                    message.get("id"), -32600, "Invalid request: the method is not a string"
                )
            elif "method" in message and "id" in message:
                result = self._answer(message)
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            elif message.get("method") == "notifications/initialized":
                self._initialized = True
        except HandOver:
            self._pending.append(line)
        except RefusalError as refusal:
            answer = _error(message["id"], refusal.code, str(refusal))
        return answer

    def _client_name(self) -> str:
        try:
            return str(self._initialize["params"]["clientInfo"]["name"])
        except (KeyError, TypeError):
            return ""

    def _answer(self, message: dict[str, Any]) -> Any:
        """Return a result.

        Raises:
            HandOver: the real server must answer.
            RefusalError: the answer is an error.
        """
        method = message["method"]
        if method == "initialize":
            self._initialize = message
            return self._initialize_result(message.get("params"))
        if method == "ping":
            return {}
        if method in _LISTS:
            self._listed = self._listed or method == "tools/list"
            kind = _LISTS[method]
            hidden = kind == "prompts" and self._client_name() in self._surface.get(
                "promptsHiddenFrom", []
            )
            return {kind: [] if hidden else self._surface.get(kind, [])}
        if method not in _REAL_SERVER_METHODS:
            raise RefusalError(-32601, f"Method not found: {method}")
        if self._ready():
            raise HandOver
        if method == "tools/call":
            text = self._setup_message()
            return {"content": [{"type": "text", "text": text}], "isError": True}
        if method == "logging/setLevel":
            return {}
        raise RefusalError(-32603, self._setup_message())

    def _initialize_result(self, parameters: Any) -> dict[str, Any]:
        requested = parameters.get("protocolVersion") if isinstance(parameters, dict) else None
        result = {
            "protocolVersion": requested if requested in PROTOCOLS else PROTOCOLS[0],
            "capabilities": self._surface["capabilities"],
            "serverInfo": self._surface["serverInfo"],
        }
        if self._surface.get("instructions"):
            result["instructions"] = self._surface["instructions"]
        return result

    def _setup_message(self) -> str:
        """Return why a call cannot be answered now, and what to do; start set-up if needed."""
        if self._off:
            return "AFORESAID_OFF switches Aforesaid off in this session: continue without it."
        if self._problem:
            return self._problem
        error = paths.setup_error()
        self._set_up()
        if error:
            return f"{error} Trying again now."
        progress = paths.progress()
        step, steps = progress.get("step", 0), progress.get("of", 5)
        return (
            f"Aforesaid is setting up, {step} of {steps}: {progress.get('text', 'starting')}. "
            "This happens once; try again in a minute."
        )

    def _ready(self) -> bool:
        if self._off:
            return False
        if self._problem:
            # the server failed to load; try again once the environment was rebuilt
            return _pointer_stamp() != self._initial_pointer and bool(paths.ready_python())
        return paths.from_wheel() or bool(paths.ready_python())

    def _set_up(self) -> None:
        now = time.monotonic()
        too_soon = self._setup_started is not None and now - self._setup_started < RETRY_SECONDS
        if too_soon or self._off or self._problem or os.environ.get("AFORESAID_ENV"):
            return
        from aforesaid.bootstrap.processes import start_setup

        self._setup_started = now
        start_setup()

    def _poll_timeout(self) -> float | None:
        """Return how many seconds to wait for the next message; None waits forever."""
        if self._buffer or self._off:
            return None
        if not self._ready():
            return POLL_SECONDS
        if self._setup_started is not None:
            return 0.0
        if not self._initialized:
            return None
        return IDLE_SECONDS if self._listed else IDLE_BEFORE_LISTS_SECONDS

    def _hand_over(self) -> NoReturn:
        """Replace this process with the real server."""
        from aforesaid.bootstrap.processes import become

        descriptor = handover.pack(self._initialize, self._initialized, self._pending)
        os.environ[handover.VARIABLE] = str(descriptor)
        become(_server_command())

    def _send(self, message: Any) -> None:
        content = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        while content:
            content = content[os.write(1, content) :]


def _server_command() -> list[str]:
    if paths.from_wheel():
        start = (
            "from aforesaid.entrypoints.mcp.server import main as m; raise SystemExit(m(['serve']))"
        )
        return [sys.executable, "-I", "-X", "utf8", "-c", start]
    from aforesaid.bootstrap.path_link import follow_update

    follow_update()
    python = paths.ready_python()
    environment = os.path.dirname(os.path.dirname(python))
    if paths.mark_used(environment):
        from aforesaid.bootstrap.environment import retire_unused

        retire_unused()
    return [python, "-I", "-X", "utf8", paths.START, "serve", "--handed-over"]


def _readable(seconds: float | None) -> bool:
    if os.name == "nt":  # select supports only sockets there, so wait for the next message
        return True
    return bool(select.select([0], [], [], seconds)[0])


def _pointer_stamp() -> int:
    try:
        return os.stat(paths.pointer_path()).st_mtime_ns
    except OSError:
        return 0


def _error(identity: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": text}}
