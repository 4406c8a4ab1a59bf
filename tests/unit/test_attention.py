"""What needs attention, in the session context."""

from __future__ import annotations

import pytest

from aforesaid.domain.context.session_context import SHARES, Line, choose_lines, contradiction_line
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.task import Assignment
from aforesaid.services.sessions.session_context import SessionContextBuilder
from factories import NOON, Services, make_context


class World(Services):
    """Two memories that contradict each other, in one project."""

    def __init__(self, store) -> None:
        super().__init__(store, words_only=True)
        self.call_context = make_context(self.project("git:example.org/acme/payments"))
        self.context = SessionContextBuilder(self.store, self.clock)
        self.one = self.add("Deploys run on Fridays.")
        self.other = self.add("Nobody deploys before a weekend.")
        self.link()

    def add(self, content: str, **fields):
        stored = self.remember.store(Statement(content=content, **fields), self.call_context)
        assert stored is not None
        return stored.memory

    def link(self, **options) -> None:
        self.relate.link(
            self.one.id, "contradicts", self.other.id, self.call_context.visible, **options
        )

    def lines(self, text: str | None = None) -> list[str]:
        """Return the lines below "Needs attention"."""
        text = self.context.build_full(self.call_context).text if text is None else text
        _before, _title, after = text.partition("Needs attention\n")
        return [line for line in after.splitlines() if line.startswith("- ")]

    def short(self, *memories) -> list[str]:
        results = self.store.memories.short_ids([memory.key for memory in memories])
        return [results[memory.key] for memory in memories]


@pytest.fixture
def world(store) -> World:
    return World(store)


def test_two_memories_that_contradict_each_other_are_named_in_one_line(world) -> None:
    newer, older = world.short(world.other, world.one)
    assert [contradiction_line(newer, older, world.one).text] == world.lines()


def test_the_older_of_two_contradicting_memories_is_quoted_as_it_has_no_other_line(world):
    (line,) = world.lines()

    assert f'"{world.one.content}"' in line
    assert 1 == world.context.build_full(world.call_context).text.count(world.one.content)


@pytest.mark.parametrize("end", ["superseded", "corrected", "forgotten", "erased", "unlinked"])
def test_the_line_disappears_once_the_contradiction_is_settled(world, end) -> None:
    if end == "superseded":
        world.relate.link(world.one.id, "supersedes", world.other.id, world.call_context.visible)
    elif end == "corrected":
        world.curate.update(
            world.one.id, {"content": "Deploys run on Mondays."}, world.call_context
        )
    elif end == "unlinked":
        world.link(remove=True)
    else:
        world.forgetter.forget(world.other.id, world.call_context, erase=end == "erased")

    assert [] == world.lines()
    assert "Needs attention" not in world.context.build_full(world.call_context).text


def test_another_project_is_not_told(world) -> None:
    elsewhere = make_context(world.project("git:example.org/acme/shop"))

    assert [] == world.lines(world.context.build_full(elsewhere).text)


def test_a_resumed_session_is_told_only_what_is_new(world) -> None:
    at = world.clock.now()
    assert "" == world.context.build_update(world.call_context, at).text
    third = world.add("Deploys need two reviewers.")
    world.relate.link(third.id, "contradicts", world.one.id, world.call_context.visible)

    assert [contradiction_line(*world.short(third, world.one), world.one).text] == world.lines(
        world.context.build_update(world.call_context, at).text
    )


def test_a_resumed_session_is_told_what_others_replaced_forgot_or_completed(world) -> None:
    world.link(remove=True)
    task = world.add("Ship the queue.", assignment=Assignment(task_id="queue"))
    known = [memory.key for memory in (world.one, world.other, task)]
    shown = world.short(world.one, world.other)
    at = world.clock.now()
    new = world.curate.update(
        world.one.id, {"content": "Deploys run on Mondays."}, world.call_context
    )
    world.forgetter.forget(world.other.id, world.call_context)
    world.curate.update(task.id, {"status": "completed"}, world.call_context)

    elsewhere = world.call_context.replace(session="s2")
    (new_id,) = world.short(new.memory)
    assert [
        f"- [{shown[0]}], shown before, was replaced by [{new_id}]: no longer rely on it.",
        f"- [{shown[1]}], shown before, was forgotten: no longer rely on it.",
        "- Task queue is completed.",
    ] == world.lines(world.context.build_update(elsewhere, at, known=known).text)


def test_attention_keeps_its_share_when_other_sections_overflow() -> None:
    crowd = [Line(text="- " + "x" * 90 + str(number), key=number) for number in range(1, 200)]
    lines = [contradiction_line("aaaa", f"bbb{number}") for number in range(4)]
    sections = dict.fromkeys((name for name, _share in SHARES), crowd)
    chosen = choose_lines({**sections, "attention": lines}, 8_000)

    assert lines == chosen["attention"]


def test_what_maintenance_does_by_itself_needs_no_attention(world) -> None:
    world.link(remove=True)
    for number in range(5):
        at = NOON - (50 * 24 * 60 + number) * 60_000
        world.add(f"event {number}", type="episodic", created_at=at)
    assert [] == world.lines()


def test_summaries_of_old_weeks_have_one_line_each_after_the_last_sessions(world) -> None:
    summary = world.add(
        "Week 2023-W39\n- 26 Sep: cached pages",
        type="episodic",
        provenance="derived",
        metadata={"summary": True},
    )
    for number in range(4):
        world.add(f"Something recent {number}", type="episodic", provenance="derived")
    text = world.context.build_full(world.call_context).text
    (short,) = world.short(summary)
    section = text.partition("Last sessions\n")[2].partition("\nNeeds")[0]
    assert section.splitlines()[-1] == f"- Week 2023-W39 - 26 Sep: cached pages [{short}]"


def test_recalling_an_old_session_does_not_move_it_up(world) -> None:
    old, *recent = (
        world.add(
            f"Session {number}",
            type="episodic",
            provenance="derived",
            created_at=NOON - (21 - number) * 24 * 3_600_000,
            metadata={"work": 4},
        )
        for number in range(21)
    )
    world.store.usage.reinforce([old.key], NOON, 0.05)
    text = world.context.build_full(world.call_context).text
    found = [f"[{short}]" in text for short in world.short(old, recent[-1])]
    assert [False, True] == found


def test_summaries_of_old_weeks_are_not_among_the_events(world) -> None:
    summary = world.add(
        "What was long ago", type="episodic", provenance="derived", metadata={"summary": True}
    )
    recent = world.add("Something recent", type="episodic")
    text = world.context.build_full(world.call_context).text
    short = world.short(summary, recent)
    assert [False, True] == [f"[{item}]" in text.partition("Events")[2] for item in short]


def test_events_and_people_have_headings_and_events_the_date_on_which_they_happened(world) -> None:
    event = world.add("The cluster moved", type="episodic", event_at=1_783_000_000_000)
    person = world.add("Marlene approves deploys.", type="entity")
    fact = world.add("The queue is NATS.")
    lines = world.context.build_full(world.call_context).text.splitlines()
    short = dict(zip(("event", "person", "fact"), world.short(event, person, fact), strict=True))

    def heading_of(name: str) -> str:
        at = next(index for index, line in enumerate(lines) if f"[{short[name]}" in line)
        return next(line for line in lines[at::-1] if not line.startswith("- "))

    assert ("Events", "People and systems", "This project") == tuple(map(heading_of, short))
    assert any("2 Jul" in line and "The cluster moved" in line for line in lines)
