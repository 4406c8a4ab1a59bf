"""Sessions that end in every way a client's can, at night a hundred: each has its digest, once.

Real hooks, through the door, as children of processes that stand for the client and are ended as
clients are; real transcripts on the disk. The real client's own ends: tests/e2e.
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
from interfaces import ROOT
from rig.processes import processes_of_home, supported, wait_until
from transcripts import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aforesaid.domain.model.memory import Memory

pytestmark = pytest.mark.skipif(not supported, reason="reads /proc: Linux only")

DOOR = os.path.join(ROOT, "bin", "aforesaid")
AT_ONCE = 3
PROJECTS = 4


class Talk:
    """One session: its id, its transcript, and what only its digest says."""

    def __init__(self, number: int, folder: Path) -> None:
        self.id = f"5e551017-0000-4000-8000-{number:012d}"
        self.word = f"gadget{number:03d}"
        self.project = folder / f"shop{number % PROJECTS}"
        self.path = folder / "transcripts" / f"{self.id}.jsonl"
        self.script = Script(str(self.project))
        self.says = [f"{self.word}.py"]
        self.not_says: list[str] = []

    def go_on(self, part: str = "") -> None:
        """Ask for something, have it done, and write the transcript."""
        name = f"{self.word}{part}"
        first = len(self.script.lines)
        self.script.user(f"add a {name} page to the server")
        self.script.edit(f"{name}.py")
        self.script.bash("pytest -q", "2 passed in 0.1s")
        self.script.say(f"The {name} page is there, and the tests pass.")
        if part:
            self.says.append(f"{name}.py")
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
        """Let it run a command, and do not wait."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def hook(self, name: str, event: str) -> str:
        """Return the command that runs a hook."""
        self._events += 1
        path = self._folder / f"event-{self.process.pid}-{self._events}.json"
        path.write_text(event)
        return f"'{DOOR}' hook {name} <'{path}' >/dev/null 2>&1"

    def start(self, talk: Talk, source: str = "startup") -> None:
        self.do(self.hook("session-start", talk.event("SessionStart", source=source)))

    def end(self, talk: Talk, reason: str) -> None:
        self.do(self.hook("session-end", talk.event("SessionEnd", reason=reason)))

    def leave(self) -> None:
        """End by itself."""
        self.tell("exit")
        self.gone()

    def kill(self, number: signal.Signals = signal.SIGKILL, *, group: bool = False) -> None:
        (os.killpg if group else os.kill)(self.process.pid, number)
        self.gone()

    def gone(self) -> None:
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
        self.talks: list[Talk] = []
        self._lock = threading.Lock()
        (folder / "transcripts").mkdir()
        for number in range(PROJECTS):
            (folder / f"shop{number}").mkdir()
            (folder / f"shop{number}" / "pyproject.toml").write_text(f'name = "shop{number}"\n')

    def client(self) -> Client:
        return Client(self.environment, self.folder)

    def talk(self) -> Talk:
        with self._lock:
            self.talks.append(Talk(len(self.talks), self.folder))
            return self.talks[-1]

    def began(self, source: str = "startup") -> tuple[Client, Talk]:
        """Return a client, and the session that it is in the middle of."""
        client, talk = self.client(), self.talk()
        client.start(talk, source)
        talk.go_on()
        return client, talk

    def wait(self, most: float) -> None:
        with self._lock:
            seconds = self.chance.uniform(0, most)
        threading.Event().wait(seconds)

    def sweep(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([DOOR, "hook", "sweep"], env=self.environment, cwd=self.folder)

    def run_out(self, *but: int) -> None:
        """Wait until nothing runs for this user any more, but these processes."""

        def ran_out() -> bool:
            return {item.pid for item in processes_of_home(self.home)} <= {*but}

        wait_until(ran_out, "the end of all sweeps", 90)

    def digests(self) -> list[Memory]:
        path = os.path.join(self.environment["XDG_DATA_HOME"], "aforesaid", "memory.db")
        store = open_sqlite(path)
        try:
            seen = Visibility(projects=tuple(project.key for project in store.projects.list_all()))
            return store.memories.select(seen, Filters(tags=("digest",)), 500)
        finally:
            store.close()


# -- the ways; each makes as many sessions as its number says


def says_why(reason: str) -> Callable[[World], None]:
    def way(world: World) -> None:
        client, talk = world.began()
        client.end(talk, reason)
        client.leave()

    return way


def clear(world: World) -> None:
    """/clear: the same client goes on with another session."""
    client, talk = world.began()
    client.end(talk, "clear")
    following = world.talk()
    client.start(following, "clear")
    following.go_on()
    client.end(following, "prompt_input_exit")
    client.leave()


def signalled(number: signal.Signals) -> Callable[[World], None]:
    """SIGTERM, SIGHUP: the client is gone while its last hook still starts."""

    def way(world: World) -> None:
        client, talk = world.began()
        hook = client.hook("session-end", talk.event("SessionEnd", reason="other"))
        client.tell(f"CLAUDE_PID=$$ setsid {hook} & echo")
        assert client.process.stdout is not None
        client.process.stdout.readline()
        client.kill(number)

    return way


def window_closed(world: World) -> None:
    """The window takes the last hook along, wherever that is."""
    client, talk = world.began()
    hook = client.hook("session-end", talk.event("SessionEnd", reason="other"))
    client.tell(f"{hook} & echo")
    assert client.process.stdout is not None
    client.process.stdout.readline()
    world.wait(0.2)
    client.kill(signal.SIGHUP, group=True)


def client_killed(world: World) -> None:
    client, _talk = world.began()
    client.kill(group=True)


def server_killed(world: World) -> None:
    """The server dies between two answers; the session ends as usual."""
    client, talk = world.began()
    server = subprocess.Popen(
        [DOOR, "serve"],
        env={**world.environment, "AFORESAID_HOOKS_PROMPT": "false"},
        cwd=talk.project,
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
    client.end(talk, "other")
    client.leave()


def sweep_killed(world: World) -> None:
    """The sweep that would have digested it is killed in the middle, twice."""
    client, talk = world.began()
    client.end(talk, "other")
    client.leave()
    for _ in range(2):
        sweep = world.sweep()
        world.wait(0.4)
        sweep.kill()
        sweep.wait()


def hook_killed(world: World) -> None:
    """The client's time limit takes the last hook, with or without its note."""
    client, talk = world.began()
    hook = client.hook("session-end", talk.event("SessionEnd", reason="other"))
    client.tell(f"{hook} & sleep 0.0{world.chance.randrange(1, 9)}; kill -9 $! 2>/dev/null; echo")
    assert client.process.stdout is not None
    client.process.stdout.readline()
    client.leave()


def power_off(world: World) -> None:
    """Everything is gone at once, and the last line was not written to its end."""
    client, talk = world.began()
    talk.script.user("and then")
    talk.path.write_bytes(talk.script.data[:-30])
    client.kill(group=True)


def resumed(world: World) -> None:
    """It ends, goes on under the same id in another client, and ends again."""
    client, talk = world.began()
    client.end(talk, "prompt_input_exit")
    client.leave()
    client = world.client()
    client.start(talk, "resume")
    talk.go_on("later")
    client.end(talk, "other")
    client.leave()


def resumed_and_killed(world: World) -> None:
    client, talk = world.began()
    client.end(talk, "prompt_input_exit")
    client.leave()
    client = world.client()
    client.start(talk, "resume")
    talk.go_on("later")
    client.kill(group=True)


def forked(world: World) -> None:
    """A fork's transcript begins with the other's lines; its digest is of its own."""
    client, talk = world.began()
    client.end(talk, "other")
    client.leave()
    fork = world.talk()
    fork.script.lines = [dict(line) for line in talk.script.lines]
    fork.script.leaf, fork.script.cwd = talk.script.leaf, talk.script.cwd
    fork.project = talk.project
    fork.not_says = [f"{talk.word}.py"]
    client = world.client()
    client.start(fork, "fork")
    fork.go_on()
    client.end(fork, "other")
    client.leave()


def compacted(world: World) -> None:
    """It is digested before a compaction, and again at its end."""
    client, talk = world.began()
    client.do(client.hook("pre-compact", talk.event("PreCompact", trigger="auto")))
    client.start(talk, "compact")
    talk.go_on("later")
    client.end(talk, "logout")
    client.leave()


def together(world: World) -> None:
    """Two start at the same moment, while a third waits for its digest, and end at the same."""
    client_killed(world)
    with ThreadPoolExecutor(2) as threads:
        pairs = [item.result() for item in [threads.submit(world.began) for _ in range(2)]]
        for item in [threads.submit(client.end, talk, "other") for client, talk in pairs]:
            item.result()
    for client, _talk in pairs:
        client.leave()


def without_event(world: World) -> None:
    """An older client is gone before it has written to its last hook: the id is left."""
    client, talk = world.began()
    client.do(
        f"CLAUDE_CODE_SESSION_ID={talk.id} '{DOOR}' hook session-end </dev/null >/dev/null 2>&1"
    )
    client.leave()


#: Way, sessions that it makes, times at night; on every change a third of that, but once at least.
WAYS: list[tuple[Callable[[World], None], int, int]] = [
    (says_why("prompt_input_exit"), 1, 9),  # /exit, Ctrl-C or Ctrl-D twice
    (says_why("logout"), 1, 4),
    (says_why("other"), 1, 6),  # the end of a headless run
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
    world.run_out()

    last = world.client()  # the next start catches up with what ended without a word
    last.start(Talk(999, world.folder))
    world.run_out(last.process.pid)
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
    assert [] == [talk.id for talk in world.talks if talk.id not in report]
    assert {1} == set(Counter((digest.metadata or {})["session_id"] for digest in digests).values())
    assert len(world.talks) == len(digests)
    wrong = [
        (talk.id, word, report[talk.id].content)
        for talk in world.talks
        for word in [*talk.says, *talk.not_says]
        if (word in report[talk.id].content) != (word in talk.says)
    ]
    assert [] == wrong
    words = {f"{talk.word}.py" for talk in world.talks}
    others = [
        (talk.id, word)
        for talk in world.talks
        for word in words - set(talk.says)
        if word in report[talk.id].content
    ]
    assert [] == others
