"""Today and Search in the viewer: what is shown, and what each of their buttons changes."""

from __future__ import annotations

import json

import pytest

from aforesaid.domain.model.memory import Session
from aforesaid.domain.model.suggestion import GUARD, LINK, Suggestion
from aforesaid.entrypoints.api.operations import ToolCalls
from git_folders import make_repository
from viewer import Viewer

QUEUE = "The queue is NATS JetStream, for replay."


@pytest.fixture
def store(viewer):
    """Return what stores a memory as a session of the project would, and returns its id."""

    def stored(content, **fields):
        calls = ToolCalls(viewer.services.connect())
        return calls.call("store_memory", {"content": content, **fields})["id"]

    return stored


def memory_of(viewer, reference):
    return viewer.core.store.memories.find(reference)[0]


def remember_session(viewer, name="s1"):
    core, project = viewer.core, viewer.services.connect().call_context().project
    with core.store.transaction():
        core.store.sessions.put(
            Session(id=name, started_at=core.clock.now(), project=project.key, branch="main")
        )


def learn(viewer, content, **fields):
    from aforesaid.domain.model.statement import Statement

    statement = Statement(
        content=content, scope="project", session="s1", provenance="assistant", confidence=0.6,
        **fields,
    )  # fmt: skip
    context = viewer.services.connect().call_context()
    return viewer.core.writer.store_many([statement], context)[0].memory


def test_an_empty_store_teaches_what_to_do(viewer):
    page = viewer.get("/")
    assert "Nothing is remembered here yet." in page
    assert "aforesaid remember" in page
    assert "Nothing is remembered here yet." in viewer.get("/search")


def test_today_shows_exactly_what_a_session_would_be_shown_and_why(viewer, store):
    store(QUEUE, importance="high")
    store("The user prefers tabs.", scope="global", pinned=True, provenance="user")
    page = viewer.get("/")
    shown = ToolCalls(viewer.services.connect()).call("get_context", {})["context"]
    assert " ".join(shown.split()) in page
    assert "marked important (0.9)" in page
    assert "pinned: always among the first" in page
    assert "global: shown in every project" in page


def test_a_project_that_is_off_is_shown_nothing(own_folders, tmp_path):
    folder = tmp_path / "payments"
    make_repository(folder, remote="https://git.example/acme/payments.git")
    viewer = Viewer({**own_folders, "AFORESAID_PROJECT_OFF": '["acme/payments"]'}, folder)
    assert "memory is switched off in acme/payments" in viewer.get("/")


def test_what_a_session_learnt_is_accepted(viewer):
    remember_session(viewer)
    memory = learn(viewer, "Use uv instead of pip.")
    assert "Learnt (1)" in viewer.get("/")
    assert "Accepted: Use uv instead of pip." in viewer.post(f"/memory/{memory.id}/confirm")
    accepted = memory_of(viewer, memory.id)
    assert ("user", 1.0) == (accepted.provenance, accepted.confidence)
    page = viewer.post("/undo")
    assert "Undone: Accepted" in page
    assert "Learnt (1)" in page
    assert 0.6 == memory_of(viewer, memory.id).confidence


def test_what_a_session_learnt_is_forgotten_and_brought_back(viewer):
    remember_session(viewer)
    memory = learn(viewer, "Use uv instead of pip.")
    assert "Learnt (0)" in viewer.post(f"/memory/{memory.id}/forget")
    assert memory_of(viewer, memory.id).forgotten_at is not None
    assert "Learnt (1)" in viewer.post("/undo")
    assert "Nothing to undo." in viewer.post("/undo")


def test_a_contradiction_is_settled_for_one_side_and_back(viewer, store):
    old, new = store("The database is PostgreSQL 15."), store("The database is PostgreSQL 16.")
    viewer.post(f"/memory/{new}/link", kind="contradicts", target=old)
    assert "To decide (1)" in viewer.get("/")
    assert "To decide (0)" in viewer.post(f"/memory/{old}/decide", other=new)
    assert memory_of(viewer, old).in_force
    assert not memory_of(viewer, new).in_force
    assert "To decide (1)" in viewer.post("/undo")


def test_both_sides_of_a_contradiction_can_hold(viewer, store):
    old, new = store("The database is PostgreSQL 15."), store("The test database is SQLite 3.")
    viewer.post(f"/memory/{new}/link", kind="contradicts", target=old)
    assert "To decide (0)" in viewer.post(f"/memory/{old}/decide", other=new, keep="both")
    assert memory_of(viewer, new).in_force
    assert "To decide (1)" in viewer.post("/undo")


@pytest.mark.parametrize(("answer", "links"), [("accept", 1), ("decline", 0)])
def test_a_suggestion_is_answered(viewer, store, answer, links):
    first, second = (memory_of(viewer, store(text)) for text in (QUEUE, "Amounts are integers."))
    with viewer.core.store.transaction():
        viewer.core.store.suggestions.add(
            Suggestion(
                kind=LINK, name="a", project=first.project, created_at=1,
                memories=(first.key, second.key),
            )
        )  # fmt: skip
    assert "are often mentioned together. Link them?" in viewer.get("/")
    viewer.post("/suggestions/1", answer=answer)
    visible = viewer.services.connect().call_context().visible
    assert links == len(viewer.core.store.relations.of([first.key], visible))
    assert "already" in viewer.post("/suggestions/1", answer=answer)
    viewer.post("/undo")
    assert [] == viewer.core.store.relations.of([first.key], visible)


def test_only_a_person_accepts_a_guard_and_takes_it_back(viewer, store):
    memory = memory_of(viewer, store("Never run docker system prune.", type="procedural"))
    with viewer.core.store.transaction():
        viewer.core.store.suggestions.add(
            Suggestion(
                kind=GUARD, name="g", project=memory.project, created_at=1, memories=(memory.key,)
            )
        )
    viewer.services.has_person = False
    assert "only you can put guards in force" in viewer.post("/suggestions/1", answer="accept")
    assert "guard" not in memory_of(viewer, memory.id).tags
    viewer.services.has_person = True
    viewer.post("/suggestions/1", answer="accept", ask="yes")
    assert memory_of(viewer, memory.id).metadata["guard"]["asks"]
    assert "Undone" in viewer.post("/undo")
    assert "guard" not in memory_of(viewer, memory.id).tags


def test_a_memory_whose_file_changed_is_told_to_be_still_true(viewer, store):
    file = viewer.folder / "queue.py"
    file.write_text("RETRIES = 5  # of the queue\n")
    memory = store("The queue is tried five times.", anchors=["queue.py:1"])
    file.write_text("RETRIES = 8  # of the queue\n")
    assert "queue.py:1 changed" in viewer.get("/")
    page = viewer.post(f"/memory/{memory}/renew")
    assert "Still true; it cites queue.py:1" in page
    assert "To decide (0)" in page
    file.unlink()
    assert "it cites no file now" in viewer.post(f"/memory/{memory}/renew")


def test_an_import_is_confirmed(viewer, store):
    memory = store("README: run make dev.", provenance="tool")
    assert "tool, unconfirmed" in viewer.get("/")
    viewer.post(f"/memory/{memory}/confirm")
    assert "unconfirmed" not in viewer.get("/")


# -- search


def test_search_shows_the_passage_with_relevance_and_reasons(viewer, store):
    store("Nothing of interest. " * 60 + QUEUE + " Nothing else." * 40)
    page = viewer.get("/search", q="which queue for replay")
    assert QUEUE in page
    assert "relevance 0." in page
    assert "words best" in page
    assert "<mark>queue</mark>" in viewer.browser.get("/search?q=queue").text


def test_looking_at_memories_is_no_use_of_them(viewer, store):
    memory = store(QUEUE)
    for path in ("/", "/search?q=queue", "/search"):
        viewer.get(path)
    viewer.core.record_usage()
    assert 0 == memory_of(viewer, memory).access_count


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"type": "procedural"}, {"release"}),
        ({"scope": "global"}, {"user"}),
        ({"tag": "queue"}, {"queue"}),
        ({"topic": "Queue"}, {"queue"}),
        ({"topic": "queue/broker"}, {"queue"}),
        ({"entity": "Ada Lovelace"}, {"ada"}),
        ({"origin": "user"}, {"user"}),
        ({"origin": ["user", "tool"]}, {"user", "readme"}),
        ({"since": "tomorrow"}, set()),
        ({"until": "2020-01-01"}, set()),
        ({"state": "forgotten"}, {"forgotten"}),
        ({"project": "acme/website"}, {"website", "user"}),
        ({"project": "*", "type": "semantic"}, {"website", "user", "queue", "readme"}),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_each_filter_narrows_the_list(viewer, store, filters, expected):
    texts = {
        "release": ("To release, make ship.", {"type": "procedural"}),
        "user": ("The user prefers tabs.", {"scope": "global", "provenance": "user"}),
        "queue": (QUEUE, {"tags": ["queue"], "topic": "queue/broker"}),
        "ada": ("Ada owns the ledger.", {"type": "entity", "entity": "Ada Lovelace",
                "metadata": {"name": "Ada Lovelace", "entity_type": "person"}}),
        "readme": ("README: run make dev.", {"provenance": "tool"}),
        "forgotten": ("The broker is old.", {}),
    }  # fmt: skip
    ids = {name: store(text, **fields) for name, (text, fields) in texts.items()}
    viewer.post(f"/memory/{ids['forgotten']}/forget")
    viewer.core.projects.named("acme/website")
    ids["website"] = store("The website is static.", project="acme/website")
    page = viewer.browser.get("/search", params=filters).text
    whole = {name: memory_of(viewer, short).id for name, short in ids.items()}
    assert expected == {name for name, key in whole.items() if f'name="ids" value="{key}"' in page}


def test_the_text_of_a_forgotten_memory_is_not_shown(viewer, store):
    memory = store("The broker is old.")
    viewer.post(f"/memory/{memory}/forget")
    viewer.services.notice = None
    page = viewer.get("/search", state="forgotten")
    assert "The broker is old." not in page
    assert "Forgotten just now" in page


def test_a_wrong_filter_is_an_error_in_the_page_and_keeps_the_form(viewer):
    page = viewer.browser.get("/search", params={"q": "queue", "since": "nonsense"}).text
    assert 'role="alert"' in page
    assert 'value="nonsense"' in page
    assert 'value="queue"' in page


def test_a_long_list_is_paged(viewer, store):
    for number in range(25):
        store(f"Fact number {number} is about the service {number * 7}.")
    first = viewer.browser.get("/search").text
    assert 20 == first.count('name="ids"')
    later = first.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    assert 5 == viewer.browser.get(later.replace("&amp;", "&")).text.count('name="ids"')


def test_another_project_is_chosen(viewer, store):
    store("The website is static.", project=viewer.core.projects.named("acme/website").name)
    page = viewer.post("/project", project="acme/website")
    assert "The website is static." in page
    assert "acme/website" in page


def test_while_typing_only_the_results_are_sent(viewer, store):
    store(QUEUE)
    answer = viewer.browser.get("/search?q=queue", headers={"HX-Request": "true"})
    assert answer.text.lstrip().startswith('<section id="results"')
    assert "<mark>queue</mark>" in answer.text
    assert 'action="/bulk"' in answer.text


def test_names_are_offered_for_the_filters(viewer, store):
    store(QUEUE, topic="queue/broker", entity="NATS")
    answer = viewer.browser.get("/search/names").text
    assert '<option value="queue/broker">' in answer
    assert '<option value="NATS">' in answer


def test_a_store_that_cannot_be_read_is_an_error_not_a_bug(viewer):
    viewer.get("/")
    path = viewer.core.store.path
    viewer.core.close()
    with open(path, "wb") as file:
        file.write(b"no database" * 1000)
    response = viewer.browser.get("/")
    assert 503 == response.status_code
    assert "Aforesaid" in response.text


def test_of_another_project_its_own_folder_decides_what_is_shown(viewer, store, tmp_path):
    store(QUEUE)
    other = tmp_path / "website"
    make_repository(other, remote="https://git.example/acme/website.git")
    core = viewer.core
    from aforesaid.wiring import factories

    workspace = factories.read_workspace(str(other), core.settings, core.environment)
    website = core.projects.resolve(workspace).project
    with core.store.transaction():
        core.store.projects.change(website.key, root=str(other))
    page = viewer.post("/project", project=website.identity)
    assert "acme/website (git remote) · main" in page
    assert "acme/payments (git remote) · main" in viewer.post("/project", project="acme/payments")
    viewer.post("/project", project=website.identity)
    assert "acme/payments (git remote) · main" in viewer.post("/project", project="")


def test_an_unclear_project_is_asked_about(own_folders, tmp_path):
    folder = tmp_path / "somewhere"
    folder.mkdir()
    viewer = Viewer(own_folders, folder)
    assert "A question for you" in viewer.get("/")


def test_the_theme_is_kept_in_the_browser(viewer):
    assert 'data-theme="system"' in viewer.browser.get("/").text
    viewer.post("/theme", theme="dark")
    assert 'data-theme="dark"' in viewer.browser.get("/").text
    viewer.post("/theme", theme='x" onload="alert(1)')
    assert 'data-theme="dark"' in viewer.browser.get("/").text
