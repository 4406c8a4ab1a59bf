"""Stand-ins on loopback for what embedding models come from: two APIs that make vectors, and a hub.

Requests and answers follow the providers' published references: OpenAI's "Create embeddings" (at
most 2,048 inputs, none empty, ``dimensions``, errors as ``{"error": {"message": ...}}``) and
Voyage's "Text embeddings" (at most 1,000 inputs, ``input_type``, ``output_dimension``, errors as
``{"detail": ...}``). Vectors are those of words alone: equal texts have equal ones.
"""

from __future__ import annotations

import contextlib
import json
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bench.hashed_embedder import HashedEmbedder

Answer = tuple[int, dict[str, Any]]


class Loopback:
    """A server on loopback for as long as a ``with`` block."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class EmbeddingApi(Loopback):
    """Answers ``/v1/embeddings`` of one provider; ``next`` holds answers that come first."""

    def __init__(self, provider: str, *, key: str = "secret-key", dimensions: int = 64) -> None:
        self.provider = provider
        self.key = key
        self.dimensions = dimensions
        self.requests: list[dict[str, Any]] = []
        self.next: list[Answer | Callable[[dict[str, Any]], Answer]] = []
        self.retry_after: str | None = None
        self.before: Callable[[dict[str, Any]], None] = lambda _body: None  #: each answer
        self.drop = 0  #: vectors that each answer lacks
        super().__init__(type("Handler", (_ApiHandler,), {"api": self}))

    @property
    def base(self) -> str:
        """What a client is told as the API's address."""
        return f"{self.url}/v1"

    def answer(self, body: dict[str, Any], key: str) -> Answer:
        self.requests.append(body)
        self.before(body)
        if self.next:
            item = self.next.pop(0)
            return item(body) if callable(item) else item
        if key != f"Bearer {self.key}":
            return 401, self.error("Incorrect API key provided")
        wrong = self._wrong(body)
        if wrong:
            return 400, self.error(wrong)
        length = body.get(self._fields[1]) or self.dimensions
        made = [self.vector(text, length) for text in body["input"]]
        rows = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(made[: len(made) - self.drop])
        ]
        tokens = sum(len(text) // 4 for text in body["input"])
        usage = {"total_tokens": tokens}
        if self.provider == "openai":
            usage["prompt_tokens"] = tokens
        # the order is not promised: the index is
        return 200, {
            "object": "list", "data": rows[::-1], "model": body["model"], "usage": usage,
        }  # fmt: skip

    def vector(self, text: str, length: int) -> list[float]:
        """Return three times the vector of the text's words: clients make it one long."""
        packed = HashedEmbedder(length).embed_document(text)[0]
        return [3 * value for value in struct.unpack(f"<{length}f", packed)]

    def error(self, message: str) -> dict[str, Any]:
        if self.provider == "voyage":
            return {"detail": message}
        return {"error": {"message": message, "type": "invalid_request_error", "code": None}}

    @property
    def _fields(self) -> tuple[int, str]:
        return (2_048, "dimensions") if self.provider == "openai" else (1_000, "output_dimension")

    def _wrong(self, body: dict[str, Any]) -> str:
        known = {
            "openai": {"input", "model", "dimensions", "encoding_format", "user"},
            "voyage": {"input", "model", "input_type", "truncation", "output_dimension",
                       "output_dtype", "encoding_format"},
        }[self.provider]  # fmt: skip
        if unknown := set(body) - known:
            return f"Unknown parameter: {', '.join(sorted(unknown))}"
        if body.get("input_type") not in {None, "query", "document"}:
            return "Invalid input_type"
        if not isinstance(body["input"], list) or not 0 < len(body["input"]) <= self._fields[0]:
            return "Invalid input: too many or none"
        return "" if all(body["input"]) else "Invalid input: empty string"


class _ApiHandler(BaseHTTPRequestHandler):
    api: EmbeddingApi

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status, answer = 404, self.api.error("no such path")
        if self.path == "/v1/embeddings":
            status, answer = self.api.answer(body, self.headers.get("authorization", ""))
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        if self.api.retry_after is not None:
            self.send_header("retry-after", self.api.retry_after)
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # whoever asked was killed
            self.wfile.write(text)

    def log_message(self, *_args: object) -> None:
        pass
