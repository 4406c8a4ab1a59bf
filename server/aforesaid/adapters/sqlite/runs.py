"""Runs of maintenance, and what their phases read. What each changed is in journal.py."""

from __future__ import annotations

from aforesaid.domain.memory import TYPES

from .filters import IN_FORCE, placeholders
from .memories import MemoryTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from aforesaid.domain.memory import Memory
    from aforesaid.domain.tending.run import Action, Run, Step

_WEEK, _THURSDAY = 604_800_000, 259_200_000  #: ms; the epoch began on a Thursday
_COUNTED = 400  #: old events that a session's start looks at
_WEEKS = 2  #: that it names
_KEPT_APART = ("key", "started_at", "ended_at", "undone_at")


class RunTable(MemoryTable):
    """The memories of the store, and the runs that tended them."""

    # -- runs

    def start_run(self, run: Run) -> Run:
        """Keep a run; return it with its key."""
        key = self._db.insert(
            "INSERT INTO runs (started_at, ended_at, undone_at, details) VALUES (?, ?, ?, ?)",
            (run.started_at, run.ended_at, run.undone_at, _details(run)),
        )
        return run.replace(key=key)

    def put_run(self, run: Run) -> None:
        """Keep how far a run is."""
        self._db.rows(
            "UPDATE runs SET ended_at = ?, undone_at = ?, details = ? WHERE key = ?",
            (run.ended_at, run.undone_at, _details(run), run.key),
        )

    def run(self, key: int) -> Run | None:
        """Return a run."""
        found = self._runs("WHERE key = ?", (key,))
        return found[0] if found else None

    def runs(self, limit: int) -> list[Run]:
        """Return runs, the latest first."""
        return self._runs("ORDER BY key DESC LIMIT ?", (limit,))

    def _runs(self, rest: str, bindings: Sequence[object]) -> list[Run]:
        import json

        from aforesaid.domain.tending.run import Run

        rows = self._db.rows(
            f"SELECT {', '.join(_KEPT_APART)}, details FROM runs {rest}", tuple(bindings)
        )
        found = []
        for *kept, details in rows:
            told = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in json.loads(details).items()
                if name in Run._fields
            }
            found.append(Run(**{**dict(zip(_KEPT_APART, kept, strict=True)), **told}))
        return found

    def last_tended(self) -> tuple[int, int | None] | None:
        """Return when the latest run that counts last went on, and when it ended, if any does.

        One query, for a session's start.
        """
        return self._db.row(
            "SELECT max(started_at, ifnull(details ->> 'resumed_at', 0)), ended_at FROM runs "
            "WHERE undone_at IS NULL ORDER BY key DESC LIMIT 1"
        )

    def first_changed_at(self) -> int | None:
        """Return when the file first took a memory, whatever time that tells of."""
        found: int | None = self._db.value("SELECT at FROM log ORDER BY key LIMIT 1")
        return found

    # -- the journal

    def journaled(self, run: int, phase: str, at: int) -> AbstractContextManager[list[Action]]:
        """Open a transaction whose changes are kept in the journal, if there are any."""
        from .journal import journaled

        return journaled(self._db, run, phase, at)

    def steps(self, run: int) -> list[Step]:
        """Return the steps of a run, in order."""
        import json

        from aforesaid.domain.tending.run import Step

        rows = self._db.rows(
            "SELECT key, run, phase, at, undone_at, counts, memories FROM steps "
            "WHERE run = ? ORDER BY key",
            (run,),
        )
        return [
            Step(
                key=key,
                run=of,
                phase=phase,
                at=at,
                undone_at=undone_at,
                counts=json.loads(counts),
                memories=tuple(json.loads(memories)),
            )
            for key, of, phase, at, undone_at, counts, memories in rows
        ]

    def undo_step(self, key: int, at: int) -> bool:
        """Put back what a step changed; False, and nothing, where that was changed again since."""
        from .journal import undo_step

        return undo_step(self._db, self._vocabulary, key, at)

    def erase(self, key: int, keyed_hash: str, at: int) -> None:
        """Remove every trace of a memory, also from what runs keep to be undone."""
        if self._db.value("SELECT 1 FROM steps LIMIT 1") is not None:
            from .journal import forget_rows

            forget_rows(self._db, key)
        super().erase(key, keyed_hash, at)

    # -- what phases read

    def tended(
        self,
        after: int,
        limit: int,
        *,
        until: int | None = None,
        project: int | None = None,
        types: Sequence[str] = (),
        stored_before: int | None = None,
        unfiled: bool = False,
        compacted: bool = False,
    ) -> list[Memory]:
        """Return memories in force in order of their keys, a page at a time."""
        force = IN_FORCE.replace(" AND m.compacted_into IS NULL", "") if compacted else IN_FORCE
        where = [f"m.key > ? AND {force}"]
        bindings: list[object] = [after]
        for condition, value in (
            ("m.key <= ?", until),
            ("m.project = ?", project),
            ("coalesce(m.event_at, m.created_at) < ?", stored_before),
        ):
            if value is not None:
                where.append(condition)
                bindings.append(value)
        if types and set(types) != set(TYPES):
            where.append(f"m.type IN ({placeholders(types)})")
            bindings += types
        if unfiled:
            where.append("m.topic IS NULL")
        # by key: the planner would rather sort all of an index
        return self._read(
            f"NOT INDEXED WHERE {' AND '.join(where)} ORDER BY m.key LIMIT ?", (*bindings, limit)
        )

    def weeks_due(self, project: int, before: int, least: int) -> list[tuple[int, int]]:
        """Return (start, events) of weeks of a project that are due to be summed up, latest first.

        Only its latest old events are counted: this is asked at a session's start.
        """
        return self._db.rows(
            f"SELECT at - (at + {_THURSDAY}) % {_WEEK}, count(*) AS events FROM ("
            "SELECT coalesce(m.event_at, m.created_at) AS at FROM memories m "
            f"WHERE m.project = ? AND m.type = 'episodic' AND {IN_FORCE} AND m.created_at < ? "
            "AND m.pinned = 0 AND m.scope <> 'task' AND m.metadata ->> 'summary' IS NOT 1 "
            "ORDER BY m.created_at DESC LIMIT ?) GROUP BY 1 HAVING events >= ? "
            "ORDER BY 1 DESC LIMIT ?",
            (project, before, _COUNTED, least, _WEEKS),
        )

    def was_forgotten(self, content_hash: str) -> bool:
        """Tell whether somebody forgot a memory whose normalised text has this hash."""
        found = self._db.value(
            "SELECT 1 FROM memories WHERE content_hash = ? AND forgotten_at IS NOT NULL",
            (content_hash,),
        )
        return found is not None

    def summed_up_in(self, key: int) -> list[Memory]:
        """Return the memories that a summary stands for, in order of their keys."""
        return self._read("WHERE m.compacted_into = ? ORDER BY m.key", (key,))

    def newest_key(self) -> int:
        """Return the greatest key of a memory."""
        return int(self._db.value("SELECT max(key) FROM memories") or 0)

    def first_stored_since(self, at: int) -> int:
        """Return the least key of a memory stored at or after a time (ms); else one too great."""
        found = self._db.value("SELECT min(key) FROM memories WHERE created_at >= ?", (at,))
        return int(found if found is not None else self.newest_key() + 1)

    def first_vectors(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the vector of the first window of each memory that has one."""
        return self._vectors.first(keys)


def _details(run: Run) -> str:
    import json

    kept = {name: value for name, value in run.as_dict().items() if name not in _KEPT_APART}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
