"""Forgetting and erasing reach everything that repeats a memory, whichever way it came in."""

from __future__ import annotations

import json
import os
from pathlib import Path

import apsw
import pytest

from aforesaid import Memory
from transcripts import Script

SECRET = "The staging vault opens with the phrase quokka-9174 whispered thrice by moonlight."
NEWER = "The staging vault opens with the phrase wombat-5582 whispered twice before sunrise."
OTHER = "Deployments go out on Friday mornings after the smoke tests have passed."
SHARED = "Remember that the staging vault opens with the phrase kept by Marlene in operations."
MARKS = (b"quokka-9174", b"wombat-5582", b"thrice by moonlight", b"twice before sunrise")


def ask(shell, *arguments):
    """Return a command's answer as a program reads it."""
    done = shell(*arguments, "--json")
    assert "" == done.stderr
    return json.loads(done.stdout)


def mentions(answer) -> list[tuple[str, list[str]]]:
    """Return the ids and fields of the memories that an answer lists."""
    return [(row["id"], row["fields"]) for row in answer["mentioned_by"]]


def files_holding(shell, marks=MARKS) -> dict[str, bytes]:
    """Return every file of the user's that holds a mark, but the client's own transcripts."""
    results = {}
    home = Path(shell.environment["HOME"])
    for path in home.rglob("*"):
        if path.is_file() and ".claude" not in path.parts:
            data = path.read_bytes()
            held = [mark for mark in marks if mark in data]
            if held:
                results[path.name] = held[0]
    return results


def write_session(shell, name: str, *turns: tuple[str, str]) -> None:
    """Leave the transcript of a session that is over."""
    script = Script(cwd=str(shell.folder))
    for asked, answered in turns:
        script.user(asked, sessionId=name)
        script.say(answered, sessionId=name)
    script.edit("server.py")
    folder = Path(shell.environment["HOME"]) / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    path = script.write(folder, f"{name}.jsonl")
    os.utime(path, (1_780_000_000, 1_780_000_000))  # else it is taken for a running one


def converse(shell, name: str, *turns: tuple[str, str]) -> None:
    """Have a session, and digest it."""
    write_session(shell, name, *turns)
    assert 1 == ask(shell, "ingest")["digested"]


def answers(shell) -> str:
    """Return all that is told of memories by commands and hooks."""
    event = {"session_id": "later", "cwd": str(shell.folder), "transcript_path": "",
             "source": "startup", "prompt": "how does the staging vault open?"}  # fmt: skip
    messages = [
        shell("search", "how does the staging vault open, with which phrase?").stdout,
        shell("search", "quokka-9174 wombat-5582").stdout,
        shell("search", "staging vault", "--include-history").stdout,
        shell("list", "--include-history").stdout,
        shell("list", "--type", "episodic").stdout,
        shell("context").stdout,
        shell("tasks").stdout,
        shell("topics").stdout,
        shell("export", "-", "--format", "markdown").stdout,
        shell("hook", "session-start", input=json.dumps(event)).stdout,
        shell("hook", "user-prompt-submit", input=json.dumps(event)).stdout,
    ]
    return "\n".join(messages)


@pytest.fixture
def planted(shell):
    """Return a shell whose store repeats a fact in a digest, a task and an older version."""
    ask(shell, "remember", OTHER)
    first = ask(shell, "remember", SECRET, "--task-id", "quokka-9174-vault",
                "--title", "The phrase quokka-9174 whispered thrice by moonlight")  # fmt: skip
    converse(
        shell,
        "one",
        ("add a health check to the server", "`/health` answers 200 now."),
        (f"Note: {SECRET} And the docs stay in docs/.", "Noted."),
    )
    second = ask(shell, "update", first["id"], "--content", NEWER)
    shell.first, shell.second = first["id"], second["id"]
    return shell


def test_what_is_forgotten_is_told_nowhere(planted):
    assert "quokka-9174" in answers(planted)
    forgotten = ask(planted, "forget", planted.second)
    report = answers(planted)
    assert [] == [mark for mark in MARKS if mark.decode() in report]
    assert "health check" in report
    assert OTHER in report
    assert [planted.first] == forgotten["versions"]
    assert forgotten["shortened"]


def test_what_is_forgotten_comes_back_to_the_byte(planted):
    before = planted("export", "-").stdout
    ask(planted, "forget", planted.first)
    hidden = planted("export", "-").stdout
    ask(planted, "undo", planted.second)
    assert before != hidden
    assert before == planted("export", "-").stdout


def test_what_is_erased_is_in_no_file_and_no_old_version_comes_back(planted):
    would = ask(planted, "forget", planted.second, "--erase", "--dry-run")
    assert [planted.first] == would["versions"]
    assert ["quokka-9174-vault"] == would["tasks"]
    assert would["shortened"]
    erased = ask(planted, "forget", planted.second, "--erase", "--yes")
    assert "no trace is left" in erased["note"]
    assert {} == files_holding(planted)
    report = answers(planted)
    assert "health check" in report
    assert OTHER in report
    for mark in MARKS:
        assert mark.decode() not in report


@pytest.mark.parametrize("how", [(), ("--erase", "--yes")])
def test_a_session_that_goes_on_does_not_tell_again_what_was_let_go(planted, how):
    ask(planted, "forget", planted.second, *how)
    converse(
        planted,
        "one",
        ("add a health check to the server", "`/health` answers 200 now."),
        (f"Note: {SECRET} And the docs stay in docs/.", "Noted."),
        ("now write the changelog entry for the release", "I wrote the changelog entry."),
    )
    report = answers(planted)
    assert "changelog entry" in report
    assert [] == [mark for mark in MARKS if mark.decode() in report]


def test_what_was_stored_independently_is_listed_and_stays(planted):
    other = ask(planted, "remember", SHARED)["id"]
    would = ask(planted, "forget", planted.second, "--erase", "--dry-run")
    assert [(other, ["content"])] == mentions(would)
    assert f"--also {other}" in would["note"]
    erased = ask(planted, "forget", planted.second, "--erase", "--yes")
    assert "no trace" not in erased["note"]
    assert f"{other} (content)" in erased["note"]
    assert SHARED in planted("list").stdout + planted("search", "Marlene", "--json").stdout
    assert {} == files_holding(planted)


def test_what_mentions_it_goes_along_when_it_is_named(planted):
    other = ask(planted, "remember", SHARED)["id"]
    forgotten = ask(planted, "forget", planted.second, "--also", other)
    assert other in forgotten["versions"]
    assert "Marlene" not in answers(planted)
    ask(planted, "undo", planted.second)
    assert "Marlene" in answers(planted)


HELD = "Vexillorb gantry passes Quindlemark audit through hatch 73519 every morning"


@pytest.fixture
def held_elsewhere(memory):
    """Return a library's store in which other memories hold a fact, each in another field."""
    memory.fact = memory.store(f"{HELD}.").memory.id
    fields = {
        "summary": {"summary": HELD},
        "cues": {"cues": ["Vexillorb gantry passes Quindlemark audit"]},
        "tags": {"tags": ["Vexillorb-gantry-passes-Quindlemark-audit", "lamps"]},
        "metadata": {"metadata": {"hatch": 73519}},
        "link": {},
    }
    texts = ("Soup is served at noon.", "Lamps stay on overnight.", "Chairs were painted blue.",
             "The window is closed at dusk.", "Rain gauges are read weekly.")  # fmt: skip
    memory.holders = {
        field: memory.plain(memory.store(text, **values))["id"]
        for (field, values), text in zip(fields.items(), texts, strict=True)
    }
    kind = "vexillorb_gantry_passes_quindlemark_audit"
    memory.link(memory.holders["link"], kind, memory.two)
    hidden = memory.plain(memory.store(f"Operations wrote this down: {HELD}."))["id"]
    memory.forget(hidden)
    memory.holders["content"] = hidden
    return memory


def test_other_memories_are_listed_with_the_field_that_holds_what_goes(held_elsewhere):
    memory = held_elsewhere
    would = memory.plain(memory.forget(memory.fact, erase=True, preview=True))
    results = {item: [field] for field, item in memory.holders.items()}
    assert results == dict(mentions(would))
    [hidden] = [item for item in would["mentioned_by"] if "state" in item]
    assert ("forgotten", ["content"]) == (hidden["state"], hidden["fields"])
    gone = memory.plain(memory.forget(memory.fact))
    assert results == dict(mentions(gone))


def test_no_trace_is_said_only_once_what_is_listed_has_gone_along(held_elsewhere):
    memory = held_elsewhere
    erased = memory.plain(memory.forget(memory.fact, erase=True))
    assert "no trace" not in erased["note"]
    for name in ("summary", "cues", "tags", "metadata", "link", "content, forgotten"):
        assert f"({name})" in erased["note"]
    first, *others = memory.holders.values()
    erased = memory.plain(memory.forget(first, erase=True, also=others))
    assert "no trace is left" in erased["note"]
    held = Path(memory.path).read_bytes().lower()
    assert [] == [mark for mark in (b"quindlemark", b"73519") if mark in held]


def test_backups_and_snapshots_that_hold_it_are_named_and_removed_on_request(planted):
    backup = ask(planted, "backup")["backup"]
    beside = str(Path(backup).parents[1] / "copy.db")
    assert beside == ask(planted, "backup", beside)["backup"]
    second = ask(planted, "remember", "The red ferry leaves harbour seven at dawn, ticket QX-4410.")
    would = ask(planted, "forget", planted.second, "--erase", "--dry-run")
    assert [backup, beside] == would["copies"]
    erased = ask(planted, "forget", planted.second, "--erase", "--yes")
    assert [backup, beside] == erased["copies"]
    assert f"rm {backup} {beside}" == erased["delete_copies"]
    assert {Path(item).name: MARKS[0] for item in (backup, beside)} == files_holding(planted)

    backup = ask(planted, "backup")["backup"]
    erased = ask(planted, "forget", second["id"], "--erase", "--yes", "--backups")
    assert "copies" not in erased
    assert backup in erased["note"]
    assert not Path(backup).exists()


def test_while_another_process_reads_it_is_not_said_that_no_trace_is_left(planted):
    store = next(Path(planted.environment["HOME"]).rglob("memory.db"))
    reader = apsw.Connection(str(store))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchall()
    erased = ask(planted, "forget", planted.second, "--erase", "--yes")
    assert "no trace" not in erased["note"]
    assert "another process" in erased["note"]
    reader.close()
    ask(planted, "tend", "--phase", "archive")
    assert {} == files_holding(planted)


CHORES = ("a health check", "the login form", "a retry queue", "dark mode", "the price table",
          "an audit trail")  # fmt: skip


@pytest.fixture
def summed_up(shell):
    """Return a shell whose store sums up a week of sessions, one of which repeats a fact."""
    shell.fact = ask(shell, "remember", SECRET)["id"]
    for number, chore in enumerate(CHORES):
        messages = [(f"please add {chore} to the server", f"I added {chore}.")]
        if number == 2:
            messages.insert(0, (f"Why does this fail: {SECRET}", "Noted."))
        write_session(shell, f"s{number}", *messages)
    assert len(CHORES) == ask(shell, "ingest")["digested"]
    ask(shell, "tend")
    shell.summary = next(text for text in texts(shell) if text.startswith("Week "))
    return shell


def texts(shell) -> list[str]:
    """Return the contents of all memories in force that an export has."""
    rows = [json.loads(line) for line in shell("export", "-").stdout.splitlines()]
    memories = [row["row"] for row in rows if row.get("table") == "memories"]
    return [item["content"] for item in memories if item["forgotten_at"] is None]


def test_a_summary_of_sessions_loses_what_is_forgotten_and_keeps_the_rest(summed_up):
    assert "vault opens with the phrase" in summed_up.summary
    before = texts(summed_up)
    ask(summed_up, "forget", summed_up.fact)
    hidden = texts(summed_up)
    assert [] == [text for text in hidden if "vault opens with" in text]
    assert [] != [text for text in hidden if text.startswith("Week ") and "login form" in text]
    ask(summed_up, "undo", summed_up.fact)
    assert before == texts(summed_up)
    erased = ask(summed_up, "forget", summed_up.fact, "--erase", "--yes")
    assert "no trace is left" in erased["note"]
    held = files_holding(summed_up, (b"quokka-9174", b"vault opens with the phrase"))
    assert sorted(held) == [Path(copy).name for copy in erased["copies"]]  # the daily backup


def test_an_erased_session_leaves_its_summary_which_is_written_anew(summed_up):
    results = ask(summed_up, "search", "audit trail", "--include-history")["results"]
    digest = next(row["id"] for row in results if "audit trail" in row["content"]
                  and not row["content"].startswith("Week "))  # fmt: skip
    erased = ask(summed_up, "forget", digest, "--erase", "--yes")
    assert erased["derived"]
    assert [] == [text for text in texts(summed_up) if "audit trail" in text]
    ask(summed_up, "tend")
    [summary] = [text for text in texts(summed_up) if text.startswith("Week ")]
    assert "login form" in summary
    assert "audit trail" not in summary


@pytest.fixture
def memory(environment, monkeypatch, tmp_path):
    """Return a library's store with a digest that repeats two facts."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with Memory(tmp_path / "m.db", project="acme/payments") as opened:
        opened.one = opened.store(SECRET).memory.id
        opened.two = opened.store(OTHER).memory.id
        opened.digest = opened.store(
            "Add a health check\n4 May 2026, branch main\nStated by the user:\n"
            f"- {SECRET}\n- {OTHER}\n- the docs stay in docs/\nFiles: server.py",
            type="episodic",
            summary=f"health check added; {OTHER}",
            tags=["digest"],
            metadata={"session_id": "s", "title": "Add a health check"},
        ).memory.id
        yield opened


def exported(memory: Memory) -> str:
    return "".join(memory.export())


@pytest.mark.parametrize("first_back", ["one", "two"])
def test_two_facts_that_one_digest_repeats_come_back_in_any_order(memory, first_back):
    before = exported(memory)
    memory.forget(memory.one)
    memory.forget(memory.two)
    left = (
        "Add a health check\n4 May 2026, branch main\nStated by the user:\n"
        "- the docs stay in docs/\nFiles: server.py"
    )
    assert left == memory.inspect(memory.digest).memory.content
    memory.restore(getattr(memory, first_back))
    memory.restore(memory.two if first_back == "one" else memory.one)
    assert before == exported(memory)


@pytest.mark.parametrize(
    ("tags", "metadata"),
    [(["extracted"], {"summariser": "a-model"}), (["candidate"], {"category": "fact"})],
)
def test_what_was_written_out_of_a_session_and_says_nothing_else_goes_along(memory, tags, metadata):
    repeated = f"In short, {SECRET.lower()}"
    item = memory.store(repeated, tags=tags, metadata=metadata).memory.id
    assert memory.one != item
    would = memory.forget(memory.one, preview=True)
    assert [item] == [element.id for element in would.footprint.derived]
    memory.forget(memory.one)
    assert [] == [result for result in memory.recall("staging vault phrase").results
                  if "quokka" in result.memory.content]  # fmt: skip
    memory.restore(memory.one)
    assert memory.inspect(item).memory.forgotten_at is None
    done = memory.forget(memory.one, erase=True)
    assert ((), False) == (done.found_in, done.clean_pending)
    assert b"quokka-9174" not in Path(memory.path).read_bytes()


def test_work_that_only_names_the_same_file_or_function_stays(memory):
    fact = memory.store("parse_config in src/app.py must never raise on an empty file.").memory.id
    text = "Refactored parse_config\n4 May 2026\nDone: split parse_config in two\nFiles: src/app.py"
    digest = memory.store(
        text, type="episodic", tags=["digest"], metadata={"session_id": "t"}
    ).memory.id
    done = memory.forget(fact, erase=True)
    assert () == done.footprint.edits
    assert text == memory.inspect(digest).memory.content


def test_a_preview_changes_nothing(memory):
    before = exported(memory)
    for erase in (False, True):
        report = memory.forget(memory.one, preview=True, erase=erase)
        assert (True, False) == (report.preview, report.erased)
    assert before == exported(memory)


def test_a_store_that_was_searched_stays_locked(shell) -> None:
    """Else the next process takes itself for the last one, and removes the log in use."""
    with Memory(Path(json.loads(shell("version", "--json").stdout)["database"])) as memory:
        stored = memory.store(SECRET)
        memory.store(OTHER)
        assert () == memory.forget(stored.memory.id, erase=True).found_in
        assert 0 == shell("list").returncode
        memory.store("The tide tables hang beside the door of the harbour office.")
    assert "tide tables" in shell("search", "where do the tide tables hang?").stdout
