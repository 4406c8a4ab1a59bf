"""Sessions that end in every way a client's session can: each gets exactly one digest.

The nightly run has a hundred of them. Real hooks, through the launcher, run as children of
processes that play the client and are terminated the way clients are; the transcripts are real
files. For the real client, see tests/e2e.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aforesaid.domain.model.memory import Filters, Visibility
from factories import open_sqlite
from interfaces import LAUNCHER
from rig.processes import processes_of_home, supported, wait_until
from transcripts import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aforesaid.domain.model.memory import Memory

pytestmark = pytest.mark.skipif(not supported, reason="reads /proc: Linux only")

AT_ONCE = 3
PROJECTS = 4


class FakeSession:
    """One session: its id, its transcript, and what its digest must and must not say."""

    def __init__(self, number: int, folder: Path) -> None:
        self.id = f"5e551017-0000-4000-8000-{number:012d}"
        self.word = f"gadget{number:03d}"
        self.project = folder / f"shop{number % PROJECTS}"
        self.path = folder / "transcripts" / f"{self.id}.jsonl"
        self.script = Script(str(self.project))
        self.must_say = [f"{self.word}.py"]
        self.must_not_say: list[str] = []

    def continue_work(self, part: str = "") -> None:
        """Ask for something, have it done, and write the transcript."""
        name = f"{self.word}{part}"
        first = len(self.script.lines)
        self.script.user(f"add a {name} page to the server")
        self.script.edit(f"{name}.py")
        self.script.bash("pytest -q", "2 passed in 0.1s")
        self.script.say(f"The {name} page is there, and the tests pass.")
        if part:
            self.must_say.append(f"{name}.py")
        now = time.time()
        for index, line in enumerate(self.script.lines):
            line["sessionId"] = self.id
            if index >= first:
                seconds = now + (index - first) / 100
                line["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + (
                    f".{int(seconds % 1 * 1000):03d}Z"
                )
        self.path.write_bytes(self.script.data)

    def event(self, name: str, **more: str) -> str:
        return json.dumps(
            {
                "session_id": self.id,
                "transcript_path": str(self.path),
                "cwd": str(self.project),
                "hook_event_name": name,
                **more,
            }
        )


class Client:
    """A process that runs hooks as its children, as the client does, until it is ended."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self._folder = folder
        self._events = 0
        self.process = subprocess.Popen(
            ["/bin/sh"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def do(self, command: str) -> None:
        """Let it run a command to its end."""
        self.tell(f"{command}; echo done $?")
        assert self.process.stdout is not None
        assert "done 0\n" == self.process.stdout.readline()

    def tell(self, command: str) -> None:
        """Let it run a command, without waiting for its end."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def hook(self, name: str, event: str) -> str:
        """Return the command that runs a hook."""
        self._events += 1
        path = self._folder / f"event-{self.process.pid}-{self._events}.json"
        path.write_text(event)
        return f"'{LAUNCHER}' hook {name} <'{path}' >/dev/null 2>&1"

    def start(self, session: FakeSession, source: str = "startup") -> None:
        self.do(self.hook("session-start", session.event("SessionStart", source=source)))

    def end(self, session: FakeSession, reason: str) -> None:
        self.do(self.hook("session-end", session.event("SessionEnd", reason=reason)))

    def leave(self) -> None:
        """End by itself."""
        self.tell("exit")
        self.wait_until_gone()

    def kill(self, number: signal.Signals = signal.SIGKILL, *, group: bool = False) -> None:
        (os.killpg if group else os.kill)(self.process.pid, number)
        self.wait_until_gone()

    def wait_until_gone(self) -> None:
        self.process.wait(30)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                pass


class World:
    """A user with a few projects, and sessions that are counted as they are made."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = environment
        self.home = Path(environment["HOME"])
        self.folder = folder
        self.chance = random.Random(20261122)
        self.sessions: list[FakeSession] = []
        self._lock = threading.Lock()
        (folder / "transcripts").mkdir()
        for number in range(PROJECTS):
            (folder / f"shop{number}").mkdir()
            (folder / f"shop{number}" / "pyproject.toml").write_text(f'name = "shop{number}"\n')

    def client(self) -> Client:
        return Client(self.environment, self.folder)

    def new_session(self) -> FakeSession:
        with self._lock:
            self.sessions.append(FakeSession(len(self.sessions), self.folder))
            return self.sessions[-1]

    def start_session(self, source: str = "startup") -> tuple[Client, FakeSession]:
        """Return a client, and the session that it is in the middle of."""
        client, session = self.client(), self.new_session()
        client.start(session, source)
        session.continue_work()
        return client, session

    def wait(self, most: float) -> None:
        with self._lock:
            seconds = self.chance.uniform(0, most)
        threading.Event().wait(seconds)

    def sweep(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([LAUNCHER, "hook", "sweep"], env=self.environment, cwd=self.folder)

    def wait_until_idle(self, *but: int) -> None:
        """Wait until only these processes are left for this user."""

        def is_idle() -> bool:
            return {item.pid for item in processes_of_home(self.home)} <= {*but}

        wait_until(is_idle, "the end of all sweeps", 90)

    def digests(self) -> list[Memory]:
        path = os.path.join(self.environment["XDG_DATA_HOME"], "aforesaid", "memory.db")
        store = open_sqlite(path)
        try:
            seen = Visibility(projects=tuple(project.key for project in store.projects.list_all()))
            return store.memories.select(seen, Filters(tags=("digest",)), 500)
        finally:
            store.close()


# -- the ways to end; how many sessions each makes: ``WAYS``


def ends_with_reason(reason: str) -> Callable[[World], None]:
    def way(world: World) -> None:
        client, session = world.start_session()
        client.end(session, reason)
        client.leave()

    return way


def clear(world: World) -> None:
    """/clear: the same client goes on with another session."""
    client, session = world.start_session()
    client.end(session, "clear")
    following = world.new_session()
    client.start(following, "clear")
    following.continue_work()
    client.end(following, "prompt_input_exit")
    client.leave()


def signalled(number: signal.Signals) -> Callable[[World], None]:
    """SIGTERM, SIGHUP: the client is gone while its last hook is still starting."""

    def way(world: World) -> None:
        client, session = world.start_session()
        hook = client.hook("session-end", session.event("SessionEnd", reason="other"))
        client.tell(f"CLAUDE_PID=$$ setsid {hook} & echo")
        assert client.process.stdout is not None
        client.process.stdout.readline()
        client.kill(number)

    return way


def window_closed(world: World) -> None:
    """Closing the window kills the last hook too, at whatever point it is."""
    client, session = world.start_session()
    hook = client.hook("session-end", session.event("SessionEnd", reason="other"))
    client.tell(f"{hook} & echo")
    assert client.process.stdout is not None
    client.process.stdout.readline()
    world.wait(0.2)
    client.kill(signal.SIGHUP, group=True)


def client_killed(world: World) -> None:
    client, _session = world.start_session()
    client.kill(group=True)


def server_killed(world: World) -> None:
    """The server dies between two answers; the session ends as usual."""
    client, session = world.start_session()
    server = subprocess.Popen(
        [LAUNCHER, "serve"],
        env={**world.environment, "AFORESAID_HOOKS_PROMPT": "false"},
        cwd=session.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}  # fmt: skip
    for number, (method, values) in enumerate(
        [("initialize", hello), ("tools/call", {"name": "memory_stats", "arguments": {}})]
    ):
        line = {"jsonrpc": "2.0", "id": number, "method": method, "params": values}
        server.stdin.write(json.dumps(line) + "\n")
        if not number:
            server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        server.stdin.flush()
        assert "result" in json.loads(server.stdout.readline())
    server.kill()
    server.wait()
    server.stdin.close()
    server.stdout.close()
    client.end(session, "other")
    client.leave()


def sweep_killed(world: World) -> None:
    """The sweep that would have digested it is killed in the middle, twice."""
    client, session = world.start_session()
    client.end(session, "other")
    client.leave()
    for _ in range(2):
        sweep = world.sweep()
        world.wait(0.4)
        sweep.kill()
        sweep.wait()


def hook_killed(world: World) -> None:
    """The client's time limit kills the last hook, before or after it has left its note."""
    client, session = world.start_session()
    hook = client.hook("session-end", session.event("SessionEnd", reason="other"))
    client.tell(f"{hook} & sleep 0.0{world.chance.randrange(1, 9)}; kill -9 $! 2>/dev/null; echo")
    assert client.process.stdout is not None
    client.process.stdout.readline()
    client.leave()


def power_off(world: World) -> None:
    """Everything is gone at once, and the last line was not written to its end."""
    client, session = world.start_session()
    session.script.user("and then")
    session.path.write_bytes(session.script.data[:-30])
    client.kill(group=True)


def resumed(world: World) -> None:
    """It ends, goes on under the same id in another client, and ends again."""
    client, session = world.start_session()
    client.end(session, "prompt_input_exit")
    client.leave()
    client = world.client()
    client.start(session, "resume")
    session.continue_work("later")
    client.end(session, "other")
    client.leave()


def resumed_and_killed(world: World) -> None:
    client, session = world.start_session()
    client.end(session, "prompt_input_exit")
    client.leave()
    client = world.client()
    client.start(session, "resume")
    session.continue_work("later")
    client.kill(group=True)


def forked(world: World) -> None:
    """A fork's transcript begins with the other's lines; its digest is of its own."""
    client, session = world.start_session()
    client.end(session, "other")
    client.leave()
    fork = world.new_session()
    fork.script.lines = [dict(line) for line in session.script.lines]
    fork.script.leaf, fork.script.cwd = session.script.leaf, session.script.cwd
    fork.project = session.project
    fork.must_not_say = [f"{session.word}.py"]
    client = world.client()
    client.start(fork, "fork")
    fork.continue_work()
    client.end(fork, "other")
    client.leave()


def compacted(world: World) -> None:
    """It is digested before a compaction, and again at its end."""
    client, session = world.start_session()
    client.do(client.hook("pre-compact", session.event("PreCompact", trigger="auto")))
    client.start(session, "compact")
    session.continue_work("later")
    client.end(session, "logout")
    client.leave()


def together(world: World) -> None:
    """Two start at the same moment, while a third waits for its digest, and end together, too."""
    client_killed(world)
    with ThreadPoolExecutor(2) as threads:
        pairs = [item.result() for item in [threads.submit(world.start_session) for _ in range(2)]]
        for item in [threads.submit(client.end, session, "other") for client, session in pairs]:
            item.result()
    for client, _session in pairs:
        client.leave()


def without_event(world: World) -> None:
    """An older client is gone before it writes to its last hook: only the session's id is known."""
    client, session = world.start_session()
    client.do(
        f"CLAUDE_CODE_SESSION_ID={session.id} '{LAUNCHER}' hook session-end "
        "</dev/null >/dev/null 2>&1"
    )
    client.leave()


#: (way, sessions that it makes, repetitions in the nightly run). Runs on each commit make a third
#: of the repetitions, at least one.
WAYS: list[tuple[Callable[[World], None], int, int]] = [
    (ends_with_reason("prompt_input_exit"), 1, 9),  # /exit, Ctrl-C or Ctrl-D twice
    (ends_with_reason("logout"), 1, 4),
    (ends_with_reason("other"), 1, 6),  # the end of a headless run
    (clear, 2, 5),
    (signalled(signal.SIGTERM), 1, 6),
    (signalled(signal.SIGHUP), 1, 6),
    (window_closed, 1, 6),
    (client_killed, 1, 8),
    (server_killed, 1, 3),
    (sweep_killed, 1, 8),
    (hook_killed, 1, 5),
    (power_off, 1, 6),
    (resumed, 1, 3),
    (resumed_and_killed, 1, 3),
    (forked, 2, 3),
    (compacted, 1, 3),
    (together, 3, 2),
    (without_event, 1, 2),
]


@pytest.fixture
def world(environment: dict[str, str], tmp_path: Path) -> Iterator[World]:
    folder = tmp_path / "work"
    folder.mkdir()
    made = World(environment, folder)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup no child would hear it
    yield made
    signal.signal(signal.SIGHUP, before)
    for process in processes_of_home(made.home):
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("sessions", "part"), [(31, 3), pytest.param(100, 1, marks=pytest.mark.nightly)]
)
def test_sessions_that_end_in_every_way_leave_a_digest_each(
    world: World, sessions: int, part: int
) -> None:
    waiting = [way for way, _sessions, times in WAYS for _ in range(max(1, times // part))]
    assert sessions == sum(made * waiting.count(way) for way, made, _times in WAYS)
    world.chance.shuffle(waiting)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for item in [threads.submit(way, world) for way in waiting]:
            item.result()
    world.wait_until_idle()

    last = world.client()  # the next start catches up with what ended without a word
    last.start(FakeSession(999, world.folder))
    world.wait_until_idle(last.process.pid)
    check(world)
    last.kill()

    swept = [world.sweep() for _ in range(2)]  # nothing is left to do
    assert [0, 0] == [sweep.wait(60) for sweep in swept]
    check(world)


def check(world: World) -> None:
    digests = world.digests()
    report: dict[str, Any] = {
        str((digest.metadata or {}).get("session_id")): digest for digest in digests
    }
    assert [] == [session.id for session in world.sessions if session.id not in report]
    assert {1} == set(Counter((digest.metadata or {})["session_id"] for digest in digests).values())
    assert len(world.sessions) == len(digests)
    wrong = [
        (session.id, word, report[session.id].content)
        for session in world.sessions
        for word in [*session.must_say, *session.must_not_say]
        if (word in report[session.id].content) != (word in session.must_say)
    ]
    assert [] == wrong
    words = {f"{session.word}.py" for session in world.sessions}
    others = [
        (session.id, word)
        for session in world.sessions
        for word in words - set(session.must_say)
        if word in report[session.id].content
    ]
    assert [] == others
