"""One pass of maintenance as values: what it looks at, what it does, what became of it."""

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
    "freshness",
    "archive",
)


class Action(Value):
    """One change that a phase wants to make, or one thing that it noticed."""

    what: str  #: as it is counted: "archived", "linked"
    keys: tuple[int, ...] = ()  #: of the memories that it is about
    detail: str = ""  #: more for a person; never the text of a memory


class Batch(Value):
    """Actions that are carried out in one short transaction, or none of them."""

    cursor: str  #: from here the phase goes on when these are done
    actions: tuple[Action, ...] = ()
    writes: bool = True  #: False where they only tell


class RunScope(Value):
    """What a phase looks at. Keys are those of memories, which only grow."""

    now: int  #: ms
    since: int = 0  #: the last key that an earlier run has seen: what is above it is new
    until: int  #: the last key that this run looks at
    dry: bool = False  #: nothing will be written, so nobody outside is asked either


class Run(Value):
    """One pass of maintenance."""

    key: int = 0  #: 0 until it is stored
    started_at: int  #: ms; the present time of all its phases, also when it goes on later
    resumed_at: int = 0  #: when it last went on
    ended_at: int | None = None
    undone_at: int | None = None
    by: str = "command"  #: or ``itself``
    phases: tuple[str, ...] = PHASES
    done: tuple[str, ...] = ()  #: phases that came to their end
    cursors: dict[str, str] = {}  #: by phase that is not done: where it goes on
    since: int | None = None  #: key given by whoever asked; None: each phase knows its own
    until: int = 0
    counts: dict[str, dict[str, int]] = {}  #: by phase, by what was done
    notes: tuple[str, ...] = ()  #: what was left out: a phase, and why in words

    @property
    def finished(self) -> bool:
        """Whether every phase came to its end."""
        return set(self.phases) == set(self.done)

    def came_to_end(self, phase: str, said: str = "") -> Run:
        """Return the run with a phase done, or left out for a reason in words."""
        left = {name: cursor for name, cursor in self.cursors.items() if name != phase}
        return self.replace(done=(*self.done, phase), cursors=left).noted(phase, said)

    def noted(self, phase: str, said: str) -> Run:
        """Return the run with what is to be said of a phase now; nothing if that is empty."""
        notes = tuple(one for one in self.notes if not one.startswith(f"{phase}: "))
        return self.replace(notes=(*notes, f"{phase}: {said}") if said else notes)

    def counted(self, phase: str, actions: tuple[Action, ...]) -> Run:
        """Return the run with these actions counted."""
        counts = {name: dict(some) for name, some in self.counts.items()}
        mine = counts.setdefault(phase, {})
        for one in actions:
            mine[one.what] = mine.get(one.what, 0) + 1
        return self.replace(counts=counts)


class Step(Value):
    """One transaction of a run, as it is kept so that it can be undone."""

    key: int
    run: int
    phase: str
    at: int
    undone_at: int | None = None
    counts: dict[str, int] = {}
    memories: tuple[int, ...] = ()  #: keys


class Report(Value):
    """What a run did, or would do."""

    run: Run
    dry: bool = False
    continued: bool = False  #: it went on where an earlier process stopped
    examples: dict[str, tuple[Action, ...]] = {}  #: some of each phase, by phase
