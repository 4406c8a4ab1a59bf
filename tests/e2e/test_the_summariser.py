"""A language model reads sessions that ended: the user's own client, headless, or the API.

Through the real client, with a scripted model: what is asked, what becomes of it, and that a
headless run neither starts another nor is remembered itself.
"""

from __future__ import annotations

import json
import sqlite3

import pytest

from e2e.plugin import PROMPT, call, settle, shown
from rig import Sandbox, turn, wait_until
from rig.processes import supported

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not supported, reason="reads /proc: Linux only"),
]

ITEM = {
    "text": "The importer reads from NATS JetStream, for replay.",
    "type": "semantic",
    "topic": "importer",
    "concept": "queue",
    "importance": "high",
    "quote": "Settle the queue of the Zephyrine importer",
}
TOLD = "The importer's queue was settled: NATS JetStream, since it replays."
ANSWER = json.dumps({"title": "Settled the importer's queue", "digest": TOLD, "items": [ITEM]})


def is_question(request):
    return "You keep the long-term memory" in request.all_text


def asked(box):
    return [request for request in box.api.requests if is_question(request)]


def rows(box, query):
    (path,) = box.home.rglob("memory.db")
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def summarised(install, client, name, **env) -> Sandbox:
    """Return a sandbox in which one session was held and read by this summariser."""
    settings = {"AFORESAID_DIGEST_SUMMARISER": name, "AFORESAID_DIGEST_CLIENT": str(client)}
    box = install(client, **settings, **env)
    box.api.extend([turn(ANSWER, when=is_question)])
    done = box.prompt(PROMPT, script=["NATS JetStream, since it replays. The docs are still open."])
    assert 0 == done.code
    read(box)
    return box


def read(box):
    """Wait until the session that ended was read, and nothing runs any more."""
    wait_until(lambda: asked(box), "the summariser is asked", timeout=30)
    settle(box)


@pytest.mark.parametrize("name", ["claude-cli", "anthropic"])
def test_what_a_summariser_finds_is_shown_to_the_next_session(either_client, install, name):
    client = either_client
    if name == "anthropic":
        pytest.importorskip("anthropic")
    box = summarised(install, client, name)
    (question,) = asked(box)
    assert [] == question.tools
    assert "Settle the queue of the Zephyrine importer" in question.all_text
    context = shown(box.prompt("go on", script=["ok"]).main[0])
    assert ITEM["text"] in context
    assert TOLD in context


def test_a_headless_run_of_ours_starts_nothing_and_is_not_remembered(client, install):
    box = summarised(install, client, "claude-cli")
    box.prompt("thanks", script=["You are welcome."])
    settle(box)
    sessions = {path.stem for path in box.config.glob("projects/*/*.jsonl")}
    assert sessions == {row[0] for row in rows(box, "SELECT id FROM sessions")}
    assert 2 == len(sessions)
    assert (
        1
        == rows(
            box, "SELECT count(*) FROM memories WHERE type = 'episodic' AND superseded_by IS NULL"
        )[0][0]
    )
    assert 1 == len(asked(box))
    assert "MCP" not in json.dumps(asked(box)[0].body["system"])


def test_a_client_that_gets_no_answer_leaves_the_digest_by_rules(client, install):
    settings = {
        "AFORESAID_DIGEST_SUMMARISER": "claude-cli",
        "AFORESAID_DIGEST_CLIENT": str(client),
        "AFORESAID_DIGEST_TIMEOUT_SECONDS": "5",  # the client itself tries for minutes
    }
    box = install(client, **settings)
    box.api.extend([turn("no", status=401, when=is_question)] * 20)
    box.prompt(PROMPT, script=["NATS JetStream. The docs are still open."])
    read(box)
    context = shown(box.prompt("go on", script=[turn(call("memory_stats")), "ok"]).main[0])
    assert "Zephyrine" in context
    assert TOLD not in context
    stats = box.api.main[-1].last_tool_result
    assert "digests by rules only" in stats
