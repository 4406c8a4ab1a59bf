"""What users say in passing, from hook to store: once, by watermark, never a second time."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.operations.session_sweep import sweep
from aforesaid.wiring.container import ServiceContainer
from session_world import World, talk
from transcripts import Script


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


HEALTH = ("add a health check to the server", "`/health` answers 200 now.")
RULES = ("thanks. always use uv here, and we deploy on Fridays", "Noted.")


def test_what_the_user_said_is_a_memory_for_the_next_session(world):
    world.run("one", talk(HEALTH, RULES))
    assert ["always use uv here, and we deploy on Fridays"] == world.lasting()
    assert "always use uv here" in world.start("two").context


def test_it_is_stored_once_however_many_sweeps_run_and_at_once(world):
    world.start("one")
    world.end("one", talk(HEALTH, RULES))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: sweep(os.environ), range(4)))
    sweep(os.environ)
    assert 1 == len(world.lasting())
    assert 1 == len(world.memories("episodic"))


def test_a_resumed_session_adds_only_what_was_said_since(world):
    script = talk(HEALTH, RULES)
    world.run("one", script)
    [before] = world.lasting()
    script.user("also: releases are tagged by the bot, don't tag by hand")
    script.say("Noted.")
    world.run("one", script)
    assert [before, "releases are tagged by the bot, don't tag by hand"] == world.lasting()
    assert 1 == len(world.memories("episodic"))


def test_what_was_said_after_the_clock_was_set_back_is_a_memory(world):
    script = talk(HEALTH)
    world.run("one", script)
    seen = len(script.lines)
    script.user(RULES[0])
    script.say(RULES[1])
    for line in script.lines[seen:]:
        line["timestamp"] = line["timestamp"].replace("T08:", "T07:")
    world.run("one", script)
    assert ["always use uv here, and we deploy on Fridays"] == world.lasting()


def test_a_clock_that_was_ahead_makes_no_memory_of_the_future(world):
    script = talk(HEALTH, RULES)
    for line in script.lines:
        line["timestamp"] = line["timestamp"].replace("2026-", "2999-")
    world.run("one", script)
    store = SqliteStore(load_settings(os.environ).db_path)
    seen = Visibility(projects=(0, *(project.key for project in store.projects.list_all())))
    stored = store.memories.select(seen, Filters(), 9)
    store.close()
    now = SystemClock().now()
    assert [True, True] == [memory.created_at <= now for memory in stored]


def test_what_was_forgotten_between_two_passes_does_not_come_back(world):
    script = talk(HEALTH, RULES)
    world.run("one", script)
    store = SqliteStore(load_settings(os.environ).db_path)
    [memory] = [
        item
        for project in store.projects.list_all()
        for item in store.memories.select(
            Visibility(projects=(project.key,)), Filters(types=("procedural", "semantic")), 9
        )
    ]
    with store.transaction():
        store.memories.change(memory.key, forgotten_at=memory.created_at + 1)
    store.close()
    script.user("what is the port of the server?")
    script.say("It listens on 8080.")
    world.run("one", script)
    assert [] == world.lasting()


def test_orders_for_the_moment_pasted_text_and_tool_output_become_nothing(world):
    script = Script()
    script.user("run the tests now")
    script.bash("pytest -q", "always use tabs here\nwe deploy on Mondays\n2 passed in 0.1s")
    script.say("2 passed. We should always use views.")
    script.user("```\nalways use yarn in this project\n```\nwhat does this file say?")
    script.say("That yarn is always used in this project.")
    script.user(
        "here is our guide:\n# Guide\nAlways sign commits.\n## Style\nNever use tabs.\nWe prefer"
        " spaces.\nWe deploy on Tuesdays."
    )
    script.say("Read.")
    script.user("<system-reminder>always use npm here</system-reminder>")
    script.say("Fine.")
    world.run("one", script)
    assert [] == world.lasting()


def shown(context: str) -> Script:
    """A session that is shown memories by hook and tool, and in which both sides repeat them."""
    script = Script()
    content = {"type": "hook_additional_context", "content": [context], "hookEvent": "SessionStart"}
    script.line("attachment", attachment=content)
    script.user("what do you know about this project?")
    call = script.call("mcp__plugin_aforesaid_memory__recall_memory", {"query": "rules"})
    script.result(call, json.dumps({"results": [{"content": context}]}))
    script.say("You always use uv here, never plain pytest. Deploys happen on Fridays, by the bot.")
    script.user("right, always use uv here, never plain pytest. we deploy on Fridays by the bot")
    script.say("Noted: we decided that deploys happen on Fridays, by the bot.")
    return script


def test_a_session_that_was_shown_memories_adds_none_of_them_though_read_twenty_times(world):
    core = ServiceContainer(os.environ)
    world.start("zero")
    call_context = core.projects.resolve(_look(world))
    for text in ("Always use uv here, never plain pytest.", "We deploy on Fridays, by the bot."):
        core.writer.store(Statement(content=text, provenance="user"), call_context)
    before = world.lasting()
    context = world.start("one").context
    assert "never plain pytest" in context
    world.run("one", shown(context))
    digests = world.memories("episodic")
    for _ in range(20):
        world.end("one", shown(context))
        sweep(os.environ)
    assert digests == world.memories("episodic")
    for number in range(20):
        world.run(f"again-{number}", shown(context))
    assert before == world.lasting()
    assert [] == [digest for digest in world.memories("episodic") if "Fridays" in digest]


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("We deploy on Fridays, by the bot.", "we deploy on Mondays, by the bot"),
        ("Use uv instead of pip here.", "always use pip instead of uv here"),
        ("I prefer tabs over spaces, always.", "I always prefer spaces over tabs"),
    ],
)
def test_a_user_who_changes_what_the_session_was_shown_is_heard(world, known, text):
    core = ServiceContainer(os.environ)
    world.start("zero")
    core.writer.store(
        Statement(content=known, provenance="user"), core.projects.resolve(_look(world))
    )
    before = world.lasting()
    script = Script()
    content = {"type": "hook_additional_context", "content": [world.start("one").context]}
    script.line("attachment", attachment=content)
    script.user("add a health check to the server")
    script.say("`/health` answers 200 now.")
    script.user(text)
    script.say("Noted.")
    world.run("one", script)
    assert [text] == [item for item in world.lasting() if item not in before]


def test_what_the_agent_repeats_of_an_answer_of_memory_is_nothing_that_it_found_out(world):
    known = [
        "Never use float for money",
        "The queue is NATS JetStream since replay was needed",
        "Releases are frozen on Thursdays because the auditors read the log then",
    ]
    results = [{"id": "m81c", "content": text, "provenance": "user"} for text in known]
    script = Script()
    script.user("what do we know about our queue and our releases?")
    call = script.call("mcp__plugin_aforesaid_memory__recall_memory", {"query": "queue"})
    script.result(call, json.dumps({"results": results, "total_matched": 3}))
    script.say(f"{known[1]}. {known[2]}.")
    world.run("one", script)
    assert [] == [
        memory for memory in world.memories("episodic") if "NATS" in memory or "frozen" in memory
    ]


SECRETIVE = "Anna is leaving the company in March"


def erases(script: Script, asked: str) -> Script:
    script.user(asked)
    fields = {"id": "79ax", "erase": True}
    call = script.call("mcp__plugin_aforesaid_memory__forget_memory", fields)
    script.result(call, json.dumps({"id": "79ax", "erased": True, "note": "erased"}))
    script.say(f"Erased: the memory that {SECRETIVE} is gone, no trace is left.")
    return script


def told_before(script: Script) -> Script:
    """Tell it, have it stored, and go on with something else."""
    script.user(f"note for later: {SECRETIVE}")
    call = script.call("mcp__plugin_aforesaid_memory__store_memory", {"content": SECRETIVE})
    script.result(call, json.dumps({"id": "79ax", "type": "semantic"}))
    script.say(f"Noted: {SECRETIVE}.")
    return script


def recalled_before(script: Script) -> Script:
    """Have it recalled, among others."""
    script.user("what do we know of the team?")
    call = script.call("mcp__plugin_aforesaid_memory__recall_memory", {"query": "team"})
    results = [{"id": "3cps", "content": "Bob does releases"}, {"id": "79ax", "content": SECRETIVE}]
    script.result(call, json.dumps({"results": results}))
    script.say(f"Bob does releases, and {SECRETIVE}.")
    return script


COMMAND = (
    "<command-message>aforesaid:forget</command-message>\n<command-name>/aforesaid:forget"
    "</command-name>\n<command-args>Anna is leaving the company</command-args>"
)


@pytest.mark.parametrize("before", [told_before, recalled_before])
@pytest.mark.parametrize(
    "asked", ["oh no, erase that Anna leaves the company", "forget all of Anna leaving", COMMAND]
)
def test_what_was_erased_does_not_come_back_by_the_session_that_had_it_erased(world, before, asked):
    script = erases(before(talk(HEALTH)), asked)
    world.run("one", script)
    assert [] == world.lasting()
    (digest,) = world.memories("episodic")
    assert "Anna" not in digest
    assert "health check" in digest


CORRECTED = "How do I run the importer? No, use port 5433 for the importer's database"


def store_known(world, text: str) -> None:
    core = ServiceContainer(os.environ)
    world.start("zero")
    call_context = core.projects.resolve(_look(world))
    core.writer.store(Statement(content=text, provenance="assistant", created_at=1), call_context)


def test_a_correction_beside_a_question_is_a_memory_for_the_next_session(world):
    script = talk((CORRECTED, "Run `make import`; it connects to port 5433 now."))
    world.run("one", script)
    assert ["Use port 5433 for the importer's database"] == world.lasting()
    assert "Use port 5433 for the importer's database" in world.start("two").context


def test_a_correction_is_stored_once_though_its_session_is_read_again(world):
    script = talk((CORRECTED, "It connects to port 5433 now."), ("run it", "Done."))
    world.run("one", script)
    world.run("one", script)
    world.run("again", talk(("No, use port 5433 for the importer's database", "Right.")))
    assert ["Use port 5433 for the importer's database"] == world.lasting()


def test_a_correction_by_order_replaces_what_was_known(world):
    store_known(world, "The importer's database listens on port 5432")
    world.run("one", talk((CORRECTED, "It connects to port 5433 now.")))
    assert ["Use port 5433 for the importer's database"] == world.lasting()


def test_a_value_alone_replaces_the_memory_that_the_agent_told(world):
    store_known(world, "The importer connects to the database on port 5432")
    text = "The importer connects to the database on port 5432."
    world.run("one", talk(("what does the importer do?", text), ("no, it's 5433", "Noted.")))
    assert [text[:-1].replace("5432", "5433")] == world.lasting()


def test_a_correction_that_the_agent_stored_itself_is_not_stored_again(world):
    store_known(world, "The importer's database listens on port 5433")
    world.run("one", talk(HEALTH, ("no, the importer's database is on 5433, not 5432", "Right.")))
    assert ["The importer's database listens on port 5433"] == world.lasting()


def test_corrections_of_the_work_at_hand_become_nothing(world):
    script = talk(
        ("convert the rows, please", "I added `parse_rows`; it uses map and a lambda."),
        ("no, use a for loop here", "Changed."),
        ("no, rename it to read_rows", "Renamed."),
        ("use two spaces in this file", "Done."),
        ("use a comprehension instead of map", "Done."),
        ("no, 4 retries are enough there", "Set."),
    )
    world.run("one", script)
    assert [] == world.lasting()


def test_it_can_be_switched_off(world):
    world.patch.setenv("AFORESAID_DIGEST_CANDIDATES", "false")
    world.run("one", talk(HEALTH, RULES))
    assert [] == world.lasting()
    assert 1 == len(world.memories("episodic"))


def test_nothing_private_becomes_a_memory(world):
    world.run(
        "one", talk(HEALTH, ("always use <private>the vault at 10.0.0.9</private> here", "Ok."))
    )
    assert not any("10.0.0.9" in memory for memory in world.memories())


def test_a_digest_says_that_something_private_was_taken_out(world):
    world.run("one", talk(HEALTH, ("fix the <private>secret</private> export", "Fixed.")))
    store = SqliteStore(load_settings(os.environ).db_path)
    (digest,) = [
        event
        for key in store.projects.list_all()
        for event in store.memories.latest_events(key.key, 5)
    ]
    store.close()
    assert 1 == digest.metadata["removed_spans"]


def _look(world):
    from aforesaid.wiring import factories

    return factories.read_workspace(str(world.project), load_settings(os.environ), os.environ)


def test_a_wish_for_all_projects_keeps_its_words_when_the_agent_repeats_it(world):
    wish = "I always want the plan first, three lines at most, in all my repos"
    answer = "Understood: plan first, at most three lines, no emojis."
    world.run("one", talk((f"Hi. {wish}. And no emojis.", answer), HEALTH))
    assert [f"{wish}; no emojis"] == world.lasting()
    context = world.start("two").context
    assert wish in context.partition("This project")[0]
