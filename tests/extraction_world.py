"""A user whose ended sessions are read by a summariser that answers from a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bench.hashed_embedder import HashedEmbedder

import session_world
from aforesaid.config import load_settings
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.hashing import keyed_hash
from aforesaid.operations.llm_extraction import make_llm_extractor
from aforesaid.operations.session_sweep import sweep
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from model_folders import make_model
from transcripts import Script

ROOT = Path(__file__).resolve().parents[1]
ITEM = {
    "text": "The importer's queue is NATS JetStream, because it replays.",
    "type": "semantic",
    "topic": "importer",
    "concept": "queue",
    "details": ["Streams are kept for a week."],
    "importance": "high",
    "quote": "we take NATS JetStream for the importer",
    "entity": "NATS JetStream",
}


class Scripted:
    """A summariser that answers from a list; an error in it is raised."""

    name = "scripted"

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked: list[str] = []

    def check(self):
        return None

    def summarise(self, text, instruction, limits):
        self.asked.append(text)
        message = self.answers.pop(0) if self.answers else told()
        if isinstance(message, Exception):
            raise message
        return message(text) if callable(message) else message


def told(*items, title="Moved the importer to NATS", digest="The importer reads from NATS now."):
    return json.dumps({"title": title, "digest": digest, "items": items})


class World(session_world.World):
    """A user with one repository, whose sessions ended."""

    def __init__(self, home, monkeypatch) -> None:
        super().__init__(home, monkeypatch)
        monkeypatch.setenv("AFORESAID_ENV", sys.prefix)
        # of another model than the shipped one no judge knows vectors: rules decide what lasts
        monkeypatch.setenv("AFORESAID_EMBEDDING_MODEL", str(make_model(home / "model")))

    @property
    def settings(self):
        return load_settings(os.environ)

    def digest(self, script: Script, session: str = "one") -> None:
        """End a session, and digest it by rules."""
        self.end(session, script)
        sweep(os.environ)

    def extract(self, summariser) -> int:
        """Let a summariser read what waits; return how many batches it read."""
        store = factories.open_store(self.settings)
        try:
            made = make_llm_extractor(store, self.settings, os.environ, summariser, HashedEmbedder)
            return made.run()
        finally:
            store.close()

    def do(self, work):
        store = factories.open_store(self.settings)
        try:
            with store.transaction():
                return work(store)
        finally:
            store.close()

    def in_force(self):
        """Return all memories in force, oldest first."""

        def select(store):
            seen = Visibility(projects=(0, *(project.key for project in store.projects.list_all())))
            return sorted(store.memories.select(seen, Filters(), 500), key=lambda item: item.key)

        return self.do(select)

    def facts(self):
        return [memory for memory in self.in_force() if "digest" not in memory.tags]

    def digests(self):
        return [memory for memory in self.in_force() if "digest" in memory.tags]

    def meta(self, name):
        return self.do(lambda store: store.meta(name)) or ""

    def remember(self, text: str, **options):
        """Store a memory as a session of the project would."""
        core = ServiceContainer(os.environ)
        try:
            workspace = factories.read_workspace(str(self.project), core.settings, os.environ)
            statement = Statement(content=text, created_at=1_700_000_000_000, **options)
            return core.writer.store(statement, core.projects.resolve(workspace)).memory
        finally:
            core.close()

    def erase(self, memory) -> None:
        def erase(store):
            text_hash = keyed_hash(memory.content, store.meta("install_secret"))
            store.memories.erase(memory.key, text_hash, 0)

        self.do(erase)

    def wait(self) -> None:
        """Let the time pass until the next try may be."""
        row = self.do(lambda store: store.extractions.get("one"))
        self.do(lambda store: store.extractions.put(row.replace(asked_at=0)))


def a_session(*more) -> Script:
    script = Script()
    script.user("The importer loses messages. Let's settle its queue.")
    script.say("RabbitMQ cannot replay; NATS JetStream can.")
    script.user("Good, we take NATS JetStream for the importer.")
    script.edit("importer/queue.py")
    script.bash("pytest -q", "12 passed in 0.3s")
    script.say("Moved. The tests pass; the dead-letter policy is still open.")
    for text in more:
        script.user(text)
        script.say("Noted.")
    return script


def at_a_shell(*words: str):
    return subprocess.run(
        [sys.executable, "-I", "-X", "utf8", ROOT / "server" / "start.py", *words],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
