"""Values of a maintenance run: its scope, actions, steps and report."""

from __future__ import annotations

from aforesaid.domain.value import Value

#: The phases of a run, in order.
PHASES = (
    "retention",
    "topics",
    "links",
    "compaction",
    "promotion",
    "contradictions",
    "anchors",
    "freshness",
    "branches",
    "archive",
)


class PhaseAction(Value):
    """A change that a phase makes, or an observation."""

    what: str  #: name under which it is counted: "archived", "linked"
    keys: tuple[int, ...] = ()  #: keys of the memories concerned
    detail: str = ""  #: further information for the user; never text of a memory


class Batch(Value):
    """Actions of one short transaction."""

    cursor: str  #: where the phase continues afterwards
    actions: tuple[PhaseAction, ...] = ()
    writes: bool = True  #: False if they are observations only


class RunScope(Value):
    """The memories that a phase considers, by key; keys only grow."""

    now: int  #: ms
    since: int = 0  #: greatest key that an earlier run considered; higher ones are new
    until: int  #: greatest key that this run considers
    is_dry_run: bool = False  #: nothing is written, and no summariser is called


class Run(Value):
    """A run of maintenance. Times are ms since the epoch, UTC."""

    key: int = 0  #: 0 until it is stored
    started_at: int  #: ms; counts as the present time in all phases, also after a continuation
    resumed_at: int = 0  #: ms, when it was last continued
    ended_at: int | None = None
    undone_at: int | None = None
    by: str = "command"  #: or ``itself``
    phases: tuple[str, ...] = PHASES
    done: tuple[str, ...] = ()  #: completed phases
    cursors: dict[str, str] = {}  #: where each incomplete phase continues
    since: int | None = None  #: key from the caller; None: each phase has its own
    until: int = 0  #: greatest key that it considers
    counts: dict[str, dict[str, int]] = {}  #: number of actions by phase and ``PhaseAction.what``
    notes: tuple[str, ...] = ()  #: ``phase: reason`` for what was left out

    @property
    def is_finished(self) -> bool:
        """Whether every phase is completed."""
        return set(self.phases) == set(self.done)

    def with_phase_done(self, phase: str, note: str = "") -> Run:
        """Return the run with a phase completed; the note says why it was skipped, if it was."""
        cursors = {name: cursor for name, cursor in self.cursors.items() if name != phase}
        return self.replace(done=(*self.done, phase), cursors=cursors).with_note(phase, note)

    def with_note(self, phase: str, note: str) -> Run:
        """Return the run with the note of a phase replaced; an empty one is removed."""
        notes = tuple(line for line in self.notes if not line.startswith(f"{phase}: "))
        return self.replace(notes=(*notes, f"{phase}: {note}") if note else notes)

    def with_counts(self, phase: str, actions: tuple[PhaseAction, ...]) -> Run:
        """Return the run with actions added to its counts."""
        counts = {name: dict(actions_by_name) for name, actions_by_name in self.counts.items()}
        phase_counts = counts.setdefault(phase, {})
        for action in actions:
            phase_counts[action.what] = phase_counts.get(action.what, 0) + 1
        return self.replace(counts=counts)


class Step(Value):
    """One transaction of a run, which can be undone."""

    key: int
    run: int
    phase: str
    at: int  #: ms
    undone_at: int | None = None
    counts: dict[str, int] = {}
    memories: tuple[int, ...] = ()  #: keys


class Report(Value):
    """The result of a run, or of a dry run."""

    run: Run
    is_dry_run: bool = False
    is_resumed: bool = False  #: it continued a run that had stopped
    examples: dict[str, tuple[PhaseAction, ...]] = {}  #: some actions by phase
