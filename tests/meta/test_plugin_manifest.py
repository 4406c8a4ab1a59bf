"""The plugin's files agree with the package, with each other and with the client's limits."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from aforesaid.adapters.embedding.api import PROVIDERS
from aforesaid.config.schema import KEYS

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "mcp__plugin_aforesaid_memory__"
INSTRUCTIONS = ROOT / "server/aforesaid/entrypoints/mcp/instructions.txt"
SKILL = ROOT / "skills/memory/SKILL.md"
COMMANDS = sorted((ROOT / "commands").glob("*.md"))
TOOLS = {
    "store_memory",
    "recall_memory",
    "update_memory",
    "forget_memory",
    "link_memories",
    "explore_memory",
    "get_context",
    "set_project",
    "memory_inspect",
    "memory_stats",
    "search_entities",
}
READING = {
    "memory_inspect",
    "explore_memory",
    "recall_memory",
    "get_context",
    "memory_stats",
    "search_entities",
}


def load(name: str):
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def front_matter(path: Path) -> dict[str, str]:
    _, head, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines())


def own_hooks():
    for event, groups in load("hooks/hooks.json")["hooks"].items():
        for group in groups:
            for hook in group["hooks"]:
                yield event, group.get("matcher"), hook


def offered() -> list[dict[str, Any]]:
    """The tools as the front lists them, generated from the server's."""
    return load("server/aforesaid/bootstrap/surface.json")["tools"]


def test_the_tools_that_the_bundle_knows_are_those_that_are_offered():
    assert TOOLS == {tool["name"] for tool in offered()}


def test_only_the_two_core_tools_are_loaded_at_once_and_they_stay_short():
    core = [tool for tool in offered() if tool.get("_meta", {}).get("anthropic/alwaysLoad")]
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in core]
    assert {"store_memory", "recall_memory"} == {tool["name"] for tool in core}
    assert len(json.dumps(shown)) <= 6_000


def test_the_repository_is_its_own_marketplace():
    market = load(".claude-plugin/marketplace.json")
    entries = [(plugin["name"], plugin["source"]) for plugin in market["plugins"]]
    assert "aforesaid" == market["name"]
    assert [("aforesaid", "./")] == entries


def test_the_description_says_what_runs_what_is_read_and_what_is_downloaded():
    description = load(".claude-plugin/plugin.json")["description"]
    messages = [
        *load("hooks/hooks.json")["hooks"],
        *("transcript", "machine", "Downloads", "earlier sessions", "remarks", "commits"),
        *("summariser", "Anthropic", "embedding API", "Voyage AI", "OpenAI", "AFORESAID_OFF"),
        *("texts of memories", "Files of the project", "guard", "ask you", "viewer"),
    ]
    assert [] == [word for word in messages if word not in description]


def test_the_entry_of_the_marketplace_is_short_and_names_what_hooks_do():
    """Directories warn about an entry of more than 2,000 characters."""
    ((entry,),) = [load(".claude-plugin/marketplace.json")["plugins"]]
    description = entry["description"]
    named = ("session", "subagent", "prompts", "edits", "commands", "errors", "transcript")
    assert [] == [word for word in named if word not in description]
    assert 10 <= len(description.strip()) == len(description) <= 2_000


def test_every_host_that_the_code_knows_is_declared():
    hosts = load(".claude-plugin/plugin.json")["network"]["hosts"]
    addresses = [KEYS["embedding.hub"].default, *(known.url for known in PROVIDERS.values())]
    index = {"pypi.org", "*.pythonhosted.org"}
    assert index | {urlsplit(address).hostname for address in addresses} <= set(hosts)
    hub = {"huggingface.co", "*.huggingface.co", "*.hf.co"}  # it sends files from other hosts
    assert set(hosts) == index | hub | {
        "api.voyageai.com",
        "api.openai.com",
        "api.anthropic.com",
    }


def test_every_door_is_the_launcher_in_exec_form():
    (server,) = load(".claude-plugin/plugin.json")["mcpServers"].values()
    doors = [(server["command"], server["args"])]
    doors += [(hook["command"], hook["args"]) for _, _, hook in own_hooks()]
    assert {"${CLAUDE_PLUGIN_ROOT}/bin/aforesaid"} == {command for command, _ in doors}
    names = (
        "session-start user-prompt-submit subagent-start pre-compact session-end "
        "pre-tool-use action failure"
    )
    hooks = [["hook", name] for name in names.split()]
    assert [["serve"], *hooks] == [arguments for _, arguments in doors]


def test_only_forgetting_is_left_to_the_client_to_ask_about():
    (matcher, _) = [matcher for event, matcher, _ in own_hooks() if event == "PreToolUse"]
    allowed = {PREFIX + tool for tool in TOOLS - {"forget_memory"}}
    assert allowed == set(matcher.split("|"))


def test_the_end_of_a_session_is_handled_without_the_client_waiting():
    ends = [hook["async"] for event, _, hook in own_hooks() if event == "SessionEnd"]
    assert [True] == ends


@pytest.mark.parametrize(
    ("command", "allowed"),
    [("recall", READING), ("remember", {"store_memory", "recall_memory", "search_entities"})],
)
def test_a_command_is_allowed_what_it_needs_and_no_more(command, allowed):
    granted = front_matter(ROOT / f"commands/{command}.md")["allowed-tools"].split(", ")
    assert {PREFIX + tool for tool in allowed} == set(granted)


def test_the_skill_asks_for_no_permission_of_its_own():
    assert {"name", "description"} == set(front_matter(SKILL))


def test_the_skill_s_description_is_shown_whole():
    assert len(front_matter(SKILL)["description"]) <= 1_536


@pytest.mark.parametrize("path", [INSTRUCTIONS, SKILL, *COMMANDS], ids=lambda path: path.name)
def test_only_tools_and_parameters_that_exist_are_spoken_of(path):
    text = path.read_text(encoding="utf-8")
    tools = set(re.findall(rf"{PREFIX}(\w+)|\b(\w+)\((?:\w+=|\))", text))
    named = {name for pair in tools for name in pair if name} - {"select"}
    assert set() == named - TOOLS


def test_instructions_fit_what_clients_show_of_them():
    text = INSTRUCTIONS.read_text(encoding="utf-8")
    first = text.partition("\n")[0]
    assert len(text) <= 1_500
    assert len(first) <= 250
    assert "recall_memory" in first
    assert "store_memory" in first


def test_the_icon_is_a_square_picture_of_the_directory_s_size():
    data = (ROOT / ".claude-plugin/icon.png").read_bytes()
    assert b"\x89PNG\r\n\x1a\n" == data[:8]
    assert (512, 512) == struct.unpack(">II", data[16:24])


def test_the_licence_is_the_one_that_is_named():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache-2.0" == load(".claude-plugin/plugin.json")["license"]
    assert "Apache License\n                           Version 2.0" in text
    assert "END OF TERMS AND CONDITIONS" in text
