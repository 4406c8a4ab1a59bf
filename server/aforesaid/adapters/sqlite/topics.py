"""Rows of the topic tree, and the positions of memories in it.

A detail hangs below the head of its parent's chain, so a new version takes over the details of the
old one. After every change, ``recompute`` gives memories the topic and depth that follow.
"""

from __future__ import annotations

import json

from aforesaid.domain.model.topic import Topic

from .filters import IN_FORCE, placeholders, sql_visible
from .index_terms import terms_of
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory, Visibility

_COLUMNS = (
    "key", "project", "parent", "name", "normalised", "overview", "created_at", "updated_at",
)  # fmt: skip
_SELECT = (
    f"SELECT {', '.join(f't.{name}' for name in _COLUMNS)}, "
    "iif(t.parent IS NULL, t.name, p.name || '/' || t.name) "
    "FROM topics t LEFT JOIN topics p ON p.key = t.parent"
)
#: Memories directly below a head; alias m.
_CHILDREN = "SELECT m.key FROM memories p JOIN memories m ON m.parent = p.key WHERE p.head = ?"
#: A node without memories and concepts.
_UNUSED = (
    "NOT EXISTS (SELECT 1 FROM memories m WHERE m.topic = topics.key) "
    "AND NOT EXISTS (SELECT 1 FROM topics c WHERE c.parent = topics.key)"
)


class TopicRepository(SqliteRepository):
    """Nodes of the tree, and the memories below them."""

    # -- nodes

    def get(self, key: int) -> Topic | None:
        """Return a node."""
        topics = self._topics("WHERE t.key = ?", (key,))
        return topics[0] if topics else None

    def of_projects(self, projects: Sequence[int]) -> list[Topic]:
        """Return all nodes of these projects, ordered by key."""
        return self._topics(
            f"WHERE t.project IN ({placeholders(projects)}) ORDER BY t.key", tuple(projects)
        )

    def add(self, topic: Topic) -> Topic:
        """Create a node; return it with its key and path."""
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
        """Set columns of a node; its memories' index terms follow its name."""
        if "parent" in fields:
            fields["depth"] = 0 if fields["parent"] is None else 1
        assignments = ", ".join(f"{name} = ?" for name in fields)
        self._db.rows(f"UPDATE topics SET {assignments} WHERE key = ?", (*fields.values(), key))
        if "name" in fields or "parent" in fields:
            memories = self._db.rows(
                "SELECT key, topic FROM memories WHERE topic IN "
                "(SELECT key FROM topics WHERE key = ?1 OR parent = ?1)",
                (key,),
            )
            for memory, topic in memories:
                self._store.memories.change(memory, topic=topic)  # its index terms name the path

    def replace(self, source: int, target: int) -> int:
        """Move the memories of a node, including old versions, to another node and remove it.

        Its concepts must have been moved before.

        Returns:
            How many memories moved.
        """
        memories = self._db.rows("SELECT key FROM memories WHERE topic = ?", (source,))
        for (key,) in memories:
            self._store.memories.change(key, topic=target)
        self._db.rows(
            "UPDATE topics SET overview = ifnull(topics.overview, s.overview) "
            "FROM (SELECT overview FROM topics WHERE key = ?) AS s WHERE topics.key = ?",
            (source, target),
        )
        self._db.rows("DELETE FROM topics WHERE key = ?", (source,))
        return len(memories)

    def remove_unused(self) -> None:
        """Remove nodes without memories, in themselves or their concepts."""
        for depth in (1, 0):
            self._db.rows(f"DELETE FROM topics WHERE depth = ? AND {_UNUSED}", (depth,))

    def _topics(self, rest: str, bindings: Sequence[object]) -> list[Topic]:
        names = (*_COLUMNS, "path")
        rows = self._db.rows(f"{_SELECT} {rest}", bindings)
        return [Topic(**dict(zip(names, row, strict=True))) for row in rows]

    # -- memories of a node

    def counts(self, visible: Visibility) -> dict[int | None, int]:
        """Return how many memories in force each node has itself; None for the unfiled."""
        where, bindings = sql_visible(visible, "m")
        return dict(
            self._db.rows(
                f"SELECT m.topic, count(*) FROM memories m WHERE {IN_FORCE} AND {where} "
                "GROUP BY m.topic",
                bindings,
            )
        )

    def shown(self, keys: Sequence[int], visible: Visibility) -> list[Memory]:
        """Return which of these memories are in force and visible, ordered by key."""
        where, bindings = sql_visible(visible, "m")
        return self._store.memories.read_rows(
            f"WHERE m.key IN ({placeholders(keys)}) AND {IN_FORCE} AND {where} ORDER BY m.key",
            (*keys, *bindings),
        )

    def is_overview(self, head: int) -> bool:
        """Tell whether a version of this chain is a node's overview."""
        row = self._db.value(
            "SELECT 1 FROM memories m JOIN topics t ON t.overview = m.key WHERE m.head = ?", (head,)
        )
        return row is not None

    def filed(self, topics: Sequence[int], visible: Visibility, limit: int) -> list[Memory]:
        """Return memories in force of these nodes, most important first."""
        where, bindings = sql_visible(visible, "m")
        return self._store.memories.read_rows(
            f"WHERE m.topic IN ({placeholders(topics)}) AND {IN_FORCE} AND {where} "
            "ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.key LIMIT ?",
            (*topics, *bindings, limit),
        )

    def details(self, head: int, visible: Visibility) -> list[Memory]:
        """Return the memories in force directly below a memory, most important first."""
        where, bindings = sql_visible(visible, "m")
        return self._store.memories.read_rows(
            f"WHERE m.key IN ({_CHILDREN}) AND {IN_FORCE} AND {where} "
            "ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.key",
            (head, *bindings),
        )

    # -- positions

    def file_under(self, topic: int, keys: Sequence[int]) -> None:
        """File memories, and all below them, under a node.

        One statement for all, as the full-text index is written to the file after each statement.
        """
        self._db.rows(
            f"UPDATE memories SET topic = ? WHERE key IN ({placeholders(keys)})", (topic, *keys)
        )
        terms = [[row.key, terms_of(self._db, row)] for row in self._store.memories.get(keys)]
        self._db.rows(
            "UPDATE memories SET terms = j.value ->> 1 FROM json_each(?) j "
            "WHERE memories.key = j.value ->> 0",
            (json.dumps(terms),),
        )
        for key in keys:
            self.recompute(key)

    def recompute(self, key: int) -> None:
        """Give a head, and all below it, the topic and depth that follow from its parent.

        A memory below itself (it superseded one of its own ancestors) becomes a fact. A detail of
        another project keeps its own topic, whichever version has it.
        """
        queue = self._store.memories.get([key])
        if queue and self._is_below_itself(queue[0]):
            self._store.memories.change(key, parent=None)
            queue = self._store.memories.get([key])
        visited: set[int] = set()
        while queue:
            memory = queue.pop()
            if memory.key in visited:
                continue
            visited.add(memory.key)
            parent = self._head_of(memory.parent)
            fields: dict[str, object] = {}
            if parent is not None and self._has_topic_of(parent, memory):
                fields["topic"] = parent.topic
            fields["depth"] = 2 if parent is None else parent.depth + 1
            if any(getattr(memory, name) != value for name, value in fields.items()):
                self._store.memories.change(memory.key, **fields)
            if memory.head == memory.key:
                queue += self._store.memories.get(
                    [row[0] for row in self._db.rows(_CHILDREN, (memory.key,))]
                )

    def _has_topic_of(self, parent: Memory, memory: Memory) -> bool:
        """Tell whether the parent's head and the named version are of the memory's project."""
        parent_project = self._db.value(
            "SELECT project FROM memories WHERE key = ?", (memory.parent,)
        )
        return bool(parent_project == parent.project == memory.project)

    def hand_over_details(self, key: int) -> list[int]:
        """Give the details of a memory that is about to be removed another parent.

        The version after it, else the one before, else its own parent, else none.

        Returns:
            Memories to ``recompute`` after the removal.
        """
        row = self._db.row("SELECT superseded_by, parent FROM memories WHERE key = ?", (key,))
        if row is None:
            return []
        successor, parent = row
        predecessors = [
            old
            for (old,) in self._db.rows(
                "SELECT key FROM memories WHERE superseded_by = ? ORDER BY key DESC", (key,)
            )
        ]
        new_parent = successor or (predecessors[0] if predecessors else parent)
        children = [
            child for (child,) in self._db.rows("SELECT key FROM memories WHERE parent = ?", (key,))
        ]
        self._db.rows("UPDATE memories SET parent = ? WHERE parent = ?", (new_parent, key))
        self._db.rows(
            "UPDATE topics SET overview = ? WHERE overview = ?",
            (successor or (predecessors[0] if predecessors else None), key),
        )
        return children if successor else [*predecessors, *children]

    def _head_of(self, key: int | None) -> Memory | None:
        if key is None:
            return None
        head = self._db.value("SELECT head FROM memories WHERE key = ?", (key,))
        return self._store.memories.get([head])[0] if head is not None else None

    def _is_below_itself(self, memory: Memory) -> bool:
        visited = {memory.key}
        ancestor = self._head_of(memory.parent)
        while ancestor is not None:
            if ancestor.key in visited:
                return ancestor.key == memory.key
            visited.add(ancestor.key)
            ancestor = self._head_of(ancestor.parent)
        return False

    # -- merging projects

    def move(self, source: int, target: int) -> None:
        """Move the nodes of a project to another, merging those of the same name."""
        existing = {
            (topic.parent, topic.normalised): topic.key for topic in self.of_projects([target])
        }
        new_keys: dict[int, int] = {}
        for topic in sorted(self.of_projects([source]), key=lambda node: (node.depth, node.key)):
            parent = None if topic.parent is None else new_keys[topic.parent]
            twin = existing.get((parent, topic.normalised))
            new_keys[topic.key] = topic.key if twin is None else twin
            if twin is None:
                self.change(topic.key, project=target, parent=parent)
        for key, new_key in reversed(new_keys.items()):  # concepts before their topics
            if key != new_key:
                self.replace(key, new_key)

    def recompute_strays(self, project: int) -> None:
        """Recompute details of a project whose topic is not their parent's."""
        strays = self._db.rows(
            "SELECT m.key FROM memories m JOIN memories p ON p.key = m.parent "
            "JOIN memories h ON h.key = p.head "
            "WHERE m.project = ?1 AND p.project = ?1 AND h.project = ?1 AND m.topic IS NOT h.topic",
            (project,),
        )
        for (key,) in strays:
            self.recompute(key)
