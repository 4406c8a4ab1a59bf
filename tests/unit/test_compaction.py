"""Old events are summed up; what was summed up is found, forgotten and brought back with it."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.maintenance.compaction import (
    compaction_sources,
    group_weeks,
    week_name,
    week_start,
)
from aforesaid.domain.maintenance.summary import lowest_trust, write_summary
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.services.maintenance.compaction import Compaction
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.maintenance.summarize import Summarizer
from aforesaid.services.memories.sanitizer import Sanitizer
from aforesaid.services.recall.filters import rank_summaries_before_sources
from aforesaid.services.recall.query import RecallHit, RecallQuery
from factories import DAY, NOON, Services, TickingClock, make_context, make_memory, open_sqlite

LIMITS = Thresholds()
MONDAY = week_start(NOON)
TEXTS = (
    "fixed the login",
    "moved the queue",
    "raised the timeout",
    "named the port",
    "cut the tag",
)


class World(Services):
    """Services over a store with one project, sixty days after its events."""

    def __init__(self, store, summariser=None) -> None:
        super().__init__(store)
        self.here = make_context(self.project("git:shop"))
        self.summariser = summariser

    def say(self, *texts: str, at: int = MONDAY, **fields) -> list:
        stored = [
            self.remember.store(
                Statement(content=text, type="episodic", created_at=at + number * 1000, **fields),
                self.here,
            )
            for number, text in enumerate(texts)
        ]
        return [memory.memory for memory in stored]

    def later(self, days: int = 60) -> None:
        self.clock.at = NOON + days * DAY

    def tend(self):
        summing = Summarizer(self.store, self.clock, self.summariser, daily_calls=2)
        ids = self.remember._ids
        phase = Compaction(self.store, ids, lambda: self.embedder, summing, LIMITS)
        return MaintenanceRunner(self.store, self.clock, [phase]).run()

    def now(self, memories) -> list:
        return self.store.memories.get([memory.key for memory in memories])

    def listed(self) -> list[str]:
        memories = self.store.memories.select(self.here.visible, Filters(), 50)
        return sorted(memory.content.split("\n")[0] for memory in memories)


@pytest.fixture
def world(store):
    return World(store)


def test_a_week_of_old_events_is_summed_up_and_each_cites_the_summary(world):
    events = world.say(*TEXTS)
    world.later()
    report = world.tend()
    assert {"summed up": 1} == report.run.counts["compaction"]
    (into,) = {memory.compacted_into for memory in world.now(events)}
    (summary,) = world.store.memories.get([into])
    assert all(text in summary.content for text in TEXTS)
    assert ("episodic", "derived", True) == (
        summary.type, summary.provenance, summary.metadata["summary"],
    )  # fmt: skip
    assert [f"Week {week_name(MONDAY)}, 5 events"] == world.listed()


def test_what_is_young_few_pinned_or_a_summary_is_not_summed_up(world):
    world.say(*TEXTS)
    world.later(20)
    world.tend()
    assert 5 == len(world.listed())
    world.later()
    pinned = world.say("kept as it is", pinned=True)
    world.say(*(f"{text} again" for text in TEXTS[:4]), at=MONDAY - 7 * DAY)
    world.tend()
    assert 6 == len(world.listed())
    assert world.now(pinned)[0].compacted_into is None
    world.later(900)
    world.tend()
    assert 6 == len(world.listed())


def test_a_precise_question_still_finds_the_event(world):
    world.say(*TEXTS)
    world.later()
    world.tend()
    results = world.recall.recall(RecallQuery(query="fixed the login"), world.here.visible).results
    assert "fixed the login" in [result.memory.content for result in results]


def test_what_was_summed_up_stands_behind_its_summary_unless_it_fits_clearly_better():
    def result(key, relevance, into=None) -> RecallHit:
        memory = make_memory(key).replace(key=key, compacted_into=into)
        return RecallHit(memory=memory, relevance=relevance)

    def order(*results) -> list[int]:
        return [hit.memory.key for hit in rank_summaries_before_sources(results)]

    assert [4, 9, 1, 2] == order(
        result(1, 0.55, 9), result(4, 0.6), result(9, 0.5), result(2, 0.3, 9)
    )
    assert [1, 9] == order(result(1, 0.7, 9), result(9, 0.5))
    assert [1, 2] == order(result(1, 0.7, 9), result(2, 0.5))


def test_a_summary_has_the_lowest_trust_of_its_sources():
    by = [make_memory(n, provenance=name) for n, name in enumerate(("user", "import", "assistant"))]
    assert "derived" == lowest_trust([by[0], by[2]])
    assert "import" == lowest_trust(by)
    assert "tool" == lowest_trust([*by, make_memory(9, provenance="tool")])


def test_a_summary_of_which_no_api_makes_vectors_is_kept_by_its_words(tmp_path):
    class Down(HashedEmbedder):
        def embed_document(self, text):
            raise UnavailableError("the API does not answer")

    world = World(open_sqlite(tmp_path / "m.db"))
    events = world.say(*TEXTS)
    world.later()
    world.embedder = Down()
    assert world.tend().run.is_finished
    (into,) = {memory.compacted_into for memory in world.now(events)}
    assert [into] == world.store.search.without_vectors(world.embedder.model, 9)
    world.embedder = HashedEmbedder()
    assert 1 == world.remember.embed_missing(9)
    assert [] == world.store.search.without_vectors(world.embedder.model, 9)
    world.store.close()


@pytest.mark.parametrize("meanwhile", [{"scope": "global"}, {"summary": "clean now"}])
def test_a_week_that_changes_while_it_is_summed_up_is_left(world, meanwhile):
    class Slow(Model):
        def summarise(self, text, instruction, limits):
            world.curate.update(events[0].id, meanwhile, world.here)
            return "fixed the login, which was [secret]"

    events = world.say(*TEXTS)
    world.later()
    world.summariser = Slow("")
    assert {} == world.tend().run.counts["compaction"]
    assert {None} == {memory.compacted_into for memory in world.now(events)}


def test_a_run_undone_leaves_the_same_bytes(tmp_path):
    from aforesaid.services.transfer.export import export_lines

    store = open_sqlite(tmp_path / "m.db")
    world = World(store)
    world.say(*TEXTS)
    world.say("a note of its own", at=MONDAY - 90 * DAY)
    world.later()
    before = "".join(export_lines(store))
    key = world.tend().run.key
    assert before != "".join(export_lines(store))
    done = MaintenanceRunner(store, world.clock, []).undo(key)
    assert (1, ()) == (done.steps, done.left)
    assert before == "".join(export_lines(store))
    store.close()


def test_forgetting_a_source_hides_the_summary_and_undoing_brings_it_back(world):
    events = world.say(*TEXTS)
    world.later()
    world.tend()
    (into,) = {memory.compacted_into for memory in world.now(events)}
    world.forgetter.forget(events[0].id, world.here)
    assert world.store.memories.get([into])[0].forgotten_at is not None
    assert sorted(TEXTS[1:]) == world.listed()
    world.curate.update(events[0].id, {"restore": True}, world.here)
    assert {into} == {memory.compacted_into for memory in world.now(events)}
    assert [f"Week {week_name(MONDAY)}, 5 events"] == world.listed()


def test_a_summary_that_was_forgotten_is_not_written_again(world):
    events = world.say(*TEXTS)
    world.later()
    world.tend()
    (into,) = {memory.compacted_into for memory in world.now(events)}
    world.forgetter.forget(world.store.memories.get([into])[0].id, world.here)
    assert sorted(TEXTS) == world.listed()
    world.tend()
    assert sorted(TEXTS) == world.listed()


def test_erasing_a_source_erases_what_was_made_of_it_and_the_journal_of_both(tmp_path):
    store = open_sqlite(tmp_path / "m.db")
    world = World(store)
    events = world.say("the pangolin moved", *TEXTS[1:])
    world.later()
    key = world.tend().run.key
    world.forgetter.forget(events[0].id, world.here, erase=True)
    assert sorted(TEXTS[1:]) == world.listed()
    assert MaintenanceRunner(store, world.clock, []).undo(key).run.undone_at is not None
    assert sorted(TEXTS[1:]) == world.listed()
    store.close()
    for path in tmp_path.iterdir():
        assert b"pangolin" not in path.read_bytes(), path


def test_what_is_taken_out_of_every_text_leaves_the_journal_as_well(tmp_path):
    store = open_sqlite(tmp_path / "m.db")
    world = World(store)
    world.say("the pangolin moved", *TEXTS[1:])
    world.later()
    world.tend()
    with store.transaction():
        for text in list(store.texts.read()):
            if "pangolin" in text.text:
                store.texts.rewrite(text, text.text.replace("pangolin", "[redacted: animal]"))
    store.clean_file()
    store.close()
    for path in tmp_path.iterdir():
        assert b"pangolin" not in path.read_bytes(), path


def test_what_stands_for_several_takes_them_out_of_lists_and_stays_no_version_of_them(world):
    events = world.say(*TEXTS)
    stored = world.remember.store(
        Statement(
            content="The login, the queue and the port were settled.",
            type="episodic",
            metadata={"summary": True},
            supersedes=tuple(event.id for event in events),
        ),
        world.here,
    )
    assert {stored.memory.key} == {memory.compacted_into for memory in world.now(events)}
    assert {None} == {memory.superseded_by for memory in world.now(events)}
    assert ["The login, the queue and the port were settled."] == world.listed()
    world.later()
    assert {} == world.tend().run.counts.get("compaction", {})


def test_a_summary_stands_for_memories_of_its_own_project_alone(world):
    mine, other = world.say(*TEXTS[:2])
    world.curate.update(other.id, {"scope": "global"}, world.here)
    with pytest.raises(InvalidInputError, match="of its own project"):
        world.remember.store(
            Statement(
                content="Both were settled.",
                type="episodic",
                metadata={"summary": True},
                supersedes=(mine.id, other.id),
            ),
            world.here,
        )
    assert {None} == {memory.compacted_into for memory in world.now([mine, other])}


def test_what_becomes_global_stands_for_itself_again(world):
    events = world.say(*TEXTS)
    world.later()
    world.tend()
    world.curate.update(events[0].id, {"scope": "global"}, world.here)
    assert world.now(events[:1])[0].compacted_into is None


def test_a_better_summary_replaces_the_one_by_rules(world):
    events = world.say(*TEXTS)
    world.later()
    world.tend()
    (into,) = {memory.compacted_into for memory in world.now(events)}
    stored = world.remember.store(
        Statement(
            content="The login, the queue and the port were settled.",
            type="episodic",
            metadata={"summary": True},
            supersedes=tuple(event.id for event in events),
        ),
        world.here,
    )
    assert {stored.memory.key} == {memory.compacted_into for memory in world.now(events)}
    assert stored.memory.key == world.store.memories.get([into])[0].superseded_by


def test_a_summary_is_inspected_with_what_it_stands_for(world):
    events = world.say(*TEXTS)
    world.later()
    world.tend()
    (into,) = {memory.compacted_into for memory in world.now(events)}
    inspection = world.inspect.inspect(world.store.memories.get([into])[0].id, world.here)
    assert [event.key for event in events] == [memory.key for memory in inspection.sums_up]
    (line,) = [
        item
        for item in world.inspect.inspect(events[0].id, world.here, log=True).log
        if item.operation == "compact"
    ]
    assert world.store.memories.short_ids([into])[into] == line.details["into"]


# -- the writer


class Model:
    name = "model (tiny)"

    def __init__(self, answer) -> None:
        self.answer, self.asked = answer, []

    def check(self) -> None:
        """Be ready."""

    def summarise(self, text, instruction, limits):
        self.asked.append(text)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def summing(store, answer, calls: int = 5) -> tuple[Summarizer, Model]:
    model = Model(answer)
    return Summarizer(store, TickingClock(), model, daily_calls=calls), model


def test_a_summariser_writes_the_summary_under_our_title(store):
    writer, model = summing(store, "The login works again.")
    written = writer.write("Week 1", [make_memory(1, content="fixed the login")])
    assert ("Week 1\nThe login works again.", "by model (tiny)") == (written.text, written.by)
    assert "fixed the login" in model.asked[0]


def test_no_half_of_a_secret_is_sent_though_what_is_sent_is_cut(store):
    token = "ghp_" + "Ab9dE2fG" * 4 + "Zz12"
    model = Model("yes")
    clean = Sanitizer(SecretRedactor(), "private").clean
    writer = Summarizer(store, TickingClock(), model, clean, daily_calls=1)
    texts = ("a" * 15_992, f"{'b ' * 3_990}{token} opens it")
    writer.write("Week 1", [make_memory(n, content=item) for n, item in enumerate(texts)])
    (sent,) = model.asked
    assert " [redacted: " in sent
    assert token[:8] not in sent


def test_a_summariser_that_fails_is_not_asked_again_and_rules_write(store):
    writer, model = summing(store, UnavailableError("no key"))
    texts = [writer.write("Week 1", [make_memory(1, content="fixed it")]) for _ in range(2)]
    assert 1 == len(model.asked)
    assert {"by rules: no key"} == {text.by for text in texts}
    assert "fixed it" in texts[0].text


def test_no_more_questions_are_asked_than_a_day_has(store):
    writer, model = summing(store, "yes", calls=1)
    message = [writer.write("Week", [make_memory(1)]).by for _ in range(2)]
    assert (["by model (tiny)", "by rules: the daily limit of calls is reached"], 1) == (
        message, len(model.asked),
    )  # fmt: skip


# -- pure


def test_an_extractive_summary_is_bounded_and_says_each_thing_once():
    many = [
        make_memory(n, content=f"event {n} " + "word " * 60, importance=n / 100) for n in range(50)
    ]
    text, short = write_summary("Week 1, 50 events", many)
    assert len(text) <= 1700
    assert len(short) <= 240
    assert "(+" in text
    assert "event 49" in text
    twice = [make_memory(n, content="the same") for n in range(3)]
    assert 1 == write_summary("Week", twice)[0].count("the same")


def test_the_line_of_a_week_has_whole_events_and_none_of_sessions_without_work():
    events = [
        make_memory(1, content="Export orders as CSV; committed", metadata={"work": 4}),
        make_memory(2, content="What does the flag do?", metadata={"work": 0}),
        make_memory(3, content="word " * 39 + "end"),
        make_memory(4, content="Cache product pages; committed", metadata={"work": 4}),
    ]
    _text, short = write_summary("Week 2026-W41, 4 events", events)
    assert short == f"Week 2026-W41, 4 events: {events[3].content}; {events[0].content}"


@pytest.mark.parametrize("before", ["the key of the shop: ", "\u94a5\u5319", ""], ids=len)
def test_no_half_of_a_long_word_stands_in_a_summary(before):
    token = "sk-" + "Ab9dE2fG" * 30
    text, short = write_summary("Week 1", [make_memory(content=before + token)])
    assert token[:9] not in text + short
    assert before.strip(" :") in text


def test_what_is_written_without_blanks_is_cut_too():
    text, _short = write_summary("Week 1", [make_memory(content="\u94a5\u5319" * 200)])
    assert "\u94a5\u5319" * 60 in text


def test_weeks_are_groups_of_one_project_and_large_ones_are_shared_out():
    many = [
        make_memory(n, type="episodic", at=MONDAY + n, project=1, scope="project").replace(key=n)
        for n in range(1, 241)
    ]
    other = [make_memory(n, type="episodic", at=MONDAY).replace(key=n) for n in range(500, 504)]
    weeks = group_weeks(compaction_sources([*many, *other]), LIMITS)
    assert [80, 80, 80] == [len(week.keys) for week in weeks]
    assert [0, 1, 2] == [week.part for week in weeks]
    assert list(range(1, 241)) == [key for week in weeks for key in week.keys]


def test_what_says_too_little_or_never_mattered_is_only_counted(world):
    low = world.say("saw the shop window", importance=0.2)
    world.say("Works now.", *TEXTS, at=MONDAY + DAY)
    world.later()
    world.tend()
    (into,) = {memory.compacted_into for memory in world.now(low)}
    (summary,) = world.store.memories.get([into])
    assert all(text in summary.content for text in TEXTS)
    assert "(+2 more)" == summary.content.split("\n")[-1]


def test_a_week_of_nothing_but_that_keeps_a_line_of_it(world):
    world.say(*TEXTS, importance=0.2)
    world.later()
    world.tend()
    assert [f"Week {week_name(MONDAY)}, 5 events"] == world.listed()
    assert "(+4 more)" in world.store.memories.select(world.here.visible, Filters(), 5)[0].content
