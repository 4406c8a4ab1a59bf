"""A run of maintenance: its phases, its journal, stopping and going on."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from aforesaid.domain.errors import (
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.maintenance.run import Batch, PhaseAction
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.services.maintenance.archive import Archive
from aforesaid.services.maintenance.retention import Retention
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.transfer.export import export_lines
from aforesaid.wiring.factories import log_unexpected
from factories import DAY, NOON, Overlay, TickingClock, make_memory, make_project, open_sqlite


class Marks:
    """A phase that marks every memory as archived, a batch each."""

    name = "archive"
    unavailable_reason = ""

    def __init__(self, store, stop_at: int = 0) -> None:
        self.store, self.stop_at = store, stop_at

    def plan(self, span, after):
        for memory in self.store.maintenance.page(int(after or 0), 100, until=span.until):
            if memory.key > span.since:
                if memory.key == self.stop_at:
                    raise KeyboardInterrupt
                yield Batch(
                    cursor=str(memory.key),
                    actions=(PhaseAction(what="marked", keys=(memory.key,)),),
                )

    def execute(self, actions, span):
        for action in actions:
            self.store.memories.change(action.keys[0], archived_at=span.now)
        return list(actions)


def put(store, count, **fields) -> list[int]:
    first = store.maintenance.newest_key()
    with store.transaction():
        return [
            store.memories.add(make_memory(first + number, **fields)).key
            for number in range(1, count + 1)
        ]


def marked(store) -> list[int]:
    return [memory.key for memory in store.memories.get(range(99)) if memory.archived_at]


def tend(store, *phases) -> MaintenanceRunner:
    return MaintenanceRunner(store, TickingClock(), phases)


def test_a_run_counts_what_it_did_and_is_undone_as_a_whole(store):
    put(store, 3)
    report = tend(store, Marks(store)).run()
    assert {"archive": {"marked": 3}} == report.run.counts
    assert report.run.is_finished
    assert [1, 2, 3] == marked(store)
    done = tend(store, Marks(store)).undo(report.run.key)
    assert (3, ()) == (done.steps, done.left)
    assert [] == marked(store)
    with pytest.raises(ConflictError, match="already undone"):
        tend(store, Marks(store)).undo(report.run.key)


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(store):
    put(store, 4)
    with pytest.raises(KeyboardInterrupt):
        tend(store, Marks(store, stop_at=3)).run()
    assert [1, 2] == marked(store)
    report = tend(store, Marks(store)).run()
    assert (report.is_resumed, {"marked": 4}) == (True, report.run.counts["archive"])
    assert [1] == [run.key for run in store.runs.latest(9)]
    tend(store, Marks(store)).undo(1)
    assert [] == marked(store)


def test_a_run_stops_at_its_limit_and_the_next_goes_on(store):
    put(store, 9)
    report = tend(store, Marks(store)).run(limit_seconds=5)
    assert not report.run.is_finished
    assert 0 < len(marked(store)) < 9
    while not report.run.is_finished:
        report = tend(store, Marks(store)).run(limit_seconds=5)
    assert list(range(1, 10)) == marked(store)
    assert [1] == [run.key for run in store.runs.latest(9)]


def test_a_phase_sees_what_is_new_since_it_last_came_to_its_end(store):
    put(store, 2)
    tend(store, Marks(store)).run()
    put(store, 1)
    assert {"marked": 1} == tend(store, Marks(store)).run().run.counts["archive"]
    tend(store, Marks(store)).undo(2)
    assert {"marked": 1} == tend(store, Marks(store)).run().run.counts["archive"]


def test_since_narrows_a_run_and_what_it_left_out_is_still_new(store):
    put(store, 3)
    report = tend(store, Marks(store)).run(since=NOON + 3_000)
    assert [3] == marked(store)
    report = tend(store, Marks(store)).run()
    assert {"marked": 2} == report.run.counts["archive"]


def test_rehearsing_says_what_a_run_would_do_and_changes_nothing(store):
    put(store, 2)
    report = tend(store, Marks(store)).dry_run()
    assert (True, {"marked": 2}) == (report.is_dry_run, report.run.counts["archive"])
    assert ([], []) == (marked(store), store.runs.latest(9))


def test_a_run_of_other_phases_gives_an_unfinished_one_up(store):
    put(store, 4, at=NOON - 400 * DAY, importance=0.2)
    phases = (Retention(store, Thresholds()), Marks(store, stop_at=3))
    with pytest.raises(KeyboardInterrupt):
        tend(store, *phases).run()
    report = tend(store, *phases).run(["retention"])
    assert (2, False) == (report.run.key, report.is_resumed)
    assert store.runs.get(1).ended_at is not None
    assert not store.runs.get(1).is_finished


def test_what_is_no_phase_or_no_run_is_refused(store):
    with pytest.raises(InvalidInputError, match=": use archive"):
        tend(store, Marks(store)).run(["dreaming"])
    with pytest.raises(NotFoundError, match="no run 7"):
        tend(store, Marks(store)).undo(7)
    put(store, 0)
    key = tend(store, Marks(store)).run().run.key
    with pytest.raises(ConflictError, match="changed nothing"):
        tend(store, Marks(store)).undo(key)


def test_a_phase_that_lacks_something_is_left_out_and_says_so(store):
    phase = Marks(store)
    phase.unavailable_reason = "no vectors"
    put(store, 1)
    report = tend(store, phase).run()
    assert (("archive: no vectors",), []) == (report.run.notes, marked(store))


def test_a_phase_that_fails_costs_no_other_its_run_and_is_tried_again_where_it_stopped(store):
    class Whole(Marks):
        """Two batches of two actions: one is carried out, the second fails halfway."""

        name = "topics"
        fails = True

        def plan(self, span, after):
            for keys in ((1, 2), (3, 4)):
                if str(keys[-1]) > after:
                    told = tuple(PhaseAction(what="marked", keys=(key,)) for key in keys)
                    yield Batch(cursor=str(keys[-1]), actions=told)

        def execute(self, actions, span):
            if self.fails and actions[-1].keys == (4,):
                super().execute(actions, span)
                raise RecursionError("what a memory says")
            return super().execute(actions, span)

    def tending() -> MaintenanceRunner:
        heard.clear()
        phases = (phase, Retention(store, Thresholds()))
        return MaintenanceRunner(
            store, TickingClock(), phases, failed=lambda *arguments: heard.append(arguments)
        )

    heard, phase = [], Whole(store)
    put(store, 4)
    run = tending().run().run
    assert (("retention",), {"topics": "2"}, None) == (run.done, run.cursors, run.ended_at)
    assert [1, 2] == marked(store)
    assert [("topics", RecursionError)] == [(name, type(error)) for name, error in heard]
    (note,) = run.notes
    assert "topics: stopped by RecursionError" in note
    assert "memory" not in note

    run = tending().run().run  # it fails again: what is new to others waits for it no more
    assert (1, True, 1) == (run.key, run.ended_at is not None, len(run.notes))
    phase.fails = False
    run = tending().run().run
    assert (2, True, ()) == (run.key, run.is_finished, run.notes)
    assert ([1, 2, 3, 4], []) == (marked(store), heard)
    for key in (2, 1):
        tending().undo(key)
    assert [] == marked(store)


def test_a_phase_that_failed_once_goes_on_in_the_same_run(store):
    class Once(Marks):
        def execute(self, actions, span):
            if actions[0].keys == (3,) and not heard:
                raise KeyError(3)
            return super().execute(actions, span)

    heard = []
    put(store, 4)
    reports = [
        MaintenanceRunner(
            store, TickingClock(), [Once(store)], failed=lambda *arguments: heard.append(arguments)
        ).run()
        for _ in range(2)
    ]
    assert [False, True] == [report.run.is_finished for report in reports]
    assert (1, ()) == (reports[1].run.key, reports[1].run.notes)
    assert {"marked": 4} == reports[1].run.counts["archive"]


@pytest.mark.parametrize("of_the_store", [UnavailableError("locked"), CorruptError("damaged")])
def test_what_is_the_stores_fault_ends_the_run(store, of_the_store):
    class Fails(Marks):
        def execute(self, actions, span):
            raise of_the_store

    def failed(phase, error):
        log_unexpected({}, phase, error)

    put(store, 1)
    with pytest.raises(type(of_the_store)):
        MaintenanceRunner(store, TickingClock(), [Fails(store)], failed=failed).run()
    assert store.runs.get(1).ended_at is None


def test_memories_are_counted_by_how_well_they_are_kept(store):
    now = NOON + 1_000 * DAY
    put(store, 2, at=now - DAY)
    put(store, 1, at=now - 200 * DAY, importance=0.2)
    put(store, 1, at=now - 900 * DAY, confidence=0.05, importance=0.9)
    report = MaintenanceRunner(store, TickingClock(now), [Retention(store, Thresholds())]).run()
    assert {"well kept": 2, "faded": 1, "due for cleanup": 1} == report.run.counts["retention"]
    assert [] == store.runs.steps(report.run.key)


# -- setting aside


OLD = NOON - 400 * DAY
ONE = b"\0\0\x80\x3f" + b"\0" * 12
OTHER = b"\0" * 12 + b"\0\0\x80\x3f"


def aged(store, *memories) -> list[int]:
    """Store memories with the same vector, whose subject is one; return their keys."""
    with store.transaction():
        keys = [store.memories.add(memory).key for memory in memories]
        for key in keys:
            store.search.set_vectors(key, [ONE], "m")
    return keys


def archive(store) -> list[int]:
    tend(store, Archive(store, Thresholds())).run()
    return marked(store)


def test_what_faded_is_set_aside_and_one_of_its_subject_stays(store):
    event = {"importance": 0.2, "type": "episodic"}
    keys = aged(store, *(make_memory(n, at=OLD + n, **event) for n in range(4)))
    assert keys[:3] == archive(store)


def test_what_lasts_stays_though_it_is_near_to_others_unless_it_says_nothing(store):
    _fact, junk = aged(
        store,
        make_memory(1, at=OLD, importance=0.2),
        make_memory(2, at=OLD, importance=0.2, content="Works now."),
    )
    aged(store, make_memory(3, at=NOON))
    assert [junk] == archive(store)


def test_what_says_too_little_goes_sooner_unless_somebody_used_it_or_it_matters(store):
    fields = {"at": NOON - 8 * DAY, "content": "Works now."}
    junk, *_kept = aged(
        store,
        make_memory(1, **fields),
        make_memory(2, **{**fields, "at": NOON - 6 * DAY}),
        make_memory(3, **fields, access_count=1),
        make_memory(4, **fields, importance=0.9),
        make_memory(5, **fields, pinned=True),
        make_memory(6, **{**fields, "content": "The queue is NATS."}),
    )
    assert [junk] == archive(store)


def test_what_is_alone_on_its_subject_stays(store):
    aged(store, make_memory(1, at=OLD, importance=0.2, type="episodic"))
    (other,) = aged(store, make_memory(2, at=NOON))
    with store.transaction():
        store.search.set_vectors(other, [OTHER], "m")
    assert [] == archive(store)


@pytest.mark.parametrize(
    ("later", "apart", "goes"),
    [(NOON, False, True), (OLD - DAY, False, False), (NOON, True, False)],
)
def test_what_a_later_one_near_contradicts_is_superseded_by_it_though_it_is_alone(
    store, later, apart, goes
):
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=later, pinned=True))
    with store.transaction():
        if apart:
            store.search.set_vectors(other, [OTHER], "m")
        store.relations.link(other, "contradicts", alone, NOON)
    assert [] == archive(store)
    assert (other if goes else None) == store.memories.get([alone])[0].superseded_by


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({"valid_from": NOON - DAY}, True),
        ({"valid_from": NOON + 9 * DAY}, False),
        ({"valid_to": NOON - DAY}, False),
    ],
)
def test_what_is_over_or_yet_to_come_takes_the_place_of_nothing(store, fields, goes):
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=NOON - 30 * DAY, **fields))
    with store.transaction():
        store.relations.link(other, "contradicts", alone, NOON)
    archive(store)
    assert (other if goes else None) == store.memories.get([alone])[0].superseded_by


@pytest.mark.parametrize("meanwhile", ["unlinked", "moved", "pinned", "forgotten", "erased"])
def test_what_changed_between_plan_and_doing_is_left(store, meanwhile):
    class Late(Archive):
        def execute(self, actions, span):
            with store.transaction():
                if meanwhile == "unlinked":
                    store.relations.unlink(other, "contradicts", alone)
                elif meanwhile == "moved":
                    store.memories.change(other, scope="project", project=project)
                elif meanwhile == "pinned":
                    store.memories.change(alone, pinned=True)
                elif meanwhile == "forgotten":
                    store.memories.change(other, forgotten_at=NOON)
                else:
                    store.memories.erase(other, "hash", NOON)
            return super().execute(actions, span)

    with store.transaction():
        project = store.projects.add(make_project("git:example.org/shop")).key
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=NOON))
    with store.transaction():
        store.relations.link(other, "contradicts", alone, NOON)
    report = tend(store, Late(store, Thresholds())).run()
    assert {} == report.run.counts["archive"]
    assert store.memories.get([alone])[0].is_current


@pytest.mark.parametrize("outside", ["tool", "import"])
def test_nothing_from_outside_takes_the_place_of_what_was_said_here(store, outside):
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=NOON, provenance=outside))
    with store.transaction():
        store.relations.link(other, "contradicts", alone, NOON)
    assert [] == archive(store)
    assert store.memories.get([alone])[0].is_current


@pytest.mark.parametrize(
    "fields",
    [
        {"pinned": True},
        {"access_count": 1, "last_reinforced_at": NOON - 50 * DAY},
        {"importance": 1.0},
        {"type": "entity"},
        {"at": NOON - 30 * DAY, "importance": 0.0},
    ],
)
def test_what_is_pinned_of_use_important_a_description_or_young_stays(store, fields):
    values = {"at": OLD, "importance": 0.2, "type": "episodic", **fields}
    (kept,) = aged(store, make_memory(1, **values))
    aged(store, make_memory(2, at=NOON))
    assert kept not in archive(store)


def test_an_overview_of_a_topic_stays(store):
    from aforesaid.domain.model.topic import Topic

    (kept,) = aged(store, make_memory(1, at=OLD, importance=0.2, type="episodic"))
    aged(store, make_memory(2, at=NOON))
    with store.transaction():
        store.topics.add(
            Topic(
                project=0, name="auth", normalised="auth", overview=kept, created_at=1, updated_at=1
            )
        )
    assert [] == archive(store)


def test_a_step_on_which_something_new_stands_is_left_and_said(tmp_path):
    from aforesaid.domain.model.topic import Topic

    store = open_sqlite(tmp_path / "m.db")
    (first,) = put(store, 1)
    node = Topic(project=0, name="auth", normalised="auth", created_at=1, updated_at=1)

    class Files(Marks):
        def execute(self, actions, span):
            self.store.memories.change(first, topic=self.store.topics.add(node).key)
            return list(actions)

    tending = tend(store, Files(store))
    report = tending.run()
    (made,) = store.topics.of_projects([0])
    put(store, 1, topic=made.key)  # the topic cannot go any more

    undone = tending.undo(report.run.key)
    assert (0, (first,)) == (undone.steps, undone.left)
    assert made.key == store.memories.get([first])[0].topic
    store.close()


class Whole(Marks):
    """The same, all in one batch."""

    def plan(self, span, after):
        keys = [memory.key for memory in self.store.maintenance.page(0, 100, until=span.until)]
        yield Batch(
            cursor="end", actions=tuple(PhaseAction(what="marked", keys=(key,)) for key in keys)
        )


def test_where_transactions_take_long_a_batch_goes_in_shares_that_let_others_write(store):
    put(store, 60)
    rests = []
    slow = MaintenanceRunner(store, TickingClock(), [Whole(store)], rests.append)
    report = slow.run()

    assert {"marked": 60} == report.run.counts["archive"]
    counts = [sum(step.counts.values()) for step in store.runs.steps(report.run.key)]
    assert (20, 60, len(counts)) == (counts[0], sum(counts), len(rests))
    assert max(counts[1:]) <= 5  # each takes a second by this clock
    assert 60 == len(marked(store))
    assert len(counts) == slow.undo(report.run.key).steps


class Hands:
    """A clock that moves only where it is put."""

    at = NOON

    def now(self) -> int:
        return self.at


def slow_store(store, clock, waits: int, commits: int):
    """Return a store on a slow disk: ms before the lock is had, and until a step is written."""

    @contextmanager
    def journaled(run, phase, at):
        clock.at += waits
        with store.runs.journaled(run, phase, at) as step:
            yield step
        clock.at += commits

    return Overlay(store, runs=Overlay(store.runs, journaled=journaled))


class Slow(Marks):
    """All memories in one batch, so many ms each."""

    def __init__(self, store, clock, takes: int) -> None:
        super().__init__(store)
        self.clock, self.takes = clock, takes

    def plan(self, span, after):
        actions = tuple(PhaseAction(what="marked", keys=(key,)) for key in range(1, span.until + 1))
        yield Batch(cursor="all", actions=actions)

    def execute(self, actions, span):
        self.clock.at += self.takes * len(actions)
        return super().execute(actions, span)


@pytest.mark.parametrize(
    ("takes", "waits", "commits", "most"),
    [(1, 0, 0, 100), (20, 0, 0, 5), (1, 900, 0, 100), (1, 0, 90, 100), (1, 0, 800, 1)],
)
def test_a_step_takes_what_holds_others_up_for_a_moment(store, takes, waits, commits, most):
    clock = Hands()
    store = slow_store(store, clock, waits, commits)
    put(store, 400)
    rests: list[float] = []
    tending = MaintenanceRunner(store, clock, [Slow(store, clock, takes)], rests.append)
    steps = store.runs.steps(tending.run().run.key)
    assert most == max(len(step.memories) for step in steps[3:-1])
    assert (takes * most + commits) / 1000 == max(rests[3:])
    assert 400 == sum(len(step.memories) for step in steps)
    rests.clear()
    tending.undo(1)
    assert len(steps) == len(rests)


def test_what_is_said_in_passing_takes_no_place_of_what_matters_more(store):
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=NOON, importance=0.1))
    with store.transaction():
        store.relations.link(other, "contradicts", alone, NOON)
    assert [] == archive(store)
    assert store.memories.get([alone])[0].is_current


def test_superseding_what_a_later_one_contradicts_is_undone_to_the_byte(tmp_path):
    store = open_sqlite(tmp_path / "m.db")
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=NOON))
    with store.transaction():
        store.relations.link(other, "contradicts", alone, NOON)
    before = "".join(export_lines(store))
    tending = tend(store, Archive(store, Thresholds()))
    run = tending.run().run
    assert {"archive": {"superseded": 1}} == run.counts
    assert other == store.memories.get([alone])[0].superseded_by

    tending.undo(run.key)
    assert before == "".join(export_lines(store))
    store.close()


def test_what_says_nothing_takes_no_place_of_what_lasts(store):
    (alone,) = aged(store, make_memory(1, at=OLD, importance=0.2))
    (other,) = aged(store, make_memory(2, at=NOON, content="Works now."))
    with store.transaction():
        store.relations.link(other, "contradicts", alone, NOON)
    assert [] == archive(store)
    assert store.memories.get([alone])[0].is_current
