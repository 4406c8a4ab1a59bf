"""Rows of the topic tree, and what keeps the memories in it in their places.

A detail hangs below the head of its parent's chain, so a new version takes over what the old one
held. Nothing here leaves a memory or a node without a place: see ``settle``.
"""

from __future__ import annotations

from .filters import IN_FORCE, placeholders, sql_visible
from .index_terms import terms_of
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.topic import Topic

_COLUMNS = (
    "key", "project", "parent", "name", "normalised", "overview", "created_at", "updated_at",
)  # fmt: skip
_SELECT = (
    f"SELECT {', '.join(f't.{name}' for name in _COLUMNS)}, "
    "iif(t.parent IS NULL, t.name, p.name || '/' || t.name) "
    "FROM topics t LEFT JOIN topics p ON p.key = t.parent"
)
#: What hangs directly below a head; alias m.
_CHILDREN = "SELECT m.key FROM memories p JOIN memories m ON m.parent = p.key WHERE p.head = ?"
#: Rows of memories that keep a node alive.
_UNUSED = (
    "NOT EXISTS (SELECT 1 FROM memories m WHERE m.topic = topics.key) "
    "AND NOT EXISTS (SELECT 1 FROM topics c WHERE c.parent = topics.key)"
)


class TopicRepository(Repository):
    """Nodes of the tree, and what hangs below them."""

    # -- nodes

    def get(self, key: int) -> Topic | None:
        """Return a node."""
        found = self._topics("WHERE t.key = ?", (key,))
        return found[0] if found else None

    def of_projects(self, projects: Sequence[int]) -> list[Topic]:
        """Return all nodes of these projects, in order of their keys."""
        return self._topics(
            f"WHERE t.project IN ({placeholders(projects)}) ORDER BY t.key", tuple(projects)
        )

    def add(self, topic: Topic) -> Topic:
        """Make a node; return it with its key and path."""
        key = self._db.insert(
            "INSERT INTO topics (project, parent, depth, name, normalised, overview, created_at, "
            "updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                topic.project, topic.parent, topic.depth, topic.name, topic.normalised,
                topic.overview, topic.created_at, topic.updated_at,
            ),
        )  # fmt: skip
        return self._topics("WHERE t.key = ?", (key,))[0]

    def change(self, key: int, **fields: Any) -> None:
        """Set columns of a node; the words of the memories in it follow its name."""
        if "parent" in fields:
            fields["depth"] = 0 if fields["parent"] is None else 1
        assignments = ", ".join(f"{name} = ?" for name in fields)
        self._db.rows(f"UPDATE topics SET {assignments} WHERE key = ?", (*fields.values(), key))
        if "name" in fields or "parent" in fields:
            filed = self._db.rows(
                "SELECT key, topic FROM memories WHERE topic IN "
                "(SELECT key FROM topics WHERE key = ?1 OR parent = ?1)",
                (key,),
            )
            for memory, topic in filed:
                self._store.memories.change(memory, topic=topic)  # its words name the path

    def replace(self, source: int, target: int) -> int:
        """Give the memories of a node, old versions too, to another and remove it.

        Its concepts, if it has any, must have gone before.

        Returns:
            How many memories moved.
        """
        moved = self._db.rows("SELECT key FROM memories WHERE topic = ?", (source,))
        for (key,) in moved:
            self._store.memories.change(key, topic=target)
        self._db.rows(
            "UPDATE topics SET overview = ifnull(topics.overview, s.overview) "
            "FROM (SELECT overview FROM topics WHERE key = ?) AS s WHERE topics.key = ?",
            (source, target),
        )
        self._db.rows("DELETE FROM topics WHERE key = ?", (source,))
        return len(moved)

    def remove_unused(self) -> None:
        """Remove nodes that hold no memory, neither themselves nor by their concepts."""
        for depth in (1, 0):
            self._db.rows(f"DELETE FROM topics WHERE depth = ? AND {_UNUSED}", (depth,))

    def _topics(self, rest: str, bindings: Sequence[object]) -> list[Topic]:
        from aforesaid.domain.model.topic import Topic  # a session's start reads none

        names = (*_COLUMNS, "path")
        rows = self._db.rows(f"{_SELECT} {rest}", bindings)
        return [Topic(**dict(zip(names, row, strict=True))) for row in rows]

    # -- what is in them

    def counts(self, visible: Visibility) -> dict[int | None, int]:
        """Return how many memories in force each node holds itself; None for the unfiled."""
        where, bindings = sql_visible(visible, "m")
        return dict(
            self._db.rows(
                f"SELECT m.topic, count(*) FROM memories m WHERE {IN_FORCE} AND {where} "
                "GROUP BY m.topic",
                bindings,
            )
        )

    def shown(self, keys: Sequence[int], visible: Visibility) -> list[Memory]:
        """Return which of these memories are in force and may be seen, in order of their keys."""
        where, bindings = sql_visible(visible, "m")
        return self._store.memories.read_rows(
            f"WHERE m.key IN ({placeholders(keys)}) AND {IN_FORCE} AND {where} ORDER BY m.key",
            (*keys, *bindings),
        )

    def is_overview(self, head: int) -> bool:
        """Tell whether a version of this chain tells what a node is about."""
        found = self._db.value(
            "SELECT 1 FROM memories m JOIN topics t ON t.overview = m.key WHERE m.head = ?", (head,)
        )
        return found is not None

    def filed(self, topics: Sequence[int], visible: Visibility, limit: int) -> list[Memory]:
        """Return memories in force of these nodes, most important first."""
        where, bindings = sql_visible(visible, "m")
        return self._store.memories.read_rows(
            f"WHERE m.topic IN ({placeholders(topics)}) AND {IN_FORCE} AND {where} "
            "ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.key LIMIT ?",
            (*topics, *bindings, limit),
        )

    def details(self, head: int, visible: Visibility) -> list[Memory]:
        """Return the memories in force right below one, most important first."""
        where, bindings = sql_visible(visible, "m")
        return self._store.memories.read_rows(
            f"WHERE m.key IN ({_CHILDREN}) AND {IN_FORCE} AND {where} "
            "ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.key",
            (head, *bindings),
        )

    # -- places

    def file_under(self, topic: int, keys: Sequence[int]) -> None:
        """File memories, and all below them, under a node.

        One statement for all: the index of words writes itself to the file at each that changes it.
        """
        from json import dumps

        self._db.rows(
            f"UPDATE memories SET topic = ? WHERE key IN ({placeholders(keys)})", (topic, *keys)
        )
        terms = [[one.key, terms_of(self._db, one)] for one in self._store.memories.get(keys)]
        self._db.rows(
            "UPDATE memories SET terms = j.value ->> 1 FROM json_each(?) j "
            "WHERE memories.key = j.value ->> 0",
            (dumps(terms),),
        )
        for key in keys:
            self.recompute(key)

    def recompute(self, key: int) -> None:
        """Give a head, and all below it, the topic and depth that follow from its parent.

        A memory that came to stand below itself (it replaced one of its own ancestors) becomes a
        fact. A detail of another project keeps a topic of its own, whichever version that has.
        """
        waiting = self._store.memories.get([key])
        if waiting and self._is_below_itself(waiting[0]):
            self._store.memories.change(key, parent=None)
            waiting = self._store.memories.get([key])
        done: set[int] = set()
        while waiting:
            memory = waiting.pop()
            if memory.key in done:
                continue
            done.add(memory.key)
            parent = self._head_of(memory.parent)
            fields: dict[str, object] = {}
            if parent is not None and self._has_topic_of(parent, memory):
                fields["topic"] = parent.topic
            fields["depth"] = 2 if parent is None else parent.depth + 1
            if any(getattr(memory, name) != value for name, value in fields.items()):
                self._store.memories.change(memory.key, **fields)
            if memory.head == memory.key:
                waiting += self._store.memories.get(
                    [row[0] for row in self._db.rows(_CHILDREN, (memory.key,))]
                )

    def _has_topic_of(self, parent: Memory, memory: Memory) -> bool:
        """Tell whether both a parent's head and the version that was named are of its project."""
        named = self._db.value("SELECT project FROM memories WHERE key = ?", (memory.parent,))
        return bool(named == parent.project == memory.project)

    def hand_over_details(self, key: int) -> list[int]:
        """Give what hangs below a memory that is about to go to who takes its place.

        That is the version after it, else the one before, else its own parent, else its topic.

        Returns:
            Memories to settle when it is gone.
        """
        row = self._db.row("SELECT superseded_by, parent FROM memories WHERE key = ?", (key,))
        if row is None:
            return []
        after, parent = row
        before = [
            old
            for (old,) in self._db.rows(
                "SELECT key FROM memories WHERE superseded_by = ? ORDER BY key DESC", (key,)
            )
        ]
        heir = after or (before[0] if before else parent)
        children = [
            child for (child,) in self._db.rows("SELECT key FROM memories WHERE parent = ?", (key,))
        ]
        self._db.rows("UPDATE memories SET parent = ? WHERE parent = ?", (heir, key))
        self._db.rows(
            "UPDATE topics SET overview = ? WHERE overview = ?",
            (after or (before[0] if before else None), key),
        )
        return children if after else [*before, *children]

    def _head_of(self, key: int | None) -> Memory | None:
        if key is None:
            return None
        found = self._db.value("SELECT head FROM memories WHERE key = ?", (key,))
        return self._store.memories.get([found])[0] if found is not None else None

    def _is_below_itself(self, memory: Memory) -> bool:
        passed = {memory.key}
        above = self._head_of(memory.parent)
        while above is not None:
            if above.key in passed:
                return above.key == memory.key
            passed.add(above.key)
            above = self._head_of(above.parent)
        return False

    # -- two projects become one

    def move(self, source: int, target: int) -> None:
        """Give the nodes of a project to another; nodes of one name become one."""
        theirs = {(one.parent, one.normalised): one.key for one in self.of_projects([target])}
        kept: dict[int, int] = {}
        for topic in sorted(self.of_projects([source]), key=lambda one: (one.depth, one.key)):
            parent = None if topic.parent is None else kept[topic.parent]
            twin = theirs.get((parent, topic.normalised))
            kept[topic.key] = topic.key if twin is None else twin
            if twin is None:
                self.change(topic.key, project=target, parent=parent)
        for key, twin in reversed(kept.items()):  # concepts before their topics
            if key != twin:
                self.replace(key, twin)

    def recompute_strays(self, project: int) -> None:
        """Settle what hangs below a memory of its project that is filed elsewhere."""
        strays = self._db.rows(
            "SELECT m.key FROM memories m JOIN memories p ON p.key = m.parent "
            "JOIN memories h ON h.key = p.head "
            "WHERE m.project = ?1 AND p.project = ?1 AND h.project = ?1 AND m.topic IS NOT h.topic",
            (project,),
        )
        for (key,) in strays:
            self.recompute(key)
