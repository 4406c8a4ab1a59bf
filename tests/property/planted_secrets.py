"""A store with several projects in which every text has a mark of its own.

Here: the plan of such a store, what stands in it, and whose marks and ids a caller may meet.
Not here: what is called (test_visibility.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from bench.hashed_embedder import HashedEmbedder
from hypothesis import strategies as st

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.ids import code_of
from aforesaid.domain.model.memory import Session, Visibility
from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.operations.client_connection import ClientConnection
from aforesaid.wiring.container import EmbedderLoader, ServiceContainer
from factories import SequentialIds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Three projects, and a session that is nowhere in particular.
CALLERS = ("red", "green", "blue", "nowhere")
TYPES = ("semantic", "episodic", "procedural", "entity")
#: What several projects call by the same name.
TOPICS = ("auth", "auth/tokens", "queue", "queue/retries")
ENTITIES = ("gateway", "ledger", "Ada")
TASKS = ("migrate", "rollout")
KINDS = ("supports", "contradicts", "depends_on", "part_of", "related_to")
WORDS = ("deploy", "port", "release", "backup", "timeout", "login")
NO_PROCESS = 1 << 30  #: clients of their own, that no process is
_MARK = re.compile(r"zq[a-z]{6}")
_WORD = re.compile(r"[0-9a-z]{4,26}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST_CODE = 26

small = st.integers(0, 15)
steps = st.lists(
    st.tuples(
        st.sampled_from(
            ("store",) * 8
            + ("link", "link", "replace", "replace", "version", "scope", "scope", "forget")
            + ("move", "unlink", "erase", "merge entities", "rename entity", "merge topics")
            + ("about", "supersede by store")
        ),
        st.integers(0, 3),
        small,
        small,
        st.integers(0, 1023),
    ),
    min_size=10,
    max_size=26,
)


class Here(ClientConnection):
    """A client in one folder, over a store that several share."""

    def __init__(
        self, environment: Mapping[str, str], folder: str, core: ServiceContainer, client: int
    ) -> None:
        super().__init__({**environment, "AFORESAID_CWD": folder})
        self._client, self._client_start = client, None
        self._core = core
        self.client_name = "tests"
        self._known_names = {None}  # the user's own name is not looked for


class Planted:
    """The store, its callers, and the marks in it."""

    def __init__(self, environment: Mapping[str, str], folders: Mapping[str, str]) -> None:
        self.folder = tempfile.mkdtemp()
        self.environment = {**environment, "AFORESAID_DB": os.path.join(self.folder, "m.db")}
        slot = EmbedderLoader()
        slot._started, slot._embedder = True, HashedEmbedder()
        slot._loaded.set()
        self.core = ServiceContainer(self.environment, embedder=slot)
        self.core.writer._ids = SequentialIds()
        self.marks: list[str] = []
        self.ids: list[str] = []
        self.names_for_all: set[str] = set()  #: aliases that a memory gave while it was global
        self.here = {
            name: Here(self.environment, folders[name], self.core, NO_PROCESS + number)
            for number, name in enumerate(CALLERS)
        }
        with self.core.store.transaction():
            self.project = {
                name: item.call_context().project.key for name, item in self.here.items()
            }
            for name, key in self.project.items():
                self.core.store.sessions.put(
                    Session(id=f"session-{name}", project=key, branch=self.mark(), started_at=1)
                )

    def close(self) -> None:
        self.core.close()
        shutil.rmtree(self.folder)

    def mark(self) -> str:
        """Return a word that stands nowhere else."""
        number = (len(self.marks) + 1) * 0x9E3779B1 % 22**6
        letters = ""
        for _ in range(6):
            letters += "bcdfghjklmnpqrstvwxyza"[number % 22]
            number //= 22
        self.marks.append("zq" + letters)
        return self.marks[-1]

    def id(self, number: int) -> str:
        return self.ids[number % len(self.ids)] if self.ids else "zzzz"

    def visible(self, caller: str) -> tuple[int, ...]:
        return (0, self.project[caller])

    # -- growing it

    def grow(self, plan: Iterable[tuple[str, int, int, int, int]]) -> None:
        """Do the steps of a plan, all in one transaction; what is refused changes nothing."""
        with self.core.store.transaction():
            for what, where, item, other, flags in plan:
                try:
                    self._do(what, CALLERS[where], item, other, flags)
                except AforesaidError:
                    continue
                self._note_names()

    def _note_names(self) -> None:
        described = self.core.store.database.rows(
            "SELECT metadata FROM memories WHERE project = 0 AND type = 'entity'"
        )
        self.names_for_all.update(mark for (text,) in described for mark in _MARK.findall(text))

    def call(self, caller: str, tool: str, **fields: Any) -> dict[str, Any]:
        calls = ToolCalls(self.here[caller])
        return calls.call(tool, fields)

    def _do(self, what: str, caller: str, item: int, other: int, flags: int) -> None:
        first, second = self.id(item), self.id(other)
        visible = self.here[caller].call_context().visible
        if what in ("store", "supersede by store"):
            more = {"supersedes": first} if what != "store" else {}
            self._store(caller, item, other, flags, more)
        elif what in ("link", "unlink"):
            self.call(
                caller, "link_memories", source_id=first, target_id=second,
                kind=KINDS[flags % len(KINDS)], remove=what == "unlink",
            )  # fmt: skip
        elif what == "replace":
            self.call(caller, "link_memories", source_id=first, target_id=second, kind="supersedes")
        elif what == "version":
            self.call(caller, "update_memory", id=first, content=self._text(flags))
        elif what == "scope":
            scope = "global" if flags % 3 else "project"
            self.call(caller, "update_memory", id=first, scope=scope)
        elif what == "forget":
            self.call(caller, "forget_memory", id=first, reason=self.mark())
        elif what == "erase":
            self.call(caller, "forget_memory", id=first, erase=True)
        elif what == "move":
            self.call(caller, "update_memory", id=first, topic=self._topic(flags))
        elif what == "about":
            self.call(caller, "update_memory", id=first, entity=self._entity(flags))
        elif what == "merge entities":
            self.core.entity_merger.merge(
                self.known(visible, item), self.known(visible, other), visible
            )
        elif what == "rename entity":
            self.core.entity_merger.rename(self.known(visible, item), self.mark(), visible)
        elif what == "merge topics":
            known = [topic.key for topic in self.core.store.topics.of_projects(visible.projects)]
            if known:
                topics = self.core.writer.topics
                topics.merge_topics(known[item % len(known)], known[other % len(known)])

    def known(self, visible: Visibility, number: int) -> str:
        """Return the name of one of the entities that a caller sees."""
        known = self.core.store.entities.list_visible(visible)
        return known[number % len(known)].name

    def _text(self, flags: int) -> str:
        return f"{self.mark()} {WORDS[flags % 6]} {WORDS[flags // 6 % 6]} on the build server"

    def _topic(self, flags: int) -> str:
        name = TOPICS[flags % len(TOPICS)]
        if flags & 64:
            name = f"{name.partition('/')[0]}/{self.mark()}"
        elif flags & 128:
            name = self.mark()
        return name

    def _entity(self, flags: int) -> str:
        return self.mark() if flags & 256 else ENTITIES[flags % len(ENTITIES)]

    def _store(self, caller: str, first: int, other: int, flags: int, more: dict[str, Any]) -> None:
        kind = TYPES[(first + other) % 4]
        metadata: dict[str, Any] = {"note": self.mark()}
        values: dict[str, Any] = {"content": self._text(flags + first), "type": kind, **more}
        if flags & 1:
            values["scope"] = "global"
        elif flags & 2:
            values["scope"] = "project"
        if flags & 4:
            values["topic"] = self._topic(first + other * 16)
        if flags & 8:
            values["entity"] = self._entity(other + (flags & 256))
        if kind == "entity":
            metadata["aliases"] = [self.mark()]
            metadata["name"] = values.get("entity", ENTITIES[other % 3])
        if flags & 16:
            values |= {"tags": [self.mark(), "shared"], "summary": f"{self.mark()} in short"}
        if flags & 32 and values.get("scope") != "global":
            values |= {"task_id": TASKS[other % 2], "title": self.mark(), "status": "active"}
        if flags & 64 and self.ids:
            values["relations"] = [{"kind": KINDS[first % 5], "target_id": self.id(other)}]
        if flags & 128 and self.ids:
            values["parent_id"] = self.id(first)
            values.pop("topic", None)
        context = self.here[caller].call_context().replace(session=f"session-{caller}")
        self.here[caller].call_context = lambda: context  # type: ignore[method-assign]
        try:
            stored = self.call(caller, "store_memory", **values, metadata=metadata)
        finally:
            del self.here[caller].call_context
        matches = self.core.store.memories.find(stored["id"])
        if matches[0].id not in self.ids:
            self.ids.append(matches[0].id)

    # -- what may be met

    def sight(self) -> Sight:
        """Return whose marks and ids stand in the store now."""
        self._note_names()
        return Sight(self)


class Sight:
    """Whose marks and ids stand in a store, by its plain rows."""

    def __init__(self, world: Planted) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}
        for table, row in world.core.store.dump.rows():
            self.rows.setdefault(table, []).append(row)
        self._memories = self.rows.get("memories", [])
        logged = world.core.store.database.rows("SELECT memory, details FROM log")
        self._logged: dict[str | None, list[str]] = {}
        for memory, details in logged:
            self._logged.setdefault(memory, []).append(details)
        tagged: dict[int, list[str]] = {}
        for row in self.rows.get("tags", []):
            tagged.setdefault(row["memory"], []).append(row["tag"])
        self._tagged = tagged
        self._names_for_all = world.names_for_all

    def marks(self, projects: tuple[int, ...]) -> set[str]:
        """Return the marks that stand in what these projects hold."""
        texts: list[object] = []
        entities = {row["key"]: row for row in self.rows["entities"]}
        for row in self._memories:
            if row["project"] in projects:
                texts += [row["content"], row["summary"], row["metadata"]]
                texts += self._tagged.get(row["key"], ())
                texts += self._logged.get(row["id"], ())
                if row["entity"] is not None:
                    own = entities[row["entity"]]
                    texts += [own["name"], entities[own["head"]]["name"]]
        for table, columns in (
            ("topics", ("name",)), ("tasks", ("task_id", "title")), ("entities", ("name",)),
            ("sessions", ("branch",)),
        ):  # fmt: skip
            for row in self.rows.get(table, ()):
                if row["project"] in projects:
                    texts += [row[column] for column in columns]
        for row in self.rows["entity_aliases"]:  # a name that all were told stays the entity's
            if entities[row["entity"]]["project"] in projects:
                texts += set(_MARK.findall(row["name"])) & self._names_for_all
        for details in self._logged.get(None, ()):  # what an entity was called before
            output = json.loads(details)
            row = entities.get(output.get("entity"))
            if "names" in output and row is not None and row["project"] in projects:
                texts += output["names"]
        return set(_MARK.findall(" ".join(str(text) for text in texts if text)))

    def codes(self, projects: tuple[int, ...]) -> tuple[list[str], list[str]]:
        """Return the ids, last character first, that these projects hold, and all others."""
        inside = sorted(code_of(r["id"]) for r in self._memories if r["project"] in projects)
        outside = sorted(code_of(r["id"]) for r in self._memories if r["project"] not in projects)
        return inside, outside

    def versions(self, short: str, projects: tuple[int, ...]) -> int:
        """Return how many versions a memory in force has in these projects, itself included."""
        heads = {r["head"] for r in self._memories if code_of(r["id"]).startswith(short[::-1])}
        inside = [r for r in self._memories if r["head"] in heads and r["project"] in projects]
        return len(inside)

    def topic_names(self, projects: tuple[int, ...]) -> set[str]:
        """Return what the nodes of these projects are called."""
        return {row["name"] for row in self.rows.get("topics", ()) if row["project"] in projects}

    def strangers(self) -> list[tuple[str, int]]:
        """Return what memories point to in a project that they are not of, but for global ones."""
        owner = {
            (table, row["key"]): row["project"]
            for table in ("topics", "tasks", "entities")
            for row in self.rows.get(table, ())
        }
        pointed = [
            (row, table, row[column])
            for row in self._memories
            for column, table in (("topic", "topics"), ("task", "tasks"), ("entity", "entities"))
            if row[column] is not None
        ]
        return [
            (table, row["key"])
            for row, table, key in pointed
            if owner[table, key] not in {row["project"], *((0,) if table == "entities" else ())}
        ]

    def changed_outside(self, after: Sight, projects: tuple[int, ...]) -> list[str]:
        """Return ids of memories in none of these projects that nobody outside may have changed.

        The topic follows the parent: it may change if a global parent, or its newer version, was
        erased.
        """
        later = {row["key"]: row for row in after._memories}
        other_parent = {
            row["key"]
            for row in self._memories
            if row["key"] not in later or row["superseded_by"] != later[row["key"]]["superseded_by"]
        }
        changed = []
        for row in self._memories:
            if row["project"] in projects:
                continue
            names = ["project", "content", "forgotten_at"]
            if row["parent"] not in other_parent:
                names.append("topic")
            now = later.get(row["key"])
            if now is None or any(row[name] != now[name] for name in names):
                changed.append(row["id"])
        earlier = {row["key"] for row in self._memories}
        changed += [
            row["id"]
            for key, row in later.items()
            if key not in earlier and row["project"] not in projects
        ]
        return changed


def _starts(codes: list[str], start: str) -> bool:
    context = bisect_left(codes, start)
    return context < len(codes) and codes[context].startswith(start)


def strange(
    text: str, sights: Iterable[Sight], projects: tuple[int, ...], message: str
) -> set[str]:
    """Return the marks and ids in a reply that are of no project in sight.

    Args:
        text: the reply.
        sights: the store before and after.
        projects: what the caller may see.
        message: what the caller wrote itself: an error may repeat it.
    """
    report = set(_MARK.findall(message)) | set(_WORD.findall(message))
    marks = set(_MARK.findall(text)) - report
    for sight in sights:
        marks -= sight.marks(projects)
    results = marks
    sides = [sight.codes(projects) for sight in sights]
    for word in set(_WORD.findall(text)) - report:
        start = word[::-1]
        if any(_starts(outside, start) for _inside, outside in sides) and not any(
            _starts(inside, start) for inside, _outside in sides
        ):
            results.add(word)
    for sight in sights:
        theirs = {row["id"] for row in sight._memories if row["project"] not in projects}
        results |= (set(_UUID.findall(text)) & theirs) - set(_UUID.findall(message))
    return results
