"""A store in which every phase of maintenance has something to do.

Here: what stands in it. Not here: what is to become of it (integration and fault tests of tending).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.topic import Topic
from factories import DAY, NOON, make_memory, make_project

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Embedder, Store

NOW = NOON + 400 * DAY  #: when it is tended
TOKENS = "login tokens of every customer account expire daily before breakfast in summer"
COMMANDS = ["make freeze", "git tag", "make ship"]


class Busy:
    """Fills a store; numbers follow one another, so that equal calls fill equal stores."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.store, self.embedder, self.number = store, embedder, 0
        with store.transaction():
            self.shop, self.bakery = (
                store.projects.add(make_project(f"git:{name}", root=None)).key
                for name in ("shop", "bakery")
            )

    def say(self, content: str, at: int = NOW - 5 * DAY, **fields: Any) -> Memory:
        """Store a memory of the shop with its vectors."""
        self.number += 1
        given = {"scope": "project", "project": self.shop, "origin_project": self.shop, **fields}
        memory = self.store.memories.add(make_memory(self.number, content=content, at=at, **given))
        self.store.search.set_vectors(
            memory.key, self.embedder.embed_document(content), self.embedder.model
        )
        self.store.memories.record("create", memory.key, at)
        return memory

    def node(self, name: str) -> int:
        topic = Topic(
            project=self.shop, name=name, normalised=name, created_at=NOON, updated_at=NOON
        )
        return self.store.topics.add(topic).key

    def fill(self, weeks: int = 2) -> None:
        """Give every phase something to do."""
        with self.store.transaction():
            self._topics_and_links()
            self._weeks(weeks)
            self._recurring()
            self._contradicting_and_faded()

    def _topics_and_links(self) -> None:
        auth, authentication, login = map(self.node, ("auth", "authentication", "login"))
        for number in range(3):
            self.say(f"{TOKENS} {number}", topic=auth)
        self.say(f"{TOKENS} 7", topic=authentication)
        for number in range(3):
            self.say(f"{TOKENS} soon {number}", topic=login)
        self.say(f"{TOKENS} again")
        for word in ("nightly", "quickly", "rarely"):
            self.say(f"warehouse stock is counted {word}")
        old = self.say("parcels weigh too much"), self.say("invoices are printed twice")
        self.store.relations.link(old[1].key, "associated", old[0].key, NOON, 0.7)

    def _weeks(self, weeks: int) -> None:
        for week in range(weeks):
            for number in range(6):
                self.say(
                    f"event {week}-{number} took {week * 7 + number} hours",
                    at=NOW - (60 + week * 7) * DAY + number * 1000,
                    type="episodic",
                )

    def _recurring(self) -> None:
        for number in range(3):
            self.say("the deploy needs the network of the office", type="episodic")
            self.say(
                f"session {number} released part {number}",
                type="episodic",
                metadata={"session_id": f"s{number}", "commands": [f"run {number}", *COMMANDS]},
            )
        for project in (self.shop, self.bakery):
            self.say("timeouts are given in milliseconds", project=project, origin_project=project)

    def _contradicting_and_faded(self) -> None:
        self.say("The database port of staging is 5432.", at=NOW - 9 * DAY)
        self.say("The database port of staging is 5433.", at=NOW - 2 * DAY)
        for number in range(4):
            self.say(
                f"coffee was cold on floor {number}",
                at=NOON + number,
                type="episodic",
                importance=0.2,
            )
