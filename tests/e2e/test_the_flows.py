"""The three ways in which work begins: on known ground, without a repository, on something new."""

from __future__ import annotations

import json

import pytest

from e2e.plugin import DECISION, call, remember_three, settle, shown
from rig import turn

pytestmark = pytest.mark.client

GUIDELINE = "Brand X is written in lower case and never uses exclamation marks."


def last_answer(request):
    return json.loads(request.last_tool_result)


def test_work_is_continued_where_it_was_left(box):
    remember_three(box)
    again = box.prompt(
        "continue working on the importer",
        script=[turn(call("recall_memory", query="what queue does the importer use?")), "On it."],
    )
    assert DECISION in shown(again.main[0])
    results = last_answer(again.main[-1])
    assert DECISION == results["results"][0]["content"]


def test_copy_is_written_for_a_brand_without_a_repository(box):
    folder = box.home / "writing"
    folder.mkdir()
    box.prompt(
        "our guidelines for Brand X",
        script=[
            turn(call("set_project", project="Brand X", description="copy for Brand X")),
            turn(call("store_memory", content=GUIDELINE, entity="Brand X", provenance="user")),
            "Noted.",
        ],
        cwd=folder,
    )
    settle(box)
    elsewhere = box.home / "desk"
    elsewhere.mkdir()
    asked = box.prompt(
        "write copy for Brand X",
        script=[
            turn(call("search_entities", query="brand x", project="*")),
            lambda request: turn(
                call("set_project", project=last_answer(request)["results"][0]["project"])
            ),
            turn(call("recall_memory", query="how is the brand written?")),
            "done",
        ],
        cwd=elsewhere,
    )
    assert GUIDELINE == last_answer(asked.main[-1])["results"][0]["content"]


def test_a_new_project_is_named_and_filled_as_it_is_explained(box):
    folder = box.home / "ideas"
    folder.mkdir()
    text = "Nebula is a planner for star parties; it runs on a Raspberry Pi."
    begun = box.prompt(
        "new project Nebula",
        script=[
            turn(call("search_entities", query="Nebula", project="*")),
            turn(call("set_project", project="Nebula", description="a planner for star parties")),
            turn(call("store_memory", content=text, provenance="user")),
            "Noted.",
        ],
        cwd=folder,
    )
    assert "Ask the user once" in shown(begun.main[0])
    assert [] == last_answer(begun.main[1])["results"]
    settle(box)
    again = box.prompt("go on with Nebula", script=["ok"], cwd=folder)
    assert text in shown(again.main[0])
    assert "Nebula" in shown(again.main[0]).splitlines()[1]
