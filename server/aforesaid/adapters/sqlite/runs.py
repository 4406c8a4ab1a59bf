"""Runs of maintenance.

What each changed is in journal.py, what their phases read in maintenance_queries.py.
"""

from __future__ import annotations

from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from aforesaid.domain.maintenance.run import Action, Run, Step

_KEPT_APART = ("key", "started_at", "ended_at", "undone_at")


class RunRepository(Repository):
    """Runs of maintenance."""

    # -- runs

    def start(self, run: Run) -> Run:
        """Keep a run; return it with its key."""
        key = self._db.insert(
            "INSERT INTO runs (started_at, ended_at, undone_at, details) VALUES (?, ?, ?, ?)",
            (run.started_at, run.ended_at, run.undone_at, _details(run)),
        )
        return run.replace(key=key)

    def put(self, run: Run) -> None:
        """Keep how far a run is."""
        self._db.rows(
            "UPDATE runs SET ended_at = ?, undone_at = ?, details = ? WHERE key = ?",
            (run.ended_at, run.undone_at, _details(run), run.key),
        )

    def get(self, key: int) -> Run | None:
        """Return a run."""
        found = self._runs("WHERE key = ?", (key,))
        return found[0] if found else None

    def latest(self, limit: int) -> list[Run]:
        """Return runs, the latest first."""
        return self._runs("ORDER BY key DESC LIMIT ?", (limit,))

    def _runs(self, rest: str, bindings: Sequence[object]) -> list[Run]:
        import json

        from aforesaid.domain.maintenance.run import Run

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

    def last_run(self) -> tuple[int, int | None] | None:
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

        from aforesaid.domain.maintenance.run import Step

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

        return undo_step(self._db, self._store.vocabulary, key, at)

    def forget_memory(self, key: int) -> None:
        """Remove a memory from what runs keep to be undone, and from what they suggest."""
        if self._db.value("SELECT 1 FROM steps LIMIT 1") is not None:
            from .journal import forget_rows

            forget_rows(self._db, key)
        self._db.rows(
            "DELETE FROM offers WHERE EXISTS "
            "(SELECT 1 FROM json_each(offers.memories) j WHERE j.value = ?)",
            (key,),
        )


def _details(run: Run) -> str:
    import json

    kept = {name: value for name, value in run.as_dict().items() if name not in _KEPT_APART}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
