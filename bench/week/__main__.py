"""Live through one author's sessions; write down what each start is shown and what is kept.

Run from the root of the repository: ``python -m bench.week FILE --out FOLDER``. FILE has one
session a line, a JSON object: ``day`` (1 is the first), ``repo`` (the name of the project) and
``turns`` (``user`` or ``assistant`` with its text; or ``tool``: ``Bash`` with ``command``,
``output``, ``failed``; ``Edit`` with ``file``, ``old``, ``new``). FOLDER gets a file for each
session: the context at its start, its digest, and the memories that it left. People judge these
files line by line; the bench itself judges nothing.

With ``--home HOME``, somebody plays the agent, who also stores memories. HOME keeps the store
between the steps of each session: ``--start`` begins the next session and prints its context;
``--call TOOL --arguments JSON --after TURN`` makes a call of the server's tools after that turn (0
is the first) and prints the answer; ``--end`` ends the session.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from aforesaid.operations.client_connection import ClientConnection

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.adapters.system.machine import SystemClock  # noqa: E402
from aforesaid.domain.errors import AforesaidError  # noqa: E402
from aforesaid.domain.model.memory import DIGEST_TAG  # noqa: E402
from aforesaid.entrypoints.api.operations import ToolCalls  # noqa: E402
from aforesaid.operations import session_start  # noqa: E402
from aforesaid.operations.maintenance import make_maintenance_runner  # noqa: E402
from aforesaid.services.sessions.session_event import SessionEvent  # noqa: E402
from aforesaid.wiring import factories  # noqa: E402
from aforesaid.wiring.container import ServiceContainer  # noqa: E402

_FIRST_DAY = datetime(2026, 5, 4, tzinfo=UTC)  #: a Monday
_HOURS = (9, 14, 17)  #: at which the sessions of a day begin
_TURN_SECONDS = 60
_TOOLS = "mcp__plugin_aforesaid_memory__"  #: the client's prefix of the server's tools
_BATCH = 100


class SimulatedClock:
    """The system clock of a simulated week."""

    now_ms = 0

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return SimulatedClock.now_ms


def make_project(folder: Path) -> None:
    """Create an empty repository, once."""
    if not folder.exists():
        for part in ("objects", "refs"):
            (folder / ".git" / part).mkdir(parents=True)
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def list_messages(
    session: dict[str, Any], folder: Path, calls: list[dict[str, Any]]
) -> list[tuple[int, str, Any]]:
    """Return turn, role and content of each message, as Claude Code writes them."""
    numbered: list[tuple[int, str, Any]] = []
    for number, turn in enumerate(session["turns"]):
        messages: list[tuple[str, Any]] = []
        if "user" in turn:
            messages.append(("user", turn["user"]))
        elif "assistant" in turn:
            messages.append(("assistant", [{"type": "text", "text": turn["assistant"]}]))
        elif turn["tool"] == "Bash":
            messages += make_tool_use(f"{number}", turn, {"command": turn["command"]})
        else:
            path = folder / turn["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(turn.get("new") or "")
            arguments = {
                "file_path": str(path),
                "old_string": turn.get("old") or "",
                "new_string": turn.get("new") or "",
            }
            messages += make_tool_use(f"{number}", turn, arguments)
        for index, call in enumerate(calls):
            if call["after"] == number:
                messages += make_tool_use(f"{number}_{index}", call, call["arguments"])
        numbered += [(number, role, content) for role, content in messages]
    return numbered


def make_tool_use(
    name: str, turn: dict[str, Any], arguments: dict[str, Any]
) -> list[tuple[str, Any]]:
    """Return a tool call and its result."""
    identifier = f"toolu_{name}"
    call = {"type": "tool_use", "id": identifier, "name": turn["tool"], "input": arguments}
    result = {
        "type": "tool_result",
        "tool_use_id": identifier,
        "content": turn.get("output") or "Done.",
        "is_error": bool(turn.get("failed")),
    }
    return [("assistant", [call]), ("user", [result])]


def write_transcript(
    path: Path,
    folder: Path,
    session: dict[str, Any],
    start: datetime,
    calls: list[dict[str, Any]],
) -> None:
    """Write a session as Claude Code does."""
    with path.open("w", encoding="utf-8") as file:
        for number, (turn, role, content) in enumerate(list_messages(session, folder, calls)):
            at = start + timedelta(seconds=turn * _TURN_SECONDS)
            line = {
                "parentUuid": f"{path.stem}-{number - 1}" if number else None,
                "isSidechain": False,
                "type": role,
                "uuid": f"{path.stem}-{number}",
                "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "cwd": str(folder),
                "sessionId": path.stem,
                "version": "2.1.330",
                "gitBranch": "main",
                "message": {"role": role, "content": content},
            }
            file.write(json.dumps(line) + "\n")


def describe_memories(core: ServiceContainer, session: str) -> str:
    """Return the memories in force that a session left, the digest first."""
    memories = core.store.maintenance.page(0, 100_000, until=100_000)
    own = [memory for memory in memories if session in ("", memory.session)]
    own.sort(key=lambda memory: DIGEST_TAG not in memory.tags)
    return "\n".join(f"- [{memory.scope}, {memory.type}] {memory.content}" for memory in own)


class Week:
    """The sessions of an author, one after the other; ``home`` keeps all between two of them."""

    def __init__(self, sessions: list[dict[str, Any]], home: Path, out: Path) -> None:
        self._sessions = sessions
        self._home = home
        self._out = out
        self._file = home / "week.json"
        self._state: dict[str, Any] = {"index": -1, "calls": [], "context": ""}
        if self._file.exists():
            self._state = json.loads(self._file.read_text())
            SimulatedClock.now_ms = self._state["now_ms"]

    @property
    def is_over(self) -> bool:
        """Whether no session is left."""
        return self._index + 1 >= len(self._sessions)

    @property
    def _index(self) -> int:
        index: int = self._state["index"]
        return index

    @property
    def _path(self) -> Path:
        return self._home / f"session-{self._index:02d}.jsonl"

    def start(self) -> str:
        """Begin the next session, and a new day with the maintenance; return the context."""
        self._state.update(index=self._index + 1, calls=[])
        session, start = self._sessions[self._index], self._started()
        folder = self._home / session["repo"]
        make_project(folder)
        SimulatedClock.now_ms = int(start.timestamp() * 1000)
        if self._index == 0 or self._sessions[self._index - 1]["day"] != session["day"]:
            core = ServiceContainer(os.environ)
            make_maintenance_runner(core.store, core.settings, os.environ, core.get_embedder).run(
                by="itself"
            )
            core.close()
        started = session_start.start_session(
            os.environ,
            session_id=self._path.stem,
            transcript_path=str(self._path),
            folder=str(folder),
            source="startup",
        )
        self._state["context"] = "" if started is None else started.context
        self._save()
        return str(self._state["context"])

    def call(self, tool: str, arguments: dict[str, Any], after: int) -> str:
        """Call a tool of the server in the open session; return the answer."""
        session = self._sessions[self._index]
        seconds = after * _TURN_SECONDS + _TURN_SECONDS // 2
        SimulatedClock.now_ms = int(self._started().timestamp() + seconds) * 1000
        core = ServiceContainer(os.environ)
        facts = factories.read_workspace(
            str(self._home / session["repo"]), core.settings, os.environ
        )
        context = core.projects.resolve(facts).replace(session=self._path.stem)
        client = SimpleNamespace(core=core, call_context=lambda: context)
        call = {"tool": f"{_TOOLS}{tool}", "arguments": arguments, "after": after}
        try:
            calls = ToolCalls(cast("ClientConnection", client))
            call["output"] = json.dumps(calls.call(tool, arguments), ensure_ascii=False)
            for task in calls.after:
                task()
        except AforesaidError as error:
            call.update(output=str(error), failed=True)
        while core.writer.embed_missing(_BATCH):
            pass
        core.close()
        self._state["calls"].append(call)
        self._save()
        return str(call["output"])

    def end(self) -> None:
        """End the open session; write down what it was shown and what it left."""
        session, start = self._sessions[self._index], self._started()
        folder = self._home / session["repo"]
        write_transcript(self._path, folder, session, start, self._state["calls"])
        SimulatedClock.now_ms = (
            int(start.timestamp() + len(session["turns"]) * _TURN_SECONDS) * 1000
        )
        event = SessionEvent(
            session_id=self._path.stem, transcript_path=str(self._path), folder=str(folder)
        )
        core = ServiceContainer(os.environ)
        digester = factories.make_session_digester(
            core.store, core.settings, os.environ, judge_embedder=core.get_embedder
        )
        digester.end_session(event)
        text = (
            f"# Session {self._index}, day {session['day']}, {session['repo']}\n\n"
            f"## Shown at its start\n\n{self._state['context']}\n\n"
            f"## Kept of it\n\n{describe_memories(core, self._path.stem)}\n"
        )
        self._out.mkdir(parents=True, exist_ok=True)
        (self._out / f"session-{self._index:02d}.md").write_text(text, encoding="utf-8")
        (self._out / "memories.md").write_text(describe_memories(core, "") + "\n", encoding="utf-8")
        core.close()
        self._save()

    def _started(self) -> datetime:
        day = self._sessions[self._index]["day"]
        before = sum(session["day"] == day for session in self._sessions[: self._index])
        return _FIRST_DAY + timedelta(days=day - 1, hours=_HOURS[before % len(_HOURS)])

    def _save(self) -> None:
        self._state["now_ms"] = SimulatedClock.now_ms
        self._file.write_text(json.dumps(self._state))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.week", description=__doc__)
    parser.add_argument("file", help="sessions of one author, one a line")
    parser.add_argument("--out", required=True, type=Path, help="folder for the files to judge")
    parser.add_argument("--home", type=Path, help="folder that keeps the store between steps")
    step = parser.add_mutually_exclusive_group()
    step.add_argument("--start", action="store_true", help="begin the next session")
    step.add_argument("--call", metavar="TOOL", help="call a tool in the open session")
    step.add_argument("--end", action="store_true", help="end the open session")
    parser.add_argument("--arguments", default="{}", help="of the call, a JSON object")
    parser.add_argument("--after", type=int, default=0, help="the turn that precedes the call")
    options = parser.parse_args()
    sessions = [json.loads(line) for line in Path(options.file).read_text().splitlines() if line]
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")) and name != "AFORESAID_ENV":
            del os.environ[name]
    SystemClock.now = SimulatedClock.now  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(os.path.realpath(options.home or temporary))
        home.mkdir(parents=True, exist_ok=True)
        os.environ["HOME"] = str(home)
        week = Week(sessions, home, options.out)
        if options.start:
            print("No session is left." if week.is_over else week.start())
        elif options.call:
            print(week.call(options.call, json.loads(options.arguments), options.after))
        elif options.end:
            week.end()
        else:
            while not week.is_over:
                week.start()
                week.end()
            print(f"{len(sessions)} sessions: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
