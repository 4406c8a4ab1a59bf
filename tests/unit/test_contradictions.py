"""The phase that flags contradictions: which pairs, what follows, how it is taken back."""

from __future__ import annotations

import pytest

from aforesaid.domain.conflict.verdict_prompt import read_verdict, verdict_message
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import SummaryLimits
from aforesaid.services.maintenance.contradictions import (
    FLAGGED,
    MAX_EACH,
    REPLACED,
    Contradictions,
)
from aforesaid.services.maintenance.llm_judge import LlmJudge
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.sessions.session_context import SessionContextBuilder
from factories import DAY, Services, make_context

PORTS = "The audit log listens on port 5432.", "The audit log listens on port 5439."


class World(Services):
    """One project, and the phase over it."""

    def __init__(self, store, **options) -> None:
        super().__init__(store, **options)
        self.context = make_context(self.project("git:example.org/acme/payments"))

    def say(self, *texts: str, context=None, **fields):
        """Store what is said on days that follow each other."""
        results = []
        for text in texts:
            self.clock.at += DAY
            stored = self.remember.store(Statement(content=text, **fields), context or self.context)
            results.append(stored.memory)
        return results

    def tend(self, judge=None) -> MaintenanceRunner:
        return MaintenanceRunner(self.store, self.clock, [Contradictions(self.store, judge)])

    def flags(self, run=None) -> dict[str, int]:
        report = (run or self.tend().run)(("contradictions",))
        return report.run.counts.get("contradictions", {})

    def pairs(self) -> list[set[int]]:
        return [
            set(contradiction)
            for contradiction in self.store.relations.contradictions(self.context.visible, 9)
        ]


@pytest.fixture(params=["meaning", "words only"])
def world(request, store) -> World:
    return World(store, words_only=request.param == "words only")


def test_two_that_contradict_each_other_are_flagged_and_both_stay_in_force(world) -> None:
    older, newer = world.say(*PORTS)

    assert {FLAGGED: 1} == world.flags()
    assert [{older.key, newer.key}] == world.pairs()
    assert all(memory.in_force for memory in world.store.memories.get([older.key, newer.key]))
    assert (
        "Needs attention"
        in SessionContextBuilder(world.store, world.clock).build_full(world.context).text
    )


@pytest.mark.parametrize("verdict", [None, True])
def test_what_moved_elsewhere_between_plan_and_doing_is_left(world, verdict) -> None:
    class Late(Contradictions):
        def execute(self, actions, span):
            world.curate.update(older.id, {"scope": "global"}, world.context)
            return super().execute(actions, span)

    older, _newer = world.say(*PORTS)
    phase = Late(world.store, lambda _older, _newer: verdict)
    assert {} == world.flags(MaintenanceRunner(world.store, world.clock, [phase]).run)
    assert world.store.memories.get([older.key])[0].is_current


def test_the_later_of_two_that_contradict_each_other_answers_first(world) -> None:
    _older, newer = world.say(*PORTS)
    world.flags()
    answer = world.recall.recall(RecallQuery(query="port of the audit log"), world.context.visible)

    assert newer.key == answer.results[0].memory.key
    assert "contradicts another memory in force" in answer.results[0].why


def test_what_a_replaced_version_ended_contradicts_the_version_in_force(world) -> None:
    oldest, between = world.say(PORTS[0], "The audit log listens on port 5439 instead of 5432.")
    (newest,) = world.say(
        "The audit log listens on port 5446 instead of 5439.", supersedes=(between.id,)
    )

    assert {FLAGGED: 1} == world.flags()
    assert [{oldest.key, newest.key}] == world.pairs()


def test_the_earlier_of_two_that_contradict_each_other_has_no_line_in_the_context(world) -> None:
    _older, newer = world.say(*PORTS)
    world.flags()
    shown = SessionContextBuilder(world.store, world.clock).build_full(world.context)

    assert (newer.key,) == shown.keys


def test_undoing_the_run_takes_the_flag_back(world) -> None:
    world.say(*PORTS)
    report = world.tend().run(("contradictions",))
    world.tend().undo(report.run.key)

    assert [] == world.pairs()


def test_a_flag_that_somebody_took_back_is_not_raised_again(world) -> None:
    older, newer = world.say(*PORTS)
    world.flags()
    world.relate.link(newer.id, "contradicts", older.id, world.context.visible, remove=True)

    report = world.tend().run(("contradictions",), since=0)
    assert {} == report.run.counts.get("contradictions", {})
    assert [] == world.pairs()


def test_what_is_linked_so_already_is_left_as_it_is(world) -> None:
    older, newer = world.say(*PORTS)
    world.relate.link(older.id, "contradicts", newer.id, world.context.visible)

    assert {} == world.flags()


def test_each_pair_is_looked_at_once(world) -> None:
    world.say(*PORTS)

    assert [{FLAGGED: 1}, {}] == [world.flags(), world.flags()]


def test_one_memory_brings_few_flags(world) -> None:
    world.say(*(f"The audit log listens on port {port}." for port in (5432, 5433, 5434)))
    world.flags()
    world.say("The audit log listens on port 5440.")

    assert {FLAGGED: MAX_EACH} == world.flags()


@pytest.mark.parametrize("fields", [{"type": "episodic"}, {"valid_to": 1}])
def test_what_merely_happened_or_is_over_contradicts_nothing(world, fields) -> None:
    world.say(PORTS[0], **fields)
    world.say(PORTS[1])

    assert {} == world.flags()


def test_two_projects_do_not_contradict_each_other_nor_does_what_is_replaced(world) -> None:
    (first,) = world.say(PORTS[0])
    world.say(PORTS[1], supersedes=(first.id,))
    elsewhere = make_context(world.project("git:example.org/acme/other"))
    world.say("The audit log listens on port 5500.", context=elsewhere)

    assert {} == world.flags()


# -- with a summariser


class Answering:
    """A summariser that says what a test gives it, and keeps what it was asked."""

    name = "made up"

    def __init__(self, *answers) -> None:
        self.answers, self.asked = list(answers), []

    def check(self) -> None:
        return

    def summarise(self, text, instruction, limits):
        self.asked.append(text)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def judged(world, model, daily_calls=50) -> LlmJudge:
    return LlmJudge(
        world.store,
        world.clock,
        model,
        lambda text: text.replace("s3cret", "[redacted]"),
        SummaryLimits(seconds=1),
        daily_calls,
    )


BOTH_HOLD = '{"both_can_hold": true, "later_replaces": false}'
LATER = 'Certainly: {"both_can_hold": false, "later_replaces": true}'
UNCLEAR = '{"both_can_hold": false, "later_replaces": false}'


def test_a_summariser_that_finds_them_incompatible_lets_the_later_supersede(world) -> None:
    older, newer = world.say(*PORTS)
    model = Answering(LATER)
    report = world.tend(judged(world, model)).run(("contradictions",))

    assert {REPLACED: 1} == report.run.counts["contradictions"]
    assert newer.key == world.store.memories.get([older.key])[0].superseded_by
    assert all(text in model.asked[0] for text in PORTS)
    world.tend().undo(report.run.key)
    assert world.store.memories.get([older.key])[0].in_force


@pytest.mark.parametrize(
    ("answer", "flags"),
    [
        (BOTH_HOLD, {}),
        (UNCLEAR, {FLAGGED: 1}),
        ("no idea", {FLAGGED: 1}),
        (UnavailableError("away"), {FLAGGED: 1}),
        (InvalidInputError("too long"), {FLAGGED: 1}),
    ],
)
def test_without_a_verdict_they_are_flagged_and_one_may_acquit_them(world, answer, flags) -> None:
    world.say(*PORTS)

    assert flags == world.flags(world.tend(judged(world, Answering(answer))).run)


def test_a_summariser_that_is_away_or_used_up_is_not_asked_again(world) -> None:
    world.say(*PORTS, "The queue is RabbitMQ.", "The queue is NATS.")
    model = Answering(UnavailableError("away"), LATER)
    world.flags(world.tend(judged(world, model)).run)

    assert 1 == len(model.asked)
    assert 2 == len(world.pairs())


def test_a_summariser_whose_calls_are_used_up_for_the_day_is_not_asked(world) -> None:
    world.say(*PORTS)
    model = Answering(LATER)

    assert {FLAGGED: 1} == world.flags(world.tend(judged(world, model, 0)).run)
    assert [] == model.asked


def test_nobody_outside_is_asked_by_a_rehearsal_or_about_what_is_pinned_or_untrusted(world) -> None:
    world.say(*PORTS)
    world.say("The queue is RabbitMQ.", pinned=True)
    world.say("The queue is NATS.")
    world.say(
        "The shop keeps 5 days of logs.", "The shop keeps 9 days of logs.", provenance="import"
    )
    model = Answering(LATER)
    world.tend(judged(world, model)).dry_run(("contradictions",))
    assert [] == model.asked
    results = world.flags(world.tend(judged(world, model)).run)

    assert {REPLACED: 1, FLAGGED: 2} == results
    assert 1 == len(model.asked)


def test_what_leaves_the_machine_is_cleaned_and_fenced(world) -> None:
    world.say("The key of the log is s3cret 1.", "The key of the log is s3cret 2.")
    model = Answering(BOTH_HOLD)
    world.tend(judged(world, model)).run(("contradictions",))

    assert "s3cret" not in model.asked[0]
    assert "[redacted]" in model.asked[0]
    assert "<earlier-ab12>" in verdict_message(("2025-01-01", "a"), ("2025-01-02", "b"), "ab12")


@pytest.mark.parametrize("answer", ["", "{}", '{"both_can_hold": 1, "later_replaces": true}', "[]"])
def test_an_answer_that_is_no_verdict_is_refused(answer) -> None:
    with pytest.raises(InvalidInputError):
        read_verdict(answer)
