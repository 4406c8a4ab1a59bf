"""Whatever is missing or broken, the session starts: exit 0, in time, one line that says what."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from factories import make_memory, make_project, open_sqlite
from interfaces import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DOOR = os.path.join(ROOT, "bin", "aforesaid")
#: The hook's own deadline is 2 s; the rest is for a machine that has much else to do.
SECONDS = 3.5
EVENTS = ("session-start", "session-end")


class Answer:
    """What a hook said and how long it took."""

    def __init__(self, done: subprocess.CompletedProcess[str], seconds: float) -> None:
        self.code = done.returncode
        self.errors = done.stderr
        self.seconds = seconds
        self.text = done.stdout
        self.said: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}

    @property
    def line(self) -> str:
        """What the person is told."""
        return str(self.said.get("systemMessage", ""))

    @property
    def context(self) -> str:
        """What the model is told."""
        return str(self.said.get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work" / "shop"
    made.mkdir(parents=True)
    (made / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    return made


@pytest.fixture
def database(environment: dict[str, str]) -> Path:
    """The user's own database, with one global memory."""
    path = os.path.join(environment["XDG_DATA_HOME"], "aforesaid", "memory.db")
    store = open_sqlite(path)
    with store.transaction():
        store.memories.add(make_memory(1, content="The user prefers tabs.", provenance="user"))
    store.close()
    return Path(path)


@pytest.fixture
def hook(environment: dict[str, str], folder: Path) -> Callable[..., Answer]:
    """Run a hook through the door as the client does."""

    def run(name: str, event: str | None = None, **more: Any) -> Answer:
        report = {
            "session_id": "5e551017-0000-4000-8000-000000000001",
            "transcript_path": str(folder / "none.jsonl"),
            "cwd": str(folder),
            "hook_event_name": "SessionStart" if name == "session-start" else "SessionEnd",
            "source": "startup",
        }
        variables = {**environment, **more.pop("environment", {})}
        began = time.monotonic()
        done = subprocess.run(
            [DOOR, "hook", name],
            env={key: value for key, value in variables.items() if value is not None},
            input=json.dumps(report) if event is None else event,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
            cwd=folder,
            **more,
        )
        return Answer(done, time.monotonic() - began)

    return run


def check(answer: Answer, *words: str) -> None:
    """Check that a hook ended well, and told the person one line with these words in it."""
    assert 0 == answer.code
    assert answer.seconds < SECONDS
    assert answer.text.count("\n") <= 1
    assert "Traceback" not in answer.text + answer.errors
    for word in words:
        assert word in answer.line
    assert len(answer.line) <= 400


def test_a_session_starts_with_what_is_known_where_nothing_is_wrong(hook, database) -> None:
    answer = hook("session-start")

    check(answer, "Aforesaid: 0 memories here, 1 global")
    assert "The user prefers tabs." in answer.context


def test_a_first_session_starts_without_any_database(hook) -> None:
    check(hook("session-start"), "Aforesaid: 0 memories here, 0 global")


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize(
    "event", ["", "   ", "{", "null", "[]", '"text"', "{}", "\0", "[" * 100_000]
)
def test_an_event_that_is_none_is_passed_over(hook, database, name, event) -> None:
    answer = hook(name, event)

    check(answer, "Aforesaid: ")
    assert "" == answer.context


def test_a_file_that_is_no_database_is_named(hook, database) -> None:
    database.write_bytes(b"this is no database at all, is it?" * 200)

    check(hook("session-start"), str(database), "is not a database")


def test_a_damaged_database_is_named(hook, database) -> None:
    whole = bytearray(database.read_bytes())
    whole[4096:] = os.urandom(len(whole) - 4096)
    database.write_bytes(whole)

    check(hook("session-start"), str(database), "damaged")


def test_a_database_of_another_program_is_named(hook, database) -> None:
    database.unlink()
    theirs = apsw.Connection(str(database))
    theirs.execute("CREATE TABLE theirs (a)")
    theirs.close()

    check(hook("session-start"), str(database), "another program", "AFORESAID_DB")


def test_a_folder_in_the_place_of_the_database_is_named(hook, database) -> None:
    database.unlink()
    database.mkdir()

    check(hook("session-start"), str(database), "not a regular file")


def drop_capabilities() -> None:
    """Let file rights count for root too, as they do for everyone."""
    library = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        library.prctl(24, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="takes root's power by prctl")
@pytest.mark.parametrize("closed", ["file", "folder"])
def test_an_unreadable_database_is_named(hook, database, closed) -> None:
    (database if closed == "file" else database.parent).chmod(0)
    try:
        answer = hook("session-start", preexec_fn=drop_capabilities)
    finally:
        database.parent.chmod(0o700)

    check(answer, str(database), "permissions")


@pytest.mark.skipif(sys.platform != "linux", reason="takes root's power by prctl")
def test_a_database_that_can_only_be_read_is_shown_and_named(hook, database) -> None:
    hook("session-start")
    database.chmod(0o400)
    answer = hook("session-start", preexec_fn=drop_capabilities)

    check(answer, str(database), "read-only")
    assert "The user prefers tabs." in answer.context


@pytest.fixture
def lock(database: Path) -> Iterator[Callable[[str], None]]:
    """Hold a lock as another process would."""
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"""
import apsw, sys
holder = apsw.Connection({str(database)!r})
for line in sys.stdin:
    holder.execute(line).fetchall()
    print("done", flush=True)
""",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None

    def run(*statements: str) -> None:
        for statement in statements:
            holder.stdin.write(statement + "\n")
            holder.stdin.flush()
            assert "done\n" == holder.stdout.readline()

    yield run
    holder.stdin.close()
    holder.stdout.close()
    holder.wait(10)


def test_a_database_that_others_write_is_shown_to_a_known_project(hook, database, lock) -> None:
    assert 0 == hook("session-start").code  # registers the project
    lock("BEGIN IMMEDIATE")
    answer = hook("session-start")

    check(answer, "is busy: another process has held it")
    assert "The user prefers tabs." in answer.context


def test_a_locked_database_is_named_in_a_new_project(hook, database, lock) -> None:
    lock("BEGIN IMMEDIATE")

    check(hook("session-start"), str(database), "is busy: another process has held it")


def test_a_database_that_another_program_keeps_to_itself_is_named(hook, database, lock) -> None:
    lock("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "COMMIT", "BEGIN EXCLUSIVE")

    check(hook("session-start"), str(database), "is busy: another process has held it")


def full(size: int) -> Callable[[], None]:
    """Return what makes every file end at so many bytes, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_disk_without_any_room_is_named(hook, database) -> None:
    answer = hook("session-start", preexec_fn=full(0))

    check(answer, str(database), "free")


def test_a_disk_that_fills_up_is_named_and_what_is_known_is_shown(hook, database, lock) -> None:
    assert 0 == hook("session-start").code
    # the write-ahead log is as long as a file may be; its index still fits
    lock("PRAGMA wal_autocheckpoint = 0",
         "INSERT INTO meta VALUES ('ballast', hex(randomblob(30000)))")  # fmt: skip
    log = os.stat(f"{database}-wal").st_size
    answer = hook("session-start", preexec_fn=full(log))

    check(answer, str(database), "free")
    assert "The user prefers tabs." in answer.context


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_full_file_system_is_named(hook, tmp_path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        path = disk / "memory.db"
        (disk / "ballast").write_bytes(bytes(380 * 1024))
        answer = hook("session-start", environment={"AFORESAID_DB": str(path)})
        ended = hook("session-end", environment={"AFORESAID_DB": str(path)})
    finally:
        subprocess.run(["umount", str(disk)], check=True)

    check(answer, "free")
    check(ended)


@pytest.mark.parametrize("left", [0, 40])
def test_a_full_disk_at_the_end_of_a_session_is_named_and_leaves_no_half_note(
    hook, environment, database, left
) -> None:
    check(hook("session-end", preexec_fn=full(left)), "Aforesaid: ")
    assert [] == os.listdir(os.path.join(environment["XDG_STATE_HOME"], "aforesaid", "notes"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An environment that lacks every package."""
    made = tmp_path_factory.mktemp("bare") / "env"
    venv.create(made, with_pip=False, symlinks=True)
    return str(made)


def test_a_missing_package_is_named_with_the_way_to_repair_it(hook, bare) -> None:
    answer = hook("session-start", environment={"AFORESAID_ENV": bare})

    check(answer, "No module named", bare, "setup --rebuild")


def test_a_missing_package_does_not_break_the_end_of_a_session(hook, bare) -> None:
    check(hook("session-end", environment={"AFORESAID_ENV": bare}))


def test_a_missing_environment_that_was_named_does_not_break_a_session(hook, tmp_path) -> None:
    nowhere = {"AFORESAID_ENV": str(tmp_path / "nowhere"), "AFORESAID_PYTHON": "/nonexistent"}

    check(hook("session-start", environment=nowhere))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[retrieval]\nmax_result = 5\n", ("retrieval.max_result", "did you mean")),
        ("[retrieval]\nmax_results = 500\n", ("retrieval.max_results", "1 to 50")),
        ("[retrieval]\nmax_results = 'five'\n", ("retrieval.max_results", "five")),
        ("no toml = = at all", ("config.toml",)),
        ("top = 1\n", ("top",)),
        ("\0\1\2", ("config.toml",)),
    ],
)
def test_a_wrong_setting_is_named_once_and_the_session_is_shown_what_is_known(
    hook, environment, database, text, words
) -> None:
    config = os.path.join(environment["XDG_CONFIG_HOME"], "aforesaid", "config.toml")
    os.makedirs(os.path.dirname(config))
    with open(config, "w") as file:
        file.write(text)

    started = hook("session-start")
    check(started, config, *words)
    assert "The user prefers tabs." in started.context
    assert "" == hook("session-end").line
    assert [] != os.listdir(os.path.join(environment["XDG_STATE_HOME"], "aforesaid", "notes"))


def test_a_wrong_variable_is_named(hook) -> None:
    wrong = {"AFORESAID_RETRIEVAL_PRELOAD_TOKEN_BUDGET": "lots"}

    check(hook("session-start", environment=wrong), *wrong, "lots")


def test_without_a_home_folder_a_session_starts(hook) -> None:
    check(hook("session-start", environment={"HOME": None}), "Aforesaid: 0 memories")
    check(hook("session-end", environment={"HOME": None}))


def test_a_state_folder_that_cannot_be_written_costs_nothing_but_time(hook, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    answer = hook("session-start", environment={"XDG_STATE_HOME": str(tmp_path / "file")})

    check(answer, "Aforesaid: 0 memories here")


def test_a_note_that_cannot_be_left_is_told(hook, tmp_path) -> None:
    (tmp_path / "file").write_text("")

    check(
        hook("session-end", environment={"XDG_STATE_HOME": str(tmp_path / "file")}), "Aforesaid: "
    )


def test_a_folder_that_is_gone_does_not_break_a_session(hook, folder) -> None:
    event = json.dumps({"session_id": "s", "cwd": str(folder / "gone"), "source": "startup"})

    check(hook("session-start", event), "Aforesaid: 0 memories")


@pytest.mark.parametrize("odd", ["\ud800", "a\0b", "x" * 20_000, "/dev/null", "", 7, None, ["/"]])
def test_odd_fields_of_an_event_do_not_break_a_session(hook, database, odd) -> None:
    for field in ("cwd", "transcript_path", "source", "session_id"):
        event = {"session_id": "s", "cwd": "/", "source": "startup", field: odd}
        answer = hook("session-start", json.dumps(event))

        check(answer, "Aforesaid: ")


def test_a_database_of_a_newer_version_is_shown_and_named(hook, database) -> None:
    hook("session-start")
    newer = apsw.Connection(str(database))
    newer.execute("UPDATE meta SET value = '99' WHERE name = 'min_code_schema'")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    answer = hook("session-start")

    check(answer, str(database), "version 99", "update")
    assert "The user prefers tabs." in answer.context


def test_many_memories_do_not_break_the_deadline(hook, database) -> None:
    store = open_sqlite(database)
    with store.transaction():
        project = store.projects.add(make_project("marker:x"))
        for number in range(2, 1500):
            store.memories.add(make_memory(number, scope="project", project=project.key))
            store.memories.add(make_memory(number + 5_000))
    store.close()

    check(hook("session-start"), "1499 global")


def test_a_server_without_its_model_recalls_by_words_and_says_so(environment, tmp_path) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(
        os.path.join(ROOT, "server"),
        plugin / "server",
        ignore=shutil.ignore_patterns("__pycache__", "model.onnx"),
    )
    shutil.copytree(os.path.join(ROOT, "bin"), plugin / "bin")
    lines = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {
            "name": "store_memory", "arguments": {"content": "The queue is NATS."}}},
        {"id": 3, "method": "tools/call", "params": {
            "name": "recall_memory", "arguments": {"query": "queue"}}},
        {"id": 4, "method": "tools/call", "params": {"name": "memory_stats", "arguments": {}}},
    ]  # fmt: skip
    server = subprocess.Popen(
        [plugin / "bin" / "aforesaid", "serve"],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    answers = {}
    for line in lines:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **line}) + "\n")
        server.stdin.flush()
        if "id" in line:
            answers[line["id"]] = json.loads(server.stdout.readline())
    server.stdin.close()
    server.stdout.close()
    server.wait(20)
    stored, recalled, stats = (
        json.loads(answers[number]["result"]["content"][0]["text"]) for number in (2, 3, 4)
    )

    assert stored["id"]
    assert ["The queue is NATS."] == [row["content"] for row in recalled["results"]]
    assert any("words only" in degradation for degradation in recalled["degradations"])
    assert any("model" in item for item in stats["health"])


# -- hooks that run again and again: whatever is wrong, they say nothing, and a line goes to the log

QUIET = ("user-prompt-submit", "subagent-start", "pre-compact", "action")


def check_quiet(answer: Answer) -> None:
    """Check that a hook ended well and said nothing."""
    assert (0, "") == (answer.code, answer.text)
    assert answer.seconds < SECONDS
    assert "Traceback" not in answer.errors


def prompt_event(folder: Path, **more: object) -> str:
    common = {"session_id": "s", "cwd": str(folder), "agent_type": "Explore"}
    return json.dumps({**common, "prompt": "does the user prefer tabs?", **more})


@pytest.fixture
def tabs(database: Path, hook) -> Path:
    """The database, in which a prompt finds what it calls for."""
    hook("session-start")
    store = open_sqlite(database)
    with store.transaction():
        project = store.projects.list_all()[0].key
        content = "Which tabs the user prefers stands in the makefile."
        store.memories.add(make_memory(2, content=content, scope="project", project=project))
    store.close()
    return database


def test_a_prompt_is_shown_what_it_calls_for_where_nothing_is_wrong(hook, tabs, folder) -> None:
    asked = prompt_event(folder, prompt="which tabs stand in the makefile", session_id="t")

    assert "stands in the makefile" in hook("user-prompt-submit", asked).context


@pytest.mark.parametrize("name", QUIET)
@pytest.mark.parametrize("event", ["", "{", "null", "[]", "{}", "\0", "[" * 100_000])
def test_an_event_that_is_none_is_passed_over_in_silence(hook, database, name, event) -> None:
    check_quiet(hook(name, event))


@pytest.mark.parametrize("name", QUIET[:2])
def test_a_broken_database_is_the_log_s_business(hook, tabs, environment, folder, name) -> None:
    tabs.write_bytes(b"no database at all, and long enough to be looked at" * 100)
    check_quiet(hook(name, prompt_event(folder)))

    log = Path(environment["XDG_STATE_HOME"]) / "aforesaid" / "aforesaid.log"
    assert f"hook {name}: " in log.read_text()


def test_what_cannot_be_noted_as_shown_is_not_shown(hook, tabs, lock, folder) -> None:
    asked = prompt_event(folder, prompt="which tabs stand in the makefile", session_id="t")
    lock("BEGIN IMMEDIATE")

    check_quiet(hook("user-prompt-submit", asked))
    lock("COMMIT")
    assert "stands in the makefile" in hook("user-prompt-submit", asked).context


@pytest.mark.parametrize("name", QUIET[:2])
def test_a_database_that_is_kept_from_us_is_not_waited_for(hook, tabs, lock, folder, name) -> None:
    lock("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "COMMIT", "BEGIN EXCLUSIVE")

    check_quiet(hook(name, prompt_event(folder)))


@pytest.mark.parametrize("odd", ["\ud800", "a\0b", "x" * 200_000, "", 7, None, ["/"], {"a": 1}])
def test_odd_fields_do_not_break_a_prompt(hook, database, folder, odd) -> None:
    for field in ("cwd", "prompt", "session_id"):
        event = prompt_event(folder, **{"prompt": "hello", field: odd})
        check_quiet(hook("user-prompt-submit", event))


def test_a_state_folder_that_cannot_be_written_does_not_break_a_prompt(hook, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    for name in QUIET:
        check_quiet(hook(name, environment={"XDG_STATE_HOME": str(tmp_path / "file")}))


@pytest.mark.parametrize(
    "stream", ["<&-", ">&-", "2>&-", ">/dev/full" if os.path.exists("/dev/full") else ">&-"]
)
def test_a_standard_stream_that_is_closed_or_full_ends_no_hook_badly(
    hook, environment, folder, stream
) -> None:
    event = json.dumps({"session_id": "s", "cwd": str(folder), "prompt": "which tabs"})
    for name in ("session-start", *QUIET):
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" hook {name} {stream}', DOOR], env=environment, input=event,
            capture_output=True, text=True, timeout=30, check=False, cwd=folder,
        )  # fmt: skip
        assert (0, False) == (done.returncode, "Traceback" in done.stderr)
        assert done.stderr.count("\n") <= 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no file here is always full")
def test_a_failure_is_told_though_standard_error_takes_nothing(environment) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" hook session-start 2>/dev/full', DOOR], env=environment,
        input="no event", capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert (0, True) == (done.returncode, "not an event as JSON" in done.stdout)
