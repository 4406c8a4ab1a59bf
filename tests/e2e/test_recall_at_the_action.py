"""What bears on a file or a command is shown with it, once, in the real client."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from aforesaid.adapters.prompt_socket import list_listening
from e2e.plugin import call, contexts_of, settle
from interfaces import LAUNCHER
from rig import Sandbox, tool, turn

pytestmark = pytest.mark.client

QUEUE = "Keep the import of nats above that of asyncio, or the client hangs."
RELEASE = "Run make freeze before a tag is made."
CLIENT = "The queue client is the nats-py package, version 3."
RULE = "Use pnpm, not npm."
TOLD = "This action breaks a rule of the user."
OPEN = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]


@pytest.fixture
def anchored(either_client, install) -> Sandbox:
    """A box in which a memory cites a file and a procedure has a trigger; starts show nothing."""
    box = install(either_client, AFORESAID_HOOKS_SESSION_START="0")
    (box.project / "queue.py").write_text("import nats\n")
    trigger = {"trigger": "before a release"}
    stores = [
        call("store_memory", content=QUEUE, anchors=["queue.py"]),
        call("store_memory", content=RELEASE, type="procedural", metadata=trigger),
    ]
    box.prompt("note these", script=[*map(turn, stores), "Noted."])
    settle(box)
    box.api.requests.clear()
    return box


def write(box: Sandbox, name: str, content: str):
    return turn(tool("Write", {"file_path": str(box.project / name), "content": content}))


def run(command: str):
    return turn(tool("Bash", {"command": command, "description": "run it"}))


def wait_for_server(box: Sandbox, answer):
    """Give an answer of the model when the session's server can be asked, as in a real session."""

    def when_ready(_request: object):
        deadline = time.monotonic() + 30
        while not list_listening(box.env()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        return answer

    return when_ready


def test_an_edit_of_a_cited_file_brings_its_memory_once(anchored):
    script = [
        wait_for_server(anchored, write(anchored, "other.py", "1\n")),
        turn(tool("Read", {"file_path": str(anchored.project / "queue.py")})),
        write(anchored, "queue.py", "import nats\nimport json\n"),
        write(anchored, "queue.py", "import nats\nimport re\n"),
        "done",
    ]
    result = anchored.prompt("go on", *OPEN, script=script)
    counts = [sum(QUEUE in context for context in contexts_of(request)) for request in result.main]
    assert [0, 0, 0, 1, 1] == counts  # the last one sees that of the first edit
    assert "import re" in (anchored.project / "queue.py").read_text()


def test_a_command_brings_the_procedure_whose_trigger_it_matches(anchored):
    release = run("make release || true")
    script = [wait_for_server(anchored, run("echo release")), release, release, "done"]
    result = anchored.prompt("go on", *OPEN, script=script)
    counts = [
        sum(RELEASE in context for context in contexts_of(request)) for request in result.main
    ]
    assert [0, 0, 1, 1] == counts


def test_another_worktree_brings_it_with_the_mark_of_its_branch(either_client, install):
    box = install(either_client, AFORESAID_HOOKS_SESSION_START="0")
    (box.project / "queue.py").write_text("import nats\n")
    for words in (
        ("add", "-A"),
        ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "start"),
        ("worktree", "add", "-q", "-b", "feature/nats", str(box.root / "feature")),
    ):
        subprocess.run(["git", *words], check=True, cwd=box.project, env=box.env())
    feature = box.root / "feature"
    note = turn(call("store_memory", content=CLIENT, anchors=["queue.py"]))
    box.prompt("note it", script=[note, "Noted."], cwd=feature)
    settle(box)
    for folder, mark in ((box.project, True), (feature, False)):
        shown = shown_at_edit(box, folder)
        assert CLIENT in shown
        assert mark == ("branch feature/nats, not merged here" in shown)


def shown_at_edit(box: Sandbox, folder: Path) -> str:
    """Return what a session in a folder is shown with an edit of queue.py."""
    edit = turn(
        tool("Write", {"file_path": str(folder / "queue.py"), "content": "import nats\n#\n"})
    )
    read = turn(tool("Read", {"file_path": str(folder / "queue.py")}))
    script = [wait_for_server(box, read), edit, "done"]
    result = box.prompt("go on", *OPEN, script=script, cwd=folder)
    return "".join(contexts_of(result.main[-1]))


def guarded(box: Sandbox, *options: str) -> None:
    """Store a rule that forbids a command, and accept it as a guard, as the user."""
    box.prompt(
        "note it",
        script=[turn(call("store_memory", content=RULE, type="procedural")), "Noted."],
    )
    settle(box)
    subprocess.run(
        [str(LAUNCHER), "offers", "accept", "1", *options],
        check=True, cwd=box.project, env=box.env(AFORESAID_ENV=sys.prefix),
    )  # fmt: skip


def test_a_guard_tells_the_rule_with_the_command_that_breaks_it(either_client, install):
    box = install(either_client)
    guarded(box)
    script = [wait_for_server(box, run("echo go")), run("npm --version || true"), "I see."]
    requests = box.prompt("go on", *OPEN, script=script).main
    told = [any(TOLD in context for context in contexts_of(request)) for request in requests]
    assert [False, False, True] == told


def test_a_guard_that_asks_stops_the_command_until_the_user_has_answered(either_client, install):
    box = install(either_client)
    guarded(box, "--ask")
    command = "npm --version; touch ran"
    script = [wait_for_server(box, run("echo go")), run(command), "I see."]
    requests = box.prompt("go on", *OPEN, script=script).main
    assert not (box.project / "ran").exists()  # nobody could be asked
    assert RULE in str(requests[-1])


def test_an_error_that_was_fixed_in_one_session_brings_the_fix_in_the_next(either_client, install):
    box = install(either_client)
    check = box.project / "check.sh"
    check.write_text(
        "test -e ready || { echo 'fatal: the stamp of the schema is missing' >&2; exit 1; }\n"
    )
    fixed = [run("sh check.sh"), run("touch ready"), run("sh check.sh"), "It passes now."]
    box.prompt("check it", *OPEN, script=fixed)
    settle(box)
    (box.project / "ready").unlink()
    script = [wait_for_server(box, run("echo go")), run("sh check.sh"), "I see."]
    requests = box.prompt("check it again", *OPEN, script=script).main
    fix = "Fixed by `touch ready`"
    shown = [any(fix in context for context in contexts_of(request)) for request in requests]
    assert [False, False, True] == shown
