"""Every parameter of every tool is given what it cannot take: words come back, nothing is lost.

As the server answers its client. What is taken though it is odd (a number as text, control
characters cleaned away) is an answer; everything else a refusal that a model can act on.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.domain.model.memory import REPLY_CHARS
from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.entrypoints.mcp import prompts
from aforesaid.entrypoints.mcp.server import ToolRunner
from aforesaid.operations.client_connection import ClientConnection
from aforesaid.services.transfer.export import export_lines
from git_folders import make_repository

if TYPE_CHECKING:
    from collections.abc import Iterator

UNKNOWN = "01900000-0000-7000-8000-000000000000"
LONG = "word " * 2_000_000  #: 10 MB
NESTED: Any = {}
for _ in range(200):
    NESTED = {"a": NESTED}
BAD: dict[str, Any] = {
    "unknown id": UNKNOWN,
    "unknown short id": "zzzz",
    "10 MB": LONG,
    "10 MB of blanks": " " * 10_000_000,
    "200 levels": NESTED,
    "200 levels as text": "[" * 200 + "]" * 200,
    "100,000 levels as text": "[" * 100_000,
    "empty": "",
    "blank": " \n\t ",
    "NUL": "before\0after",
    "NUL alone": "\0",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f\x9f",
    "surrogate": "broken \ud800 text",
    "bidi": "admin\u202etxt.exe",
    "zero": 0,
    "negative": -1,
    "enormous": 10**18,
    "beyond 64 bits": 10**40,
    "400 digits": 10**400,
    "not a number": float("nan"),
    "infinite": float("inf"),
    "a fraction": 0.5,
    "digits": "9" * 5_000,
    "true": True,
    "a list": ["x", 1, None, {}],
    "100,000 items": ["x"] * 100_000,
    "a list of lists": [[["x"]]],
    "an object": {"kind": 1, "\ud800": "\0"},
    "a deep object": {"a": [NESTED]},
    "a list of objects": [{"kind": "supports"}, {"kind": "x y", "target_id": UNKNOWN}],
    "a wide object": {f"k{number}": "v" for number in range(20_000)},
    "sql": "'; DROP TABLE memories; --",
    "words of the engine": '" OR content:* NEAR(',
    "a path": "../../etc/passwd",
    "braces": "{told} {0} %s",
}


class Told:
    """What the server answers, and what it keeps."""

    def __init__(self, environment: dict[str, str], folder: str) -> None:
        self.conversation = ClientConnection({**environment, "AFORESAID_CWD": folder})
        self.conversation.client_name = "tests"
        slot: Any = self.conversation._embedder
        slot._started, slot._embedder = True, HashedEmbedder()
        slot._loaded.set()
        self._worker = ToolRunner(self.conversation)

    def __call__(self, tool: str, value: Any) -> tuple[str, bool]:
        after: list[Any] = []
        text, failed = self._worker._answer(tool, value, after)
        for work in after:
            work()
        return text, failed

    def kept(self) -> str:
        return "".join(export_lines(self.conversation.core.store))


@pytest.fixture
def told(environment, tmp_path, monkeypatch) -> Iterator[Told]:
    for name in list(os.environ):
        if name.startswith("AFORESAID_"):
            monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, environment[name])
    folder = make_repository(tmp_path / "shop", remote="https://host.example/acme/shop.git")
    made = Told(environment, str(folder))
    yield made
    made.conversation.core.close()


@pytest.fixture
def ids(told) -> tuple[str, str]:
    stored = [
        told("store_memory", {"content": text, "topic": "queue", "entity": "NATS"})[0]
        for text in ("The queue is NATS JetStream.", "Backups run at night.")
    ]
    return json.loads(stored[0])["id"], json.loads(stored[1])["id"]


def valid(tool: str, ids: tuple[str, str]) -> dict[str, Any]:
    """Return arguments that a tool takes."""
    first, second = ids
    return {
        "store_memory": {"content": "Releases are tagged."},
        "recall_memory": {"query": "which queue"},
        "update_memory": {"id": first, "pinned": True},
        "forget_memory": {"id": first},
        "link_memories": {"source_id": first, "kind": "supports", "target_id": second},
        "memory_inspect": {"id": first},
        "set_project": {"project": "acme/shop"},
        "explore_memory": {},
        "get_context": {},
        "memory_stats": {},
        "search_entities": {},
    }[tool]


def check(report: Told, tool: str, value: Any, before: str) -> str:
    """Make one call: it is answered whole, or refused in words with nothing changed.

    Returns:
        What is kept after it.
    """
    text, failed = report(tool, value)
    assert 5 < len(text) <= REPLY_CHARS
    assert "internal error in" not in text
    assert "Traceback" not in text
    text.encode()
    if failed:
        assert len(text) < 1_500
        assert before == report.kept(), text
        return before
    json.loads(text)
    return report.kept()


@pytest.mark.parametrize("tool", TOOLS)
def test_no_parameter_of_a_tool_takes_it_down(told, ids, tool) -> None:
    before = told.kept()
    for name in TOOLS[tool]["inputSchema"]["properties"]:
        for bad in BAD.values():
            before = check(told, tool, {**valid(tool, ids), name: bad}, before)
    shown, failed = told("recall_memory", {"type": ["semantic"], "max_results": 50})
    assert not failed
    assert not set(shown) & set("\0\u202e\ud800\x1b\x7f")


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_missing_or_unknown_is_named(told, ids, tool) -> None:
    before = told.kept()
    needed = TOOLS[tool]["inputSchema"].get("required", ())
    for values in (None, {}):
        text, failed = told(tool, values)
        assert "internal error in" not in text
        if needed:
            assert failed
            assert needed[0] in text
    for name in ("nonsense", "\ud800", "x" * 100_000, "", "__class__"):
        text, failed = told(tool, {**valid(tool, ids), name: 1})
        assert (True, True) == (failed, "has no parameter" in text)
        assert len(text) < 2_500
    if tool in {"store_memory", "update_memory", "forget_memory", "link_memories"}:
        assert before == told.kept()


def test_a_tool_that_is_none_and_a_resource_that_is_none_are_refused_in_words(told, ids) -> None:
    for name in ("", "drop_memory", "\0", "x" * 1_000):
        text, failed = told(name, {})
        assert (True, True) == (failed, "there is no tool" in text)
    for reference in (UNKNOWN, "zzzz", "\0", "\ud800", "x" * 100_000, "[" * 500):
        tool, values = prompts.read_resource(f"memory://{reference}")
        check(told, tool, values, told.kept())


def test_several_bad_things_at_once_change_nothing(told, ids) -> None:
    first, second = ids
    before = told.kept()
    for tool, values in (
        ("store_memory", {"content": "Good.", "supersedes": [first, UNKNOWN]}),
        ("store_memory", {"content": "Good.", "topic": "new/node", "parent_id": "zzzz"}),
        ("store_memory", {"content": "Good.", "entity": "Fresh", "relations": [
            {"kind": "supports", "target_id": first}, {"kind": "supports", "target_id": "zzzz"}]}),
        ("store_memory", {"content": "Good.", "task_id": "made", "scope": "global"}),
        ("store_memory", {"content": "Good.", "metadata": {"steps": 1}, "type": "procedural"}),
        ("update_memory", {"id": first, "topic": "new/node", "confidence": 7}),
        ("update_memory", {"id": first, "content": "Better.", "anchors": ["../outside"]}),
        ("update_memory", {"id": first, "entity": "Fresh", "status": "active"}),
        ("update_memory", {"id": first, "tags": ["new"], "scope": "nowhere"}),
        ("link_memories", {"source_id": first, "kind": "supersedes", "target_id": first}),
        ("link_memories", {"source_id": first, "kind": "follows", "target_id": second}),
        ("forget_memory", {"id": UNKNOWN, "erase": True}),
        ("set_project", {"project": "acme/shopp"}),
        ("set_project", {"project": "new one", "description": "x" * 10_000}),
    ):  # fmt: skip
        text, failed = told(tool, values)
        assert failed, (tool, values, text)
        assert before == told.kept(), (tool, values)


def test_a_list_of_far_too_many_is_refused_before_each_is_read(told, ids) -> None:
    fields = {"content": "Good.", "metadata": {}, "tags": ["x"] * 20_000}
    text, failed = told("store_memory", fields)
    assert (True, True) == (failed, "20000 items; at most 10000 are allowed" in text)
