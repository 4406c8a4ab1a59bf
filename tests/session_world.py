"""A user with one repository, whose sessions are digested as the hooks do."""

from __future__ import annotations

import json
import os

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.machine import leave_note
from aforesaid.config import load_settings
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.entrypoints.api.operations import Operations
from aforesaid.operations import session_start
from aforesaid.operations.session_sweep import sweep
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from transcripts import Script
from user_home import make_shop, use_home


class World:
    """A user with one repository."""

    def __init__(self, home, monkeypatch) -> None:
        self.home = home
        self.project = make_shop(home)
        use_home(home, monkeypatch)
        self.patch = monkeypatch

    def start(self, session: str, source: str = "startup"):
        return session_start.start_session(
            os.environ,
            session_id=session,
            transcript_path=self.path(session),
            folder=str(self.project),
            source=source,
        )

    def path(self, session: str) -> str:
        return str(self.home / f"{session}.jsonl")

    def end(self, session: str, script: Script) -> None:
        for line in script.lines:
            line["sessionId"] = session
        script.write(self.home, f"{session}.jsonl")
        event = {
            "session_id": session,
            "transcript_path": self.path(session),
            "cwd": str(self.project),
            "hook_event_name": "SessionEnd",
        }
        folder = load_settings(os.environ).notes_folder
        leave_note(folder, os.getpid(), "session-end", json.dumps(event))

    def run(self, session: str, script: Script) -> None:
        self.start(session)
        self.end(session, script)
        sweep(os.environ)

    def store(self, session: str, **arguments) -> None:
        """Store a memory as the agent does in a session."""
        core = ServiceContainer(os.environ)
        facts = factories.read_workspace(str(self.project), core.settings, os.environ)
        context = core.projects.resolve(facts).replace(session=session)
        Operations(core).store_many([arguments], context)
        core.close()

    def memories(self, *types: str) -> list[str]:
        store = SqliteStore(load_settings(os.environ).db_path)
        try:
            seen = Visibility(projects=(0, *(project.key for project in store.projects.list_all())))
            return sorted(
                memory.content for memory in store.memories.select(seen, Filters(types=types), 200)
            )
        finally:
            store.close()

    def lasting(self) -> list[str]:
        return self.memories("semantic", "procedural", "entity")


def talk(*pairs: tuple[str, str]) -> Script:
    script = Script()
    for asked, answered in pairs:
        script.user(asked)
        script.say(answered)
    return script
