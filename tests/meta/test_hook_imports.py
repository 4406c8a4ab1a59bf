"""What hooks import, pinned: their budget is about four bare starts (bench/hooks)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest

from aforesaid.adapters.prompt_socket import PromptSocketServer, socket_path
from aforesaid.adapters.system.machine import leave_note
from transcripts import Script

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the hook's start is POSIX's")

ROOT = Path(__file__).resolve().parents[2]
START = ROOT / "server" / "start.py"
SAMPLE = ROOT / "server" / "aforesaid" / "samples" / "demo-session.jsonl"
#: As bin/aforesaid starts a hook.
PYTHON = [sys.executable, "-I", "-S", "-X", "utf8"]

#: Too slow for any hook, each by what it brings along.
NEVER = {
    "asyncio",
    "contextlib",
    "dataclasses",
    "datetime",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "logging",
    "mcp",
    "numpy",
    "onnxruntime",
    "pathlib",
    "platformdirs",
    "pydantic",
    "random",
    "shutil",
    "sqlite3",
    "sqlite_vec",
    "subprocess",
    "tempfile",
    "threading",
    "tokenizers",
    "tomllib",
    "typing",
    "uuid",
}
#: Nor what the client waits for: a session's start, and its end up to the note.
NEVER_WAITED_FOR = NEVER | {"enum", "functools", "json", "re", "signal", "unicodedata"}


@pytest.fixture
def repository(environment: dict[str, str], tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "payments"
    for part in ("objects", "refs/heads"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "refs" / "heads" / "main").write_text("1" * 40 + "\n")
    (folder / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@github.com:acme/payments.git\n'
    )
    environment["CLAUDE_PID"] = str(os.getpid())
    return folder


def run(arguments: list[str], environment: dict[str, str], event: object = None) -> tuple[str, set]:
    """Return what a process wrote, and the modules that it imported beyond a bare start's."""
    done = subprocess.run(
        [*PYTHON, "-X", "importtime", *arguments],
        input=json.dumps(event) if event else "",
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", done.stderr, re.MULTILINE))
    others = [line for line in done.stderr.splitlines() if not line.startswith("import time:")]
    assert [] == others
    return done.stdout, imported


def hook(name: str, environment: dict[str, str], folder: Path, **more: object) -> tuple[str, set]:
    event = {
        "session_id": "s-1",
        "transcript_path": str(SAMPLE),
        "cwd": str(folder),
        "hook_event_name": name,
        **more,
    }
    answer, imported = run([str(START), "hook", name], environment, event)
    _, bare = run(["-c", "pass"], environment)
    return answer, imported - bare


def test_every_module_that_a_hook_imports_is_under_the_import_contract(environment, repository):
    contract = tomllib.loads((ROOT / "tools" / "hook_imports.toml").read_text(encoding="utf-8"))
    (rule,) = contract["tool"]["importlinter"]["contracts"]
    store_something(environment, repository)
    hook("session-start", environment, repository)
    used = set()
    for name, more in (
        ("session-start", {"session_id": "s-2"}),
        ("user-prompt-submit", {"prompt": "the queue?"}),
        ("action", {"tool_name": "Bash", "tool_input": {"command": "make"}}),
        ("subagent-start", {"agent_type": "Explore"}),
        ("pre-compact", {"trigger": "auto"}),
        ("session-end", {}),
    ):
        used |= hook(name, environment, repository, **more)[1]
    ours = {module for module in used if module.startswith("aforesaid.")}
    assert ours == set(rule["source_modules"])


def store_something(environment: dict[str, str], folder: Path) -> None:
    code = (
        "from aforesaid.wiring.container import ServiceContainer\n"
        "from aforesaid.domain.model.statement import Statement\n"
        "from aforesaid.wiring import factories\n"
        "import os\n"
        "core = ServiceContainer(os.environ)\n"
        f"seen = factories.read_workspace({str(folder)!r}, core.settings, os.environ)\n"
        "place = core.projects.resolve(seen)\n"
        "said = [Statement(content='Wants short commits.', scope='global', tags=('style',)),\n"
        "        Statement(content='Queue is NATS.', metadata={'a': 1})]\n"
        "core.writer.store_many(said, place)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "PYTHONPATH": str(ROOT / "server")},
        check=True,
        capture_output=True,
    )


def test_a_session_start_imports_nothing_slow(environment, repository):
    store_something(environment, repository)
    hook("session-start", environment, repository)  # the first one resolves the settings
    answer, imported = hook("session-start", environment, repository, session_id="s-2")
    assert "Queue is NATS." in json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert set() == imported & NEVER_WAITED_FOR
    assert {"apsw", "aforesaid.bootstrap.quick_imports"} <= imported
    tables = {"search", "vectors", "entities", "topics", "models", "text_rewrite", "dump"}
    assert set() == imported & {f"aforesaid.adapters.sqlite.{name}" for name in tables}


def test_nor_does_one_in_a_folder_that_is_no_repository(environment, tmp_path):
    folder = tmp_path / "work" / "page"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"name": "page"}')
    hook("session-start", environment, folder)
    answer, imported = hook("session-start", environment, folder, session_id="s-2")
    assert "page" in json.loads(answer)["systemMessage"]
    assert set() == imported & NEVER_WAITED_FOR


def test_a_session_end_imports_nothing_slow(environment, repository):
    hook("session-start", environment, repository)
    answer, imported = hook("session-end", environment, repository)
    assert "" == answer
    assert set() == imported & NEVER_WAITED_FOR
    assert "apsw" not in imported


def test_a_prompt_that_the_server_answers_imports_next_to_nothing(environment, repository):
    store_something(environment, repository)
    hook("session-start", environment, repository)
    client = int(environment["CLAUDE_PID"])
    listener = PromptSocketServer(socket_path(client, environment))
    server = threading.Thread(target=listener.serve, args=(lambda _: ("an answer", taken.set),))
    taken = threading.Event()
    server.start()
    for _ in range(5):  # on a busy machine a server may be late, and words answer
        answer, imported = hook("user-prompt-submit", environment, repository, prompt="the queue?")
        if answer:
            break
    assert "an answer" == json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert taken.wait(10)
    listener.close()
    server.join()
    assert set() == imported & NEVER_WAITED_FOR
    assert set() == imported & {"apsw", "socket", "aforesaid.domain.model.memory"}


def test_a_prompt_that_goes_by_words_imports_nothing_slow(environment, repository):
    store_something(environment, repository)
    hook("session-start", environment, repository)
    _, imported = hook("user-prompt-submit", environment, repository, prompt="the queue?")
    assert set() == imported & (NEVER | {"json", "socket"})
    assert "aforesaid.services.sessions.prompt_recall" in imported
    assert set() == imported & {
        "aforesaid.services.recall.recall",
        "aforesaid.services.sessions.session_context",
    }


def test_subagents_and_compactions_import_nothing_slow(environment, repository):
    store_something(environment, repository)
    hook("session-start", environment, repository)
    answer, imported = hook("subagent-start", environment, repository, agent_type="Explore")
    assert "Queue is NATS." in json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert set() == imported & NEVER_WAITED_FOR
    answer, imported = hook("pre-compact", environment, repository, trigger="auto")
    assert "" == answer
    assert set() == imported & NEVER_WAITED_FOR
    assert "apsw" not in imported


def test_the_sweep_imports_nothing_slow_for_a_session_without_statements(
    environment, repository, tmp_path
):
    hook("session-start", environment, repository)
    notes = os.path.join(environment["XDG_STATE_HOME"], "aforesaid", "notes")
    script = Script(str(repository))
    script.user("which tests are slow?")
    script.bash("pytest --durations=3", "12 passed in 1s")
    script.say("Those of the importer.")
    event = {
        "session_id": "s-1",
        "transcript_path": script.write(tmp_path),
        "cwd": str(repository),
    }
    ended = json.dumps({**event, "hook_event_name": "SessionEnd"})
    leave_note(notes, os.getpid(), "session-end", ended)
    _, imported = hook("sweep", environment, repository)
    assert [] == os.listdir(notes)
    assert set() == imported & NEVER
    assert {"apsw", "aforesaid.domain.digest"} <= imported
