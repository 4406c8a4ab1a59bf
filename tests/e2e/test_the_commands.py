"""Each command does its work in the real client, with no leave but what its own file grants."""

from __future__ import annotations

import html
import json
import os
import re
import signal
from http.cookiejar import CookieJar
from urllib.parse import urljoin
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from e2e.plugin import DECISION, PREFIX, call, settle
from rig import turn

pytestmark = pytest.mark.client

#: our hook allows no tool of ours
STRICT = {"AFORESAID_HOOKS_ALLOW_TOOLS": "0"}
TASK = "Answer 409 on duplicate keys."


@pytest.fixture
def told(box):
    """A box with a few memories."""
    box.prompt(
        "note this",
        script=[
            turn(call("store_memory", content=DECISION, topic="importer/queue", entity="NATS")),
            turn(call("store_memory", content=TASK, task_id="retries", due="2000-01-01")),
            "Noted.",
        ],
    )
    settle(box)
    return box


def answers(box, prompt, *calls):
    """Return what each call of a command was answered, all of them allowed."""
    result = box.prompt(prompt, script=[*(turn(item) for item in calls), "done"], env=STRICT)
    assert [] == result.final["permission_denials"]
    return [json.loads(text) for text in result.main[-1].tool_results]


def test_without_a_command_the_same_tools_are_asked_about(told):
    script = [turn(call("recall_memory", query="queue")), "done"]
    denied = told.prompt("hello", script=script, env=STRICT).final["permission_denials"]
    assert [PREFIX + "recall_memory"] == [row["tool_name"] for row in denied]


def test_recall_finds_and_reads_and_looks_around(told):
    results, entities, row = answers(
        told,
        "/aforesaid:recall the importer's queue",
        call("recall_memory", query="the importer's queue", summary_only=True, max_results=10),
        call("search_entities", query="nats"),
        call("recall_memory", query="queue", depth=0),
    )
    assert DECISION == results["results"][0]["preview"]
    assert "NATS" == entities["results"][0]["entity"]
    assert "importer" == row["results"][0]["id"]


def test_remember_looks_first_and_stores_as_the_user_s(told):
    _found, _known, stored = answers(
        told,
        "/aforesaid:remember we deploy on Fridays only",
        call("recall_memory", query="deploy", summary_only=True),
        call("search_entities", query="deploys"),
        call("store_memory", content="Deploys happen on Fridays only.", provenance="user"),
    )
    assert "project" == stored["scope"]


def test_topics_shows_the_tree_and_one_branch(told):
    everything, branch = answers(
        told,
        "/aforesaid:topics importer",
        call("explore_memory"),
        call("explore_memory", topic="importer"),
    )
    assert ["importer"] == [node["id"] for node in everything["nodes"]]
    (queue,) = branch["nodes"][0]["children"]
    assert ("importer/queue", DECISION) == (queue["id"], queue["children"][0]["preview"])


def test_tasks_lists_those_that_wait_and_opens_one(told):
    listed, inside = answers(
        told,
        "/aforesaid:tasks",
        call("recall_memory", status=["active", "blocked"]),
        call("recall_memory", task_id="retries"),
    )
    (task,) = listed["results"]
    assert ("retries", "active", "2000-01-01", TASK) == tuple(
        task[name] for name in ("task_id", "status", "due", "content")
    )
    assert [TASK] == [row["content"] for row in inside["results"]]


def test_status_says_where_it_stands(told):
    where, counts = answers(told, "/aforesaid:status", call("get_context"), call("memory_stats"))
    assert counts["projects"] == [where["project"]]
    assert (2, ["ok"]) == (counts["by_type"]["semantic"], counts["health"])


def test_forget_hides_what_was_found_and_may_be_undone(told):
    def forget_found(request):
        results = json.loads(request.last_tool_result)["results"]
        return turn(call("forget_memory", id=results[0]["id"]))

    result = told.prompt(
        "/aforesaid:forget the queue",
        script=[turn(call("recall_memory", query="importer queue")), forget_found, "Gone."],
        env=STRICT,
    )
    assert [] == result.final["permission_denials"]
    assert "restore=true" in json.loads(result.main[-1].last_tool_result)["undo"]


def test_ui_starts_the_viewer_and_hands_its_address_to_the_model(told):
    seen = told.prompt("/aforesaid:ui", script=["Open that address."], env=STRICT).main[0].all_text
    address = re.search(r"http://127\.0\.0\.1:\d+/[\w?=/-]+", seen)
    process = re.search(r"process (\d+)", seen)
    assert address, seen
    assert process, seen
    try:
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        assert 200 == browser.open(address[0], timeout=30).status
        today = browser.open(urljoin(address[0], "/"), timeout=30).read().decode()
        assert DECISION in html.unescape(today)
    finally:
        os.kill(int(process[1]), signal.SIGTERM)
