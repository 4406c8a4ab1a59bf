"""A user with one repository, whose hooks run in the test's process."""

from __future__ import annotations

import os
import sys

from aforesaid.domain.model.statement import Statement
from aforesaid.operations import session_start
from aforesaid.operations.action_hook import ActionAnswer, recall_for_action
from aforesaid.services.sessions.session_event import SessionEvent
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from transcripts import Script
from user_home import make_shop, use_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PATIENCE = 30.0  #: seconds for an answer, however busy the machine is


class World:
    """A user with one repository, whose hooks run in this process."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = make_shop(home)
        self.cited = self.folder / "src" / "queue.py"
        self.cited.parent.mkdir()
        self.cited.write_text("connect('nats://localhost')\n")
        use_home(home, monkeypatch)
        monkeypatch.setenv("AFORESAID_ENV", sys.prefix)

    def store(self, *statements: Statement) -> None:
        core = ServiceContainer(os.environ)
        facts = factories.read_workspace(str(self.folder), core.settings, os.environ)
        core.writer.store_many(list(statements), core.projects.resolve(facts))
        core.close()

    def start(self, source: str = "startup") -> str:
        started = session_start.start_session(
            os.environ, session_id="s", transcript_path="", folder=str(self.folder), source=source
        )
        assert started is not None
        return started.context

    def act(self, path: str = "", command: str = "", agent: str = "", folder: str = "") -> str:
        return self.ask(path, command, agent=agent, folder=folder).text

    def ask(
        self, path: str = "", command: str = "", added: str = "", agent: str = "", folder: str = ""
    ) -> ActionAnswer:
        return recall_for_action(
            os.environ, session_id="s", agent_id=agent, folder=folder or str(self.folder),
            path=path, command=command, added=added, max_wait_seconds=PATIENCE,
        )  # fmt: skip

    def fail(self, command: str, error: str) -> str:
        return recall_for_action(
            os.environ, session_id="s", agent_id="", folder=str(self.folder),
            path="", command=command, error=f"Exit code 1\n{error}", max_wait_seconds=PATIENCE,
        ).text  # fmt: skip

    def end(self, *runs: tuple[str, str], session: str = "earlier", folder: str = "") -> None:
        """Digest a session that ran these commands; each comes with its error, or none."""
        script = Script(folder or str(self.folder))
        script.user("Go on, please.", sessionId=session)
        for command, error in runs:
            script.bash(command, error, code=1 if error else 0)
        script.say("That is done.")
        self.digest(script, session)

    def digest(self, script: Script, session: str) -> None:
        core = ServiceContainer(os.environ)
        digester = factories.make_session_digester(core.store, core.settings, os.environ)
        path = script.write(self.folder.parent, f"{session}.jsonl")
        digester.end_session(
            SessionEvent(session_id=session, transcript_path=path, folder=script.cwd)
        )
        core.close()

    def failures(self, *fixed: int) -> list[str]:
        core = ServiceContainer(os.environ)
        keys = core.store.search.failures("fixed", fixed or [0, 1], None, 99)
        contents = [memory.content for memory in core.store.memories.get(keys)]
        core.close()
        return contents

    def edit(self, agent: str = "") -> str:
        return self.act(path=str(self.cited), agent=agent)
