"""A memory in the viewer: everything about it, and each way to mend it, and back."""

from __future__ import annotations

import json
import shutil

import pytest

from aforesaid.domain.model.memory import Session
from aforesaid.entrypoints.api.operations import ToolCalls
from git_folders import git
from viewer import ORIGIN

QUEUE = "The queue is RabbitMQ, because the broker was there already."
NATS = "The queue is NATS JetStream, for replay."


@pytest.fixture
def store(viewer):
    """Return what stores a memory as a session of the project would, and returns it."""

    def stored(content, **fields):
        calls = ToolCalls(viewer.services.connect())
        short = calls.call("store_memory", {"content": content, **fields})["id"]
        return viewer.core.store.memories.find(short)[0]

    return stored


def now(viewer, memory):
    return viewer.core.store.memories.get([memory.key])[0]


def edited(viewer, memory, **changes):
    """Send the form for editing, with all its fields as a browser sends them."""
    page = viewer.browser.get(f"/memory/{memory.id}/edit")
    assert 200 == page.status_code
    from aforesaid.entrypoints.viewer.editing import read_values
    from aforesaid.entrypoints.viewer.views import Visit

    class Request:
        app = viewer.app._app
        state = type("State", (), {"form": ()})

    fields = {name: value for name, value in read_values(Visit(Request), memory).items() if value}
    return viewer.post(f"/memory/{memory.id}/edit", **{**fields, **changes})


# -- understanding


def test_a_memory_is_shown_with_its_state_origin_and_use(viewer, store):
    memory = store(QUEUE, tags=["queue"], topic="queue/broker", importance="high")
    for _ in range(2):
        ToolCalls(viewer.services.connect()).call("recall_memory", {"query": "RabbitMQ queue"})
    viewer.core.record_usage()
    with viewer.core.store.transaction():
        viewer.core.store.sessions.put(
            Session(id="s1", started_at=1, shown=(memory.key,), shown_at=memory.created_at)
        )
    page = viewer.get(f"/memory/{memory.id}")
    for text in (
        QUEUE, "queue/broker", "#queue", "the assistant (not confirmed)", "2 times",
        "to 1 session", "acme/payments", "Importance high", "stored",
    ):  # fmt: skip
        assert text in page, text


def test_short_ids_lead_to_a_memory_of_any_project(viewer, store):
    viewer.core.projects.named("acme/website")
    memory = store("The website is static.", project="acme/website")
    short = viewer.core.store.memories.short_ids([memory.key])[memory.key]
    assert "The website is static." in viewer.get(f"/memory/{short}")


def test_an_unknown_id_is_a_page_that_says_so(viewer):
    page = viewer.get("/memory/zzzz", status=404)
    assert "Not found" in page


def test_versions_show_their_differences(viewer, store):
    memory = store(QUEUE)
    edited(viewer, memory, content=NATS)
    head = viewer.core.store.memories.get([now(viewer, memory).head])[0]
    page = viewer.browser.get(f"/memory/{head.id}").text
    assert "<del>RabbitMQ</del><ins>NATS JetStream</ins>" in page
    assert "Go to the version in force" in viewer.get(f"/memory/{memory.id}")


def test_relations_are_shown_from_both_ends(viewer, store):
    first, second = store(QUEUE), store("Amounts are integers.")
    viewer.post(f"/memory/{first.id}/link", kind="supports", target=second.id, direction="in")
    assert "supports this memory since" in viewer.get(f"/memory/{first.id}")
    assert "supports since" in viewer.get(f"/memory/{second.id}")


def test_a_cited_file_shows_what_changed_in_it(viewer, store):
    file = viewer.folder / "queue.py"
    file.write_text("STREAM = 'payments'\nRETRIES = 5  # of the queue\n")
    git(viewer.folder, "add", "queue.py")
    git(viewer.folder, "commit", "-qm", "Add the queue")
    memory = store("The queue is tried five times.", anchors=["queue.py:2"])
    assert "queue.py:2 unchanged" in viewer.get(f"/memory/{memory.id}")
    file.write_text("# moved\nSTREAM = 'payments'\nRETRIES = 5  # of the queue\n")
    assert "now at line 3" in viewer.get(f"/memory/{memory.id}")
    file.write_text("STREAM = 'payments'\nRETRIES = 8  # of the queue\n")
    page = viewer.get(f"/memory/{memory.id}")
    assert "queue.py:2 changed" in page
    assert "\N{MINUS SIGN} RETRIES = 5 # of the queue" in page
    assert "+ RETRIES = 8 # of the queue" in page
    file.unlink()
    assert "queue.py:2 is gone" in viewer.get(f"/memory/{memory.id}")


def test_a_changed_file_that_git_does_not_have_is_told_so(viewer, store):
    file = viewer.folder / "queue.py"
    file.write_text("RETRIES = 5  # of the queue\n")
    memory = store("The queue is tried five times.", anchors=["queue.py"])
    file.write_text("RETRIES = 8  # of the queue\n")
    assert "Git does not have the content that was cited." in viewer.get(f"/memory/{memory.id}")


@pytest.fixture
def transcript(viewer, store, tmp_path):
    """Return the path of a session's transcript, and a memory of that session."""
    lines = [
        ("user", "no, not Redis: store the keys in Postgres, they must survive a flush"),
        ("assistant", "Keys go to Postgres then."),
    ]
    path = tmp_path / "s1.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "type": role, "uuid": f"u{index}", "sessionId": "s1", "isSidechain": False,
                    "parentUuid": f"u{index - 1}" if index else None, "cwd": str(viewer.folder),
                    "timestamp": f"2026-11-20T10:00:0{index}.000Z", "version": "2.1.0",
                    "message": {"role": role, "content": [{"type": "text", "text": text}]},
                }
            ) + "\n"
            for index, (role, text) in enumerate(lines)
        )
    )  # fmt: skip
    with viewer.core.store.transaction():
        viewer.core.store.sessions.put(
            Session(id="s1", started_at=1, transcript_path=str(path), branch="main")
        )
    memory = store("Idempotency keys are stored in Postgres to survive a flush.")
    with viewer.core.store.transaction():
        viewer.core.store.memories.change(memory.key, session="s1")
    return path, memory


def test_a_memory_leads_back_to_the_words_of_its_session(viewer, transcript):
    _path, memory = transcript
    assert "in claude-code on branch main" in viewer.get(f"/memory/{memory.id}")
    page = viewer.get(f"/memory/{memory.id}/words")
    assert "You 2026-11-20" in page
    assert "no, not Redis: store the keys in Postgres, they must survive a flush" in page
    assert "Keys go to Postgres then." in page


def test_a_transcript_that_is_gone_is_told_so(viewer, transcript):
    path, memory = transcript
    path.unlink()
    assert "the transcript cannot be read" in viewer.get(f"/memory/{memory.id}/words")


# -- mending


def test_new_text_makes_a_version_and_undo_brings_the_old_one_back(viewer, store):
    memory = store(QUEUE)
    page = edited(viewer, memory, content=NATS)
    assert "Saved as a new version." in page
    assert NATS in page
    assert not now(viewer, memory).in_force
    assert "Undone" in viewer.post("/undo")
    assert now(viewer, memory).in_force
    assert [memory.key] == [found.key for found in viewer.core.store.memories.chain(memory.key)]


def test_undoing_an_edit_on_the_page_of_the_new_version_leads_to_the_old_one(viewer, store):
    memory = store(QUEUE)
    edited(viewer, memory, content=NATS)
    new = viewer.core.store.memories.get([now(viewer, memory).head])[0]
    page = viewer.post("/undo", next=f"/memory/{new.id}")
    assert QUEUE in page
    assert "Undone" in page
    assert "Forgotten" not in page


@pytest.mark.parametrize(
    ("field", "value", "column", "expected"),
    [
        ("tags", "queue, broker", "tags", ("broker", "queue")),
        ("importance", "high", "importance", 0.9),
        ("summary", "The queue", "summary", "The queue"),
        ("pinned", "yes", "pinned", True),
        ("cues", "message broker; bus", "cues", ("message broker", "bus")),
        ("valid_to", "2027-01-01", "valid_to", 1798847999999),
        ("home", "global", "project", 0),
    ],
)
def test_a_field_is_changed_in_place_and_back(viewer, store, field, value, column, expected):
    memory = store(QUEUE)
    edited(viewer, memory, **{field: value})
    assert expected == getattr(now(viewer, memory), column)
    assert "Undone" in viewer.post("/undo")
    assert getattr(memory, column) == getattr(now(viewer, memory), column)


def test_topic_and_entity_are_changed_and_back(viewer, store):
    memory = store(QUEUE, topic="queue")
    page = edited(viewer, memory, topic="broker/choice", entity="RabbitMQ")
    assert "Topic broker/choice" in page
    assert "About RabbitMQ" in page
    viewer.post("/undo")
    page = viewer.get(f"/memory/{memory.id}")
    assert "Topic queue " in page
    assert "About" not in page


def test_a_memory_moves_to_another_project_with_new_text_and_back(viewer, store):
    website = viewer.core.projects.named("acme/website")
    memory = store(QUEUE)
    edited(viewer, memory, content=NATS, home=website.identity)
    head = viewer.core.store.memories.get([now(viewer, memory).head])[0]
    assert (NATS, website.key) == (head.content, head.project)
    assert "Undone" in viewer.post("/undo")
    back = now(viewer, memory)
    assert (True, memory.project) == (back.in_force, back.project)


def test_an_invalid_edit_keeps_what_was_typed(viewer, store):
    memory = store(QUEUE)
    response = viewer.browser.post(
        f"/memory/{memory.id}/edit",
        data={"csrf": viewer.access.csrf, "content": NATS, "valid_to": "nonsense"},
        headers={"Origin": "http://127.0.0.1:7411"},
    )
    assert 400 == response.status_code
    assert NATS in response.text
    assert 'value="nonsense"' in response.text
    assert now(viewer, memory).in_force


def test_nothing_changed_is_no_version(viewer, store):
    memory = store(QUEUE)
    assert "Nothing was changed." in edited(viewer, memory)
    assert now(viewer, memory) == memory


def test_pinning_is_undone(viewer, store):
    memory = store(QUEUE)
    viewer.post(f"/memory/{memory.id}/pin")
    assert now(viewer, memory).pinned
    viewer.post("/undo")
    assert not now(viewer, memory).pinned


@pytest.mark.parametrize("kind", ["related_to", "supersedes", "depends_on"])
def test_a_link_is_made_and_removed_and_each_is_undone(viewer, store, kind):
    first, second = store(NATS), store("Amounts are integers.")
    before = now(viewer, second)
    page = viewer.post(f"/memory/{first.id}/link", kind=kind, target=second.id)
    assert "Linked" in page
    assert "Nothing changed" in viewer.post(f"/memory/{first.id}/link", kind=kind, target=second.id)
    viewer.post("/undo")
    assert before.superseded_by == now(viewer, second).superseded_by
    viewer.post(f"/memory/{first.id}/link", kind=kind, target=second.id)
    assert "Removed" in viewer.post(f"/memory/{first.id}/unlink", kind=kind, target=second.id)


def test_a_link_to_an_unknown_memory_is_an_error_with_the_page(viewer, store):
    memory = store(QUEUE)
    page = viewer.post(
        f"/memory/{memory.id}/link", kind="supports", target="zzzz", next=f"/memory/{memory.id}"
    )
    assert "zzzz" in page
    assert QUEUE in page


def test_forgetting_leads_to_a_page_without_the_text_that_restores(viewer, store):
    memory = store(QUEUE)
    viewer.post(f"/memory/{memory.id}/forget")
    page = viewer.get(f"/memory/{memory.id}")
    assert "Forgotten just now" in page
    assert QUEUE not in page
    assert QUEUE not in viewer.get(f"/memory/{memory.id}/words")
    viewer.post(f"/memory/{memory.id}/restore")
    assert now(viewer, memory).in_force
    viewer.post("/undo")
    assert now(viewer, memory).forgotten_at is not None


def test_erasing_shows_what_goes_and_asks(viewer, store):
    memory = store("The password hint is the name of the first harbour pilot.")
    other = store("Ada says: the name of the first harbour pilot is on the door.")
    page = viewer.get(f"/memory/{memory.id}/erase")
    assert "What would be removed Versions 1" in page
    assert "Ada says" in page
    assert "it cannot be undone" in viewer.post(f"/memory/{memory.id}/erase")
    assert [memory] == viewer.core.store.memories.get([memory.key])
    page = viewer.post(f"/memory/{memory.id}/erase", agreed="yes", also=other.id)
    assert "Erased" in page
    assert [] == viewer.core.store.memories.get([memory.key, other.key])


# -- many at once


def bulk(viewer, action, memories, **fields):
    return viewer.post(
        "/bulk", **{"status": 303, "action": action, "ids": [m.id for m in memories], **fields}
    )


@pytest.mark.parametrize(
    ("action", "value", "column", "expected"),
    [
        ("pin", "", "pinned", True),
        ("tag", "old", "tags", ("old", "queue")),
        ("untag", "queue", "tags", ()),
        ("confirm", "", "provenance", "user"),
        ("global", "", "project", 0),
    ],
)
def test_several_are_changed_at_once_and_back(viewer, store, action, value, column, expected):
    memories = [store(QUEUE, tags=["queue"]), store("Amounts are integers.", tags=["queue"])]
    page = bulk(viewer, action, memories, value=value)
    assert "2 memories" in page
    assert [expected] * 2 == [getattr(now(viewer, memory), column) for memory in memories]
    assert "Undone" in viewer.post("/undo")
    assert [getattr(memory, column) for memory in memories] == [
        getattr(now(viewer, memory), column) for memory in memories
    ]


def test_moving_several_counts_those_that_are_there_already(viewer, store):
    website = viewer.core.projects.named("acme/website")
    memories = [store(QUEUE), store("The website is static.", project="acme/website")]
    page = bulk(viewer, "move", memories, value="acme/website")
    assert "Moved 1 memory (acme/website); 1 had nothing to change." in page
    assert website.key == now(viewer, memories[0]).project
    viewer.post("/undo")
    assert memories[0].project == now(viewer, memories[0]).project


def test_forgetting_several_asks_with_exact_counts(viewer, store):
    memories = [store(QUEUE), store("Amounts are integers.")]
    page = bulk(viewer, "forget", memories, status=200)
    assert "Forget 2 memories?" in page
    assert "That is 2 versions in all." in page
    assert all(now(viewer, memory).in_force for memory in memories)
    assert "Forgotten 2 memories." in bulk(viewer, "forget", memories, agreed="yes")
    assert not any(now(viewer, memory).in_force for memory in memories)
    viewer.post("/undo")
    assert all(now(viewer, memory).in_force for memory in memories)


def test_all_that_match_are_changed_after_the_exact_count_was_shown(viewer, store):
    tagged = [store(f"Fact {number} about service {number}.", tags=["t"]) for number in range(55)]
    other = store(QUEUE)
    page = bulk(viewer, "pin", [], all="tag=t", status=200)
    assert "Pin 55 memories?" in page
    assert "and 5 more" in page
    bulk(viewer, "pin", tagged, agreed="yes")
    assert 55 == sum(now(viewer, memory).pinned for memory in tagged)
    assert not now(viewer, other).pinned


def test_one_that_fails_leaves_all_as_they_were(viewer, store):
    first = store(QUEUE)
    task = store("Answer 409.", task_id="retries")
    viewer.core.projects.named("acme/website")
    page = bulk(viewer, "move", [first, task], value="acme/website")
    assert "belongs to a task" in page
    assert first.project == now(viewer, first).project


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "pin"}, "Select memories first"),
        ({"action": "explode", "ids": "x"}, "Choose what to do"),
        ({"action": "tag", "ids": "x"}, "Name the tag"),
    ],
)
def test_what_is_missing_is_asked_for(viewer, fields, message):
    assert message in viewer.post("/bulk", **fields)


def test_a_refused_change_of_several_keeps_what_was_chosen(viewer, store):
    memories = [store(QUEUE), store("Amounts are integers.")]
    page = bulk(viewer, "tag", memories[:1], value="", next="/search?q=queue")
    assert "Continue Name the tag" in page
    assert f'value="{memories[0].id}" checked' in viewer.last
    assert f'value="{memories[1].id}" checked' not in viewer.last
    assert '<option value="tag" selected>' in viewer.last
    viewer.get("/search?q=queue")
    assert "checked" not in viewer.last.partition('id="results"')[2]


def test_a_refused_link_keeps_what_was_typed(viewer, store):
    memory = store(QUEUE)
    page = viewer.post(
        f"/memory/{memory.id}/link", kind="depends on", target="zzzz", direction="in",
        next=f"/memory/{memory.id}",
    )  # fmt: skip
    assert "There is no memory with the id 'zzzz'" in page.partition("Link it to another")[2]
    for field in ('value="depends on"', 'value="zzzz" aria-invalid', 'value="in" selected'):
        assert field in viewer.last, field


def test_a_wrong_date_is_told_beside_its_field_with_the_others_kept(viewer, store):
    memory = store(QUEUE)
    answer = viewer.browser.post(
        f"/memory/{memory.id}/edit",
        data={
            "csrf": viewer.access.csrf, "content": NATS, "valid_from": "nonsense", "tags": "queue",
        },
        headers={"Origin": ORIGIN},
    )  # fmt: skip
    assert 400 == answer.status_code
    assert 'value="nonsense" autocomplete="off" placeholder="2026-11-01, last week" aria-inv' in (
        answer.text
    )
    assert "True since: &#39;nonsense&#39; is not a date" in answer.text
    assert NATS in answer.text
    assert 'value="queue"' in answer.text


def test_a_refused_erasure_keeps_what_was_ticked(viewer, store):
    memory = store(QUEUE)
    mention = store(f"As was said: {QUEUE} It runs in one zone.")
    page = viewer.post(
        f"/memory/{memory.id}/erase", also=mention.id, next=f"/memory/{memory.id}/erase"
    )
    assert "Tick the box to erase: it cannot be undone Erase" in page
    assert f'name="also" value="{mention.id}" checked' in viewer.last


def test_a_refused_change_is_told_on_top_of_a_page_without_its_form(viewer, store):
    memory = store(QUEUE)
    page = viewer.post(f"/memory/{memory.id}/erase", next=f"/memory/{memory.id}")
    assert page.startswith("Tick the box to erase")


def test_without_its_folder_a_project_is_still_shown(viewer, store):
    memory = store(QUEUE)
    shutil.rmtree(viewer.folder)
    assert QUEUE in viewer.get(f"/memory/{memory.id}")
