"""The real Claude Code client, end to end, in a throw-away home against a scripted model.

Here: what drives the client and what it talks to. Not here: what is expected of the plugin
(tests/e2e). Start with ``Sandbox.prompt`` in client.py; README.md beside this file has an example.
"""

from __future__ import annotations

from .agents import AGENTS, Agent, AgentResult, Codex, GeminiCli, OpenCode, find_agent
from .client import (
    PINNED,
    ClientUnavailableError,
    Result,
    Sandbox,
    find_client,
)
from .git_server import GitServer
from .inspector import Inspector, find_inspector
from .mock_api import MockAPI, Request, Turn, text, thinking, tool, turn
from .mock_models import MockModels, ModelRequest, call
from .processes import Process, processes_of_home, wait_until
from .terminal import Terminal

__all__ = [
    "AGENTS",
    "PINNED",
    "Agent",
    "AgentResult",
    "ClientUnavailableError",
    "Codex",
    "GeminiCli",
    "GitServer",
    "Inspector",
    "MockAPI",
    "MockModels",
    "ModelRequest",
    "OpenCode",
    "Process",
    "Request",
    "Result",
    "Sandbox",
    "Terminal",
    "Turn",
    "call",
    "find_agent",
    "find_client",
    "find_inspector",
    "processes_of_home",
    "text",
    "thinking",
    "tool",
    "turn",
    "wait_until",
]
