"""What a session stored just before and after a memory, in the order it was stored."""

from __future__ import annotations

from aforesaid.domain.model.memory import SessionNeighbours

from .filters import placeholders, sql_in_force, sql_where
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, Visibility

#: How many rows apart neighbours may be: sessions run side by side, and a search has a bound.
_SPAN = 256
_START = 4_000  #: characters of a text that are looked at


class SessionOrder(Repository):
    """The order of memories within their sessions."""

    def neighbours(
        self, keys: Sequence[int], visible: Visibility, filters: Filters, reach: int
    ) -> list[SessionNeighbours]:
        """Return what stands around each of these memories in its session, if it has one.

        Neighbours pass the filters as ``select`` has them; at most ``reach`` to each side.
        """
        where, bindings = sql_where(visible, filters, "m")
        # the planner would rather walk the project's memories in force
        near = (
            "(SELECT m.key FROM memories m INDEXED BY memories_session "
            "WHERE m.session = h.session AND {side} "
            f"AND {where} AND {sql_in_force(filters)} "
            "ORDER BY m.key {order} LIMIT 1 OFFSET {away})"
        )
        before = f"m.key < h.key AND m.key >= h.key - {_SPAN}"
        after = f"m.key > h.key AND m.key <= h.key + {_SPAN}"
        columns = [
            near.format(side=side, order=order, away=away)
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
                before=tuple(one for one in found[:reach] if one is not None),
                after=tuple(one for one in found[reach:] if one is not None),
            )
            for key, session, *found in rows
        ]

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return what these memories say, their summaries behind, by key; of long ones the start.

        The caller has seen that they may be read.
        """
        rows = self._db.rows(
            f"SELECT m.key, substr(m.content, 1, {_START}), m.summary FROM json_each(?) j "
            "CROSS JOIN memories m ON m.key = j.value",
            (str(list(keys)),),
        )
        return {key: f"{text}\n{summary}" if summary else text for key, text, summary in rows}
