"""Links between memories: made, taken back, walked; what the system itself knows to follow."""

from __future__ import annotations

from itertools import pairwise

import pytest

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import Memory, Visibility
from aforesaid.domain.model.relation import Link, read_kind
from aforesaid.domain.model.statement import Statement
from aforesaid.entrypoints.serialize.memories import LabelResolver, recall_result
from aforesaid.services.graph.explore import TopicExplorer
from aforesaid.services.graph.relations import follow_in_project
from aforesaid.services.recall.query import RecallQuery, RecallResult
from factories import DAY, NOON, Services, make_context

WORDS = (
    "alpha",
    "bravo",
    "charlie",
    "delta",
    "echo",
    "foxtrot",
    "golf",
    "hotel",
    "india",
    "juliett",
)


class World(Services):
    """Services over a model store, in one project."""

    def __init__(self, store) -> None:
        super().__init__(store, words_only=True)
        self.context = make_context(self.project("git:example.org/acme/payments"))
        self.visible = self.context.visible
        self.told = 0

    def add(self, content: str | None = None, context=None, **fields) -> Memory:
        if content is None:
            content = f"{WORDS[self.told]} is a subject of its own"
            self.told += 1
        stored = self.remember.store(Statement(content=content, **fields), context or self.context)
        assert stored is not None
        return stored.memory

    def link(self, source: Memory, kind: str, target: Memory, **options):
        return self.relate.link(source.id, kind, target.id, self.visible, **options)

    def now(self, memory: Memory) -> Memory:
        return self.store.memories.get([memory.key])[0]

    def ask(self, *memories: Memory, **fields) -> RecallResult:
        ids = tuple(memory.id for memory in memories)
        return self.recall.recall(RecallQuery(ids=ids, **fields), self.visible)

    def related(self, memory: Memory, **fields) -> list[tuple[int, str, str]]:
        (result,) = self.ask(memory, **fields).results
        return [
            (relation.memory.key, relation.kind, relation.direction) for relation in result.related
        ]


@pytest.fixture
def world(store) -> World:
    return World(store)


# -- kinds


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("supports", "supports"),
        (" Works at ", "works_at"),
        ("part-of", "part_of"),
        ("v2_of", "v2_of"),
    ],
)
def test_a_kind_is_kept_in_snake_case(text, kept) -> None:
    assert kept == read_kind(text)


@pytest.mark.parametrize(
    "text",
    ["", "_", "a__b", "_a", "a_", "2nd", "ümlaut", "a;b", "a" * 65, "follows", "associated"],
)
def test_what_is_no_predicate_or_the_systems_own_is_refused(text) -> None:
    with pytest.raises(InvalidInputError):
        read_kind(text)


def test_of_what_the_system_makes_only_associations_are_removed_by_hand() -> None:
    assert "associated" == read_kind("associated", remove=True)
    with pytest.raises(InvalidInputError):
        read_kind("follows", remove=True)


# -- links


def test_a_link_is_made_once_and_taken_back_once(world) -> None:
    first, second = world.add(), world.add()
    made = [world.link(first, "supports", second).changed for _ in range(2)]
    gone = [world.link(first, "supports", second, remove=True).changed for _ in range(2)]

    assert ([True, False], [True, False]) == (made, gone)
    assert [] == world.related(first)


@pytest.mark.parametrize("kind", ["contradicts", "related_to"])
def test_a_kind_without_direction_is_one_link_from_either_end(world, kind) -> None:
    first, second = world.add(), world.add()
    world.link(first, kind, second)

    assert not world.link(second, kind, first).changed
    assert [(second.key, kind, "both")] == world.related(first)
    assert [(first.key, kind, "both")] == world.related(second)
    assert world.link(second, kind, first, remove=True).changed
    assert [] == world.related(first)


def test_a_memory_is_not_linked_to_itself_nor_to_a_version_of_itself(world) -> None:
    old = world.add()
    new = world.add(supersedes=(old.id,))

    for target in (new, old):
        with pytest.raises(InvalidInputError):
            world.link(new, "supports", target)
    with pytest.raises(InvalidInputError):
        world.link(new, "supersedes", new)


def test_a_link_to_an_old_version_is_made_to_what_is_in_force(world) -> None:
    old, third = world.add(), world.add()
    new = world.add(supersedes=(old.id,))
    done = world.link(third, "refines", old)

    assert new.key == done.target.key
    assert [(third.key, "refines", "in")] == world.related(new) == world.related(old)


def test_what_was_forgotten_is_not_linked_and_its_links_return_with_it(world) -> None:
    first, second = world.add(), world.add()
    world.link(first, "supports", second)
    world.forgetter.forget(second.id, world.context)

    assert [] == world.related(first)
    with pytest.raises(ConflictError, match="restore=true"):
        world.link(first, "refines", second)
    world.curate.update(second.id, {"restore": True}, world.context)
    assert [(second.key, "supports", "out")] == world.related(first)


def test_neither_end_of_a_link_is_in_another_project(world) -> None:
    mine = world.add()
    theirs = world.add(context=make_context(world.project("git:example.org/acme/shop")))

    for ends in ((mine, theirs), (theirs, mine)):
        with pytest.raises(NotFoundError):
            world.link(ends[0], "supports", ends[1])


def test_what_another_project_replaced_is_not_linked_in_its_place(world) -> None:
    shared, mine = world.add(scope="global"), world.add()
    elsewhere = make_context(world.project("git:example.org/acme/shop"))
    world.add(context=elsewhere, scope="project", supersedes=(shared.id,))

    for kind in ("supports", "supersedes"):
        with pytest.raises(ConflictError, match="another project"):
            world.link(mine, kind, shared)
    with pytest.raises(ConflictError, match="another project"):
        world.add(supersedes=(shared.id,))


# -- chains


def test_supersedes_joins_the_chain_at_its_end(world) -> None:
    first = world.add()
    second = world.add(supersedes=(first.id,))
    third = world.add()

    assert [True, False] == [world.link(third, "supersedes", first).changed for _ in range(2)]
    assert [third.key] * 3 == [world.now(item).head for item in (first, second, third)]
    assert third.key == world.now(second).superseded_by


def test_what_was_forgotten_is_not_said_to_be_in_force_again(world) -> None:
    first, second = world.add(), world.add()
    world.link(second, "supersedes", first)
    world.forgetter.forget(first.id, world.context)

    done = world.link(second, "supersedes", first, remove=True)
    assert (True, None) == (done.changed, done.in_force)


def test_a_chain_never_leads_back(world) -> None:
    first, second, third = world.add(), world.add(), world.add()
    world.link(second, "supersedes", first)
    world.link(third, "supersedes", second)

    for source in (first, second):
        with pytest.raises(ConflictError, match="already"):
            world.link(source, "supersedes", third)
    with pytest.raises(ConflictError, match="already"):
        world.link(first, "supersedes", second)


def test_two_that_one_replaced_do_not_replace_each_other(world) -> None:
    first, second = world.add(), world.add()
    world.add(supersedes=(first.id, second.id))

    with pytest.raises(ConflictError, match="same memory"):
        world.link(first, "supersedes", second)


def test_taking_supersedes_back_undoes_that_step_alone(world) -> None:
    first, second, third = world.add(), world.add(), world.add()
    world.link(second, "supersedes", first)
    world.link(third, "supersedes", second)
    done = world.link(second, "supersedes", first, remove=True)

    assert first.key == done.in_force.key
    assert [first.key, third.key, third.key] == [
        world.now(item).head for item in (first, second, third)
    ]
    assert not world.link(second, "supersedes", first, remove=True).changed
    assert not world.link(first, "supersedes", third, remove=True).changed


# -- relations given with a statement


def test_a_statement_brings_its_relations_and_supersedes_among_them_joins_the_chain(world) -> None:
    memory, old = world.add(), world.add()
    new = world.add(
        relations=(
            Link(kind="depends on", target=memory.id),
            Link(kind="supersedes", target=old.id),
            Link(kind="contradicts", target=old.id),
        )
    )

    assert [(memory.key, "depends_on", "out")] == world.related(new)
    assert new.key == world.now(old).head


def test_a_relation_that_leads_nowhere_stores_nothing(world) -> None:
    with pytest.raises(NotFoundError):
        world.add(relations=(Link(kind="supports", target="zzzz"),))
    assert 0 == world.store.memories.statistics(world.visible)["total"]


def test_a_repeated_statement_gains_the_relations_that_are_new(world) -> None:
    first, second = world.add(), world.add()
    known = world.add("kilo runs on lima", relations=(Link(kind="supports", target=first.id),))
    links = tuple(Link(kind="supports", target=memory.id) for memory in (first, second, known))
    again = world.remember.store(
        Statement(content="kilo runs on lima", relations=links), world.context
    )

    assert (True, 1) == (again.deduplicated, again.linked)
    assert {first.key, second.key} == {key for key, *_rest in world.related(known)}


# -- what follows what


def test_memories_of_a_session_follow_one_another(world) -> None:
    in_session = world.context.replace(session="s")
    first, second = world.add(context=in_session), world.add(context=in_session)
    world.add()
    third = world.add(context=in_session)

    steps = [
        world.store.relations.step(memory.key, "follows", "out", world.visible)
        for memory in (first, second, third)
    ]
    assert [[], [first.key], [second.key]] == steps


def test_a_correction_in_the_session_follows_what_the_corrected_one_followed(world) -> None:
    in_session = world.context.replace(session="s")
    first, wrong = world.add(context=in_session), world.add(context=in_session)
    right = world.add(context=in_session, supersedes=(wrong.id,))

    assert [(first.key, "follows", "out")] == world.related(right)


def test_a_link_of_the_project_s_version_is_taken_back_by_the_global_one_s_id(world) -> None:
    shared, other = world.add(scope="global"), world.add()
    world.add(scope="project", supersedes=(shared.id,))
    world.relate.link(shared.id, "supports", other.id, world.visible)

    assert world.relate.link(shared.id, "supports", other.id, world.visible, remove=True).changed
    assert [] == world.related(other)


def test_a_later_correction_keeps_the_place_of_the_corrected_one(world) -> None:
    in_session = world.context.replace(session="s")
    first, wrong = world.add(context=in_session), world.add(context=in_session)
    last = world.add(context=in_session)
    right = world.add(context=in_session, supersedes=(wrong.id,))

    steps = [
        world.store.relations.step(memory.key, "follows", "out", world.visible)
        for memory in (first, right, last)
    ]
    assert [[], [first.key], [right.key]] == steps


def digest(world: World, day: int) -> Memory:
    """Store the digest of a session on a day, as ingest does."""
    memory = world.add(type="episodic", tags=("digest",), created_at=NOON + day * DAY)
    follow_in_project(world.store, memory, "digest", NOON)
    return memory


def test_a_digest_that_arrives_late_is_put_between_its_neighbours(world) -> None:
    first, last = digest(world, 1), digest(world, 9)
    assert [first.key] == world.store.relations.step(last.key, "follows", "out", world.visible)
    middle = digest(world, 5)

    steps = [
        world.store.relations.step(memory.key, "follows", "out", world.visible)
        for memory in (first, middle, last)
    ]
    assert [[], [first.key], [middle.key]] == steps


def test_the_later_digest_of_a_session_takes_the_place_of_the_earlier(world) -> None:
    first, early, last = digest(world, 1), digest(world, 5), digest(world, 9)
    late = world.add(
        type="episodic", tags=("digest",), created_at=NOON + 6 * DAY, supersedes=(early.id,)
    )
    follow_in_project(world.store, late, "digest", NOON)

    assert [(last.key, "in"), (first.key, "out")] == sorted(
        ((key, direction) for key, _kind, direction in world.related(late)),
        key=lambda item: item[1],
    )
    assert [(late.key, "follows", "out")] == world.related(last)


# -- walking


@pytest.fixture
def line(world) -> list[Memory]:
    """Five memories, each depending on the next."""
    memories = [world.add() for _ in range(5)]
    for item, other in pairwise(memories):
        world.link(item, "depends_on", other)
    return memories


@pytest.mark.parametrize("depth", range(4))
def test_relations_are_walked_as_deep_as_asked(world, line, depth) -> None:
    (result,) = world.ask(line[0], include_related=depth).results

    assert line[1 : depth + 1] == [world.now(relation.memory) for relation in result.related]
    assert [False, True, True][:depth] == [relation.inferred for relation in result.related]


def test_what_is_not_transitive_names_the_way(world) -> None:
    element, other, third = world.add(), world.add(), world.add()
    world.link(element, "depends_on", other)
    world.link(third, "depends_on", other)
    (result,) = world.ask(element, include_related=3).results

    assert [(other.key, None, False), (third.key, other.key, False)] == [
        (item.memory.key, item.via, item.inferred) for item in result.related
    ]


def test_a_ring_is_walked_once(world) -> None:
    ring = [world.add() for _ in range(3)]
    for item, other in zip(ring, [*ring[1:], ring[0]], strict=True):
        world.link(item, "depends_on", other)
        world.link(item, "supports", other)

    keys = [key for key, *_rest in world.related(ring[0], include_related=3)]
    assert sorted([ring[1].key, ring[2].key]) == sorted(keys)


def test_three_are_shown_unless_a_depth_is_asked_for(world) -> None:
    hub, *others = [world.add() for _ in range(6)]
    for other in others:
        world.link(other, "supports", hub)

    assert (3, 5, 0) == (
        len(world.related(hub)),
        len(world.related(hub, include_related=1)),
        len(world.related(hub, summary_only=True)),
    )


def test_related_memories_stay_inside_the_budget(world) -> None:
    hub, *others = [world.add() for _ in range(10)]
    for other in others:
        world.link(other, "supports", hub)
    sizes = []
    for budget in range(70, 400, 30):
        answer = world.ask(hub, include_related=1, token_budget=budget)
        assert answer.token_estimate <= budget
        sizes.append(len(answer.results[0].related))
    assert (0, 9) == (sizes[0], sizes[-1])


def test_a_text_stands_in_an_answer_once(world) -> None:
    memory, other, third = world.add(), world.add(), world.add()
    world.link(memory, "supports", other)
    world.link(memory, "refines", third)
    world.link(other, "refines", third)
    answer = world.ask(memory, other)

    shown = [
        [(item.memory.key, item.shown) for item in result.related] for result in answer.results
    ]
    assert [
        [(third.key, True), (other.key, False)],
        [(third.key, False), (memory.key, False)],
    ] == shown


def test_a_way_through_another_project_is_not_walked(world) -> None:
    everywhere, here = world.add(scope="global"), world.add()
    elsewhere = make_context(world.project("git:example.org/acme/shop"))
    theirs = world.add(context=elsewhere, scope="project")
    beyond = world.add(scope="global")
    sight = Visibility(projects=(0, elsewhere.project.key))
    world.relate.link(everywhere.id, "supports", theirs.id, sight)
    world.relate.link(theirs.id, "supports", beyond.id, sight)
    world.link(here, "supports", everywhere)

    assert [everywhere.key] == [key for key, *_rest in world.related(here, include_related=3)]


def test_what_is_archived_is_not_walked(world) -> None:
    item, other, third = world.add(), world.add(), world.add()
    world.link(item, "supports", other)
    world.link(other, "supports", third)
    world.store.memories.change(other.key, archived_at=1)

    assert [] == world.related(item, include_related=3)


@pytest.mark.parametrize("depth", [-1, 4])
def test_a_depth_out_of_range_is_refused(world, depth) -> None:
    with pytest.raises(InvalidInputError, match="0 to 3"):
        world.ask(world.add(), include_related=depth)


# -- what another project holds of a chain


@pytest.fixture
def between(world):
    """A global memory that another project replaced, whose version a global one replaced again."""
    elsewhere = make_context(world.project("git:example.org/acme/shop"))
    first = world.add(scope="global")
    theirs = world.add(context=elsewhere, scope="project", supersedes=(first.id,))
    last = world.add(context=elsewhere, scope="global", supersedes=(theirs.id,))
    return first, theirs, last


def test_a_version_of_another_project_comes_not_back_in_force_from_here(world, between) -> None:
    first, theirs, last = between
    with pytest.raises(ConflictError, match="belongs to another project"):
        world.link(last, "supersedes", first, remove=True)
    assert last.key == world.now(theirs).superseded_by


def test_the_history_of_a_memory_leaves_out_versions_of_another_project(world, between) -> None:
    first, _theirs, last = between
    results = TopicExplorer(world.store, lambda: None).step(first.id, "history", world.visible)

    assert [first.key, last.key] == [node.memory.key for node in results.nodes]
    assert [None, None] == [node.replaced_by for node in results.nodes]


def test_what_another_project_put_in_its_place_is_not_named(world) -> None:
    shared = world.add(scope="global")
    elsewhere = make_context(world.project("git:example.org/acme/shop"))
    theirs = world.add(context=elsewhere, scope="project", supersedes=(shared.id,))
    short = world.store.memories.short_ids([theirs.key])[theirs.key]

    shown = recall_result(
        world.ask(shared), LabelResolver(world.store), summary_only=False, naming=False
    )["results"]
    assert ["a memory that is not visible here"] == [row["superseded_by"] for row in shown]
    with pytest.raises(ConflictError, match="another project") as refused:
        world.curate.update(shared.id, {"pinned": True}, world.context)
    assert short not in str(refused.value)
    seen = world.recall.recall(RecallQuery(ids=(shared.id,)), elsewhere.visible).results
    assert [theirs.key] == [item.replaced_by for item in seen]


def test_a_memory_that_is_global_no_more_goes_where_its_changer_sees_it(world) -> None:
    elsewhere = make_context(world.project("git:example.org/acme/shop"))
    shared = world.add(context=elsewhere, scope="global")
    world.curate.update(shared.id, {"scope": "project"}, world.context)
    assert world.context.project.key == world.now(shared).project

    own = world.add(context=elsewhere, scope="global")
    world.curate.update(own.id, {"scope": "project"}, elsewhere)
    assert elsewhere.project.key == world.now(own).project


def test_a_detail_that_replaced_what_it_details_is_its_detail_again(world) -> None:
    fact = world.add(topic="queue")
    detail = world.add(parent=fact.id)
    deeper = world.add(parent=detail.id)
    before = [world.now(item) for item in (fact, detail, deeper)]
    world.link(deeper, "supersedes", fact)
    assert None is world.now(deeper).parent
    world.link(deeper, "supersedes", fact, remove=True)

    assert before == [world.now(item) for item in (fact, detail, deeper)]
