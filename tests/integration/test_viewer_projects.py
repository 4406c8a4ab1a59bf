"""Projects in the viewer: the list, sessions by week, folders, merge, stop remembering."""

from __future__ import annotations

import time

import pytest

from aforesaid.config import load_settings
from aforesaid.domain.model.memory import Session
from aforesaid.entrypoints.api.operations import ToolCalls

WEEK = 7 * 86_400_000
QUEUE = "The queue is RabbitMQ, because the broker was there already."


@pytest.fixture
def project(viewer):
    """Return the project of the viewer's folder, with one memory."""
    calls = ToolCalls(viewer.services.connect())
    calls.call("store_memory", {"content": QUEUE})
    return viewer.core.projects.find("acme/payments")


def add_session(viewer, project, name, started_at, digest=""):
    key = None
    if digest:
        calls = ToolCalls(viewer.services.connect(project))
        short = calls.call("store_memory", {"content": digest, "type": "episodic"})["id"]
        key = viewer.core.store.memories.find(short)[0].key
    with viewer.core.store.transaction():
        viewer.core.store.sessions.put(
            Session(
                id=name, project=project.key, started_at=started_at, ended_at=started_at + 1,
                digest=key,
            )
        )  # fmt: skip


def off(viewer):
    return load_settings(viewer.core.environment, lenient=True)["project.off"]


def test_projects_are_listed_with_their_counts_and_folders(viewer, project):
    add_session(viewer, project, "s1", int(time.time() * 1000))
    page = viewer.get("/projects")
    assert "acme/payments 1 memory 1 session used just now" in page
    assert "git.example/acme/payments" in page


def test_sessions_are_grouped_by_week_with_their_digests(viewer, project):
    now = int(time.time() * 1000)
    add_session(viewer, project, "new", now, "The queue was tried out.")
    add_session(viewer, project, "old", now - 3 * WEEK, "NATS was chosen for its replay.")
    page = viewer.get(f"/projects/{project.key}")
    assert page.index("This week") < page.index("The queue was tried out.")
    assert page.index("3 weeks ago, from") < page.index("NATS was chosen for its replay.")
    day = time.strftime("%Y-%m-%d", time.localtime(now / 1000 - 21 * 86_400))
    assert f"?until={day}#sessions" in viewer.browser.get(f"/projects/{project.key}").text
    page = viewer.get(f"/projects/{project.key}", until=day)
    assert "NATS was chosen" in page
    assert "tried out" not in page


def test_sessions_are_paged(viewer, project):
    now = int(time.time() * 1000)
    for number in range(45):
        add_session(viewer, project, f"s{number:02}", now - number * 1000)
    page = viewer.browser.get(f"/projects/{project.key}").text
    assert 40 == page.count("session=s")
    later = page.partition(f'href="/projects/{project.key}?before=')[2].partition("#")[0]
    page = viewer.browser.get(f"/projects/{project.key}?before={later}").text
    assert 5 == page.count("session=s")
    assert "session=s44" in page


def test_a_day_that_is_none_is_an_error(viewer, project):
    assert "is not a day" in viewer.get(f"/projects/{project.key}", status=400, until="soon")


def test_an_unknown_project_is_not_found(viewer):
    assert "no such project" in viewer.get("/projects/999", status=404)


def test_folders_tell_how_they_were_recognised(viewer, project):
    page = viewer.get(f"/projects/{project.key}")
    assert "git.example/acme/payments recognised by the address of its git remote" in page


def test_a_merge_is_previewed_and_confirmed(viewer, project):
    target = viewer.core.projects.named("acme/website")
    page = viewer.get(f"/projects/{project.key}/merge", into=target.identity)
    assert "Merge acme/payments into acme/website?" in page
    assert "1 in force move" in page
    assert viewer.core.store.projects.get(project.key) is not None  # nothing moved yet
    page = viewer.post(f"/projects/{project.key}/merge", into=target.identity)
    assert "1 memory moved from acme/payments to acme/website" in page
    assert viewer.core.store.projects.get(project.key) is None


def test_a_merge_into_itself_is_refused(viewer, project):
    page = viewer.get(f"/projects/{project.key}/merge", status=400, into=project.identity)
    assert "already the same project" in page


def test_a_project_is_no_longer_remembered_and_again(viewer, project):
    page = viewer.post(f"/projects/{project.key}/switch", off="yes")
    assert "memory off" in page
    assert "Nothing is remembered about acme/payments" in page
    assert [project.identity] == off(viewer)
    assert "memory off" in viewer.get("/projects")
    viewer.post("/undo", next="/projects")
    assert [] == off(viewer)
    viewer.post(f"/projects/{project.key}/switch", off="yes")
    assert "is remembered again" in viewer.post(f"/projects/{project.key}/switch", off="no")
    assert [] == off(viewer)


def test_a_folder_that_is_off_is_left_to_the_file(viewer, project):
    from aforesaid.entrypoints.api.project_switch import write_setting

    write_setting(viewer.core.environment, "project.off", [str(viewer.folder.parent)])
    page = viewer.post(f"/projects/{project.key}/switch", off="no", next=f"/projects/{project.key}")
    assert "a folder in project.off switches memory off" in page
    assert [str(viewer.folder.parent)] == off(viewer)
