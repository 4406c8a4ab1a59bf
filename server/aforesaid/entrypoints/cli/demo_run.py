"""``demo``: two sessions with the real processes, in a temporary folder."""

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
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.operations import client_plugin

from .common import echo_wrapped, show_json

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
_TIMEOUT_SECONDS = 30


class Demo:
    """Runs hooks and tools in one folder, and records and prints each step."""

    def __init__(self, folder: str, *, silent: bool) -> None:
        self.folder = folder
        self.project = os.path.join(folder, "code", "payments")
        self.steps: list[dict[str, Any]] = []  #: as --json prints them
        self.failed: list[str] = []
        self._silent = silent
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith("CLAUDE") and name != "AFORESAID_OFF"
            },
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
        """Start the next step."""
        self.steps.append({"title": title, "took_ms": {}, "shown": [], "checks": []})
        self._print(f"\n{len(self.steps)}. {title}", bold=True)

    def show(self, text: str) -> None:
        """Print a result of the step, indented."""
        self.steps[-1]["shown"] += text.splitlines()
        self._print("\n".join(f"   {line}" for line in text.splitlines()))

    def check(self, claim: str, *, holds: bool) -> None:
        """Record and print whether a claim holds."""
        self.steps[-1]["checks"].append({"what": claim, "holds": holds})
        self._print(f"   {'ok  ' if holds else 'FAIL'} {claim}", fg="green" if holds else "red")
        if not holds:
            self.failed.append(claim)

    def timed(self, label: str, action: Callable[[], Any]) -> Any:
        """Return an action's result; record and print how long it took."""
        start = time.perf_counter()
        result = action()
        elapsed_ms = round((time.perf_counter() - start) * 1000)
        self.steps[-1]["took_ms"][label] = elapsed_ms
        self._print(f"   {label}: {elapsed_ms} ms", fg="cyan")
        return result

    def _print(self, text: str, **style: Any) -> None:
        if not self._silent:
            echo_wrapped(text, hang=2, **style)

    def hook(self, event: str, **fields: str) -> dict[str, Any]:
        """Run a hook in its own process, as a client does; return its answer."""
        command = [sys.executable, *sys.orig_argv[1 : sys.orig_argv.index("demo")], "hook", event]
        payload = {"cwd": self.project, "transcript_path": "", **fields}
        process = subprocess.run(
            command,
            input=json.dumps(payload),
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
        )
        if process.returncode:
            self.check(f"hook {event} exits with 0: {process.stderr[-200:]}", holds=False)
        answer = json.loads(process.stdout) if process.stdout.strip() else {}
        return answer if isinstance(answer, dict) else {}


def run_demo(*, keep: bool, as_json: bool = False) -> int:
    """Run the demo; return 0 if every check passed."""
    folder = tempfile.mkdtemp(prefix="aforesaid-demo-")
    demo = Demo(folder, silent=as_json)
    try:
        _create_project(demo)
        _first_session(demo)
        _next_session(demo)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
        elif not as_json:
            click.echo(f"\nFolder: {folder}")
    if as_json:
        show_json({"steps": demo.steps, "failed": demo.failed, "folder": folder if keep else None})
    elif demo.failed:
        click.secho(f"\n{pluralize(len(demo.failed), 'check')} failed.", fg="red")
        echo_wrapped("A very busy machine can be the reason: try again, or run: aforesaid doctor")
    else:
        click.secho("\nThe demo used one local file and no network.", bold=True)
        click.echo("Next, give it to your agent:")
        click.echo(f"  {client_plugin.install_command()}")
        click.echo("Then work as usual, and see what it knows with: aforesaid context")
    return 1 if demo.failed else 0


def _create_project(demo: Demo) -> None:
    git = os.path.join(demo.project, ".git")
    os.makedirs(os.path.join(git, "objects"))
    os.makedirs(os.path.join(git, "refs", "heads"))
    os.makedirs(os.path.join(demo.folder, "tmp"))
    with open(os.path.join(git, "HEAD"), "w", encoding="utf-8") as file:
        file.write("ref: refs/heads/main\n")
    with open(os.path.join(git, "config"), "w", encoding="utf-8") as file:
        file.write(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {_REMOTE}\n')


def _first_session(demo: Demo) -> None:
    from aforesaid.entrypoints.api.operations import ToolCalls
    from aforesaid.operations.client_connection import ClientConnection

    demo.step("A session starts in a new repository")
    answer = demo.timed("hook process", lambda: _start(demo, "first"))
    demo.show(answer.get("systemMessage", ""))

    demo.step("The agent stores memories")
    os.environ.pop("AFORESAID_OFF", None)
    os.environ.update(demo.environment)  # from here on, this process uses the demo's folders
    connection = ClientConnection(os.environ)
    call = ToolCalls(connection).call
    demo.timed("load the embedding model", connection.core.embedder.load)
    ids = []
    for statement in _STORED:
        stored = demo.timed("store_memory", partial(call, "store_memory", statement))
        demo.show(f"[{stored['id']}] {stored['scope']}: {statement['content']}")
        ids.append(stored["id"])
    again = call(
        "store_memory", {"content": "The queue is RabbitMQ because the broker was there already"}
    )
    demo.check(
        "storing the same statement again finds the duplicate",
        holds=again.get("deduplicated", False),
    )

    demo.step("The agent recalls by meaning: question and answer share no word")
    question = "how do I get this version out?"
    answer = demo.timed("recall_memory", partial(call, "recall_memory", {"query": question}))
    first = answer["results"][0]["content"] if answer["results"] else "nothing"
    demo.show(f"query:  {question}")
    demo.show(f"answer: {first}")
    demo.check("it finds the release procedure", holds="make ship" in first)

    demo.step("A decision changes: a query for the old one returns the new one")
    decision, question = "The queue is NATS JetStream, for replay.", "RabbitMQ broker"
    call("update_memory", {"id": ids[1], "content": decision})
    (hit, *_) = call("recall_memory", {"query": question})["results"]
    demo.show(f"[{ids[1]}] is now: {decision}")
    demo.show(f"query:  {question}")
    demo.show(f"answer: {hit['content']}")
    demo.check("the result is the decision in force", holds=hit.get("superseded_query_hit", False))
    connection.core.close()


def _next_session(demo: Demo) -> None:
    demo.step("The session ends, and a background process digests its transcript")
    transcript = os.path.join(demo.folder, "session.jsonl")
    _write_transcript(demo, transcript)
    demo.timed(
        "hook process",
        lambda: demo.hook("session-end", session_id="first", transcript_path=transcript),
    )
    digest = demo.timed("write the digest", lambda: _wait_for_digest(demo))
    demo.show(digest)
    demo.check("the digest is stored", holds=bool(digest))

    demo.step("The next session is shown all of this")
    answer = demo.timed("hook process", lambda: _start(demo, "second"))
    context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    demo.show(context)
    demo.show(f"about {-(-len(context) // 4)} tokens")
    for memory, text in (
        ("the preference", "imperative"),
        ("the decision in force", "JetStream"),
        ("the procedure", "make ship"),
        ("the last session's digest", "Last sessions"),
    ):
        demo.check(f"it is shown {memory}", holds=text in context)
    demo.check("it is not shown the replaced decision", holds="queue is RabbitMQ" not in context)


def _start(demo: Demo, session: str) -> dict[str, Any]:
    return demo.hook("session-start", session_id=session, source="startup")


def _write_transcript(demo: Demo, path: str) -> None:
    """Copy the sample transcript, with the demo's project as its working directory."""
    with open(SAMPLE, encoding="utf-8") as source:
        text = source.read()
    folder = next(entry["cwd"] for entry in map(json.loads, text.splitlines()) if "cwd" in entry)
    with open(path, "w", encoding="utf-8") as target:
        target.write(text.replace(folder, demo.project))


def _wait_for_digest(demo: Demo) -> str:
    """Return the digest's text once the background process has written it; empty on timeout."""
    from aforesaid.adapters.sqlite.store import SqliteStore

    store = SqliteStore(demo.environment["AFORESAID_DB"])
    try:
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            session = store.sessions.get("first")
            if session is not None and session.digest is not None:
                return store.memories.get([session.digest])[0].content
            time.sleep(0.05)
        return ""
    finally:
        store.close()
