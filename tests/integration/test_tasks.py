"""Tasks as the model meets them: through the real server, one client after the other."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timedelta

import pytest

from aforesaid import Memory
from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from integration.test_mcp_server import DOOR, call, run, world

__all__ = ["world"]


def ahead(days: int) -> str:
    return (datetime.now() + timedelta(days=days)).date().isoformat()  # noqa: DTZ005


def contents(answer) -> set[str]:
    return {row["content"] for row in answer["results"]}


def test_a_task_s_memories_are_seen_from_the_task_and_not_from_its_siblings(world) -> None:
    async def live(session):
        made = await call(
            session, "store_memory", task_id="Idempotent Retries", due="tomorrow", priority="high",
            content="Answer 409 on duplicate keys.",
        )  # fmt: skip
        await call(
            session, "store_memory", task_id="idempotent-retries",
            content="The key is hashed with the body.",
        )  # fmt: skip
        await call(session, "store_memory", task_id="dead-letters", content="Keep dead letters.")
        await call(session, "store_memory", content="Queue keys are UUIDs.", scope="project")
        asked = [
            await call(session, "recall_memory", **values)
            for values in (
                {"query": "how is the key hashed"},
                {
                    "query": "how is the key hashed",
                    "task_id": "idempotent-retries",
                    "min_relevance": 0,
                },
                {"query": "how is the key hashed", "task_id": "dead-letters"},
                {"task_id": "idempotent-retries"},
                {"scope": "task"},
                {"status": "active", "summary_only": True},
                {"query": "key", "task_id": "unheard-of"},
            )
        ]
        return made, asked

    made, (project, inside, sibling, held, objectives, active, unknown) = run(world, live)
    assert ("task", "idempotent-retries", "active") == tuple(
        made[name] for name in ("scope", "task_id", "status")
    )
    assert ("high", ahead(1)) == (made["priority"], made["due"])
    hashed, objective = "The key is hashed with the body.", "Answer 409 on duplicate keys."
    assert hashed not in contents(project) | contents(sibling)
    assert {hashed, objective, "Queue keys are UUIDs."} <= contents(inside)
    assert {hashed, objective} == contents(held)
    assert {objective, "Keep dead letters."} == contents(objectives)
    assert 2 == active["total_matched"]
    assert {"active"} == {row["status"] for row in active["results"]}
    assert "open tasks: idempotent-retries, dead-letters" in unknown


def test_open_tasks_stand_in_the_context_most_urgent_first_until_they_are_completed(world) -> None:
    async def live(session):
        late = await call(
            session, "store_memory", task_id="late", due="2020-01-01", content="Renew the licence."
        )
        await call(
            session, "store_memory", task_id="soon", priority="high", due=ahead(3),
            status="blocked", relations=[{"kind": "depends_on", "target_id": late["id"]}],
            content="Ship the release.",
        )  # fmt: skip
        await call(session, "store_memory", task_id="some-day", content="Tidy the wiki.")
        await call(
            session, "store_memory", task_id="by-tool", provenance="tool", content="Mine coins."
        )
        before = await call(session, "get_context")
        done = await call(session, "update_memory", id=late["id"], status="completed")
        return before["context"], done, (await call(session, "get_context"))["context"]

    before, done, after = run(world, live)
    _, _, tasks = before.partition("Open tasks\n")
    lines = [line.partition(" [")[0] for line in tasks.splitlines()[:3]]
    assert [
        "- late (active, overdue since 2020-01-01): Renew the licence.",
        f"- soon (blocked, high, due {ahead(3)}, waits for late): Ship the release.",
        "- some-day (active): Tidy the wiki.",
    ] == lines
    assert "Mine coins" not in before
    assert ["status"] == done["changed"]
    assert "Renew the licence" not in after
    assert f"- soon (active, high, due {ahead(3)}): Ship the release." in after


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "m.db", project="acme") as opened:
        yield opened


def test_a_new_version_of_an_objective_stays_the_objective(memory) -> None:
    first = memory.store("Make retries safe.", task_id="retries").memory
    memory._core.editor.update(first.id, {"content": "Make all retries safe."}, memory._context)
    listed = memory.recall(status="active").results

    assert ["Make all retries safe."] == [result.memory.content for result in listed]
    assert "task" == listed[0].memory.scope


def test_another_memory_becomes_the_objective_once_that_was_forgotten(memory) -> None:
    first = memory.store("Make retries safe.", task_id="retries").memory
    memory.forget(first.id)
    assert [] == list(memory.recall(status="active").results)
    memory.store("Retries carry a key.", task_id="retries")

    assert ["Retries carry a key."] == [
        result.memory.content for result in memory.recall(status="active").results
    ]


def test_tasks_cannot_wait_for_each_other(memory) -> None:
    names = ("plan", "build", "ship")
    plan, build, ship = (memory.store(f"We {name}.", task_id=name).memory for name in names)
    memory.link(build.id, "depends_on", plan.id)
    memory.link(ship.id, "depends_on", build.id)

    with pytest.raises(ConflictError, match=r"\(plan -> ship -> build -> plan\)"):
        memory.link(plan.id, "depends_on", ship.id)
    waits = {
        view.task.task_id: [task.task_id for task in view.waits_for] for view in memory.tasks()
    }
    assert {"plan": [], "build": ["plan"], "ship": ["build"]} == waits


def test_the_end_of_a_task_releases_those_that_waited_only_for_it(memory) -> None:
    plan, budget, build = (
        memory.store(f"We do the {name}.", task_id=name).memory
        for name in ("plan", "budget", "build")
    )
    memory.update(build.id, status="blocked")
    for first in (plan, budget):
        memory.link(build.id, "depends_on", first.id)

    assert () == memory.update(plan.id, status="completed").released
    answer = memory.update(budget.id, status="archived")

    assert ["build"] == [task.task_id for task in answer.released]
    assert "no longer waiting: build" == memory.plain(answer)["note"]
    [view] = memory.tasks()
    assert ("active", ()) == (view.task.status, view.waits_for)


def test_what_was_learnt_in_a_task_is_the_projects_once_it_is_completed(memory) -> None:
    first = memory.store("Move the ledger to PostgreSQL 16.", task_id="ledger").memory
    memory.store("The ledger needs the btree_gist extension.", task_id="ledger")
    question = "which extension does the ledger need?"
    learnt = "The ledger needs the btree_gist extension."

    assert learnt not in [hit.memory.content for hit in memory.recall(question).results]
    assert learnt not in memory.context()
    memory.update(first.id, status="completed")

    assert learnt in [hit.memory.content for hit in memory.recall(question).results]
    assert learnt in memory.context()
    assert first.content not in memory.context()


def test_an_objective_that_went_to_another_project_is_told_to_nobody_here(memory) -> None:
    here = memory.store("Make retries safe.", task_id="retries").memory
    everywhere = memory.store("Retry twice.", scope="global", supersedes=here.id).memory
    memory.store("Never retry.", project="other", scope="project", supersedes=everywhere.id)

    assert [("retries", None)] == [(task.task.task_id, task.objective) for task in memory.tasks()]


def test_a_memory_moves_into_a_task_and_out_of_it(memory) -> None:
    memory.store("Make retries safe.", task_id="retries")
    plain = memory.store("Keys expire after a day.", scope="project").memory
    update = memory._core.editor.update

    inside = update(plain.id, {"task_id": "retries"}, memory._context).memory
    assert ("task", "retries") == (
        inside.scope, memory._core.store.tasks.get([inside.task])[0].task_id
    )  # fmt: skip
    assert plain.id not in {
        result.memory.id for result in memory.recall("when do keys expire?").results
    }
    update(plain.id, {"scope": "project"}, memory._context)
    assert plain.id in {
        result.memory.id for result in memory.recall("when do keys expire?").results
    }
    everywhere = update(plain.id, {"scope": "global"}, memory._context).memory
    assert (0, None) == (everywhere.project, everywhere.task)


def test_the_same_words_in_two_tasks_and_in_the_project_are_three_memories(memory) -> None:
    report = [
        memory.store("Use a feature flag.", **where)
        for where in ({"task_id": "a"}, {"task_id": "b"}, {"scope": "project"}, {"task_id": "A "})
    ]

    assert [False, False, False, True] == [item.deduplicated for item in report]
    assert report[0].memory.id == report[3].memory.id


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "task"},
        {"status": "active"},
        {"due": "tomorrow"},
        {"task_id": "x", "scope": "global"},
        {"task_id": " - "},
        {"task_id": "x" * 101},
        {"task_id": "x", "title": "y" * 201},
        {"task_id": "x", "status": "doing"},
        {"task_id": "x", "due": "when pigs fly"},
    ],
)
def test_what_makes_no_task_is_refused(memory, fields) -> None:
    with pytest.raises(InvalidInputError):
        memory.store("Make retries safe.", **fields)
    assert 0 == memory._core.store.memories.statistics(memory._context.visible)["total"]


def test_only_tasks_of_this_project_are_known_by_their_id(memory) -> None:
    memory.store("Make retries safe.", project="other", task_id="retries")

    with pytest.raises(NotFoundError, match="open tasks: none"):
        memory.recall("retries", task_id="retries")
    results = memory.recall("retries", task_id="retries", project="*").results
    assert ["Make retries safe."] == [result.memory.content for result in results]


def test_the_shell_lists_tasks_most_urgent_first(world) -> None:
    def shell(*arguments: str) -> str:
        done = subprocess.run(
            [DOOR, *arguments], env=world, cwd=world["AFORESAID_CWD"], text=True,
            capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        return done.stdout

    assert "No open tasks." in shell("tasks")
    for task_id, more in (("later", ()), ("first", ("--priority", "high", "--due", "2030-01-31"))):
        shell("remember", f"Do {task_id}.", "--task-id", task_id, *more)

    report = json.loads(shell("tasks", "--json"))["tasks"]
    assert ["first", "later"] == [row["task_id"] for row in report]
    assert ("2030-01-31", "Do first.") == (report[0]["due"], report[0]["objective"])
    first = f"first [{report[0]['id']}]  (active, high, due 2030-01-31)\n    Do first.\n"
    assert first in shell("tasks")
    assert first == shell("tasks", "FIRST")
    changed = shell("update", report[0]["id"], "--due", "2020-01-31", "--title", "Begin")
    assert "due: 2030-01-31 -> 2020-01-31" in changed
    assert "-> Begin" in changed
    assert "that date is past: first is overdue since 2020-01-31" in changed
    assert "overdue since 2020-01-31" in shell("tasks", "first")
    assert "No tasks with this status." in shell("tasks", "--status", "completed")
    shell("update", report[0]["id"], "--status", "completed")
    assert "No open tasks called first." in shell("tasks", "first")


@pytest.fixture
def shell(world):
    def shell(*arguments: str, zone: str = "America/New_York", code: int = 0) -> str:
        done = subprocess.run(
            [DOOR, *arguments], env={**world, "TZ": zone}, cwd=world["AFORESAID_CWD"], text=True,
            capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert code == done.returncode, done.stderr
        return done.stdout + done.stderr

    return shell


def test_people_and_the_session_see_when_a_task_is_due_in_their_own_time(shell) -> None:
    shell("remember", "Phone Carla.", "--task-id", "carla", "--due", "2030-11-27T17:00")
    shell("remember", "Send the form.", "--task-id", "form", "--due", "2030-11-28")
    for command in ("tasks", "context"):
        shown = shell(command)
        assert "due 2030-11-27 17:00" in shown
        assert "due 2030-11-28)" in shown
        assert "due 2030-11-28)" in shell(command, zone="Asia/Tokyo")
    refused = shell("update", "carla", "--due", "05/12/2026", code=2)
    assert "--due '05/12/2026' may be 5 December or 12 May" in refused
    refused = shell("update", "carla", "--status", "completed", code=3)
    assert "'carla' is a task: use the id of its first memory, " in refused


def test_the_shell_says_what_else_there_is_and_names_what_was_typed(shell) -> None:
    shell("remember", "Phone Carla.", "--task-id", "carla", "--due", "2030-11-27")
    shell("remember", "Send the form.", "--task-id", "form")
    shell("remember", "The form is on the portal.", "--task-id", "form")
    assert "2 memories: aforesaid list --task-id form" in shell("tasks", "form")
    assert "memories: " not in shell("tasks", "carla")
    assert "by: aforesaid tasks" in shell("search", "what is due this week")
    refused = shell("remember", "Pay the fee.", "--due", "Friday", "--title", "Fee", code=2)
    assert "title and due need a --task-id: " in refused
    dates = ("--valid-from", "2027-01-01", "--valid-to", "2026-01-01")
    refused = shell("remember", "Pay the fee.", *dates, code=2)
    assert "--valid-from '2027-01-01' is after --valid-to '2026-01-01'" in refused
    refused = shell("config", "set", "retrieval.max_results", "500", code=2)
    assert "aforesaid: retrieval.max_results is 500" in refused


def test_a_memory_that_replaced_the_objective_of_a_task_ends_it(world) -> None:
    async def live(session):
        asked = await call(session, "store_memory", task_id="wording", content="Ask Dilys.")
        later = await call(session, "store_memory", task_id="ship", content="Ship the wording.")
        await call(
            session, "link_memories", source_id=later["id"], target_id=asked["id"],
            kind="depends_on",
        )  # fmt: skip
        answer = await call(
            session, "store_memory", content="Dilys agreed to the wording.",
            supersedes=asked["id"],
        )  # fmt: skip
        refused = await call(session, "update_memory", id=asked["id"], status="completed")
        ended = await call(session, "update_memory", id=answer["id"], status="completed")
        return refused, ended, await call(session, "recall_memory", status="active")

    refused, ended, active = run(world, live)
    assert "update that one" in refused
    assert ["status"] == ended["changed"]
    assert {"Ship the wording."} == contents(active)
