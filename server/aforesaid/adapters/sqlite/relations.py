"""Rows of relations, read from the heads of their ends; undoing supersession."""

from __future__ import annotations

from .database import Database
from .filters import IN_FORCE, pad_to_16, placeholders, sql_visible
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.relation import Relation

#: One direction of ``of``: m is a version of a requested head, o of the other end. CROSS JOIN fixes
#: the order: from the few heads outwards, whatever the planner estimates.
_SIDE = """SELECT m.head, r.kind, '{direction}', o.head, max(r.weight), min(r.created_at)
FROM memories m INDEXED BY memories_head
CROSS JOIN relations r ON r.{near} = m.key
CROSS JOIN memories o ON o.key = r.{far}
CROSS JOIN memories mh ON mh.key = m.head CROSS JOIN memories oh ON oh.key = o.head
WHERE m.head IN ({heads}) AND o.head <> m.head AND {visible}
  AND m.forgotten_at IS NULL AND o.forgotten_at IS NULL
  AND mh.forgotten_at IS NULL AND oh.forgotten_at IS NULL
GROUP BY m.head, r.kind, o.head"""

#: Rows that express the same relation between the chains of ?1 and ?2, for a caller who sees both.
_EQUIVALENT = """SELECT r.source, r.target FROM memories s
CROSS JOIN relations r ON r.source = s.key AND r.kind = ?3
CROSS JOIN memories t ON t.key = r.target
WHERE s.head = (SELECT head FROM memories WHERE key = ?1)
  AND t.head = (SELECT head FROM memories WHERE key = ?2)
  AND s.forgotten_at IS NULL AND t.forgotten_at IS NULL
  AND s.project IN (0, (SELECT project FROM memories WHERE key = ?1))
  AND t.project IN (0, (SELECT project FROM memories WHERE key = ?2))"""


class RelationRepository(SqliteRepository):
    """The relations of the store."""

    def link(self, source: int, kind: str, target: int, at: int, weight: float = 1.0) -> bool:
        """Store a relation; False if it exists between any versions of the two."""
        if self._db.row(_EQUIVALENT, (source, target, kind)) is not None:
            return False
        self._db.rows(
            "INSERT OR IGNORE INTO relations (source, target, kind, weight, created_at) "
            "VALUES (?, ?, ?, ?, ?)",
            (source, target, kind, weight, at),
        )
        return True

    def unlink(self, source: int, kind: str, target: int) -> bool:
        """Remove a relation between any versions of the two; False if there is none."""
        rows = self._db.rows(_EQUIVALENT, (source, target, kind))
        self._db.many(
            "DELETE FROM relations WHERE source = ? AND target = ? AND kind = ?",
            [(*ends, kind) for ends in rows],
        )
        return bool(rows)

    def of(self, heads: Sequence[int], visible: Visibility) -> list[Relation]:
        """Return the relations of these memories in force, both directions, best first.

        A relation of an older version is read from its head, at either end. Left out are relations
        with a forgotten or invisible end, and those between versions of one memory.
        """
        if not heads:
            return []
        padded_heads = pad_to_16(heads)
        parts, bindings = [], []
        for direction, near_column, far_column in (
            ("out", "source", "target"),
            ("in", "target", "source"),
        ):
            visible_sql = [sql_visible(visible, alias) for alias in ("m", "o", "mh", "oh")]
            parts.append(
                _SIDE.format(
                    direction=direction,
                    near=near_column,
                    far=far_column,
                    heads=placeholders(padded_heads),
                    visible=" AND ".join(condition for condition, _values in visible_sql),
                )
            )
            bindings += [
                *padded_heads,
                *(value for _condition, values in visible_sql for value in values),
            ]
        rows = self._db.rows(" UNION ALL ".join(parts), bindings)
        if not rows:
            return []
        from aforesaid.domain.model.relation import Relation, reading_order

        order = {head: number for number, head in enumerate(heads)}
        relations = [
            Relation(
                head=head, kind=kind, direction=direction, other=other, weight=weight, created_at=at
            )
            for head, kind, direction, other, weight, at in rows
        ]
        return sorted(relations, key=lambda link: (order[link.head], reading_order(link)))

    def step(self, head: int, kind: str, direction: str, visible: Visibility) -> list[int]:
        """Return the heads one step away along a kind, ``out`` or ``in``, best first."""
        return [
            relation.other
            for relation in self.of([head], visible)
            if relation.kind == kind and relation.direction == direction
        ]

    def contradictions(
        self, visible: Visibility, limit: int, since: int | None = None
    ) -> list[tuple[int, int]]:
        """Return pairs in force that contradict each other, newest link first."""
        visible_sql = [sql_visible(visible, alias) for alias in ("m", "o")]
        bindings = [value for _condition, values in visible_sql for value in values]
        return self._db.rows(
            "SELECT r.source, r.target FROM relations r CROSS JOIN memories m ON m.key = r.source "
            "CROSS JOIN memories o ON o.key = r.target WHERE r.kind = 'contradicts' "
            f"AND {' AND '.join(condition for condition, _values in visible_sql)} "
            f"AND {IN_FORCE} AND {IN_FORCE.replace('m.', 'o.')} AND r.created_at > ? "
            "ORDER BY r.created_at DESC, r.source, r.target LIMIT ?",
            (*bindings, -1 if since is None else since, limit),
        )

    def unchain(self, key: int) -> None:
        """Undo a supersession: the memory is the head of its chain again."""
        self._db.rows(
            "UPDATE memories SET superseded_by = NULL, superseded_at = NULL WHERE key = ?", (key,)
        )
        end_chain(self._db, key)
        self._store.topics.recompute(key)

    def latest_of_session(self, memory: Memory) -> int | None:
        """Return the last memory before this one in its session and topic, if any.

        Only of its project or global; digests and other versions of the memory do not count.
        """
        key: int | None = self._db.value(
            "SELECT m.key FROM memories m JOIN memories mine ON mine.key = ?1 "
            "WHERE m.session = mine.session AND m.key < mine.key AND m.topic IS mine.topic "
            "AND m.head <> mine.head AND m.forgotten_at IS NULL AND m.provenance <> 'derived' "
            "AND (m.project IN (0, mine.project) OR mine.project = 0) "
            "ORDER BY m.key DESC LIMIT 1",
            (memory.key,),
        )
        return key

    def event_beside(self, memory: Memory, tag: str, *, before: bool) -> int | None:
        """Return the event in force next to a memory in its project, with a tag, by time."""
        comparison, order = ("<", "DESC") if before else (">", "ASC")
        key: int | None = self._db.value(
            "SELECT m.key FROM memories m WHERE m.project = ? AND m.type = 'episodic' "
            f"AND {IN_FORCE} AND (m.created_at, m.id) {comparison} (?, ?) AND m.head <> ? "
            "AND EXISTS (SELECT 1 FROM tags t WHERE t.memory = m.key AND t.tag = ?) "
            f"ORDER BY m.created_at {order}, m.id {order} LIMIT 1",
            (memory.project, memory.created_at, memory.id, memory.head, tag),
        )
        return key


def end_chain(database: Database, key: int) -> None:
    """Make a memory that nothing supersedes the head of every version before it."""
    database.rows(
        "WITH RECURSIVE ended (key) AS (SELECT ?1 UNION "
        "SELECT m.key FROM memories m JOIN ended ON m.superseded_by = ended.key) "
        "UPDATE memories SET head = ?1 WHERE head <> ?1 AND key IN (SELECT key FROM ended)",
        (key,),
    )
