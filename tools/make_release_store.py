"""Makes the store that stands for a release in tests/data/stores, with that release's own commands.

Run it when a release is made: ``tools/make_release_store.py``. It lives a small life through
``bin/aforesaid`` of this checkout, or of another one (``--checkout``), in a folder of its own, and
writes VERSION.db.gz, the store as the last process left it, VERSION.jsonl.gz, its export, and
VERSION.json, the schema and the migrations that made it. Later code must open that store.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORES = os.path.join(ROOT, "tests", "data", "stores")
PROJECTS = ("payments", "website", "ledger")
WAIT_SECONDS = 60
#: Said in several projects, so that maintenance offers to keep it once for all.
SHARED = "Integration tests need Docker running, as they start PostgreSQL 16."
FACTS = (
    (
        "payments",
        "The queue is RabbitMQ, because the broker was there already.",
        "messaging/broker",
    ),
    ("payments", "Payments are retried five times, with exponential backoff.", "messaging/retries"),
    ("payments", "The ledger service owns the accounts table.", "storage"),
    ("payments", "Webhooks are signed with HMAC-SHA256.", "security/webhooks"),
    ("website", "The website is built with Astro and deployed to Cloudflare Pages.", "build"),
    ("website", "Images are converted to AVIF by the build.", "build/images"),
    ("ledger", "Amounts are stored as integers in minor units.", "storage/amounts"),
    ("ledger", "The ledger's port is 7443.", "network"),
)


class Life:
    """One user's folder, and the commands of a release in it."""

    def __init__(self, checkout: str, folder: str) -> None:
        self.door = os.path.join(checkout, "bin", "aforesaid")
        self.folder = folder
        self.database = os.path.join(folder, "memory.db")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "TMPDIR": folder,
            "XDG_CONFIG_HOME": os.path.join(folder, "config"),
            "XDG_STATE_HOME": os.path.join(folder, "state"),
            "AFORESAID_DB": self.database,
            "AFORESAID_ENV": sys.prefix,
        }
        for name in PROJECTS:
            for part in ("objects", "refs/heads"):
                os.makedirs(os.path.join(self.path(name), ".git", part))
            _write(os.path.join(self.path(name), ".git", "HEAD"), "ref: refs/heads/main\n")
            remote = f'[remote "origin"]\n\turl = git@host.example:acme/{name}.git\n'
            _write(os.path.join(self.path(name), ".git", "config"), remote)

    def path(self, project: str) -> str:
        """Return a project's folder."""
        return os.path.join(self.folder, "code", project)

    def run(self, project: str, *arguments: str, given: str = "") -> str:
        """Run a command in a project; return what it printed."""
        done = subprocess.run(
            [self.door, *arguments], cwd=self.path(project), env=self.environment, input=given,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)}: {done.returncode}: {done.stderr}")
        return done.stdout

    def remember(self, project: str, *arguments: str) -> str:
        """Store a memory; return its id."""
        stored: str = json.loads(self.run(project, "remember", *arguments, "--json"))["id"]
        return stored

    def hook(self, project: str, event: str, session: str, **told: str) -> str:
        """Run a hook as a client does."""
        given = json.dumps({"session_id": session, "cwd": self.path(project), **told})
        return self.run(project, "hook", event, given=given)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def live(life: Life) -> None:
    """Use every part of the store once."""
    known = {text: life.remember(project, text, "--topic", topic) for project, text, topic in FACTS}
    for project in PROJECTS:
        life.remember(project, SHARED)
    queue, retries, owner, webhooks, *_ = known.values()
    _remember_the_rest(life, queue, retries, owner)
    _forget_and_erase(life, webhooks)
    _hold_sessions(life)
    life.run("payments", "tend", "--json")
    life.run("payments", "search", "what carries messages between services?")


def _remember_the_rest(life: Life, queue: str, retries: str, owner: str) -> None:
    changed = life.run(
        "payments", "update", queue, "--content", "The queue is NATS JetStream.", "--json"
    )
    queue = json.loads(changed)["id"]
    life.run("payments", "update", queue, "--content", "The queue is NATS JetStream, for replay.")
    life.run("payments", "link", retries, "depends_on", queue)
    life.run("payments", "link", owner, "supports", retries)
    life.remember("payments", "The user wants commit messages in the imperative.", "--scope",
                  "global", "--tag", "style", "--pinned", "--cue", "write the commit")  # fmt: skip
    life.remember("payments", "Release: make freeze, tag the commit, make ship.", "--type",
                  "procedural", "--importance", "high")  # fmt: skip
    life.remember("payments", "Grace Hopper leads the payments team.", "--type", "entity",
                  "--entity", "Grace Hopper")  # fmt: skip
    life.remember("payments", "Hopper reviews all migrations.", "--entity", "G. Hopper")
    life.run("payments", "entities", "merge", "G. Hopper", "Grace Hopper")
    life.remember("payments", "Refunds need a second approval.", "--task-id", "REF-1", "--title",
                  "Refund flow", "--priority", "high", "--due", "2030-01-31")  # fmt: skip
    _write(os.path.join(life.path("payments"), "retry.py"), "BACKOFF = 2\nATTEMPTS = 5\n")
    life.remember(
        "payments", "The number of attempts is set in retry.py.", "--anchors", "retry.py:2"
    )
    life.remember("website", "Der Veröffentlichungstag ist Donnerstag; 発売日は木曜日です。")


def _forget_and_erase(life: Life, webhooks: str) -> None:
    forgotten = life.remember("website", "The staging password rotates on Mondays.")
    life.run("website", "forget", forgotten)
    erased = life.remember("website", "The old office was in Leeds.")
    life.run("website", "forget", erased, "--erase", "--yes")
    life.run("payments", "forget", webhooks)
    life.run("payments", "undo", webhooks)


def _hold_sessions(life: Life) -> None:
    sample = os.path.join(os.path.dirname(os.path.dirname(life.door)), "server", "aforesaid",
                          "samples", "demo-session.jsonl")  # fmt: skip
    with open(sample, encoding="utf-8") as file:
        lines = file.read()
    folder = next(one["cwd"] for one in map(json.loads, lines.splitlines()) if "cwd" in one)
    for number, project in enumerate(("payments", "website")):
        session = f"session-{number}"
        transcript = os.path.join(life.folder, f"{session}.jsonl")
        _write(transcript, lines.replace(folder, life.path(project)))
        life.hook(project, "session-start", session, source="startup", transcript_path=transcript)
        life.hook(project, "user-prompt-submit", session, prompt="which queue do we use?")
        life.hook(project, "session-end", session, transcript_path=transcript)
    life.run("payments", "digest")


def describe(checkout: str) -> dict[str, object]:
    """Return the version of a checkout, its schema's, and a hash of each migration's text."""
    code = (
        "import json, hashlib, aforesaid\n"
        "from aforesaid.adapters.sqlite.schema import MIGRATIONS\n"
        "hashes = [hashlib.sha256('\\0'.join(one).encode()).hexdigest() for one in MIGRATIONS]\n"
        "print(json.dumps({'version': aforesaid.__version__, 'migrations': hashes}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.path.join(checkout, "server")},
    )  # fmt: skip
    described: dict[str, object] = json.loads(done.stdout)
    return described


def _wait_until_closed(database: str) -> None:
    """Wait for the sweep that the last session's end started: the last process removes the log."""
    deadline = time.monotonic() + WAIT_SECONDS
    while os.path.exists(f"{database}-wal"):
        if time.monotonic() > deadline:
            raise SystemExit(f"a process still has {database} open")
        time.sleep(0.2)


def main() -> None:
    """Make the three files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--checkout", default=ROOT, help="whose commands to use; default: this one")
    parser.add_argument("--into", default=STORES, help="the folder to write to")
    chosen = parser.parse_args()
    described = describe(chosen.checkout)
    with tempfile.TemporaryDirectory(prefix="aforesaid-release-") as folder:
        life = Life(os.path.abspath(chosen.checkout), folder)
        live(life)
        export = os.path.join(folder, "export.jsonl")
        life.run("payments", "export", export)
        _wait_until_closed(life.database)
        os.makedirs(chosen.into, exist_ok=True)
        for source, ending in ((life.database, "db.gz"), (export, "jsonl.gz")):
            with open(source, "rb") as file:
                content = gzip.compress(file.read(), mtime=0)
            name = f"{described['version']}.{ending}"
            with open(os.path.join(chosen.into, name), "wb") as file:
                file.write(content)
            print(f"{name}: {len(content)} bytes, {hashlib.sha256(content).hexdigest()[:12]}")
    _write(
        os.path.join(chosen.into, f"{described['version']}.json"),
        json.dumps(described, indent=2) + "\n",
    )


if __name__ == "__main__":
    main()
