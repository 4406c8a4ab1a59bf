"""A user's home with a repository and a store in it, as a hook of a working day finds them."""

from __future__ import annotations

import json
import os
import time

from bench.corpus import make_memories

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.machine import SystemClock, process_start
from aforesaid.domain.model.anchor import Anchor
from aforesaid.domain.model.ids import next_uuid7
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Project, Session
from aforesaid.domain.text.hashing import content_hash

PROJECTS = 20
SESSION = "0b5e0f5c-0000-4000-8000-000000000001"
REMOTE = "https://github.com/acme/payments.git"
PROMPT = "the metrics collector should use SQLite again instead of Playwright, why was that?"
_HOUR_MS = 3_600_000
_EACH_SESSION = 50  #: one past session, with its digest, for so many memories
_EACH_CITING = 100  #: one memory that cites a file, for so many memories
_OWN_PLACE = 2  #: of ten memories, the first of the session's own project


class Life:
    """A home folder made for one size of store."""

    def __init__(self, home: str, memories: int) -> None:
        """Make the home.

        Args:
            home: an empty folder.
            memories: how many the store holds: half of them in the session's project and global.
        """
        self.home = home
        self.memories = memories
        self.repository = os.path.join(home, "work", "payments")
        self.database = os.path.join(home, "memory.db")
        _make_repository(self.repository)
        if memories:
            self._fill()

    def event(self, name: str) -> bytes:
        """Return what the client writes to a hook."""
        event = {
            "session_id": SESSION,
            "transcript_path": os.path.join(self.home, "transcript.jsonl"),
            "cwd": self.repository,
            "hook_event_name": name,
            "source": "startup",
            "prompt": PROMPT,
            "agent_type": "Explore",
            "tool_input": {"file_path": os.path.join(self.repository, "src", "queue.py")},
        }
        return json.dumps(event).encode()

    def variables(self, environment_folder: str) -> dict[str, str]:
        """Return the environment of a hook; the client is this process, which lives on."""
        return {
            "HOME": self.home,
            "TMPDIR": self.home,
            "PATH": os.defpath,
            "AFORESAID_ENV": environment_folder,
            "AFORESAID_DB": self.database,
            "CLAUDE_PID": str(os.getpid()),
        }

    def forget_session(self) -> None:
        """Make the measured session one that never was; leave the file as a server's end does."""
        if not os.path.exists(self.database):
            return
        import apsw  # noqa: PLC0415 - benches of other things go without

        connection = apsw.Connection(self.database)
        connection.set_busy_timeout(5_000)
        connection.execute("DELETE FROM sessions WHERE id = ?", (SESSION,))
        connection.close()

    def wait_for_sweep(self) -> None:
        """Wait until the process that a hook left behind has dealt with its notes."""
        notes = os.path.join(self.home, ".local", "state", "aforesaid", "notes")
        give_up = time.monotonic() + 10
        while os.path.isdir(notes) and os.listdir(notes) and time.monotonic() < give_up:
            time.sleep(0.02)
        time.sleep(0.1)  # it closes the store and ends

    def _fill(self) -> None:
        store = SqliteStore(self.database)
        now = SystemClock().now()
        with store.transaction():
            own = _register(store, "github.com/acme/payments", now)
            others = [
                _register(store, f"github.com/acme/service-{number}", now)
                for number in range(1, PROJECTS)
            ]
            last = None
            for number, made in enumerate(make_memories(self.memories)):
                project = _owner(number, own, others)
                at = now - (self.memories - number) * _HOUR_MS
                last = next_uuid7(last, at)
                memory = store.memories.add(
                    Memory(
                        id=last,
                        type=made.type,
                        scope="project" if project else "global",
                        project=project,
                        content=made.content,
                        summary=made.summary,
                        tags=made.tags,
                        importance=made.importance,
                        created_at=at,
                        updated_at=at,
                        last_reinforced_at=at,
                        content_hash=content_hash(made.content),
                    )
                )
                if number % _EACH_CITING == _OWN_PLACE:
                    path = f"src/module_{number}.py"
                    anchor = Anchor(path=path, fingerprint=f"f:{number:032x}")
                    store.anchors.replace(memory.key, [anchor])
                if number % _EACH_SESSION == 0 and project:
                    store.sessions.put(_past(number, memory, at))
            beside = Session(  # in another terminal: a start looks whether its client still runs
                id="beside",
                client_pid=os.getpid(),
                client_start=process_start(os.getpid()),
                project=own,
                started_at=now - _HOUR_MS,
            )
            store.sessions.put(beside)
        store.close()


def _owner(number: int, own: int, others: list[int]) -> int:
    """Return the project of a memory: a fifth global, three tenths our own, the rest others'."""
    place = number % 10
    if place < _OWN_PLACE:
        return GLOBAL_PROJECT
    return own if place < 5 else others[number % len(others)]


def _past(number: int, digest: Memory, at: int) -> Session:
    return Session(
        id=f"past-{number}",
        client_pid=1,
        client_start=0,
        project=digest.project,
        started_at=at,
        ended_at=at + _HOUR_MS,
        bytes_ingested=100_000,
        digest=digest.key,
        shown_at=at,
    )


def _register(store: SqliteStore, name: str, now: int) -> int:
    project = Project(
        key=0, identity=f"git:{name}", name=name.partition("/")[2], remote=f"https://{name}.git",
        created_at=now, used_at=now,
    )  # fmt: skip
    return store.projects.add(project).key


def _make_repository(folder: str) -> None:
    git = os.path.join(folder, ".git")
    os.makedirs(os.path.join(git, "refs", "heads"))
    os.makedirs(os.path.join(git, "objects"))
    files = {
        "HEAD": "ref: refs/heads/main\n",
        "refs/heads/main": "1" * 40 + "\n",
        "config": f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {REMOTE}\n',
    }
    for name, text in files.items():
        with open(os.path.join(git, name), "w", encoding="utf-8") as file:
            file.write(text)
