"""How many of our modules four routes cross: ``python -m bench.routes``.

A prompt (the hook and the server that answers it), a store, a recall, a session's end (the hook and
the sweep). A module counts if one of its functions runs; the server's calls are made a second time,
so that imports are done.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = os.path.join(HERE, "trace.py")
SAMPLE = os.path.join(
    os.path.dirname(os.path.dirname(HERE)), "server", "aforesaid", "samples", "demo-session.jsonl"
)
SESSION = "0b5e0f5c-0000-4000-8000-000000000001"
WAIT_SECONDS = 60
STORED = (
    "The queue of the payments service is NATS JetStream, because webhooks must be replayed.",
    "The payments service retries a failed webhook five times, then parks it in `dead_letters`.",
    "Payments are booked in cents, never in floats; see `ledger/amounts.py`.",
)
QUERIES = ("which queue replays the webhooks", "how are payments booked last week")


class Traced:
    """A server under trace, and the hooks of its client, which is this process."""

    def __init__(self, home: str) -> None:
        self._out = os.path.join(home, "routes.jsonl")
        self._parts = 0
        self._folder = os.path.join(home, "payments")
        os.makedirs(os.path.join(self._folder, ".git", "objects"))
        os.makedirs(os.path.join(self._folder, ".git", "refs"))
        for name, text in (
            ("HEAD", "ref: refs/heads/main\n"),
            ("config", '[remote "origin"]\n\turl = git@host.example:acme/payments.git\n'),
        ):
            with open(os.path.join(self._folder, ".git", name), "w", encoding="utf-8") as file:
                file.write(text)
        self._environment = {
            "HOME": home,
            "TMPDIR": home,
            "PATH": os.defpath,
            "CLAUDE_PID": str(os.getpid()),
            "CLAUDE_PROJECT_DIR": self._folder,
            "ROUTES_OUT": self._out,
        } | {name: os.environ[name] for name in ("ROUTES_SERVER",) if name in os.environ}

    def start_server(self) -> None:
        """Start it and complete the handshake."""
        self._server = subprocess.Popen(
            [sys.executable, TRACE, "serve", "--handed-over"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environment,
            text=True,
        )
        client = {"name": "bench", "version": "1"}
        given = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self._ask("initialize", given)
        self._say({"method": "notifications/initialized"})

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(10)

    def call(self, tool: str, **arguments: Any) -> set[str]:
        """Return the modules that a tool's call crosses, deferred work included."""
        self.server_part()
        self._ask("tools/call", {"name": tool, "arguments": arguments})
        time.sleep(0.5)  # deferred work follows the answer
        return self.server_part()

    def server_part(self) -> set[str]:
        """Return the modules that the server has run since the last part."""
        self._server.send_signal(signal.SIGUSR1)
        return self._next_part()

    def hook(self, name: str, event: str, parts: int = 1, **more: str) -> set[str]:
        """Return the modules that a hook runs, and its sweep if it is the second part."""
        fields = {
            "session_id": SESSION,
            "transcript_path": SAMPLE,
            "cwd": self._folder,
            "hook_event_name": event,
            **more,
        }
        subprocess.run(
            [sys.executable, TRACE, "hook", name],
            input=json.dumps(fields),
            env=self._environment,
            stdout=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        return set().union(*(self._next_part() for _ in range(parts)))

    def _next_part(self) -> set[str]:
        give_up = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < give_up:
            if os.path.exists(self._out):
                with open(self._out, encoding="utf-8") as file:
                    lines = file.readlines()
                if len(lines) > self._parts and lines[self._parts].endswith("\n"):
                    self._parts += 1
                    return set(json.loads(lines[self._parts - 1]))
            time.sleep(0.02)
        raise RuntimeError("a traced process wrote nothing")

    def _ask(self, method: str, params: dict[str, Any]) -> None:
        self._say({"id": method, "method": method, "params": params})
        assert self._server.stdout is not None
        for line in self._server.stdout:
            answer = json.loads(line)
            if answer.get("id") == method:
                if answer.get("result", {}).get("isError") or "error" in answer:
                    raise RuntimeError(f"{method} failed: {line}")
                return
        raise RuntimeError(f"the server ended before it answered {method}")

    def _say(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._server.stdin.flush()


def measure() -> dict[str, list[str]]:
    """Return the modules that each route crosses."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        traced = Traced(home)
        traced.hook("session-start", "SessionStart", source="startup")
        traced.start_server()
        for text in STORED[:2]:
            traced.call("store_memory", content=text)
        routes = {"store": traced.call("store_memory", content=STORED[2])}
        traced.call("recall_memory", query=QUERIES[0])
        time.sleep(1)
        routes["recall"] = traced.call("recall_memory", query=QUERIES[1])
        prompt = "why does the payments service use NATS JetStream as its queue for webhooks?"
        for session in ("other", SESSION):
            traced.server_part()
            hook = traced.hook(
                "user-prompt-submit", "UserPromptSubmit", prompt=prompt, session_id=session
            )
            time.sleep(0.5)
            routes["prompt"] = hook | traced.server_part()
        routes["session end"] = traced.hook("session-end", "SessionEnd", parts=2)
        traced.close()
    return {name: sorted(modules) for name, modules in routes.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.routes", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the modules of each route")
    options = parser.parse_args()
    routes = measure()
    if options.json:
        print(json.dumps(routes))
        return 0
    for name in ("prompt", "store", "recall", "session end"):
        print(f"{name:12}{len(routes[name]):4} modules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
