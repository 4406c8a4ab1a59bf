"""What strangers and stale tabs may send to the viewer, and what must not come of it."""

from __future__ import annotations

import re
import time

import pytest

from aforesaid.domain.context.trigger import already_has_setting
from aforesaid.domain.digest.commands import counts_of
from aforesaid.domain.digest.error_signature import describe_error, error_signatures
from aforesaid.entrypoints.api.operations import ToolCalls


@pytest.fixture
def memory(viewer):
    calls = ToolCalls(viewer.services.connect())
    short = calls.call("store_memory", {"content": "The queue is NATS JetStream."})["id"]
    return viewer.core.store.memories.find(short)[0]


def seen_by(viewer, memory) -> str:
    page = viewer.browser.get(f"/memory/{memory.id}/edit").text
    return re.search(r'name="seen" value="(\w+)"', page)[1]


def test_a_stale_tab_overwrites_nothing_without_a_second_look(viewer, memory):
    stale = seen_by(viewer, memory)
    path = f"/memory/{memory.id}/edit"
    viewer.post(path, seen=stale, tags="queue, nats", summary="The queue")
    page = viewer.post(path, 409, seen=stale, cues="which broker", tags="", summary="")
    assert "changed in the meantime" in page
    now = viewer.core.store.memories.get([memory.key])[0]
    assert (("nats", "queue"), "The queue") == (tuple(sorted(now.tags)), now.summary)


def test_the_form_of_a_forgotten_memory_shows_no_text(viewer, memory):
    viewer.post(f"/memory/{memory.id}/forget")
    answer = viewer.browser.get(f"/memory/{memory.id}/edit")
    assert 303 == answer.status_code
    assert "JetStream" not in answer.text


def test_a_memory_is_moved_to_known_projects_only(viewer, memory):
    viewer.post(f"/memory/{memory.id}/edit", 400, home="nan")
    assert "nan" not in {project.name for project in viewer.core.store.projects.list_all()}


@pytest.mark.parametrize("tag", ["\0", "a,b"])
def test_a_tag_without_text_or_with_a_comma_is_refused(viewer, memory, tag):
    page = viewer.post("/bulk", action="tag", value=tag, ids=[memory.id])
    assert "tag" in page
    assert "Tagged" not in page
    assert () == tuple(viewer.core.store.memories.get([memory.key])[0].tags)


def test_numbers_of_any_length_are_answered(viewer):
    viewer.get("/search", n="9" * 5_000)
    assert "suggestion" in viewer.post(f"/suggestions/{'9' * 5_000}", answer="accept")


def test_hostile_output_of_commands_is_read_in_bounded_time():
    digits, assignments = "1" * 20_000, "AAAA=" * 4_000
    started = time.process_time()
    error_signatures(digits)
    describe_error(digits)
    counts_of(digits)
    already_has_setting("make", assignments, "make")
    assert time.process_time() - started < 1
