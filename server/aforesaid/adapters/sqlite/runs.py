"""Maintenance runs. Their changes are in journal.py, their queries in maintenance_queries.py."""

from __future__ import annotations

from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from aforesaid.domain.maintenance.run import PhaseAction, Run, Step

_COLUMNS = ("key", "started_at", "ended_at", "undone_at")


class RunRepository(SqliteRepository):
    """Maintenance runs and their journal."""

    # -- runs

    def start(self, run: Run) -> Run:
        """Store a new run; return it with its key."""
        key = self._db.insert(
            "INSERT INTO runs (started_at, ended_at, undone_at, details) VALUES (?, ?, ?, ?)",
            (run.started_at, run.ended_at, run.undone_at, _details(run)),
        )
        return run.replace(key=key)

    def put(self, run: Run) -> None:
        """Store a run's progress."""
        self._db.rows(
            "UPDATE runs SET ended_at = ?, undone_at = ?, details = ? WHERE key = ?",
            (run.ended_at, run.undone_at, _details(run), run.key),
        )

    def get(self, key: int) -> Run | None:
        runs = self._runs("WHERE key = ?", (key,))
        return runs[0] if runs else None

    def latest(self, limit: int) -> list[Run]:
        """Return runs, latest first."""
        return self._runs("ORDER BY key DESC LIMIT ?", (limit,))

    def _runs(self, rest: str, bindings: Sequence[object]) -> list[Run]:
        import json

        from aforesaid.domain.maintenance.run import Run

        rows = self._db.rows(
            f"SELECT {', '.join(_COLUMNS)}, details FROM runs {rest}", tuple(bindings)
        )
        runs = []
        for *columns, details in rows:
            fields = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in json.loads(details).items()
                if name in Run._fields
            }
            runs.append(Run(**{**dict(zip(_COLUMNS, columns, strict=True)), **fields}))
        return runs

    def last_run(self) -> tuple[int, int | None] | None:
        """Return when the last run that was not undone started or resumed, and when it ended.

        A session's start asks this: it is one query.
        """
        return self._db.row(
            "SELECT max(started_at, ifnull(details ->> 'resumed_at', 0)), ended_at FROM runs "
            "WHERE undone_at IS NULL ORDER BY key DESC LIMIT 1"
        )

    def first_changed_at(self) -> int | None:
        """Return when the first memory was stored, whatever date it is about."""
        at: int | None = self._db.value("SELECT at FROM log ORDER BY key LIMIT 1")
        return at

    # -- the journal

    def journaled(self, run: int, phase: str, at: int) -> AbstractContextManager[list[PhaseAction]]:
        """Open a transaction whose changes are journalled."""
        from .journal import journaled

        return journaled(self._db, run, phase, at)

    def steps(self, run: int) -> list[Step]:
        """Return the steps of a run, in order."""
        import json

        from aforesaid.domain.maintenance.run import Step

        rows = self._db.rows(
            "SELECT key, run, phase, at, undone_at, counts, memories FROM steps "
            "WHERE run = ? ORDER BY key",
            (run,),
        )
        return [
            Step(
                key=key,
                run=run_key,
                phase=phase,
                at=at,
                undone_at=undone_at,
                counts=json.loads(counts),
                memories=tuple(json.loads(memories)),
            )
            for key, run_key, phase, at, undone_at, counts, memories in rows
        ]

    def undo_step(self, key: int, at: int) -> bool:
        """Revert a step; return False, changing nothing, if its rows were changed since."""
        from .journal import undo_step

        return undo_step(self._db, self._store.vocabulary, key, at)

    def forget_memory(self, key: int) -> None:
        """Remove a memory from the journal and from suggestions."""
        if self._db.value("SELECT 1 FROM steps LIMIT 1") is not None:
            from .journal import forget_rows

            forget_rows(self._db, key)
        self._db.rows(
            "DELETE FROM suggestions WHERE EXISTS "
            "(SELECT 1 FROM json_each(suggestions.memories) j WHERE j.value = ?)",
            (key,),
        )


def _details(run: Run) -> str:
    import json

    fields = {name: value for name, value in run.as_dict().items() if name not in _COLUMNS}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
