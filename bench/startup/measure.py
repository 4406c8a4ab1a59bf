"""What starting costs: the launcher over its Python, the front's first answer, the first recall.

Every figure is a median of whole processes, taken in turn within one run; what may be compared
between machines is the ratio to a bare start of the same interpreter, or to importing the MCP SDK.

    AFORESAID_ENV=.venv python bench/startup/measure.py [--runs 40] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from bench.timing import Case, time_in_turn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAUNCHER = os.path.join(ROOT, "bin", "aforesaid")
START = os.path.join(ROOT, "server", "start.py")
STORE = b'{"tool_name":"mcp__plugin_aforesaid_memory__store_memory","tool_input":{"content":"%s"}}'
HANDSHAKE = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]
#: Commands that a person or a shell waits for; the last one also loads the embedding model.
_LIGHT = (
    ["--version"], ["completion", "fish"], ["--help"], ["config"], ["--json"], ["stats"], ["list"],
    ["search", "queue"],
)  # fmt: skip
RECALL = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {"name": "recall_memory", "arguments": {"query": "which queue"}},
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40, help="processes of each kind")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    environment = os.path.abspath(os.environ.get("AFORESAID_ENV", sys.prefix))
    with tempfile.TemporaryDirectory() as home:
        variables = {
            "HOME": home,
            "PATH": os.defpath,
            "AFORESAID_ENV": environment,
            "AFORESAID_DB": os.path.join(home, "memories.db"),
            "AFORESAID_CWD": home,
        }
        figures = measure_launcher(environment, variables, options.runs)
        figures |= measure_commands(environment, variables, options.runs)
        figures |= measure_server(environment, variables, max(3, options.runs // 8))
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:58} {value:9.2f}")
    return 0


def measure_launcher(environment: str, variables: dict[str, str], runs: int) -> dict[str, float]:
    """Returns milliseconds of the launcher, beside what it starts, started without it."""
    python = os.path.join(environment, "bin", "python")
    # `hook ""` is an event that nobody has: what remains is the start itself.
    cases = {
        "bare": ([python, "-I", "-c", "pass"], b""),
        "python": ([python, "-I", "-S", "-X", "utf8", START, "hook", ""], b""),
        "launcher": ([LAUNCHER, "hook", ""], b""),
        "allow": ([LAUNCHER, "hook", "pre-tool-use"], STORE % (b"a" * 500)),
        "allow_16k": ([LAUNCHER, "hook", "pre-tool-use"], STORE % (b"a" * 16_000)),
        "off": (["/usr/bin/env", "AFORESAID_OFF=1", LAUNCHER, "hook", "session-start"], b""),
    }
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs):
        for name, (command, given) in cases.items():
            began = time.perf_counter()
            subprocess.run(
                command,
                input=given,
                env=variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            taken[name].append((time.perf_counter() - began) * 1e3)
    median = {name: statistics.median(values) for name, values in taken.items()}
    over = statistics.median(
        one - other for one, other in zip(taken["launcher"], taken["python"], strict=True)
    )
    return {
        "bare start of the interpreter, ms": median["bare"],
        "a hook that does nothing, started directly, ms": median["python"],
        "the same through the launcher, ms": median["launcher"],
        "the launcher over starting Python directly, ms": over,
        "a hook that does nothing, ratio to a bare start": median["launcher"] / median["bare"],
        "pre-tool-use, 500 characters, ms": median["allow"],
        "pre-tool-use, 16,000 characters, ms": median["allow_16k"],
        "a hook switched off, ms": median["off"],
    }


def measure_commands(environment: str, variables: dict[str, str], runs: int) -> dict[str, float]:
    """Returns what light commands take, as ratios to a bare start with its own site packages."""
    bare = Case("bare", [os.path.join(environment, "bin", "python"), "-I", "-c", ""], variables)
    cases = [
        Case(f"aforesaid {' '.join(command)}", [LAUNCHER, *command], variables)
        for command in _LIGHT
    ]
    libraries = Case(
        "importing click alone", [bare.command[0], "-I", "-c", "import click"], variables
    )
    time_in_turn([bare, libraries, *cases], runs)
    told = {}
    for case in (libraries, *cases):
        told[f"{case.name}, ratio to a bare start"] = case.median_ms / bare.median_ms
        told[f"{case.name}, the same by processor time"] = case.median_cpu_ms / bare.median_cpu_ms
    return told


def measure_server(environment: str, variables: dict[str, str], runs: int) -> dict[str, float]:
    """Returns when a new server answers `initialize` and the first recall."""
    python = os.path.join(environment, "bin", "python")
    taken: dict[str, list[float]] = {"sdk": [], "initialize": [], "recall": [], "warm": []}
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run([python, "-I", "-c", "import mcp.server.mcpserver"], check=True)
        taken["sdk"].append((time.perf_counter() - began) * 1e3)
        answered, recalled, _ = converse(variables, pause_seconds=0.0)
        taken["initialize"].append(answered)
        taken["recall"].append(recalled)
        # A client's first call comes seconds after its lists: the server is warm by then.
        _, _, call = converse(variables, pause_seconds=4.0)
        taken["warm"].append(call)
    median = {name: statistics.median(values) for name, values in taken.items()}
    return {
        "importing the MCP SDK, ms": median["sdk"],
        "start to `initialize` answered, ms": median["initialize"],
        "start to `initialize` answered, ratio to the SDK": median["initialize"] / median["sdk"],
        "start to the first recall, asked at once, ms": median["recall"],
        "start to the first recall, ratio to the SDK": median["recall"] / median["sdk"],
        "the first recall 4 s after the lists, ms": median["warm"],
    }


def converse(variables: dict[str, str], pause_seconds: float) -> tuple[float, float, float]:
    """Returns ms from the start to `initialize` and to a recall, and what the recall took."""
    began = time.perf_counter()
    with subprocess.Popen(
        [LAUNCHER, "serve"],
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(HANDSHAKE[0]).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        answered = (time.perf_counter() - began) * 1e3
        for message in HANDSHAKE[1:]:
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        time.sleep(pause_seconds)
        asked = time.perf_counter()
        server.stdin.write(json.dumps(RECALL).encode() + b"\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline() or b"{}")
        ended = time.perf_counter()
        server.stdin.close()
    if (
        answer.get("id") != RECALL["id"]
        or "result" not in answer
        or answer["result"].get("isError")
    ):
        raise SystemExit(f"the recall failed: {answer}")
    return answered, (ended - began) * 1e3, (ended - asked) * 1e3


if __name__ == "__main__":
    sys.exit(main())
