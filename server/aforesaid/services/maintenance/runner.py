"""A run of maintenance: its phases in order, in small steps, each in the journal.

Here: what all phases share. Not here: what they do (a module each, beside this one). A run may end
anywhere: what was done is kept with its journal, and the next process goes on behind it.
"""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.maintenance.run import PHASES, Report, Run, RunScope
from aforesaid.domain.value import Value

from .phase import BATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.maintenance.run import Action, Batch
    from aforesaid.ports import Clock, Store

    from .phase import Phase

EXAMPLES = 20  #: of each phase, kept for a person
FIRST_SHARE = 20  #: actions of the first transaction of a run that lets others write
WORK_SECONDS = 0.1  #: that the actions of a transaction may take, about
HELD_SECONDS = 0.2  #: that it may hold others up, about: a busy disk takes most of that to commit
REMEMBERED = 100  #: runs that are looked at for what was seen before


def no_progress(_phase: str, _count: int) -> None:
    """Take what a run tells of its progress, for nobody."""


def reraise(_phase: str, error: Exception) -> None:
    """Let what nobody foresaw in a phase end the run."""
    raise error


class UndoResult(Value):
    """What became of taking a run back."""

    run: Run
    steps: int = 0  #: taken back
    left: tuple[int, ...] = ()  #: keys of memories of steps that had been changed again since


class MaintenanceRunner:
    """Maintenance of one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        phases: Sequence[Phase],
        rest: Callable[[float], None] | None = None,
        failed: Callable[[str, Exception], None] = reraise,
    ) -> None:
        """Join the phases.

        Args:
            store: what is tended.
            clock: the present time.
            phases: in order.
            rest: lets others write; told how many seconds the last step held them up.
            failed: told a phase and what nobody foresaw in it; raises what ends the run. Else the
                phases after it run, and the next run tries it again.
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
        tell: Callable[[str, int], None] = no_progress,
    ) -> Report:
        """Run phases, going on where a run of the same phases stopped.

        Args:
            phases: by name; they run in their own order.
            by: ``command``, or ``itself``.
            since: ms; look only at what was stored then or later. None: at what is new to each.
            limit_seconds: after so long it stops, to be gone on with by the next run.
            tell: told a phase and how many actions were carried out, now and then.

        Raises:
            InvalidInputError: there is no such phase.
        """
        chosen = self._chosen(phases)
        self._store.finish_cleaning()
        run, continued = self._begin(chosen, by, since)
        deadline = None if limit_seconds is None else self._clock.now() + limit_seconds * 1000
        examples: dict[str, tuple[Action, ...]] = {}
        for phase in self._phases:
            if phase.name not in run.phases or phase.name in run.done:
                continue
            if phase.unavailable_reason:
                run = self._keep(run.came_to_end(phase.name, phase.unavailable_reason))
                continue
            span = self._span(run, phase.name)
            try:
                for batch in phase.plan(span, run.cursors.get(phase.name, "")):
                    run, made = self._execute(phase, batch, span, run)
                    examples[phase.name] = (*examples.get(phase.name, ()), *made)[:EXAMPLES]
                    tell(phase.name, len(made))
                    if deadline is not None and self._clock.now() > deadline:
                        return Report(run=run, continued=continued, examples=examples)
            except Exception as error:  # noqa: BLE001 - a phase's outermost boundary
                said = self._told(phase, error)
                kept = self._store.runs.get(run.key) or run  # as its last transaction left it
                run = self._keep(kept.noted(phase.name, said))
            else:
                run = self._keep(run.came_to_end(phase.name))
        if run.finished or continued:  # what fails again waits for a new run, as what is new does
            run = self._keep(run.replace(ended_at=self._clock.now()))
        return Report(run=run, continued=continued, examples=examples)

    def dry_run(
        self,
        phases: Sequence[str] = PHASES,
        *,
        since: int | None = None,
        tell: Callable[[str, int], None] = no_progress,
    ) -> Report:
        """Return what a run would do to the store as it is; nothing is written.

        Each phase is planned alone, as if the others had done nothing.
        """
        now = self._clock.now()
        run = Run(
            started_at=now,
            phases=self._chosen(phases),
            since=None if since is None else self._store.maintenance.first_stored_since(since) - 1,
            until=self._store.maintenance.newest_key(),
        )
        examples: dict[str, tuple[Action, ...]] = {}
        for phase in self._phases:
            if phase.name not in run.phases:
                continue
            if phase.unavailable_reason:
                run = run.noted(phase.name, phase.unavailable_reason)
                continue
            try:
                for batch in phase.plan(self._span(run, phase.name).replace(dry=True), ""):
                    run = run.counted(phase.name, batch.actions)
                    told = (*examples.get(phase.name, ()), *batch.actions)
                    examples[phase.name] = told[:EXAMPLES]
                    tell(phase.name, len(batch.actions))
            except Exception as error:  # noqa: BLE001 - a phase's outermost boundary
                run = run.noted(phase.name, self._told(phase, error))
        return Report(run=run, dry=True, examples=examples)

    def undo(self, key: int, tell: Callable[[int], None] | None = None) -> UndoResult:
        """Take back what a run did, the last step first; what stopped halfway may be repeated.

        Args:
            key: of the run.
            tell: told how many steps were looked at, one by one.

        Raises:
            NotFoundError: there is no such run.
            ConflictError: it was taken back before, or did nothing.
        """
        run = self._store.runs.get(key)
        if run is None:
            raise NotFoundError(f"there is no run {key}: `aforesaid runs` lists them")
        waiting = [one for one in self._store.runs.steps(key) if one.undone_at is None]
        if not waiting:
            said = "was undone already" if run.undone_at is not None else "changed nothing"
            raise ConflictError(f"run {key} {said}")
        now = self._clock.now()
        self._keep(run.replace(undone_at=now))  # first: it neither goes on nor counts any more
        taken = 0
        left: list[int] = []
        for step in reversed(waiting):
            began = self._clock.now()
            if self._store.runs.undo_step(step.key, now):
                taken += 1
            else:
                left += step.memories
            if self._rest is not None:
                self._rest((self._clock.now() - began) / 1000)
            if tell is not None:
                tell(1)
        return UndoResult(
            run=run.replace(undone_at=now), steps=taken, left=tuple(dict.fromkeys(left))
        )

    # -- one run

    def _chosen(self, phases: Sequence[str]) -> tuple[str, ...]:
        known = [phase.name for phase in self._phases]
        for name in phases:
            if name not in PHASES:
                raise InvalidInputError(f"{name!r} is no phase: use {', '.join(known)}")
        return tuple(name for name in known if name in phases)

    def _begin(self, phases: tuple[str, ...], by: str, since: int | None) -> tuple[Run, bool]:
        """Return the run to go on with, or a new one, and whether it goes on."""
        now = self._clock.now()
        latest = next(iter(self._store.runs.latest(1)), None)
        if latest is not None and latest.ended_at is None and latest.undone_at is None:
            if latest.phases == phases and since is None:
                return self._keep(latest.replace(resumed_at=now)), True
            self._keep(latest.replace(ended_at=now))  # never finished: what it did stays
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
        """Return what a phase looks at: what is new since it last came to its end."""
        since = run.since
        if since is None:
            since = max(
                (
                    one.until
                    for one in self._store.runs.latest(REMEMBERED)
                    if phase in one.done and one.undone_at is None and one.since is None
                ),
                default=0,
            )
        return RunScope(now=run.started_at, since=since, until=run.until)

    def _execute(
        self, phase: Phase, batch: Batch, span: RunScope, run: Run
    ) -> tuple[Run, tuple[Action, ...]]:
        """Carry out one batch, with its journal and the place where the run goes on.

        In so many transactions that none holds others up for long, however slow the machine is now.
        A run that stops between them plans the batch again, and does what is left of it.
        """
        if not batch.writes:
            return run.counted(phase.name, batch.actions), batch.actions
        done: tuple[Action, ...] = ()
        waiting = batch.actions
        while True:
            share, waiting = waiting[: self._share], waiting[self._share :]
            with self._store.runs.journaled(run.key, phase.name, self._clock.now()) as made:
                began = self._clock.now()  # the lock was waited for until here
                made.extend(phase.execute(share, span))
                worked = (self._clock.now() - began) / 1000
                told = tuple(made)
                run = run.counted(phase.name, told)
                if not waiting:
                    run = run.replace(cursors={**run.cursors, phase.name: batch.cursor})
                self._store.runs.put(run)
            done += told
            if self._rest is not None:
                held = (self._clock.now() - began) / 1000
                self._share = _next_share(self._share, worked, held)
                self._rest(held)
            if not waiting:
                return run, done

    def _told(self, phase: Phase, error: Exception) -> str:
        """Tell of what nobody foresaw in a phase; return it in words, unless it ends the run."""
        self._failed(phase.name, error)
        kind = type(error).__name__
        return f"stopped by {kind}, as the log has it; the next run tries it again"

    def _keep(self, run: Run) -> Run:
        with self._store.transaction():
            self._store.runs.put(run)
        return run


def _next_share(share: int, worked: float, held: float) -> int:
    """Return how many actions the next transaction takes.

    Writing to the disk takes its time however few they are: only where that is long does it count.

    Args:
        share: how many the last one took.
        worked: seconds in which they were carried out.
        held: seconds for which it held others up, its commit included.
    """
    spent = max(worked / WORK_SECONDS, held / HELD_SECONDS)
    grown = 2 * share if spent <= 0 else int(share / spent)
    return min(max(grown, share // 4, 1), 2 * share, BATCH)
