"""Measure reading a client's transcripts: `aforesaid ingest` over made sessions, then once more.

Run from the root of the repository: ``python -m bench.backfill --sessions 1000``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOOR = os.path.join(ROOT, "bin", "aforesaid")
TURNS = 6
_MEGABYTE = 1 << 20 if sys.platform == "darwin" else 1 << 10  # ru_maxrss: bytes there, kB here


def write_session(path: str, number: int, folder: str) -> None:
    """Write a transcript of six prompts, each with a decision, an edit and a test run."""
    lines: list[str] = []
    parent: str | None = None

    def line(kind: str, content: object) -> None:
        nonlocal parent
        uuid = f"{number}-{len(lines)}"
        entry = {
            "parentUuid": parent, "uuid": uuid, "type": kind, "sessionId": f"s{number}",
            "cwd": folder, "timestamp": f"2026-05-04T08:{len(lines) // 60:02d}:"
            f"{len(lines) % 60:02d}.000Z",
            "message": {"role": kind, "id": uuid, "content": content},
        }  # fmt: skip
        lines.append(json.dumps(entry) + "\n")
        parent = uuid

    def use(name: str, given: dict[str, str], told: str) -> None:
        call = f"t{len(lines)}"
        line("assistant", [{"type": "tool_use", "id": call, "name": name, "input": given}])
        line("user", [{"type": "tool_result", "tool_use_id": call, "content": told}])

    for turn in range(TURNS):
        line("user", f"add endpoint {number} {turn} and decide how errors of kind {turn} are shown")
        said = f"I decided to use table {number}-{turn} for it because lookups are rare."
        line("assistant", [{"type": "text", "text": said}])
        use("Edit", {"file_path": f"{folder}/server{turn}.py"}, "The file has been updated.")
        use("Bash", {"command": "pytest -q"}, f"{turn + 2} passed in 0.1s")
    said = f"Endpoint {number} answers 200. Still to do: the docs of {number}."
    line("assistant", [{"type": "text", "text": said}])
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    os.utime(path, (1_750_000_000 + number * 60,) * 2)


def ingest(environment: dict[str, str]) -> dict[str, float]:
    """Return what a run did, its seconds of processor and clock, and its memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    told = subprocess.check_output([DOOR, "ingest", "--json"], env=environment, text=True)
    took = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done: dict[str, float] = json.loads(told)
    done |= {"cpu_s": round(used, 1), "wall_s": round(took, 1)}
    return {**done, "most_mb": round(after.ru_maxrss / _MEGABYTE)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.backfill", description=__doc__)
    parser.add_argument("--sessions", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "code", "shop")
        transcripts = os.path.join(home, ".claude", "projects", "-code-shop")
        for path in (folder, transcripts, os.path.join(home, "tmp")):
            os.makedirs(path)
        for number in range(options.sessions):
            write_session(os.path.join(transcripts, f"s{number}.jsonl"), number, folder)
        environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": home,
            "TMPDIR": os.path.join(home, "tmp"),
            "AFORESAID_ENV": os.environ.get("AFORESAID_ENV", sys.prefix),
        }
        for what in ("first", "again"):
            print(f"{what}: {json.dumps(ingest(environment))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
