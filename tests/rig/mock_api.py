"""A scripted stand-in for the Anthropic Messages API, on loopback only.

Here: answering requests from a script, and keeping every request for the asserts. Not here: the
client that asks (client.py) and the script's words and the record (script.py).
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import urlsplit

from .script import Block, Request, Turn, kind_of, text, thinking, tool, turn

__all__ = ["MockAPI", "Request", "Turn", "text", "thinking", "tool", "turn"]

#: what a script may hold: a turn, its text, or a function that makes one from the request
ScriptItem = Turn | str | Callable[[Request], Turn | str]

_BY_DEFAULT = {
    "main": "(end of script)",
    "compact": "<analysis>-</analysis>\n<summary>SCRIPTED SUMMARY</summary>",
    "side": '{"title": "Scripted session"}',
}


class MockAPI:
    """Answers the client from a script; refuses and records what is not for loopback.

    Every request of the main loop takes the next turn of the script, and a default answer once
    that is used up. Requests for a compaction's summary and those without tools (titles,
    classifiers) get fixed answers and take no turn, except one whose ``when`` matches them.
    """

    def __init__(self, handler: type[BaseHTTPRequestHandler] | None = None) -> None:
        self.requests: list[Request] = []
        self.other: list[tuple[str, str]] = []  #: every other request: (method, path)
        self.refused: list[str] = []  #: hosts asked of the proxy, all refused
        self._lock = threading.Lock()
        self._pending: list[ScriptItem] = []
        handler = type("Handler", (handler or Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def main(self) -> list[Request]:
        """The requests of main loops and subagents, oldest first."""
        return [request for request in self.requests if request.kind == "main"]

    @property
    def left(self) -> int:
        """How many scripted turns nobody took yet."""
        return len(self._pending)

    def extend(self, items: Iterable[ScriptItem]) -> None:
        """Add turns to the script's end."""
        with self._lock:
            self._pending.extend(items)

    def answer(self, request: Request) -> Turn:
        """Record the request and return the turn that answers it."""
        with self._lock:
            request.index = len(self.requests)
            self.requests.append(request)
            item = self._take(request)
        made = item(request) if callable(item) else item
        request.answer = turn(made) if isinstance(made, str) else made
        return request.answer

    def _take(self, request: Request) -> ScriptItem:
        for place, item in enumerate(self._pending):
            wanted = item.when if isinstance(item, Turn) else None
            if wanted(request) if wanted else request.kind == "main":
                return self._pending.pop(place)
        return _BY_DEFAULT[request.kind]

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers as the Anthropic Messages API; what it does not know is recorded."""

    api: ClassVar[MockAPI]
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Keep stderr quiet."""

    def _body(self) -> bytes:
        if "chunked" not in (self.headers.get("Transfer-Encoding") or "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        out = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            out += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return out

    def _json(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("request-id", "req_" + uuid.uuid4().hex[:20])
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _other(self) -> None:
        self._body()
        self.api.other.append((self.command, self.path))
        if urlsplit(self.path).path in ("", "/"):
            self._json(200, {})
        else:
            self._json(404, _error("not_found_error", f"not in the mock: {self.path}"))

    do_GET = do_HEAD = do_PUT = _other  # noqa: N815 - the base class's names

    def do_CONNECT(self) -> None:
        """Refuse, as the client's proxy: nothing but loopback is reached."""
        self.api.refused.append(self.path)
        self._json(403, {"error": "the rig refuses traffic that is not for loopback"})
        self.close_connection = True

    def do_POST(self) -> None:
        """Answer the two calls of the Messages API."""
        path = urlsplit(self.path).path
        if path == "/v1/messages/count_tokens":
            size = len(self._body())
            self.api.other.append((self.command, self.path))
            self._json(200, {"input_tokens": max(1, size // 4)})
        elif path == "/v1/messages":
            self._messages(json.loads(self._body() or b"{}"))
        else:
            self._other()

    def _messages(self, body: dict[str, Any]) -> None:
        request = Request(body=body, kind=kind_of(body), time=time.monotonic())
        answer = self.api.answer(request)
        if answer.hold is not None:
            answer.hold.wait(60)
        try:
            if answer.status != 200:
                self._json(answer.status, _error("api_error", "scripted error"))
            elif body.get("stream"):
                self._stream(body, answer)
            else:
                self._json(200, {**_message(body, answer), "content": answer.blocks})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client went away

    def _stream(self, body: dict[str, Any], answer: Turn) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("request-id", "req_" + uuid.uuid4().hex[:20])
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

        def send(kind: str, **data: object) -> None:
            payload = json.dumps({"type": kind, **data})
            self.wfile.write(f"event: {kind}\ndata: {payload}\n\n".encode())
            self.wfile.flush()

        message = _message(body, answer)
        stop, usage = message["stop_reason"], message["usage"]
        send(
            "message_start",
            message={**message, "stop_reason": None, "usage": {**usage, "output_tokens": 1}},
        )
        for index, block in enumerate(answer.blocks):
            begun, deltas = _streamed(block)
            send("content_block_start", index=index, content_block=begun)
            for delta in deltas:
                send("content_block_delta", index=index, delta=delta)
            send("content_block_stop", index=index)
        send(
            "message_delta",
            delta={"stop_reason": stop, "stop_sequence": None},
            usage={"output_tokens": usage["output_tokens"]},
        )
        send("message_stop")


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _message(body: dict[str, Any], answer: Turn) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in answer.blocks)
    return {
        "id": "msg_" + uuid.uuid4().hex[:24],
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "mock"),
        "content": [],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def _streamed(block: Block) -> tuple[Block, list[Block]]:
    """Return how a block begins on the wire, and what is then added to it."""
    kind = block["type"]
    if kind == "text":
        return {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
    if kind == "tool_use":
        whole = json.dumps(block["input"])
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": whole}]
    return {"type": "thinking", "thinking": "", "signature": ""}, [
        {"type": "thinking_delta", "thinking": block["thinking"]},
        {"type": "signature_delta", "signature": block["signature"]},
    ]
