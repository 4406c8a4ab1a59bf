"""Claude Code without the plugin: the printed snippet in .mcp.json, over stdio and over HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rig import Sandbox, tool, turn

pytestmark = pytest.mark.client

DOOR = Path(__file__).resolve().parents[2] / "bin" / "aforesaid"
QUEUE = "The queue is NATS JetStream, for replay."
ALLOWED = ("--allowedTools", "mcp__memory")


@pytest.fixture
def bare(client, tmp_path):
    with Sandbox(tmp_path / "box", client) as box:
        yield box


def started(box: Sandbox, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [DOOR, *arguments],
        env=box.env(AFORESAID_ENV=sys.prefix, **variables),
        cwd=box.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def printed(box: Sandbox, *options: str, **variables: str) -> str:
    asked = started(box, "config", "--client", "claude-code", *options, **variables)
    text, report = asked.communicate(timeout=60)
    assert 0 == asked.returncode, report
    return text


def remembered(box: Sandbox) -> str:
    """Return what get_context said to a session that stored what the next one recalled."""
    first = box.prompt(
        "We decided on the queue.",
        *ALLOWED,
        script=[
            turn(tool("mcp__memory__get_context", {})),
            turn(tool("mcp__memory__store_memory", {"content": QUEUE})),
            turn("Noted."),
        ],
    )
    second = box.prompt(
        "Which queue?",
        *ALLOWED,
        script=[turn(tool("mcp__memory__recall_memory", {"query": "which queue?"})), turn("NATS.")],
    )
    assert QUEUE in second.main[1].last_tool_result
    return first.main[1].last_tool_result


def test_what_one_session_stores_the_next_one_finds(bare):
    (bare.project / ".mcp.json").write_text(printed(bare))
    context = json.loads(remembered(bare))
    assert (str(bare.project), "project") == (context["folder"], context["project"])
    assert "claude-code" == context["client"]


def test_over_http_the_project_is_the_client_s_folder(bare):
    serving = started(bare, "serve", "--http", "--port", "0")
    try:
        port = re.search(r":(\d+)/mcp", serving.stderr.readline())[1]
        (bare.project / ".mcp.json").write_text(printed(bare, "--http", AFORESAID_SERVER_PORT=port))
        context = json.loads(remembered(bare))
        assert (str(bare.project), "project") == (context["folder"], context["project"])
    finally:
        serving.terminate()
        serving.communicate(timeout=20)
    assert 0 == serving.returncode
