"""A scripted stand-in for the model APIs of other agents, on loopback only.

The script is that of mock_api.py; only ``call`` differs from ``tool``, because each agent has its
own way to name the tools of an MCP server::

    script = [turn(call("memory", "recall_memory", {"query": "x"})), turn("done")]
"""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

from .api_formats import API_FORMATS, Event, ParsedRequest
from .mock_api import Handler, MockAPI
from .script import Block, Request, Turn


def call(server: str | None, name: str, arguments: dict[str, Any] | None = None) -> Block:
    """Return a block in which the model calls a tool of an MCP server (None: the agent's own)."""
    identity = "call_" + uuid.uuid4().hex[:24]
    values = arguments or {}
    return {"type": "tool_use", "id": identity, "server": server, "name": name, "input": values}


@dataclass(kw_only=True)
class ModelRequest(Request):
    """One recorded request to a model, read into the common shape."""

    api_format: Any
    read: ParsedRequest

    @property
    def system(self) -> str:
        return self.read[0]

    @property
    def tools(self) -> list[dict[str, Any]]:
        return self.read[2]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.read[1]

    @property
    def all_text(self) -> str:
        """Everything that is shown to the model, but the tools' schemas."""
        shown = [
            part
            for spec in self.tools
            for part in (spec["name"], spec["description"], spec.get("namespace_description") or "")
        ]
        return super().all_text + "\n" + "\n".join(dict.fromkeys(shown))


class MockModels(MockAPI):
    """Answers other agents from a script; notes what it called that was not offered."""

    def __init__(self) -> None:
        self.not_offered: list[str] = []
        super().__init__(_ModelsHandler)

    def blocks_for(self, request: ModelRequest, answer: Turn) -> list[Block]:
        """Return the scripted blocks, with each tool under the name that this agent gave it."""
        out = []
        for block in answer.blocks:
            is_call = block["type"] == "tool_use"
            resolved = request.api_format.resolve(request, block) if is_call else block
            if resolved is None:
                self.not_offered.append(f"{block.get('server')}/{block['name']}")
            out.append(resolved or block)
        return out


class _ModelsHandler(Handler):
    api: ClassVar[MockModels]

    def _elsewhere(self) -> None:
        if self.path.startswith("/"):
            self._other()
            return
        self._body()  # plain HTTP, asked of us as the proxy
        self.api.refused.append(urlsplit(self.path).netloc)
        self._json(403, {"error": "the rig refuses traffic that is not for loopback"})

    do_GET = do_HEAD = do_PUT = do_DELETE = do_PATCH = _elsewhere  # noqa: N815

    def do_POST(self) -> None:  # noqa: N802 - the base class asks for it
        path = urlsplit(self.path).path if self.path.startswith("/") else ""
        api_format = next((item for item in API_FORMATS if item.match(path)), None)
        if api_format is None:
            self._elsewhere()
            return
        body = json.loads(self._body() or b"{}")
        read = api_format.read(body)
        asks_json = (body.get("generationConfig") or {}).get("responseMimeType")
        kind = "main" if read[2] and not asks_json else "side"
        request = ModelRequest(
            body=body, kind=kind, time=time.monotonic(), api_format=api_format, read=read
        )
        answer = self.api.answer(request)
        try:
            sent = list(api_format.write(body, self.api.blocks_for(request, answer), answer))
            if body.get("stream") or "stream" in path:
                self._stream_all(sent)
            else:
                self._json(200, sent[0][1])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent went away

    def _stream_all(self, events: list[Event]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for kind, report in events:
            data = {"type": kind, **report} if kind else report
            line = data if isinstance(data, str) else json.dumps(data)
            named = f"event: {kind}\n" if kind else ""
            self.wfile.write(f"{named}data: {line}\n\n".encode())
            self.wfile.flush()
