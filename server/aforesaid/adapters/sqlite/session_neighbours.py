"""The memories that a session stored just before and after a memory."""

from __future__ import annotations

from aforesaid.domain.model.memory import SessionNeighbours

from .filters import placeholders, sql_in_force, sql_where
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, Visibility

#: How many rows apart neighbours may be: concurrent sessions interleave, and a query needs a bound.
_SPAN = 256
_START, _MAX_TERMS = 31_500, 400  #: characters that are read of a text and of its index terms


class SessionOrder(SqliteRepository):
    """The order of memories within their sessions."""

    def neighbours(
        self, keys: Sequence[int], visible: Visibility, filters: Filters, reach: int
    ) -> list[SessionNeighbours]:
        """Return the neighbours of each of these memories in its session, if it has one.

        Neighbours pass the filters as ``select`` applies them; at most ``reach`` on each side.
        """
        where, bindings = sql_where(visible, filters, "m")
        # INDEXED BY: the planner would walk all of the project's memories in force
        neighbour_sql = (
            "(SELECT m.key FROM memories m INDEXED BY memories_session "
            "WHERE m.session = h.session AND {side} "
            f"AND {where} AND {sql_in_force(filters)} "
            "ORDER BY m.key {order} LIMIT 1 OFFSET {away})"
        )
        before = f"m.key < h.key AND m.key >= h.key - {_SPAN}"
        after = f"m.key > h.key AND m.key <= h.key + {_SPAN}"
        columns = [
            neighbour_sql.format(side=side, order=order, away=away)
            for side, order in ((before, "DESC"), (after, "ASC"))
            for away in range(reach)
        ]
        rows = self._db.rows(
            f"SELECT h.key, h.session, {', '.join(columns)} FROM memories h "
            f"WHERE h.key IN ({placeholders(keys)}) AND h.session IS NOT NULL ORDER BY h.key",
            (*bindings * len(columns), *keys),
        )
        return [
            SessionNeighbours(
                key=key,
                session=session,
                before=tuple(key for key in neighbour_keys[:reach] if key is not None),
                after=tuple(key for key in neighbour_keys[reach:] if key is not None),
            )
            for key, session, *neighbour_keys in rows
        ]

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return the texts of these memories by key, with summary and index terms; long ones cut.

        The caller has checked that they are visible.
        """
        rows = self._db.rows(
            f"SELECT m.key, substr(m.content, 1, {_START}), m.summary, "
            f"substr(m.terms, 1, {_MAX_TERMS}) FROM json_each(?) j "
            "CROSS JOIN memories m ON m.key = j.value",
            (str(list(keys)),),
        )
        return {key: "\n".join(filter(None, texts)) for key, *texts in rows}
