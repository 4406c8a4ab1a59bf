"""Live through one author's sessions; write down what each start is shown and what is kept.

Run from the root of the repository: ``python -m bench.week FILE --out FOLDER``. FILE has one
session a line, a JSON object: ``day`` (1 is the first), ``repo`` (the name of the project) and
``turns`` (``user`` or ``assistant`` with its text; or ``tool``: ``Bash`` with ``command``,
``output``, ``failed``; ``Edit`` with ``file``, ``old``, ``new``). FOLDER gets a file for each
session: the context at its start, its digest, and the memories that it left. People judge these
files line by line; the bench itself judges nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.adapters.system.machine import SystemClock  # noqa: E402
from aforesaid.domain.model.memory import DIGEST_TAG  # noqa: E402
from aforesaid.operations import session_start  # noqa: E402
from aforesaid.operations.maintenance import make_maintenance_runner  # noqa: E402
from aforesaid.services.sessions.session_event import SessionEvent  # noqa: E402
from aforesaid.wiring import factories  # noqa: E402
from aforesaid.wiring.container import ServiceContainer  # noqa: E402

_FIRST_DAY = datetime(2026, 5, 4, tzinfo=UTC)  #: a Monday
_HOURS = (9, 14, 17)  #: at which the sessions of a day begin
_TURN_SECONDS = 60


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


def list_messages(session: dict[str, Any], folder: Path) -> list[tuple[str, Any]]:
    """Return role and content of each message, as Claude Code writes them."""
    messages: list[tuple[str, Any]] = []
    for number, turn in enumerate(session["turns"]):
        if "user" in turn:
            messages.append(("user", turn["user"]))
        elif "assistant" in turn:
            messages.append(("assistant", [{"type": "text", "text": turn["assistant"]}]))
        else:
            identifier = f"toolu_{number}"
            if turn["tool"] == "Bash":
                arguments = {"command": turn["command"]}
            else:
                path = folder / turn["file"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(turn.get("new") or "")
                arguments = {
                    "file_path": str(path),
                    "old_string": turn.get("old") or "",
                    "new_string": turn.get("new") or "",
                }
            call = {"type": "tool_use", "id": identifier, "name": turn["tool"], "input": arguments}
            result = {
                "type": "tool_result",
                "tool_use_id": identifier,
                "content": turn.get("output") or "Done.",
                "is_error": bool(turn.get("failed")),
            }
            messages += [("assistant", [call]), ("user", [result])]
    return messages


def write_transcript(path: Path, folder: Path, session: dict[str, Any], start: datetime) -> None:
    """Write a session as Claude Code does."""
    with path.open("w", encoding="utf-8") as file:
        for number, (role, content) in enumerate(list_messages(session, folder)):
            at = start + timedelta(seconds=number * _TURN_SECONDS)
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


def live(sessions: list[dict[str, Any]], home: Path, out: Path) -> None:
    """Start, digest and describe each session; run the maintenance once a day."""
    day = 0
    count = 0
    for index, session in enumerate(sessions):
        count = count + 1 if session["day"] == day else 0
        start = _FIRST_DAY + timedelta(days=session["day"] - 1, hours=_HOURS[count % len(_HOURS)])
        SimulatedClock.now_ms = int(start.timestamp() * 1000)
        folder = home / session["repo"]
        make_project(folder)
        core = ServiceContainer(os.environ)
        if session["day"] != day:
            day = session["day"]
            make_maintenance_runner(core.store, core.settings, os.environ, core.get_embedder).run(
                by="itself"
            )
        path = home / f"session-{index:02d}.jsonl"
        started = session_start.start_session(
            os.environ,
            session_id=path.stem,
            transcript_path=str(path),
            folder=str(folder),
            source="startup",
        )
        context = "" if started is None else started.context
        write_transcript(path, folder, session, start)
        SimulatedClock.now_ms += len(session["turns"]) * _TURN_SECONDS * 1000
        event = SessionEvent(session_id=path.stem, transcript_path=str(path), folder=str(folder))
        digester = factories.make_session_digester(
            core.store, core.settings, os.environ, judge_embedder=core.get_embedder
        )
        digester.end_session(event)
        text = (
            f"# Session {index}, day {session['day']}, {session['repo']}\n\n"
            f"## Shown at its start\n\n{context}\n\n"
            f"## Kept of it\n\n{describe_memories(core, path.stem)}\n"
        )
        (out / f"session-{index:02d}.md").write_text(text, encoding="utf-8")
        core.close()
    core = ServiceContainer(os.environ)
    (out / "memories.md").write_text(describe_memories(core, "") + "\n", encoding="utf-8")
    core.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.week", description=__doc__)
    parser.add_argument("file", help="sessions of one author, one a line")
    parser.add_argument("--out", required=True, type=Path, help="folder for the files to judge")
    options = parser.parse_args()
    sessions = [json.loads(line) for line in Path(options.file).read_text().splitlines() if line]
    options.out.mkdir(parents=True, exist_ok=True)
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")) and name != "AFORESAID_ENV":
            del os.environ[name]
    SystemClock.now = SimulatedClock.now  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(os.path.realpath(temporary))
        os.environ["HOME"] = str(home)
        live(sessions, home, options.out)
    print(f"{len(sessions)} sessions: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
