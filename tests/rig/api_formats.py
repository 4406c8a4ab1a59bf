"""Three more model APIs, each read into one common shape and written from it.

Here: OpenAI Responses (Codex), OpenAI Chat Completions (OpenCode), Gemini. ``read`` turns a request
into system text, messages of Anthropic-like blocks and tools, so that all of ``Request`` works with
it; ``resolve`` replaces a scripted tool's name by the one that the agent gave it; ``write`` turns
the scripted blocks into that API's events. Not here: HTTP (mock_models.py).
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Iterator
from typing import Any, Protocol

from .script import Block, Turn, text

#: system text, messages, tools that were offered
ParsedRequest = tuple[str, list[dict[str, Any]], list[dict[str, Any]]]
#: an event's name (None: it has none) and its data
Event = tuple[str | None, Any]


class Offered(Protocol):
    """What ``resolve`` sees of a request."""

    tools: list[dict[str, Any]]
    tool_names: list[str]
    all_text: str


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, a part, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(map(text_of, content))
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return content["text"]
    return "" if content is None else json.dumps(content)


def _called(call: str, name: str, arguments: Any) -> Block:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def _result(call: str, value: Any) -> Block:
    return {"type": "tool_result", "tool_use_id": call, "content": text_of(value)}


def _tool(name: str, spec: dict[str, Any], schema: Any, **more: Any) -> dict[str, Any]:
    description = spec.get("description") or ""
    return {"name": name, "description": description, "input_schema": schema or {}, **more}


def _by_name(request: Offered, block: Block, form: str) -> Block | None:
    name = form.format(**block) if block.get("server") else block["name"]
    return {**block, "name": name} if name in request.tool_names else None


class Responses:
    """OpenAI Responses: Codex. How a tool of an MCP server is called depends on the model.

    *Direct*: the tools come as a namespace ``mcp__SERVER``. *Deferred*: the model sees only the
    namespace's name, and may call the tools all the same. *Code*: the model calls them from
    JavaScript through the single tool ``exec``, deferred ones included.
    """

    @staticmethod
    def match(path: str) -> bool:
        return path.endswith("/responses")

    @staticmethod
    def read(body: dict[str, Any]) -> ParsedRequest:
        messages: list[dict[str, Any]] = []
        specs = list(body.get("tools") or [])
        for item in body.get("input") or []:
            kind, call = item.get("type", "message"), item.get("call_id", "")
            if kind == "additional_tools":
                specs += item["tools"]
            elif kind == "message":
                message = [text(text_of(item.get("content")))]
                messages.append({"role": item["role"], "content": message})
            elif kind.endswith("_call_output"):
                messages.append({"role": "user", "content": [_result(call, item.get("output"))]})
            elif kind.endswith("_call"):
                name = "__".join(filter(None, (item.get("namespace"), item.get("name"))))
                values = item.get("arguments", item.get("input"))
                messages.append({"role": "assistant", "content": [_called(call, name, values)]})
            else:
                messages.append({"role": "assistant", "content": [text(json.dumps(item))]})
        return body.get("instructions") or "", messages, _flatten_namespaces(specs)

    @staticmethod
    def resolve(request: Offered, block: Block) -> Block | None:
        namespace = "mcp__" + re.sub(r"\W", "_", block["server"]) if block.get("server") else None
        name = f"{namespace}__{block['name']}" if namespace else block["name"]
        code = next(
            (t for t in request.tools if t["name"] == "exec" and t.get("type") == "custom"), None
        )
        if name in request.tool_names:
            tool = next(t for t in request.tools if t["name"] == name)
            return {**block, "namespace": tool["namespace"]}
        if (namespace and namespace not in request.all_text) or not (namespace or code):
            return None
        if code is None:
            return {**block, "namespace": namespace}
        script = (
            f"const r = await tools.{name}({json.dumps(block['input'])});\n"
            "text(r.content ? r.content.map((c) => c.text ?? JSON.stringify(c)).join('\\n') : r)"
        )
        return {**block, "namespace": code["namespace"], "name": "exec", "code": script}

    @staticmethod
    def write(_body: dict[str, Any], blocks: list[Block], answer: Turn) -> Iterator[Event]:
        made = "resp_" + uuid.uuid4().hex[:20]
        yield "response.created", {"response": {"id": made}}
        for index, block in enumerate(blocks):
            item = _item(block, f"{made}{index}")
            yield "response.output_item.done", {"output_index": index, "item": item}
        usage = {
            "input_tokens": answer.input_tokens,
            "input_tokens_details": None,
            "output_tokens": answer.output_tokens,
            "output_tokens_details": None,
            "total_tokens": answer.input_tokens + answer.output_tokens,
        }
        yield "response.completed", {"response": {"id": made, "usage": usage}}


def _flatten_namespaces(specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    tools = []
    for spec in specs:
        namespace = spec["name"] if spec.get("type") == "namespace" else None
        for item in spec["tools"] if namespace else [spec]:
            name = item.get("name") or item.get("type", "")
            whole = name if namespace in {None, "functions"} else f"{namespace}__{name}"
            about = spec.get("description") if namespace else None
            more = {
                "namespace": namespace,
                "type": item.get("type"),
                "namespace_description": about,
            }
            tools.append(_tool(whole, item, item.get("parameters"), **more))
    return tools


def _item(block: Block, identity: str) -> dict[str, Any]:
    if block["type"] != "tool_use":
        parts = [{"type": "output_text", "text": block["text"]}]
        return {
            "type": "message",
            "role": "assistant",
            "id": f"msg_{identity}",
            "content": parts,
        }
    item = {"call_id": block["id"], "name": block["name"]}
    if "code" in block:
        item |= {"type": "custom_tool_call", "id": "ctc_" + block["id"], "input": block["code"]}
    else:
        values = json.dumps(block["input"])
        item |= {"type": "function_call", "id": "fc_" + block["id"], "arguments": values}
    if block.get("namespace"):
        item["namespace"] = block["namespace"]
    return item


class Chat:
    """OpenAI Chat Completions: OpenCode. Tools of an MCP server are called ``SERVER_TOOL``."""

    @staticmethod
    def match(path: str) -> bool:
        return path.endswith("/chat/completions")

    @staticmethod
    def read(body: dict[str, Any]) -> ParsedRequest:
        system: list[str] = []
        messages: list[dict[str, Any]] = []
        for item in body.get("messages") or []:
            if item["role"] == "system":
                system.append(text_of(item.get("content")))
            elif item["role"] == "tool":
                result = _result(item.get("tool_call_id", ""), item.get("content"))
                messages.append({"role": "user", "content": [result]})
            else:
                blocks = [text(text_of(item["content"]))] if item.get("content") else []
                blocks += [
                    _called(c["id"], c["function"]["name"], c["function"]["arguments"])
                    for c in item.get("tool_calls") or []
                ]
                messages.append({"role": item["role"], "content": blocks})
        specs = [t["function"] for t in body.get("tools") or [] if "function" in t]
        tools = [_tool(spec["name"], spec, spec.get("parameters")) for spec in specs]
        return "\n\n".join(system), messages, tools

    @staticmethod
    def resolve(request: Offered, block: Block) -> Block | None:
        return _by_name(request, block, "{server}_{name}")

    @staticmethod
    def write(body: dict[str, Any], blocks: list[Block], answer: Turn) -> Iterator[Event]:
        sentence = "".join(block["text"] for block in blocks if block["type"] == "text")
        message: dict[str, Any] = {"role": "assistant", "content": sentence}
        calls = [
            {
                "index": index,
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for index, block in enumerate(b for b in blocks if b["type"] == "tool_use")
        ]
        if calls:
            message["tool_calls"] = calls
        base = {
            "id": "chatcmpl-" + uuid.uuid4().hex[:20],
            "created": int(time.time()),
            "model": body.get("model", "mock"),
        }
        end = "tool_calls" if calls else "stop"
        usage = {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.output_tokens,
        }
        if not body.get("stream"):
            choices = [{"index": 0, "message": message, "finish_reason": end}]
            yield None, {**base, "object": "chat.completion", "usage": usage, "choices": choices}
            return
        base["object"] = "chat.completion.chunk"
        begun = [{"index": 0, "delta": message, "finish_reason": None}]
        yield None, {**base, "choices": begun}
        ended = [{"index": 0, "delta": {}, "finish_reason": end}]
        yield None, {**base, "usage": usage, "choices": ended}
        yield None, "[DONE]"


class Gemini:
    """The Gemini API. Tools of an MCP server are called ``mcp_SERVER_TOOL``."""

    @staticmethod
    def match(path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    @staticmethod
    def read(body: dict[str, Any]) -> ParsedRequest:
        messages = []
        for i, item in enumerate(body.get("contents") or []):
            blocks = [
                _gemini_block(part, f"{i}-{j}") for j, part in enumerate(item.get("parts") or [])
            ]
            role = {"model": "assistant"}.get(item.get("role", ""), "user")
            messages.append({"role": role, "content": blocks})
        specs = [f for t in body.get("tools") or [] for f in t.get("functionDeclarations") or []]
        system = body.get("systemInstruction") or {}
        system_text = text_of(system.get("parts") if isinstance(system, dict) else system)
        return system_text, messages, [
            _tool(spec["name"], spec, spec.get("parametersJsonSchema") or spec.get("parameters"))
            for spec in specs
        ]  # fmt: skip

    @staticmethod
    def resolve(request: Offered, block: Block) -> Block | None:
        return _by_name(request, block, "mcp_{server}_{name}")

    @staticmethod
    def write(_body: dict[str, Any], blocks: list[Block], answer: Turn) -> Iterator[Event]:
        parts = [
            {"functionCall": {"id": b["id"], "name": b["name"], "args": b["input"]}}
            if b["type"] == "tool_use"
            else {"text": b["text"]}
            for b in blocks
        ]
        message = {"role": "model", "parts": parts}
        usage = {
            "promptTokenCount": answer.input_tokens,
            "candidatesTokenCount": answer.output_tokens,
            "totalTokenCount": answer.input_tokens + answer.output_tokens,
        }
        candidates = [{"index": 0, "finishReason": "STOP", "content": message}]
        yield None, {"candidates": candidates, "modelVersion": "mock", "usageMetadata": usage}


def _gemini_block(part: dict[str, Any], place: str) -> Block:
    call, result = part.get("functionCall"), part.get("functionResponse")
    item = call or result or {}
    identity = item.get("id") or f"{item.get('name')}-{place}"
    if call:
        return _called(identity, call["name"], call.get("args"))
    if not result:
        return text(text_of(part))
    value = result.get("response")
    if isinstance(value, dict) and list(value) in (["output"], ["error"]):
        value = next(iter(value.values()))
    return _result(identity, value)


API_FORMATS = (Responses, Chat, Gemini)
