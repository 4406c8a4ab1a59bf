"""The calls of docs/TOOLS.md are run in order, and answer what stands there."""

from __future__ import annotations

import json
import os
import re

from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.operations.client_connection import ClientConnection
from git_folders import make_repository
from interfaces import ROOT, read


def blocks() -> list[dict]:
    """Return every block of JSON of the document, in order."""
    text = read(os.path.join(ROOT, "docs", "TOOLS.md"))
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]


def filled(value, ids: dict[str, str]):
    """Return arguments with the ids that earlier answers gave."""
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, list):
        return [filled(item, ids) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, ids) for name, item in value.items()}
    return value


def differences(message, result, ids: dict[str, str], where: str) -> list[str]:
    """Return where an answer is not as the document says; learns the ids that it names."""
    if message == "…":
        return []
    if isinstance(message, str) and re.fullmatch(r"<\w+>", message):
        return [] if ids.setdefault(message, result) == result else [f"{where}: {result}"]
    if isinstance(message, dict):
        if not isinstance(result, dict):
            return [f"{where}: {result!r}"]
        return [
            text
            for name, item in message.items()
            for text in differences(item, result.get(name), ids, f"{where}.{name}")
        ]
    if isinstance(message, list) and isinstance(result, list) and len(message) <= len(result):
        pairs = enumerate(zip(message, result, strict=False))
        return [text for at, (a, b) in pairs for text in differences(a, b, ids, f"{where}[{at}]")]
    return [] if message == result else [f"{where}: {result!r}, not {message!r}"]


def test_every_call_of_the_document_answers_what_stands_there(
    environment, tmp_path, monkeypatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    folder = make_repository(tmp_path / "pay", remote="https://host.example/acme/payments.git")
    monkeypatch.setenv("AFORESAID_CWD", str(folder))
    conversation = ClientConnection(os.environ)
    ids: dict[str, str] = {}
    wrong = []
    asked = set()
    listed = blocks()
    for call, message in zip(listed[::2], listed[1::2], strict=True):
        tool = call["tool"]
        asked.add(tool)
        values = filled(call["arguments"], ids)
        calls = ToolCalls(conversation)
        wrong += differences(message, calls.call(tool, values), ids, tool)
        for work in calls.after:
            work()
    conversation.core.close()
    assert [] == wrong
    assert set(TOOLS) == asked
