"""Writes transcripts for tests, line by line in the client's format.

Here: the few kinds of lines that tests vary. Not here: whole sessions (tests/data/transcripts).
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data" / "transcripts"
SAMPLE = Path(__file__).resolve().parents[1] / "server/aforesaid/samples/demo-session.jsonl"
#: 2026-05-04T08:00:00Z
START_MS = 1_777_881_600_000
#: Line ids are unique across transcripts; only forks share them.
_SCRIPTS = itertools.count()


class Script:
    """Writes a transcript: each call is a line whose parent is the line before."""

    def __init__(self, cwd: str = "/home/dev/shop") -> None:
        self.lines: list[dict] = []
        self.leaf: str | None = None
        self.cwd = cwd
        self._calls = 0
        self._number = next(_SCRIPTS)

    def line(self, kind: str, **fields) -> str:
        number = len(self.lines)
        uuid = f"{self._number:08x}-0000-4000-8000-{number:012d}"
        minutes, seconds = divmod(number, 60)
        self.lines.append(
            {
                "parentUuid": fields.pop("parent", self.leaf),
                "isSidechain": False,
                "type": kind,
                "uuid": uuid,
                "timestamp": f"2026-05-04T08:{minutes:02d}:{seconds:02d}.000Z",
                "cwd": self.cwd,
                "sessionId": "s-1",
                "version": "2.1.330",
                "gitBranch": "main",
                **fields,
            }
        )
        self.leaf = uuid
        return uuid

    def user(self, text, **fields) -> str:
        return self.line("user", message={"role": "user", "content": text}, **fields)

    def say(self, text: str, **fields) -> str:
        return self._assistant({"type": "text", "text": text}, **fields)

    def call(self, name: str, arguments: dict, **fields) -> str:
        self._calls += 1
        call = f"toolu_{self._calls}"
        self._assistant(
            {"type": "tool_use", "id": call, "name": name, "input": arguments}, **fields
        )
        return call

    def result(self, call: str, text: str = "", *, error: bool = False, **fields) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}
        return self.line("user", message={"role": "user", "content": [block]}, **fields)

    def bash(self, command: str, output: str = "", code: int = 0) -> None:
        call = self.call("Bash", {"command": command})
        text = f"Exit code {code}\n{output}" if code else output
        self.result(call, text, error=bool(code))

    def edit(self, path: str) -> None:
        call = self.call("Edit", {"file_path": f"{self.cwd}/{path}"})
        self.result(call, "The file has been updated successfully.")

    def _assistant(self, block: dict, **fields) -> str:
        message = {
            "id": fields.pop("message", f"msg_{len(self.lines)}"),
            "role": "assistant",
            "model": fields.pop("model", "claude-opus-5-5"),
            "content": [block],
        }
        return self.line("assistant", message=message, **fields)

    @property
    def data(self) -> bytes:
        return "".join(json.dumps(line) + "\n" for line in self.lines).encode()

    def write(self, folder: Path, name: str = "s-1.jsonl") -> str:
        path = folder / name
        path.write_bytes(self.data)
        return str(path)
