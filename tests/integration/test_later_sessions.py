"""What a later session says about an earlier one: changes of mind, and closed open ends."""

from __future__ import annotations

import os
import shutil

import pytest

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.config import load_settings
from aforesaid.domain.model.overtaken_parts import standing_parts, with_overtaken
from session_world import World, talk
from transcripts import Script


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("earlier", "later", "old", "new"),
    [
        (
            "you never edit the scene files by hand, last time all ids were broken",
            "nah just edit the scene file by hand now, small things are ok as long as i closed it",
            "never edit",
            "small things",
        ),
        (
            "our tests always run in the container with docker compose exec app make test",
            "docker is out for development, the tests run on the laptop now with make test",
            "docker compose exec",
            "on the laptop",
        ),
    ],
)
def test_a_stated_change_replaces_the_memory_about_the_same_thing(world, earlier, later, old, new):
    world.run("one", talk(("look at the level", "I looked."), (earlier, "Understood.")))
    assert old in world.start("two").context
    world.run("two", talk(("look at the level", "I looked."), (later, "Understood.")))

    shown = world.start("three").context

    assert old not in shown
    assert new in shown


def test_a_remark_on_another_subject_replaces_nothing(world):
    rule = "we never deploy to production on fridays, nobody is there on saturday"
    world.run("one", talk(("look at the level", "I looked."), (rule, "Understood.")))
    world.run(
        "two", talk(("look at the level", "I looked."), ("the logo is blue now, not red", "Ok."))
    )

    assert "never deploy to production" in world.start("three").context


@pytest.mark.parametrize(("stored", "kept"), [(0, 4), (1, 5), (2, 2)])
def test_where_the_agent_chose_what_to_store_no_remark_is_stored(world, stored, kept):
    remarks = (
        "make pg-up first, it is always on 5544, the mac's own postgres sits on 5432",
        "we never deploy to production on fridays, nobody is there on saturday",
        "our customers are mostly dentists, so no jargon in the texts",
        "the staging db sits behind db-3.internal on port 5433",
    )
    memories = ("Before tests, `make pg-up` starts Postgres.", "Seeds are kept in seeds.json.")
    world.start("one")
    for content in memories[:stored]:
        world.store("one", content=content)
    texts = [("look at the level", "I looked."), *((text, "Understood.") for text in remarks)]

    world.run("one", talk(*texts))

    assert kept == len(world.lasting())


def test_a_suggestion_that_nobody_answers_is_offered_to_two_sessions(world):
    world.store("one", content="Never run docker system prune.", type="procedural")
    offered = ["Make it a guard?" in world.start(name).context for name in ("two", "three", "four")]

    assert [True, True, False] == offered


def test_a_suggestion_about_a_global_rule_is_offered_to_two_sessions_in_all(world):
    world.store("one", content="Never run docker system prune.", scope="global")
    shop, shown = world.project, []
    for name, folder in (("two", shop), ("three", shop.parent / "other"), ("four", shop)):
        if not folder.exists():
            shutil.copytree(shop, folder)
            (folder / ".git" / "config").write_text("")
        world.project = folder
        shown.append("Make it a guard?" in world.start(name).context)

    assert [True, True, False] == shown


def decide_on_seeds(world, anchors):
    """Store a decision that cites files, before the session's edit of one of them."""
    path = world.project / "src" / "level.ts"
    path.parent.mkdir(exist_ok=True)
    path.write_text("seeds = 12\n")
    script = Script(str(world.project))
    script.user("use one seed per level")
    script.edit("src/level.ts")
    world.start("one")
    world.store("one", content="Each level has one seed of its own.", anchors=anchors)
    return path, script


def test_what_a_session_stores_and_then_does_itself_is_not_stale(world):
    path, script = decide_on_seeds(world, ["src/level.ts:1"])
    path.write_text("seeds = 1\n")
    world.run("one", script)
    assert "may be stale" not in world.start("two").context

    path.write_text("seeds = 3\n")

    assert "may be stale" in world.start("three").context


def test_an_edit_by_a_session_that_was_shown_a_memory_does_not_make_it_stale(world):
    path, script = decide_on_seeds(world, ["src/level.ts:1"])
    world.run("one", script)
    assert "one seed of its own" in world.start("two").context
    path.write_text("seeds = 4\n")
    later = Script(str(world.project))
    later.user("use four seeds")
    later.edit("src/level.ts")

    world.run("two", later)

    assert "may be stale" not in world.start("three").context


def test_a_line_that_only_moved_and_a_file_that_was_planned_stay_cited(world):
    path, script = decide_on_seeds(world, ["src/level.ts:1", "src/seeds.ts"])
    script.edit("src/seeds.ts")
    path.write_text("import x\nseeds = 12\n")
    (path.parent / "seeds.ts").write_text("a\n")
    world.run("one", script)
    assert "may be stale" not in world.start("two").context

    path.write_text("import y\nseeds = 12\n")
    assert "may be stale" not in world.start("three").context
    (path.parent / "seeds.ts").write_text("b\n")

    assert "may be stale (src/seeds.ts changed)" in world.start("four").context


def test_of_sessions_that_only_talked_the_last_has_a_line_and_a_question_none(world):
    for name, asked in (
        ("one", "Settle the queue."),
        ("two", "Settle the cache."),
        ("three", "What else?"),
    ):
        world.run(name, talk((asked, "Settled: NATS.")))

    context = world.start("four").context

    assert "Settle the cache" in context
    assert "Settle the queue" not in context
    assert "What else" not in context


def test_three_finished_sessions_have_a_line_and_each_that_left_something_open(world):
    for number, name in enumerate(("login", "basket", "stock", "search", "mail")):
        script = Script(str(world.project))
        script.user(f"fix the failing {name} test")
        script.edit(f"src/{name}.ts")
        script.say(f"The {name} test reads the new fixture now.")
        if number == 0:
            script.say("Left open: the Windows build is not tested yet.")
        world.run(f"session-{number}", script)

    lines = world.start("last").context.partition("Last sessions\n")[2]

    assert "Windows build" in lines
    assert 4 == sum(line.startswith("- ") for line in lines.splitlines())


def test_an_open_end_is_shown_until_a_later_session_reports_on_it(world):
    script = Script()
    script.user("write the payments export")
    script.edit("export.py")
    script.say("The export writes one file a month now. Should refunds be in it?")
    script.user("i have to ask the accountant whether refunds count as revenue in the export")
    script.say("I leave them in.")
    world.run("one", script)
    assert "left open: i have to ask the accountant" in world.start("two").context
    answer = (
        "the accountant answered: refunds do not count as revenue, so leave them out of the export"
    )
    world.run("two", talk(("hi, look at the export", "I looked."), (answer, "They are left out.")))

    assert "left open: i have to ask the accountant" not in world.start("three").context


def test_a_statement_that_was_overtaken_is_no_longer_shown_but_kept(world):
    bug = "our nightly importer still loses all rows with umlauts in the name, every customer knows"
    world.run("one", talk(("look at the cart", "I looked."), (bug, "Noted.")))
    assert "loses all rows" in world.start("two").context
    report = "The nightly importer no longer loses rows with umlauts in the name."
    world.run("two", talk(("look at the importer", "I looked."), ("repair it now", report)))

    shown = world.start("three").context

    assert "still loses all rows" not in shown
    assert any("still loses all rows" in text for text in world.lasting())


def move_to_another_project(world, tmp_path):
    world.project = tmp_path / "ledger"
    (world.project / ".git").mkdir(parents=True)
    (world.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def test_a_rule_for_all_projects_that_a_newer_one_overtook_is_shown_in_none(world, tmp_path):
    earlier = "the subject is always ticket first, english: 'SHOP-392 do x'. in all my repos"
    later = "plain subject line now, the ticket goes to the end as footer Refs: SHOP-405. all repos"
    world.run("one", talk(("look at the cart", "I looked."), (earlier, "Understood.")))
    assert "ticket first" in world.start("two").context
    world.run("two", talk(("look at the cart", "I looked."), (later, "Understood.")))

    move_to_another_project(world, tmp_path)
    shown = world.start("three").context

    assert "ticket first" not in shown
    assert "footer Refs: SHOP-405" in shown


def test_a_prohibition_for_all_projects_is_kept_though_a_question_came_before(world, tmp_path):
    ban = "are you mad? no real customer data in tests. never. in no project"
    world.run("one", talk(("look at the cart", "I'd export twenty customers."), (ban, "Ok.")))

    move_to_another_project(world, tmp_path)

    assert "no real customer data in tests" in world.start("two").context


def test_always_after_a_fact_is_kept_with_it_and_does_not_make_it_global(world, tmp_path):
    fact = "the bank lies. it writes UTF-8 in the header but the bytes are latin-1. always"
    world.run("one", talk(("look at the cart", "I looked."), (fact, "Noted.")))
    assert "the bytes are latin-1; always" in world.start("two").context

    move_to_another_project(world, tmp_path)

    assert "latin-1" not in world.start("three").context


def test_a_statement_that_is_repeated_is_shown_again(world):
    rule = "our tests always run in the container with docker compose exec app make test"
    world.run("one", talk(("look at the level", "I looked."), (rule, "Understood.")))
    store = SqliteStore(load_settings(os.environ).db_path)
    for project in store.projects.list_all():
        for memory in store.memories.most_important(project.key, ("semantic", "procedural"), 9):
            parts = standing_parts(memory, project.identity)
            metadata = with_overtaken(memory, project.identity, parts)
            store.memories.change(memory.key, metadata=metadata)
    store.close()
    assert "docker compose exec" not in world.start("two").context
    world.run("two", talk(("look at the level", "I looked."), (rule, "Understood.")))

    assert "docker compose exec" in world.start("three").context


def test_failing_tests_are_told_until_they_ran_again(world):
    script = Script()
    script.user("change the export of the payments")
    script.edit("export.py")
    script.bash("pytest -q", "1 failed, 3 passed", code=1)
    script.say("One test of the export fails.")
    world.run("one", script)
    assert "tests failing" in world.start("two").context
    script = Script()
    script.user("make the test of the importer faster")
    script.edit("importer.py")
    script.bash("pytest -q", "4 passed")
    script.say("The importer's test is faster.")
    world.run("two", script)

    assert "tests failing" not in world.start("three").context


def test_an_open_end_that_two_sessions_with_changes_did_not_mention_leaves_the_line(world):
    script = Script()
    script.user("write the payments export")
    script.edit("export.py")
    script.say("The export writes one file a month now. Should refunds be in it?")
    script.user("i have to ask the accountant whether refunds count as revenue in the export")
    script.say("I leave them in.")
    world.run("one", script)
    for hour, file in ((10, "logo.svg"), (11, "menu.html")):
        assert "left open: i have to ask" in world.start("next").context
        script = Script()
        script.user(f"draw {file} again, in blue")
        script.edit(file)
        script.say(f"{file} is blue.")
        for line in script.lines:
            line["timestamp"] = line["timestamp"].replace("T08", f"T{hour}")
        world.run(f"change at {hour}", script)

    assert "left open: i have to ask" not in world.start("last").context
