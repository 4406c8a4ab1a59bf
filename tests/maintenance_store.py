"""A store in which every phase of maintenance has something to do.

Here: the content of the store. Not here: the expected result (the tests of maintenance).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.topic import Topic
from factories import DAY, NOON, make_memory, make_project

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Embedder, Store

NOW = NOON + 400 * DAY  #: when maintenance runs
TOKENS = "login tokens of every customer account expire daily before breakfast in summer"
COMMANDS = ["make freeze", "git tag", "make ship"]


class StoreFiller:
    """Fills a store; memories are numbered, so that equal calls give equal stores."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.store, self.embedder, self.number = store, embedder, 0
        with store.transaction():
            self.shop, self.bakery = (
                store.projects.add(make_project(f"git:{name}", root=None)).key
                for name in ("shop", "bakery")
            )

    def add_memory(self, content: str, at: int = NOW - 5 * DAY, **fields: Any) -> Memory:
        """Store a memory in the project shop, with its vectors."""
        self.number += 1
        defaults = {"scope": "project", "project": self.shop, "origin_project": self.shop, **fields}
        memory = self.store.memories.add(
            make_memory(self.number, content=content, at=at, **defaults)
        )
        self.store.search.set_vectors(
            memory.key, self.embedder.embed_document(content), self.embedder.model
        )
        self.store.memories.record("create", memory.key, at)
        return memory

    def add_topic(self, name: str) -> int:
        topic = Topic(
            project=self.shop, name=name, normalised=name, created_at=NOON, updated_at=NOON
        )
        return self.store.topics.add(topic).key

    def fill(self, weeks: int = 2) -> None:
        """Store data that every phase of maintenance acts on."""
        with self.store.transaction():
            self._topics_and_links()
            self._events_by_week(weeks)
            self._recurring_commands()
            self._contradictions_and_old_events()

    def _topics_and_links(self) -> None:
        auth, authentication, login = map(self.add_topic, ("auth", "authentication", "login"))
        for number in range(3):
            self.add_memory(f"{TOKENS} {number}", topic=auth)
        self.add_memory(f"{TOKENS} 7", topic=authentication)
        for number in range(3):
            self.add_memory(f"{TOKENS} soon {number}", topic=login)
        self.add_memory(f"{TOKENS} again")
        for word in ("nightly", "quickly", "rarely"):
            self.add_memory(f"warehouse stock is counted {word}")
        old = (
            self.add_memory("parcels weigh too much"),
            self.add_memory("invoices are printed twice"),
        )
        self.store.relations.link(old[1].key, "associated", old[0].key, NOON, 0.7)

    def _events_by_week(self, weeks: int) -> None:
        for week in range(weeks):
            for number in range(6):
                self.add_memory(
                    f"event {week}-{number} took {week * 7 + number} hours",
                    at=NOW - (60 + week * 7) * DAY + number * 1000,
                    type="episodic",
                )

    def _recurring_commands(self) -> None:
        for number in range(3):
            self.add_memory("the deploy needs the network of the office", type="episodic")
            self.add_memory(
                f"session {number} released part {number}",
                type="episodic",
                metadata={"session_id": f"s{number}", "commands": [f"run {number}", *COMMANDS]},
            )
        for project in (self.shop, self.bakery):
            self.add_memory(
                "timeouts are given in milliseconds", project=project, origin_project=project
            )

    def _contradictions_and_old_events(self) -> None:
        self.add_memory("The database port of staging is 5432.", at=NOW - 9 * DAY)
        self.add_memory("The database port of staging is 5433.", at=NOW - 2 * DAY)
        for number in range(4):
            self.add_memory(
                f"coffee was cold on floor {number}",
                at=NOON + number,
                type="episodic",
                importance=0.2,
            )
