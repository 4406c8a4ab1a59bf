"""``aforesaid demo``: a memory's whole life, with the real processes, in a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from aforesaid.bootstrap.paths import PACKAGE

from .common import echo_wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = os.path.join(PACKAGE, "samples", "demo-session.jsonl")
_REMOTE = "https://github.com/acme/payments.git"
_STORED: tuple[dict[str, Any], ...] = (
    {
        "content": "The user wants commit messages in the imperative, under 60 characters.",
        "metadata": {"category": "preference"},
        "provenance": "user",
    },
    {"content": "The queue is RabbitMQ, because the broker was there already."},
    {"content": "Release: make freeze, tag the commit, make ship.", "type": "procedural"},
)
_PATIENCE_SECONDS = 30


class Demo:
    """One life in one folder."""

    def __init__(self, folder: str, *, silent: bool) -> None:
        self.folder = folder
        self.project = os.path.join(folder, "code", "payments")
        self.steps: list[dict[str, Any]] = []  #: as they are told to programs
        self.failed: list[str] = []
        self._silent = silent
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")},
            "AFORESAID_DB": os.path.join(folder, "memory.db"),
            "AFORESAID_CWD": self.project,
            "XDG_STATE_HOME": os.path.join(folder, "state"),
            "XDG_CONFIG_HOME": os.path.join(folder, "config"),
            "HOME": folder,
            "TMPDIR": os.path.join(folder, "tmp"),
            "CLAUDE_PID": str(os.getpid()),
            "AFORESAID_ENV": os.path.dirname(os.path.dirname(sys.executable)),
        }

    def step(self, title: str) -> None:
        """Announce the next step."""
        self.steps.append({"title": title, "took_ms": {}, "shown": [], "checks": []})
        self._say(f"\n{len(self.steps)}. {title}", bold=True)

    def show(self, text: str) -> None:
        """Print what a step gave, indented."""
        self.steps[-1]["shown"] += text.splitlines()
        self._say("\n".join(f"   {line}" for line in text.splitlines()))

    def check(self, what: str, *, holds: bool) -> None:
        """Say whether a promise was kept."""
        self.steps[-1]["checks"].append({"what": what, "holds": holds})
        self._say(f"   {'ok ' if holds else 'NOT'} {what}", fg="green" if holds else "red")
        if not holds:
            self.failed.append(what)

    def timed(self, what: str, does: Callable[[], Any]) -> Any:
        """Do something, and say how long it took."""
        began = time.perf_counter()
        done = does()
        took_ms = round((time.perf_counter() - began) * 1000)
        self.steps[-1]["took_ms"][what] = took_ms
        self._say(f"   {what}: {took_ms} ms", fg="cyan")
        return done

    def _say(self, text: str, **style: Any) -> None:
        if not self._silent:
            echo_wrapped(text, hang=2, **style)

    def hook(self, event: str, **told: str) -> dict[str, Any]:
        """Run a hook as a client does, as a process of its own; return what it answered."""
        command = [sys.executable, *sys.orig_argv[1 : sys.orig_argv.index("demo")], "hook", event]
        payload = {"cwd": self.project, "transcript_path": "", **told}
        done = subprocess.run(
            command,
            input=json.dumps(payload),
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_SECONDS,
        )
        if done.returncode:
            self.check(f"hook {event} exits 0: {done.stderr[-200:]}", holds=False)
        found = json.loads(done.stdout) if done.stdout.strip() else {}
        return found if isinstance(found, dict) else {}


def run_demo(*, keep: bool, as_json: bool = False) -> int:
    """Run the demonstration; return 0 if every promise was kept."""
    folder = tempfile.mkdtemp(prefix="aforesaid-demo-")
    demo = Demo(folder, silent=as_json)
    try:
        _prepare(demo)
        _live(demo)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
        elif not as_json:
            click.echo(f"\nKept: {folder}")
    if as_json:
        told = {"steps": demo.steps, "failed": demo.failed, "folder": folder if keep else None}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return 1 if demo.failed else 0
    if demo.failed:
        click.secho(f"\n{len(demo.failed)} promises were not kept.", fg="red")
        return 1
    click.secho("\nAll of it in one file, on this machine, without any network.", bold=True)
    return 0


def _prepare(demo: Demo) -> None:
    git = os.path.join(demo.project, ".git")
    os.makedirs(os.path.join(git, "objects"))
    os.makedirs(os.path.join(git, "refs", "heads"))
    os.makedirs(os.path.join(demo.folder, "tmp"))
    with open(os.path.join(git, "HEAD"), "w", encoding="utf-8") as file:
        file.write("ref: refs/heads/main\n")
    with open(os.path.join(git, "config"), "w", encoding="utf-8") as file:
        file.write(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {_REMOTE}\n')


def _live(demo: Demo) -> None:
    from aforesaid.entrypoints.mcp.tool_handlers import ToolHandlers
    from aforesaid.operations.client_connection import ClientConnection

    demo.step("A session starts in a repository that memory has never seen")
    answer = demo.timed("hook, whole process", lambda: _start(demo, "first"))
    demo.show(answer.get("systemMessage", ""))

    demo.step("The agent remembers what it hears")
    os.environ.update(demo.environment)  # from here on this process lives there too
    conversation = ClientConnection(os.environ)
    calls = ToolHandlers(conversation)
    demo.timed("embedding model loaded", conversation.core.embedder.load)
    ids = []
    for statement in _STORED:
        stored = demo.timed("store_memory", partial(calls.store_memory, {**statement}))
        demo.show(f"[{stored['id']}] {stored['scope']}: {statement['content']}")
        ids.append(stored["id"])
    again = calls.store_memory(
        {"content": "The queue is RabbitMQ because the broker was there already"}
    )
    demo.check("the same statement again is recognised", holds=again.get("deduplicated", False))

    demo.step("It recalls by meaning: no word of the question is in the answer")
    found = demo.timed(
        "recall_memory", lambda: calls.recall_memory({"query": "how do I get this version out?"})
    )
    first = found["results"][0]["content"] if found["results"] else "nothing"
    demo.show(first)
    demo.check("the procedure is found", holds="make ship" in first)

    demo.step("A decision changes; the old one still leads to the new one")
    calls.update_memory({"id": ids[1], "content": "The queue is NATS JetStream, for replay."})
    found = calls.recall_memory({"query": "RabbitMQ broker"})
    demo.show(found["results"][0]["content"])
    demo.check(
        "asking for what was replaced gives what is in force",
        holds=found["results"][0].get("superseded_query_hit", False),
    )
    conversation.core.close()
    _end(demo)


def _end(demo: Demo) -> None:
    """End the session, and start the next one."""
    demo.step("The session ends; its transcript becomes a digest, off the client's path")
    transcript = os.path.join(demo.folder, "session.jsonl")
    _place_sample(demo, transcript)
    demo.timed(
        "hook, whole process",
        lambda: demo.hook("session-end", session_id="first", transcript_path=transcript),
    )
    digest = demo.timed("digest written", lambda: _wait_for_digest(demo))
    demo.show(digest)
    demo.check("there is a digest", holds=bool(digest))

    demo.step("The next session is shown all of it")
    answer = demo.timed("hook, whole process", lambda: _start(demo, "second"))
    context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    demo.show(context)
    demo.show(f"{-(-len(context) // 4)} tokens")
    for what, words in (
        ("the preference", "imperative"),
        ("the decision in force", "JetStream"),
        ("the procedure", "make ship"),
        ("the last session", "Last sessions"),
    ):
        demo.check(f"it shows {what}", holds=words in context)
    demo.check("it does not show what was replaced", holds="queue is RabbitMQ" not in context)


def _start(demo: Demo, session: str) -> dict[str, Any]:
    return demo.hook("session-start", session_id=session, source="startup")


def _place_sample(demo: Demo, path: str) -> None:
    """Copy the sample transcript, as if it had been written in the demonstration's folder."""
    with open(SAMPLE, encoding="utf-8") as source:
        text = source.read()
    told = next(entry["cwd"] for entry in map(json.loads, text.splitlines()) if "cwd" in entry)
    with open(path, "w", encoding="utf-8") as target:
        target.write(text.replace(told, demo.project))


def _wait_for_digest(demo: Demo) -> str:
    """Return the digest's text as soon as the detached process has written it."""
    from aforesaid.adapters.sqlite.store import SqliteStore

    store = SqliteStore(demo.environment["AFORESAID_DB"])
    try:
        until = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < until:
            session = store.sessions.get("first")
            if session is not None and session.digest is not None:
                return store.memories.get([session.digest])[0].content
            time.sleep(0.05)
        return ""
    finally:
        store.close()
