"""The server with another client: the official inspector's command line, from npm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aforesaid.entrypoints.api.tool_schemas import TOOLS
from rig import ClientUnavailableError, Inspector, find_inspector

pytestmark = pytest.mark.client

CONTENT = "The queue is NATS JetStream, for replay."


@pytest.fixture
def inspector(environment: dict[str, str], tmp_path: Path) -> Inspector:
    try:
        programs = find_inspector()
    except ClientUnavailableError as error:
        if os.environ.get("AFORESAID_TEST_CLIENT_REQUIRED"):
            raise
        pytest.skip(str(error))
    folder = tmp_path / "work"
    folder.mkdir()
    return Inspector(programs, environment, folder)


def test_it_lists_every_tool_and_finds_no_error_in_a_schema(inspector):
    listed = inspector.ask("tools/list", "--strict")["tools"]
    assert list(TOOLS) == [tool["name"] for tool in listed]
    hints = [tool["annotations"] for tool in listed]
    assert [] == [hint for hint in hints if not isinstance(hint["destructiveHint"], bool)]


def test_what_it_stores_it_recalls_and_reads_as_a_resource(inspector):
    stored = inspector.call("store_memory", content=CONTENT, tags="queue")
    (result,) = inspector.call("recall_memory", query="which queue?", max_results="3")["results"]
    assert (stored["id"], CONTENT, ["queue"]) == tuple(
        result[name] for name in ("id", "content", "tags")
    )
    (context,) = inspector.ask("resources/read", "--uri", "memory://context")["contents"]
    assert CONTENT in context["text"]
    (memory,) = inspector.ask("resources/read", "--uri", f"memory://{stored['id']}")["contents"]
    assert CONTENT in memory["text"]


def test_it_lists_what_else_is_offered(inspector):
    resources = inspector.ask("resources/list")["resources"]
    assert ["memory://context"] == [resource["uri"] for resource in resources]
    templates = inspector.ask("resources/templates/list")["resourceTemplates"]
    assert ["memory://{id}"] == [template["uriTemplate"] for template in templates]
    prompts = inspector.ask("prompts/list")["prompts"]
    assert {"recall", "remember", "tasks"} <= {prompt["name"] for prompt in prompts}
    written = inspector.ask(
        "prompts/get", "--prompt-name", "recall", "--prompt-args", "topic=queues"
    )
    assert "queues" in written["messages"][0]["content"]["text"]
