"""Running maintenance: phases in order, in small journalled steps.

Not here: the phases themselves (the other modules of this folder). A run may be interrupted at any
step: finished steps stay, with their journal, and the next run of the same phases continues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.maintenance.run import PHASES, Batch, PhaseAction, Report, Run, RunScope, Step
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store

from .phase import BATCH, Phase

MAX_EXAMPLES = 20  #: actions of each phase that a report shows
FIRST_SHARE = 20  #: actions in the first transaction of a run that pauses for other writers
WORK_SECONDS = 0.1  #: target time for the actions of one transaction
HELD_SECONDS = 0.2  #: target time for holding the write lock; on a busy disk mostly the commit
MAX_RUNS = 100  #: recent runs that are searched for where each phase ended


def no_progress(_phase: str, _count: int) -> None:
    """Ignore progress."""


def reraise(_phase: str, error: Exception) -> None:
    """Let an unexpected error in a phase end the run."""
    raise error


class UndoResult(Value):
    """The outcome of undoing a run."""

    run: Run
    steps: int = 0  #: steps that were undone
    left: tuple[int, ...] = ()  #: keys of memories changed since, whose steps were not undone


class MaintenanceRunner:
    """Runs the maintenance of one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        phases: Sequence[Phase],
        rest: Callable[[float], None] | None = None,
        failed: Callable[[str, Exception], None] = reraise,
    ) -> None:
        """Set up the runner.

        Args:
            store: The store.
            clock: The current time.
            phases: The phases, in order.
            rest: Called after each step, with the seconds for which it held the write lock, to
                let other processes write.
            failed: Called with the name of a phase and an unexpected error in it. If it raises,
                the run ends; otherwise the next phase runs, and the next run retries this one.
        """
        self._store = store
        self._clock = clock
        self._phases = phases
        self._rest = rest
        self._failed = failed
        self._share = BATCH if rest is None else FIRST_SHARE  #: actions of the next transaction

    def run(
        self,
        phases: Sequence[str] = PHASES,
        *,
        by: str = "command",
        since: int | None = None,
        limit_seconds: float | None = None,
        progress: Callable[[str, int], None] = no_progress,
    ) -> Report:
        """Run phases, continuing an interrupted run of the same phases.

        Args:
            phases: Names of phases; they run in their fixed order.
            by: Who started the run: ``command`` or ``itself``.
            since: Only process memories stored at or after this time (ms). By default, each phase
                processes what is new since it last finished.
            limit_seconds: Stop after this time; the next run continues.
            progress: Called with a phase and the number of actions executed since the last call.

        Raises:
            InvalidInputError: There is no such phase.
        """
        chosen = self._chosen(phases)
        self._store.finish_cleaning()
        run, continued = self._begin(chosen, by, since)
        deadline = None if limit_seconds is None else self._clock.now() + limit_seconds * 1000
        examples: dict[str, tuple[PhaseAction, ...]] = {}
        for phase in self._phases:
            if phase.name not in run.phases or phase.name in run.done:
                continue
            if phase.unavailable_reason:
                run = self._save(run.with_phase_done(phase.name, phase.unavailable_reason))
                continue
            span = self._span(run, phase.name)
            try:
                for batch in phase.plan(span, run.cursors.get(phase.name, "")):
                    run, executed = self._execute(phase, batch, span, run)
                    examples[phase.name] = (*examples.get(phase.name, ()), *executed)[:MAX_EXAMPLES]
                    progress(phase.name, len(executed))
                    if deadline is not None and self._clock.now() > deadline:
                        return Report(run=run, is_resumed=continued, examples=examples)
            except Exception as error:  # noqa: BLE001 - a phase's outermost boundary
                note = self._report_failure(phase, error)
                stored = self._store.runs.get(run.key) or run  # as its last transaction left it
                run = self._save(stored.with_note(phase.name, note))
            else:
                run = self._save(run.with_phase_done(phase.name))
        if run.is_finished or continued:  # a phase that failed again is retried by a new run
            run = self._save(run.replace(ended_at=self._clock.now()))
        return Report(run=run, is_resumed=continued, examples=examples)

    def dry_run(
        self,
        phases: Sequence[str] = PHASES,
        *,
        since: int | None = None,
        progress: Callable[[str, int], None] = no_progress,
    ) -> Report:
        """Return what a run would do, without writing; each phase is planned independently."""
        now = self._clock.now()
        run = Run(
            started_at=now,
            phases=self._chosen(phases),
            since=None if since is None else self._store.maintenance.first_stored_since(since) - 1,
            until=self._store.maintenance.newest_key(),
        )
        examples: dict[str, tuple[PhaseAction, ...]] = {}
        for phase in self._phases:
            if phase.name not in run.phases:
                continue
            if phase.unavailable_reason:
                run = run.with_note(phase.name, phase.unavailable_reason)
                continue
            try:
                for batch in phase.plan(self._span(run, phase.name).replace(is_dry_run=True), ""):
                    run = run.with_counts(phase.name, batch.actions)
                    actions = (*examples.get(phase.name, ()), *batch.actions)
                    examples[phase.name] = actions[:MAX_EXAMPLES]
                    progress(phase.name, len(batch.actions))
            except Exception as error:  # noqa: BLE001 - a phase's outermost boundary
                run = run.with_note(phase.name, self._report_failure(phase, error))
        return Report(run=run, is_dry_run=True, examples=examples)

    def undo(self, key: int, progress: Callable[[int], None] | None = None) -> UndoResult:
        """Undo a run, the last step first; an interrupted undo can be repeated.

        Args:
            key: The key of the run.
            progress: Called with the number of steps processed since the last call.

        Raises:
            NotFoundError: There is no such run.
            ConflictError: It was already undone, or changed nothing.
        """
        run, steps = self._undoable(key)
        now = self._clock.now()
        self._save(run.replace(undone_at=now))  # first, so that no other process continues it
        undone = 0
        left: list[int] = []
        for step in reversed(steps):
            started = self._clock.now()
            if self._store.runs.undo_step(step.key, now):
                undone += 1
            else:
                left += step.memories
            if self._rest is not None:
                self._rest((self._clock.now() - started) / 1000)
            if progress is not None:
                progress(1)
        return UndoResult(
            run=run.replace(undone_at=now), steps=undone, left=tuple(dict.fromkeys(left))
        )

    def preview_undo(self, key: int) -> UndoResult:
        """Return what undoing a run would do, without doing it.

        Args:
            key: The key of the run.

        Raises:
            NotFoundError: There is no such run.
            ConflictError: It was already undone, or changed nothing.
        """
        run, steps = self._undoable(key)
        now = self._clock.now()
        left: list[int] = []
        undone = 0
        with self._store.transaction(commits=False):
            for step in reversed(steps):
                if self._store.runs.undo_step(step.key, now):
                    undone += 1
                else:
                    left += step.memories
        return UndoResult(run=run, steps=undone, left=tuple(dict.fromkeys(left)))

    def _undoable(self, key: int) -> tuple[Run, list[Step]]:
        """Return a run and the steps of it that can be undone."""
        run = self._store.runs.get(key)
        if run is None:
            raise NotFoundError(f"there is no run {key}: list runs with `aforesaid runs`")
        steps = [step for step in self._store.runs.steps(key) if step.undone_at is None]
        if not steps:
            reason = "was already undone" if run.undone_at is not None else "changed nothing"
            raise ConflictError(f"run {key} {reason}")
        return run, steps

    # -- one run

    def _chosen(self, phases: Sequence[str]) -> tuple[str, ...]:
        known = [phase.name for phase in self._phases]
        for name in phases:
            if name not in PHASES:
                raise InvalidInputError(f"unknown phase {name!r}: use {', '.join(known)}")
        return tuple(name for name in known if name in phases)

    def _begin(self, phases: tuple[str, ...], by: str, since: int | None) -> tuple[Run, bool]:
        """Return the interrupted run to continue, or a new one, and whether it is continued."""
        now = self._clock.now()
        latest = next(iter(self._store.runs.latest(1)), None)
        if latest is not None and latest.ended_at is None and latest.undone_at is None:
            if latest.phases == phases and since is None:
                return self._save(latest.replace(resumed_at=now)), True
            self._save(latest.replace(ended_at=now))  # abandoned: its finished steps stay
        key = None if since is None else self._store.maintenance.first_stored_since(since) - 1
        run = Run(
            started_at=now,
            resumed_at=now,
            by=by,
            phases=phases,
            since=key,
            until=self._store.maintenance.newest_key(),
        )
        with self._store.transaction():
            return self._store.runs.start(run), False

    def _span(self, run: Run, phase: str) -> RunScope:
        """Return what a phase looks at: what is new since it last finished."""
        since = run.since
        if since is None:
            since = max(
                (
                    earlier.until
                    for earlier in self._store.runs.latest(MAX_RUNS)
                    if phase in earlier.done and earlier.undone_at is None and earlier.since is None
                ),
                default=0,
            )
        return RunScope(now=run.started_at, since=since, until=run.until)

    def _execute(
        self, phase: Phase, batch: Batch, span: RunScope, run: Run
    ) -> tuple[Run, tuple[PhaseAction, ...]]:
        """Execute one batch, with its journal and the cursor from which the run continues.

        It is split into transactions short enough for other writers, however slow the machine is.
        A run that stops between them plans the batch again and does the rest.
        """
        if not batch.writes:
            return run.with_counts(phase.name, batch.actions), batch.actions
        done: tuple[PhaseAction, ...] = ()
        waiting = batch.actions
        while True:
            share, waiting = waiting[: self._share], waiting[self._share :]
            with self._store.runs.journaled(run.key, phase.name, self._clock.now()) as journal:
                started = self._clock.now()  # the write lock is held from here
                journal.extend(phase.execute(share, span))
                work_seconds = (self._clock.now() - started) / 1000
                executed = tuple(journal)
                run = run.with_counts(phase.name, executed)
                if not waiting:
                    run = run.replace(cursors={**run.cursors, phase.name: batch.cursor})
                self._store.runs.put(run)
            done += executed
            if self._rest is not None:
                lock_seconds = (self._clock.now() - started) / 1000
                self._share = _next_share(self._share, work_seconds, lock_seconds)
                self._rest(lock_seconds)
            if not waiting:
                return run, done

    def _report_failure(self, phase: Phase, error: Exception) -> str:
        """Report an unexpected error in a phase; return a note for the run's report."""
        self._failed(phase.name, error)
        return f"stopped by {type(error).__name__} (see the log); the next run retries it"

    def _save(self, run: Run) -> Run:
        with self._store.transaction():
            self._store.runs.put(run)
        return run


def _next_share(share: int, work_seconds: float, lock_seconds: float) -> int:
    """Return the number of actions for the next transaction.

    A commit has a fixed cost, however few the actions: it counts only once it is long.

    Args:
        share: The number of actions of the last transaction.
        work_seconds: Seconds that these actions took.
        lock_seconds: Seconds for which the write lock was held, including the commit.
    """
    load = max(work_seconds / WORK_SECONDS, lock_seconds / HELD_SECONDS)
    next_share = 2 * share if load <= 0 else int(share / load)
    return min(max(next_share, share // 4, 1), 2 * share, BATCH)
