"""The server's first minute: answers the handshake at once, hands over when the rest is there.

Standard library only, and no wisdom of its own: what it says of the server stands in surface.json,
which is generated from the real one. It reads standard input unbuffered and speaks for itself only
what is listed in `_answer`; the rest goes to the real server (entrypoints/mcp/server.py), which
takes the connection over by exec, between two messages: handover.py says how.
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
# A client that has its lists is about to fall silent: time to warm the real server up.
SILENCE_SECONDS = 0.2
SILENCE_WITHOUT_LISTS_SECONDS = 1.0
WATCH_SECONDS = 0.25
RETRY_SECONDS = 60.0
_CHUNK = 1 << 16
_LARGEST_MESSAGE = 64 << 20
_LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
_THE_SERVERS_OWN = {
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "tools/call",
}


class HandOver(Exception):  # noqa: N818 - an end that is no error
    """A message came that only the real server can answer, and it is there."""


class RefusalError(Exception):
    """A request gets an error: its JSON-RPC code and text."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def main(arguments: list[str], *, problem: str = "") -> int:
    """Serves standard input and output until it ends or the real server takes over.

    Args:
        arguments: The command line; nothing of it is used.
        problem: Why the real server cannot run, if that is known: calls are answered with it.
    """
    del arguments
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    front = HandshakeServer(problem)
    try:
        return front.serve()
    except BrokenPipeError:
        os.close(1)
        return 0


class HandshakeServer:
    """One connection, up to the hand-over."""

    def __init__(self, problem: str = "") -> None:
        with open(os.path.join(os.path.dirname(__file__), "surface.json"), encoding="utf-8") as f:
            self._surface: dict[str, Any] = json.load(f)
        self._off = os.environ.get("AFORESAID_OFF", "").lower() not in paths.NOT_OFF
        if self._off:
            # A server that offers nothing: no model is told to store, no call asks anybody.
            self._surface.update(instructions="", tools=[])
        self._problem = problem
        self._pointer_then = _pointer_stamp()
        self._initialize: Any = None
        self._initialized = False
        self._listed = False
        self._buffer = b""
        self._pending: list[bytes] = []
        self._setup_started: float | None = None
        told = handover.take()
        if told is not None:
            self._initialize = told["initialize"]
            self._initialized = told["initialized"]
            self._buffer = "".join(f"{line}\n" for line in told["pending"]).encode()

    def serve(self) -> int:
        """Answers until the input ends; returns 0. Does not return where the server takes over."""
        if not self._ready():
            self._set_up()
        ended = False
        while True:
            self._take_lines(ended=ended)
            # What has come of a message already must stay in front of the rest of it.
            if self._pending and (ended or not self._buffer):
                self._hand_over()
            if ended:
                return 0
            if not _readable(self._poll_timeout()):
                self._on_idle()
                continue
            chunk = os.read(0, _CHUNK)
            ended = not chunk
            self._buffer += chunk
            if len(self._buffer) > _LARGEST_MESSAGE:
                sys.stderr.write("aforesaid: a message of more than 64 MiB; ending\n")
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
                self._take(line)

    def _take(self, line: bytes) -> None:
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
            self._answer_or_keep(one, json.dumps(one).encode("utf-8", "surrogatepass"))
            for one in message
        ]
        told = [answer for answer in answers if answer is not None]
        if told:
            self._send(told)

    def _answer_or_keep(self, message: Any, line: bytes) -> dict[str, Any] | None:
        """Returns the answer to one message; keeps it where only the real server can answer."""
        if not isinstance(message, dict):
            return _error(None, -32600, "Invalid request: not an object")
        answer = None
        try:
            if self._pending:
                self._pending.append(line)
            elif "method" in message and not isinstance(message["method"], str):
                answer = _error(message.get("id"), -32600, "Invalid request: no name of a method")
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

    def _client(self) -> str:
        """Returns the name that the client gave itself, if it did."""
        try:
            return str(self._initialize["params"]["clientInfo"]["name"])
        except (KeyError, TypeError):
            return ""

    def _answer(self, message: dict[str, Any]) -> Any:
        """Returns a result, or raises HandOver or RefusalError."""
        method = message["method"]
        if method == "initialize":
            self._initialize = message
            return self._introduce(message.get("params"))
        if method == "ping":
            return {}
        if method in _LISTS:
            self._listed = self._listed or method == "tools/list"
            kind = _LISTS[method]
            hidden = kind == "prompts" and self._client() in self._surface.get(
                "promptsHiddenFrom", []
            )
            return {kind: [] if hidden else self._surface.get(kind, [])}
        if method not in _THE_SERVERS_OWN:
            raise RefusalError(-32601, f"Method not found: {method}")
        if self._ready():
            raise HandOver
        if method == "tools/call":
            text = self._setup_message()
            return {"content": [{"type": "text", "text": text}], "isError": True}
        if method == "logging/setLevel":
            return {}
        raise RefusalError(-32603, self._setup_message())

    def _introduce(self, parameters: Any) -> dict[str, Any]:
        asked = parameters.get("protocolVersion") if isinstance(parameters, dict) else None
        told = {
            "protocolVersion": asked if asked in PROTOCOLS else PROTOCOLS[0],
            "capabilities": self._surface["capabilities"],
            "serverInfo": self._surface["serverInfo"],
        }
        if self._surface.get("instructions"):
            told["instructions"] = self._surface["instructions"]
        return told

    def _setup_message(self) -> str:
        """Returns why a call cannot be answered now, and what to do; tries set-up again."""
        if self._off:
            return "Aforesaid is switched off for this session by AFORESAID_OFF: go on without."
        if self._problem:
            return self._problem
        error = paths.setup_error()
        self._set_up()
        if error:
            return f"{error} It is being tried again now."
        told = paths.progress()
        step, of = told.get("step", 0), told.get("of", 5)
        return (
            f"Aforesaid is setting up, {step} of {of}: {told.get('text', 'looking around')}. "
            "This happens once; try again in a minute."
        )

    def _ready(self) -> bool:
        if self._off:
            return False
        if self._problem:
            # The server could not be loaded; a rebuilt environment is worth another try.
            return _pointer_stamp() != self._pointer_then and bool(paths.ready_python())
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
        """Returns how long to wait for the next message, in seconds; None is for ever."""
        if self._buffer or self._off:
            return None
        if not self._ready():
            return WATCH_SECONDS
        if self._setup_started is not None:
            return 0.0
        if not self._initialized:
            return None
        return SILENCE_SECONDS if self._listed else SILENCE_WITHOUT_LISTS_SECONDS

    def _on_idle(self) -> None:
        if self._ready():
            self._hand_over()

    def _hand_over(self) -> NoReturn:
        """Becomes the real server."""
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
    if os.name == "nt":  # select knows sockets only there: no watch, the next message wakes us
        return True
    return bool(select.select([0], [], [], seconds)[0])


def _pointer_stamp() -> int:
    try:
        return os.stat(paths.pointer_path()).st_mtime_ns
    except OSError:
        return 0


def _error(identity: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": text}}
