"""A prompt from hook to answer: the session's own server over its socket, or words alone."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys

import pytest

from aforesaid.adapters.prompt_socket import (
    WAIT_SECONDS,
    PromptSocketServer,
    ask,
    is_private,
    socket_path,
)
from aforesaid.adapters.system.machine import list_notes, read_note
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.operations import session_start
from aforesaid.operations.prompt_hook import recall_for_prompt
from aforesaid.operations.prompt_server import PromptServer, listens
from aforesaid.operations.session_sweep import sweep
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from transcripts import Script
from user_home import make_shop, use_home

pytestmark = pytest.mark.skipif(os.name == "nt", reason="local sockets are POSIX's")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCHER = os.path.join(ROOT, "bin", "aforesaid")
QUEUE = "The queue is NATS JetStream, for replay of webhook events."
CALLS = "the replay of webhook events from the NATS JetStream queue"
PATIENCE = 30.0  #: seconds for an answer, however busy the machine is
NOT_CALLS = "rename this variable to something shorter please"


class World:
    """A user with one repository and a store; hooks run in this process or as processes."""

    def __init__(self, home, monkeypatch) -> None:
        self.home = home
        self.folder = make_shop(home)
        use_home(home, monkeypatch)
        self.patch = monkeypatch
        self.max_wait_seconds = WAIT_SECONDS

    def place(self, core):
        return core.projects.resolve(
            factories.read_workspace(str(self.folder), core.settings, os.environ)
        )

    def store(self, *statements: Statement) -> None:
        core = ServiceContainer(os.environ)
        core.writer.store_many(list(statements), self.place(core))
        core.close()

    def start(self, session="s", *, source="startup", transcript=""):
        return session_start.start_session(
            os.environ,
            session_id=session,
            transcript_path=transcript,
            folder=str(self.folder),
            source=source,
        )

    def prompt(self, text, session="s") -> str:
        return recall_for_prompt(
            os.environ,
            session_id=session,
            folder=str(self.folder),
            prompt=text,
            max_wait_seconds=self.max_wait_seconds,
        )

    def event(self, name, **more) -> str:
        common = {"session_id": "s", "cwd": str(self.folder), "hook_event_name": name}
        return json.dumps({**common, **more})

    def run(self, name, event, **more):
        return subprocess.run(
            [LAUNCHER, "hook", name],
            input=event,
            env={**os.environ, "AFORESAID_ENV": sys.prefix, **more},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


@pytest.fixture
def server(world):
    """A server's thread that answers this process's prompts, by words: no model is loaded.

    It has all the time it needs, however busy the machine is. Prompts are answered one after the
    other, so that a second one finds what the first one noted.
    """
    world.max_wait_seconds = PATIENCE
    made = PromptServer(os.environ, os.getpid(), lambda: None)
    made.start()
    yield made
    made.close()


def by_either_way(test):
    """Run a test with a server that answers, and without one."""
    return pytest.mark.parametrize("way", ["server", "words"])(test)


@pytest.fixture
def line(request, way):
    return request.getfixturevalue("server") if way == "server" else None


@by_either_way
def test_a_prompt_that_calls_for_a_memory_is_shown_it_with_a_reason(world, line):
    world.store(Statement(content=QUEUE))
    text = world.prompt(CALLS)
    assert QUEUE in text
    assert re.search(r"names [^\]]*nats", text)
    assert re.fullmatch(r"<(aforesaid-[0-9a-f]{8}) .*</\1>", text, re.DOTALL)


@by_either_way
def test_a_prompt_that_calls_for_nothing_is_shown_nothing(world, line):
    world.store(Statement(content=QUEUE))
    assert "" == world.prompt(NOT_CALLS)


@by_either_way
def test_what_a_prompt_brought_is_counted_in_tokens(world, line):
    world.store(Statement(content="The user likes tabs.", scope="global", provenance="user"))
    started = world.start()
    world.store(Statement(content=QUEUE))
    text = world.prompt(CALLS)
    assert "" == world.prompt(NOT_CALLS)  # by now what came before is noted
    core = ServiceContainer(os.environ)
    spent = core.store.sessions.get("s").shown_tokens
    core.close()
    assert count_tokens(started.context) + count_tokens(text) == spent > count_tokens(text) > 0


@by_either_way
def test_a_memory_is_shown_once_in_a_session_and_again_in_the_next(world, line):
    world.store(Statement(content=QUEUE))
    assert QUEUE in world.prompt(CALLS)
    assert "" == world.prompt(CALLS)
    assert QUEUE in world.prompt(CALLS, session="another")


@by_either_way
def test_what_the_session_s_start_showed_is_not_shown_again(world, line):
    world.store(Statement(content=QUEUE))
    assert QUEUE in world.start().context
    assert "" == world.prompt(CALLS)


@by_either_way
def test_a_fork_told_as_a_resume_is_not_shown_what_its_conversation_holds(world, line):
    world.start("first", transcript=str(world.home / "first.jsonl"))
    world.store(Statement(content=QUEUE))
    assert QUEUE in world.prompt(CALLS, "first")
    world.start("first", source="resume", transcript=str(world.home / "first.jsonl"))
    assert "" == world.prompt(CALLS, "fork")


@by_either_way
def test_what_a_session_stored_itself_is_in_sight_already(world, line):
    world.start()
    core = ServiceContainer(os.environ)
    core.writer.store(Statement(content=QUEUE), world.place(core).replace(session="s"))
    core.close()
    assert "" == world.prompt(CALLS)
    assert QUEUE in world.prompt(CALLS, session="another")


@by_either_way
def test_after_a_compaction_what_was_shown_may_be_shown_again(world, line):
    world.patch.setenv("AFORESAID_RETRIEVAL_PRELOAD_TOKEN_BUDGET", "100")
    filler = [f"Fact number {n} is about the colour of shelf {n}." for n in range(9)]
    world.store(Statement(content=f"{QUEUE} {'It holds a week of events. ' * 12}"))
    world.store(*(Statement(content=item, importance=1.0) for item in filler))
    assert QUEUE not in world.start().context
    assert QUEUE in world.prompt(CALLS)
    assert "" == world.prompt(CALLS)
    world.start(source="resume")
    assert "" == world.prompt(CALLS)
    world.start(source="compact")
    assert QUEUE in world.prompt(CALLS)


@by_either_way
def test_what_nobody_vouches_for_is_never_shown(world, line):
    for provenance in ("tool", "import"):
        world.store(Statement(content=f"{QUEUE} {provenance}", provenance=provenance))
    assert "" == world.prompt(CALLS)


@by_either_way
def test_standing_wishes_belong_to_the_session_not_to_a_prompt(world, line):
    wish = "Wants the replay of NATS JetStream webhook events explained in one sentence."
    world.store(Statement(content=wish, scope="global", metadata={"category": "preference"}))
    assert wish not in world.prompt(CALLS)


@by_either_way
def test_a_procedure_is_called_for_by_its_trigger(world, line):
    steps = "Run make freeze, then tag, then make ship."
    world.store(
        Statement(
            content=steps, type="procedural", metadata={"trigger": "cutting a release, ship it"}
        )
    )
    assert "" == world.prompt("please review the cart")
    text = world.prompt("ok let's ship it")
    assert steps in text
    assert "its trigger" in text


@by_either_way
def test_a_prompt_brings_so_many_tokens_at_most(world, line):
    long = [f"{QUEUE} Shard {n}. {'and on ' * 90}" for n in range(5)]
    named = {"trigger": "webhook replay"}
    world.store(*(Statement(content=item, type="procedural", metadata=named) for item in long))
    assert 40 < count_tokens(world.prompt(CALLS)) <= 400
    world.patch.setenv("AFORESAID_HOOKS_PROMPT_TOKEN_BUDGET", "100")
    assert 40 < count_tokens(world.prompt(CALLS, session="t")) <= 100


@by_either_way
def test_a_private_span_is_not_asked(world, line):
    world.store(Statement(content=QUEUE))
    assert "" == world.prompt(f"hello <private>{CALLS}</private>")


@by_either_way
def test_a_project_that_is_off_recalls_nothing(world, line):
    world.store(Statement(content=QUEUE))
    assert QUEUE in world.prompt(CALLS, session="before")
    world.patch.setenv("AFORESAID_PROJECT_OFF", "acme/shop")
    assert "" == world.prompt(CALLS)


def test_other_projects_memories_are_not_shown(world):
    world.store(Statement(content=QUEUE))
    other = world.home / "code" / "other"
    (other / ".git" / "objects").mkdir(parents=True)
    (other / ".git" / "refs").mkdir()
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    world.folder = other
    assert "" == world.prompt(CALLS)


def test_a_prompt_that_names_a_project_offers_it_once_where_there_is_none(world, server):
    world.store(Statement(content=QUEUE))
    assert "set_project" not in world.prompt("let us go on with acme/shop")
    world.folder = world.home / "notes"
    world.folder.mkdir()
    world.start("plain")
    assert "" == world.prompt(CALLS, "plain")
    text = world.prompt("let us go on with acme/shop, the cart page", "plain")
    assert 'set_project(project="acme/shop")' in text
    assert "NATS" not in text
    assert "" == world.prompt("acme/shop, I said", "plain")


# -- switches


@pytest.mark.parametrize(
    "switch",
    [
        {"AFORESAID_HOOKS_PROMPT": "0"},
        {"AFORESAID_HOOKS_ENABLED": "0"},
        {"AFORESAID_OFF": "1"},
        {"AFORESAID_PROJECT_OFF": "acme/shop"},
        {"AFORESAID_HOOKS_HEADLESS": "0", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
    ],
    ids=" ".join,
)
def test_each_switch_turns_recall_at_the_prompt_off(world, switch):
    world.store(Statement(content=QUEUE))
    event = world.event("UserPromptSubmit", prompt=CALLS)
    assert QUEUE in world.run("user-prompt-submit", event).stdout
    assert "" == world.run("user-prompt-submit", event.replace('"s"', '"t"'), **switch).stdout


def test_the_switch_in_the_file_is_read_without_python(world):
    world.store(Statement(content=QUEUE))
    config = world.home / ".config" / "aforesaid" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[hooks]\nprompt = false\n")
    event = world.event("UserPromptSubmit", prompt=CALLS)
    assert "" == world.run("user-prompt-submit", event).stdout
    done = world.run("user-prompt-submit", event, AFORESAID_ENV=str(world.home / "nowhere"))
    assert "" == done.stdout


def test_headless_runs_are_remembered_unless_that_is_switched_off(world):
    world.patch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    assert world.start() is not None
    world.patch.setenv("AFORESAID_HOOKS_HEADLESS", "0")
    assert world.start("t") is None
    session_start.end_session(os.environ, world.event("SessionEnd"))
    assert [] == list_notes(parts_notes())
    world.patch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert world.start("u") is not None


def parts_notes() -> str:
    from aforesaid.config import load_settings

    return load_settings(os.environ).notes_folder


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        (("AFORESAID_HOOKS_PROMPT", "AFORESAID_HOOKS_ACTION"), False),
        (("AFORESAID_HOOKS_ENABLED",), False),
        (("AFORESAID_HOOKS_PROMPT",), True),  # actions are answered without a model
    ],
)
def test_with_recall_at_the_prompt_off_no_model_is_loaded(world, switches, expected):
    from aforesaid.operations.client_connection import ClientConnection

    assert listens(os.environ)
    for name in switches:
        world.patch.setenv(name, "0")
    conversation = ClientConnection(os.environ)
    conversation.warm_up()
    assert expected == os.path.exists(socket_path(os.getppid(), os.environ))
    assert conversation._embedder.peek() is None
    assert not conversation._embedder._started
    conversation.close()


# -- failures


def test_a_prompt_s_failure_is_silent_and_one_line_of_the_log(world):
    world.store(Statement(content=QUEUE))
    event = world.event("UserPromptSubmit", prompt=CALLS)
    broken = world.home / "broken.db"
    broken.write_text("this is no database, and long enough to be looked at " * 20)
    done = world.run("user-prompt-submit", event, AFORESAID_DB=str(broken))
    assert "" == done.stdout
    log = world.home / ".local" / "state" / "aforesaid" / "aforesaid.log"
    assert "user-prompt-submit: CorruptError" in log.read_text()
    assert 0o600 == log.stat().st_mode & 0o777
    assert CALLS not in log.read_text()


@pytest.mark.parametrize("event", ["", "no json", "[]", '{"session_id": ""}', '{"a": 1}'])
def test_what_is_no_event_is_silent(world, event):
    for name in ("user-prompt-submit", "subagent-start", "pre-compact"):
        assert "" == world.run(name, event).stdout


def test_a_server_that_does_not_answer_is_not_waited_for(world, monkeypatch):
    world.store(Statement(content=QUEUE))
    path = socket_path(os.getpid(), os.environ)
    os.mkdir(os.path.dirname(path), 0o700)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(path)
        mute.listen(1)
        assert ask(path, "{}") is None
        assert QUEUE in world.prompt(CALLS)


@pytest.mark.parametrize("reply", [b"", b"\x00", b"\xff\xff\xff\xff", b"\x00\x00\x00\x09ab"])
def test_nonsense_from_a_server_means_words(world, reply):
    import threading

    world.store(Statement(content=QUEUE))
    path = socket_path(os.getpid(), os.environ)
    os.mkdir(os.path.dirname(path), 0o700)
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind(path)
        odd.listen(1)

        def talk():
            guest, _ = odd.accept()
            guest.sendall(reply)
            guest.close()

        thread = threading.Thread(target=talk)
        thread.start()
        assert QUEUE in world.prompt(CALLS)
        thread.join()


def test_an_answer_that_came_too_late_does_not_count_as_shown(world, server):
    world.store(Statement(content=QUEUE))
    request = json.dumps({"session": "s", "folder": str(world.folder), "prompt": CALLS})
    asked = ask(socket_path(os.getpid(), os.environ), request, PATIENCE)
    assert QUEUE in asked.text
    asked._socket.close()  # never taken
    assert QUEUE in world.prompt(CALLS)


# -- the line


def test_what_a_full_disk_did_not_note_is_known_to_the_server_all_the_same(world, server):
    world.store(Statement(content=QUEUE))
    assert QUEUE in world.prompt(CALLS, session="warm")
    assert "" == world.prompt(NOT_CALLS)  # by now what came before is noted
    noted = server._prompts._unsaved
    server._prompts._store.database.read_only = True
    assert QUEUE in world.prompt(CALLS)
    assert "" == world.prompt(CALLS)
    assert ["s"] == list(noted)
    server._prompts._store.database.read_only = False
    server._prompts.record_shown(server._prompts._store.sessions.get("warm").replace(id="s"), (), 0)
    assert {} == noted
    assert "" == world.prompt(CALLS)


def test_the_line_is_the_user_s_alone(world, server):
    path = socket_path(os.getpid(), os.environ)
    assert 0o700 == os.stat(os.path.dirname(path)).st_mode & 0o777
    assert 0o600 == os.stat(path).st_mode & 0o777
    server.close()
    assert not os.path.exists(path)


def test_a_folder_that_is_open_or_a_link_or_another_s_is_refused(world):
    path = socket_path(os.getpid(), os.environ)
    folder = os.path.dirname(path)
    os.mkdir(folder)
    os.chmod(folder, 0o755)
    with pytest.raises(PermissionError):
        PromptSocketServer(path)
    assert ask(path, "{}") is None
    os.rmdir(folder)
    (world.home / "elsewhere").mkdir(mode=0o700)
    os.symlink(world.home / "elsewhere", folder)
    with pytest.raises(PermissionError):
        PromptSocketServer(path)
    os.unlink(folder)
    os.mkdir(folder, 0o700)
    assert is_private(folder)
    assert not is_private(folder, os.getuid() + 1)


def test_a_dead_server_s_socket_is_replaced_and_a_file_is_not(world):
    path = socket_path(os.getpid(), os.environ)
    os.mkdir(os.path.dirname(path), 0o700)
    stale = os.path.join(os.path.dirname(path), f"{2**22 + 1}.sock")
    for item in (path, stale):
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(item)
    PromptSocketServer(path).close()
    assert [] == os.listdir(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write("not ours")
    with pytest.raises(OSError, match="in use"):
        PromptSocketServer(path)


def test_a_later_server_s_socket_is_left_alone(world):
    path = socket_path(os.getpid(), os.environ)
    first = PromptSocketServer(path)
    second = PromptSocketServer(path)
    first.close()
    assert os.path.exists(path)
    second.close()
    assert not os.path.exists(path)


def test_a_guest_that_says_nonsense_or_nothing_does_not_end_the_service(world, server):
    world.store(Statement(content=QUEUE))
    path = socket_path(os.getpid(), os.environ)
    for message in (b"", b"\xff" * 4, b"\x00\x00\x00\x02[]", b"\x00\x00\x00\x10{"):
        with socket.socket(socket.AF_UNIX) as guest:
            guest.connect(path)
            guest.sendall(message)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.connect(path)
        asked = ask(path, world_request(world), PATIENCE)
        assert QUEUE in asked.text
        asked.confirm()


def world_request(world) -> str:
    return json.dumps({"session": "s", "folder": str(world.folder), "prompt": CALLS})


def test_a_long_path_falls_back_to_a_short_one_and_one_that_is_no_utf_8_is_taken(world):
    long = {"TMPDIR": "/tmp/" + "x" * 100}
    assert f"/tmp/aforesaid-{os.getuid()}/7.sock" == socket_path(7, long)
    odd = {"TMPDIR": os.fsdecode(b"/tmp/\xff")}
    assert socket_path(7, odd).startswith(odd["TMPDIR"])


# -- subagents and compactions


def test_a_subagent_is_shown_the_project_s_section_alone(world):
    world.store(
        Statement(content=QUEUE),
        Statement(content="Wants short commits.", scope="global"),
        *(Statement(content=f"Fact {n}: {'long ' * 40}") for n in range(40)),
    )
    event = world.event("SubagentStart", agent_id="a", agent_type="Explore")
    answer = json.loads(world.run("subagent-start", event).stdout)["hookSpecificOutput"]
    text = answer["additionalContext"]
    assert "SubagentStart" == answer["hookEventName"]
    assert "This project" in text
    assert "short commits" not in text
    assert 300 < count_tokens(text) <= 600
    assert "" == world.run("subagent-start", event, AFORESAID_HOOKS_SUBAGENT_START="0").stdout
    compaction = world.event("SubagentStart", agent_id="a", agent_type="")
    assert "" == world.run("subagent-start", compaction).stdout


def test_a_subagent_of_a_project_without_memories_is_shown_nothing(world):
    world.store(Statement(content="Wants short commits.", scope="global"))
    event = world.event("SubagentStart", agent_id="a", agent_type="Explore")
    assert "" == world.run("subagent-start", event).stdout


def a_transcript(world, *, more=False) -> str:
    script = Script()
    script.user("add a health check to the server")
    script.say("I'll add `/health` to `server.py`.")
    script.edit("server.py")
    script.bash("pytest -q", "2 passed in 0.1s")
    script.say("The health check answers 200; the tests pass.")
    if more:
        script.user("now write the docs for it")
        script.edit("docs/health.md")
        script.say("The docs are written in `docs/health.md`.")
    path = world.home / "one.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in script.lines))
    return str(path)


def test_before_a_compaction_the_session_is_digested_so_far_and_stays_open(world):
    world.patch.setattr(session_start, "start_sweep", lambda: None)
    world.start()
    path = a_transcript(world)
    event = world.event("PreCompact", transcript_path=path, trigger="auto")
    session_start.checkpoint(os.environ, event)
    assert 1 == sweep(os.environ)
    core = ServiceContainer(os.environ)
    here = world.place(core).project.key
    assert [
        "health check" in memory.content for memory in core.store.memories.latest_events(here, 9)
    ] == [True]
    assert core.store.sessions.get("s").ended_at is None
    a_transcript(world, more=True)
    ended = world.event("SessionEnd", transcript_path=path)
    session_start.end_session(os.environ, ended)
    sweep(os.environ)
    (digest,) = core.store.memories.latest_events(here, 9)
    assert "docs" in digest.content
    assert core.store.sessions.get("s").ended_at is not None
    core.close()


def test_what_the_user_typed_at_a_compaction_is_in_no_note(world):
    world.patch.setattr(session_start, "start_sweep", lambda: None)
    event = world.event("PreCompact", custom_instructions="keep <private>hunter2</private>")
    session_start.checkpoint(os.environ, event)
    (note,) = list_notes(parts_notes())
    assert "hunter2" not in read_note(note)


def test_a_compaction_is_not_noted_where_that_is_switched_off(world):
    world.patch.setattr(session_start, "start_sweep", lambda: None)
    world.patch.setenv("AFORESAID_HOOKS_PRE_COMPACT", "0")
    session_start.checkpoint(
        os.environ, world.event("PreCompact", transcript_path=a_transcript(world))
    )
    assert [] == list_notes(parts_notes())
