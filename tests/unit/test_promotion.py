"""What recurs becomes known, or is offered; an offer shows a project nothing of another."""

from __future__ import annotations

import pytest

from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER, OnnxEmbedder
from aforesaid.adapters.system.cited_files import CitedFiles
from aforesaid.domain.context.session_context import Line
from aforesaid.domain.errors import ConflictError, NotFoundError
from aforesaid.domain.maintenance.promotion import recurring_commands
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.memory import Filters, Visibility, text_to_embed
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.suggestion import PROCEDURE, Suggestion, describe_suggestion
from aforesaid.services.guards import Guards
from aforesaid.services.maintenance.promotion import Promotion
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.maintenance.suggestions import SuggestionService
from aforesaid.services.sessions.session_context import SessionContextBuilder
from factories import Services, WriteLockCheckingEmbedder, make_context, make_memory, open_sqlite

EMBEDDER = OnnxEmbedder(SHIPPED_FOLDER)
RELEASE = ("make freeze", "git tag", "make ship")


class World(Services):
    """Services over a store with two projects."""

    def __init__(self, store) -> None:
        super().__init__(store)
        self.here = make_context(self.project("git:shop"))
        self.there = make_context(self.project("git:bakery"))
        self.answer = SuggestionService(
            store, self.clock, self.remember, self.curate, Guards(store, self.clock, CitedFiles())
        )

    def happened(self, text: str, number: int, call_context=None, **fields):
        """Store an event apart from others of its text, as several sessions would."""
        call_context = call_context or self.here
        with self.store.transaction():
            memory = self.store.memories.add(
                make_memory(
                    number,
                    content=text,
                    type="episodic",
                    scope="project",
                    project=call_context.project.key,
                    provenance=fields.pop("provenance", "assistant"),
                    **fields,
                )
            )
            windows = self.embedder.embed_document(text_to_embed(text, memory.metadata))
            self.store.search.set_vectors(memory.key, windows, self.embedder.model)
        return memory

    def tend(self):
        phase = Promotion(self.store, self.remember._ids, Thresholds())
        return MaintenanceRunner(self.store, self.clock, [phase]).run()

    def facts(self, call_context=None) -> list:
        visible = Visibility(projects=((call_context or self.here).project.key,))
        return self.store.memories.select(visible, Filters(types=("semantic",)), 9)

    def offers(self, call_context=None) -> list:
        return self.store.suggestions.list_open(((call_context or self.here).project.key,), 9)


@pytest.fixture
def world(store):
    return World(store)


def test_three_events_that_tell_the_same_become_a_fact_that_each_supports(world):
    events = [world.happened("The deploy needs the VPN", number) for number in range(1, 4)]
    assert {"promoted": 1} == world.tend().run.counts["promotion"]
    (fact,) = world.facts()
    assert ("The deploy needs the VPN", "derived") == (fact.content, fact.provenance)
    links = world.store.relations.of([fact.key], world.here.visible)
    assert {("supports", "in", event.key) for event in events} == {
        (link.kind, link.direction, link.other) for link in links
    }
    assert all(
        memory.in_force for memory in world.store.memories.get([event.key for event in events])
    )


def test_events_with_cues_of_their_own_become_a_fact_that_is_found_by_them(world):
    cues = [["unreachable cluster"], ["ssh times out"], ["rollout hangs"]]
    for number, item in enumerate(cues, start=1):
        world.happened(
            "The deploy of the shop needs the VPN of the office in Graz",
            number,
            metadata={"cues": item},
        )
    assert {"promoted": 1} == world.tend().run.counts["promotion"]
    (fact,) = world.facts()
    embedder = world.embedder
    assert list(fact.cues) in cues
    (now,) = embedder.embed_document(text_to_embed(fact.content, fact.metadata))
    assert now == world.store.maintenance.first_vectors([fact.key])[fact.key]


def test_one_more_such_event_supports_the_fact_that_is_there(world):
    for number in range(1, 4):
        world.happened("The deploy needs the VPN", number)
    world.tend()
    world.happened("The deploy needs the VPN", 9)
    world.tend()
    (fact,) = world.facts()
    assert 4 == len(world.store.relations.of([fact.key], world.here.visible))


def test_two_events_or_three_that_differ_in_a_number_are_not_promoted(world):
    for number in range(1, 3):
        world.happened("The deploy needs the VPN", number)
    for number in range(3, 6):
        world.happened(f"The deploy took {number} minutes", number)
    world.tend()
    assert [] == world.facts()


def test_a_fact_has_the_lowest_trust_of_its_events(world):
    for number in range(1, 4):
        by = "tool" if number == 2 else "user"
        world.happened("The deploy needs the VPN", number, provenance=by)
    world.tend()
    assert ["tool"] == [fact.provenance for fact in world.facts()]


def test_a_fact_that_was_forgotten_is_not_promoted_again(world):
    events = [world.happened("The deploy needs the VPN", number) for number in range(1, 4)]
    world.tend()
    world.forgetter.forget(world.facts()[0].id, world.here)
    world.happened("The deploy needs the VPN", 9)
    world.tend()
    assert [] == world.facts()
    world.forgetter.forget(events[0].id, world.here)
    assert [] == world.facts()


def test_forgetting_an_event_hides_what_was_promoted_of_it(world):
    events = [world.happened("The deploy needs the VPN", number) for number in range(1, 4)]
    world.tend()
    world.forgetter.forget(events[0].id, world.here)
    assert [] == world.facts()
    world.curate.update(events[0].id, {"restore": True}, world.here)
    assert 1 == len(world.facts())


# -- offers


def known_in_both(world):
    text = "Timeouts are given in milliseconds"
    return [
        world.remember.store(Statement(content=text, scope="project"), call_context).memory
        for call_context in (world.here, world.there)
    ]


RETOLD = (
    "The deploy failed because of the migration lock.",
    "Deployment broke again: migrations were holding a lock.",
    "Release aborted, the DB migration lock was still held.",
    "Deploy failed, migration lock timeout.",
)


def tell(store, texts) -> World:
    world = World(store)
    world.embedder = EMBEDDER
    for number, text in enumerate(texts, 1):
        world.happened(text, number)
    return world


def test_an_event_told_four_times_in_other_words_becomes_a_fact(store):
    world = tell(store, RETOLD)
    assert {"promoted": 1} == world.tend().run.counts["promotion"]
    (fact,) = world.facts()
    assert fact.content in RETOLD
    links = world.store.relations.of([fact.key], world.here.visible)
    assert 4 == len([link for link in links if link.kind == "supports"])
    world.happened("The deploy failed, a migration held its lock.", 9)
    assert {"supported": 1} == world.tend().run.counts["promotion"]
    assert [fact] == world.facts()


@pytest.mark.parametrize(
    "texts",
    [
        RETOLD[:3],
        tuple(f"The deploy failed because of {why}." for why in (
            "the migration lock", "a missing env variable", "the health check", "a full disk"
        )),
        tuple(f"The payments API answered {code} for an hour." for code in (500, 502, 503, 504)),
        tuple(f"{name} reviewed the migration plan with the lock." for name in (
            "Ada", "Bob", "Cleo", "Dan"
        )),
    ],
    ids=["three", "causes", "figures", "names"],
)  # fmt: skip
def test_events_that_differ_become_no_fact(store, texts):
    world = tell(store, texts)
    world.tend()
    assert [] == world.facts()


def test_a_fact_of_two_projects_is_offered_to_each_as_global_by_its_own_memory_alone(world):
    here, there = known_in_both(world)
    world.tend()
    ((mine,), (theirs,)) = (world.offers(), world.offers(world.there))
    assert (("global", (here.key,)), ("global", (there.key,))) == (
        (mine.kind, mine.memories), (theirs.kind, theirs.memories),
    )  # fmt: skip
    message = describe_suggestion(mine, world.store.memories.short_ids([here.key]))
    assert world.there.project.name not in message
    world.tend()
    assert 1 == len(world.offers())


def test_an_accepted_fact_is_global_and_keeps_where_it_came_from(world):
    here, _ = known_in_both(world)
    world.tend()
    world.answer.accept(world.offers()[0].key, world.here)
    (memory,) = world.store.memories.get([here.key])
    assert ("global", world.here.project.key) == (memory.scope, memory.origin_project)
    assert [] == world.offers()


def test_a_fact_accepted_in_one_project_is_settled_in_all_and_stored_once(world):
    here, there = known_in_both(world)
    world.remember.store(
        Statement(content="The bakery closes at 18:00.", scope="project"), world.there
    )
    world.tend()
    world.answer.accept(world.offers()[0].key, world.here)
    assert [] == world.offers(world.there)
    (other,) = world.store.memories.get([there.key])
    assert here.key == other.superseded_by
    assert ["The bakery closes at 18:00."] == [fact.content for fact in world.facts(world.there)]


def test_commands_that_three_sessions_ran_are_offered_as_a_procedure(world):
    for number in range(1, 4):
        ran = ["pytest", *RELEASE, f"make part-{'abc'[number - 1]}"]
        world.happened(f"session {number}", number, metadata={"commands": ran})
        world.tend()
    (offer,) = world.offers()
    assert ("procedure", RELEASE, 3) == (offer.kind, offer.commands[-3:], len(offer.memories))
    world.answer.accept(offer.key, world.here)
    procedures = world.store.memories.select(world.here.visible, Filters(types=("procedural",)), 9)
    assert [list(offer.commands)] == [procedure.metadata["steps"] for procedure in procedures]


def test_nothing_is_offered_of_a_session_that_was_erased_meanwhile(world):
    class Late(Promotion):
        def plan(self, span, after):
            for batch in super().plan(span, after):
                if any(action.what == "offered" for action in batch.actions):
                    world.forgetter.forget(sessions[0].id, world.here, erase=True)
                yield batch

    sessions = [
        world.happened(f"session {number}", number, metadata={"commands": list(RELEASE)})
        for number in range(1, 4)
    ]
    phase = Late(world.store, world.remember._ids, Thresholds())
    assert {} == MaintenanceRunner(world.store, world.clock, [phase]).run().run.counts["promotion"]
    assert world.store.suggestions.get(1) is None


def test_what_is_accepted_is_embedded_before_anybody_is_held_up(tmp_path):
    world = World(open_sqlite(tmp_path / "m.db"))
    for number in range(1, 4):
        world.happened(f"session {number}", number, metadata={"commands": list(RELEASE)})
    world.tend()
    (offer,) = world.offers()
    world.embedder = WriteLockCheckingEmbedder(tmp_path / "m.db")
    world.answer.accept(offer.key, world.here)
    (procedure,) = world.store.memories.select(
        world.here.visible, Filters(types=("procedural",)), 9
    )
    assert procedure.key not in world.store.search.without_vectors(world.embedder.model, 9)
    world.store.close()


def test_what_was_declined_is_not_offered_again_and_answered_once(world):
    known_in_both(world)
    world.tend()
    key = world.offers()[0].key
    with pytest.raises(NotFoundError, match="no suggestion"):
        world.answer.accept(key, world.there)
    world.answer.decline(key, world.here)
    with pytest.raises(ConflictError, match="already declined"):
        world.answer.accept(key, world.here)
    MaintenanceRunner(
        world.store, world.clock,
        [Promotion(world.store, world.remember._ids, Thresholds())],
    ).run(since=0)  # fmt: skip
    assert [] == world.offers()


def test_an_offer_stands_no_more_when_its_memory_is_gone(world):
    here, _ = known_in_both(world)
    world.tend()
    key = world.offers()[0].key
    world.forgetter.forget(here.id, world.here)
    with pytest.raises(ConflictError, match="no longer applies"):
        world.answer.accept(key, world.here)


def test_a_session_is_shown_what_is_offered_in_its_project(world):
    known_in_both(world)
    world.tend()
    shown = SessionContextBuilder(world.store, world.clock).build_full(world.here).text
    assert f"aforesaid offers accept {world.offers()[0].key}`" in shown
    assert isinstance(Line(text=shown), Line)


# -- pure


def test_the_longest_sequence_that_enough_sessions_share_is_found_once():
    sessions = {key: ("a", *RELEASE, "b", str(key)) for key in range(1, 4)}
    assert [(("a", *RELEASE, "b"), (1, 2, 3))] == recurring_commands(sessions, 3)
    assert [] == recurring_commands(sessions, 4)
    assert [] == recurring_commands(dict.fromkeys(range(3), ("x", "y") * 5), 3)
    assert [] == recurring_commands({}, 3)


@pytest.mark.parametrize("first", ["mvnw", "git pull"])
def test_everyday_work_with_git_is_no_procedure(first):
    commands = (first, "git add", "git commit", "git log")
    assert [] == recurring_commands(dict.fromkeys(range(3), commands), 3)
    deployed = (*commands, "make ship")
    expected = [(deployed, (0, 1, 2))] if first == "mvnw" else []
    assert expected == recurring_commands(dict.fromkeys(range(3), deployed), 3)


def test_everyday_tests_and_a_set_of_commands_in_another_order_are_no_further_procedure():
    tested = ("source", "mix test", "mix credo", "git add", "git commit")
    assert [] == recurring_commands(dict.fromkeys(range(3), tested), 3)
    sessions = dict.fromkeys(range(3), (*RELEASE, "git push", *reversed(RELEASE)))
    sequences = [sequence for sequence, _ in recurring_commands(sessions, 3)]
    assert len(sequences) == len(set(map(frozenset, sequences)))


def test_a_declined_procedure_is_not_offered_again_in_another_order(world):
    offer = Suggestion(
        kind=PROCEDURE, name="a", project=world.here.project.key, commands=("a", "b", "c"),
        memories=(), created_at=1,
    )  # fmt: skip
    stored = world.store.suggestions.add(offer)
    world.store.suggestions.settle(stored.key, "declined", 2)
    assert world.store.suggestions.add(offer.replace(name="b", commands=("c", "b", "a"))) is None
    assert world.store.suggestions.add(offer.replace(name="d", commands=("a", "d", "b")))
