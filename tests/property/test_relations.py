"""Whatever is linked, replaced, forgotten and erased: chains end, and nothing hidden is reached."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.model.relation import Link
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import CUT_MARK, count_tokens
from aforesaid.services.recall.query import RecallQuery, traverse_relations
from factories import Services, make_context, make_project, temporary_store
from generated import examples

PROJECTS = 3
KINDS = ["supports", "contradicts", "supersedes", "supersedes", "depends_on", "related_to"]
NUMBER = st.integers(0, 11)  #: of a memory, by order of storing
SEEN_FROM = st.integers(0, PROJECTS - 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("store"), SEEN_FROM, st.booleans(), st.none() | NUMBER, st.none()),
        st.tuples(st.just("link"), SEEN_FROM, NUMBER, st.sampled_from(KINDS), NUMBER),
        st.tuples(st.just("unlink"), SEEN_FROM, NUMBER, st.sampled_from(KINDS), NUMBER),
        st.tuples(st.just("forget"), SEEN_FROM, NUMBER, st.booleans(), st.none()),
        st.tuples(st.just("restore"), SEEN_FROM, NUMBER, st.none(), st.none()),
        st.tuples(st.just("update"), SEEN_FROM, NUMBER, st.none(), st.none()),
    ),
    min_size=4,
    max_size=40,
)


class World(Services):
    """Three projects, and what was stored in them, by order."""

    def __init__(self, store) -> None:
        super().__init__(store, words_only=True)
        with store.transaction():
            self.places = [
                make_context(store.projects.add(make_project(f"git:example.org/{name}/same")))
                for name in "abc"
            ]
        self.ids: list[str] = []
        self.count = 0

    def do(self, step) -> None:
        """Do a step; what is refused changes nothing."""
        what, seen_from, item, more, other = step
        context = self.places[seen_from].replace(session="s")
        try:
            if what == "store":
                self.store_one(context, everywhere=item, linked=more)
            elif what == "link":
                self.relate.link(self.id(item), more, self.id(other), context.visible)
            elif what == "unlink":
                self.relate.link(self.id(item), more, self.id(other), context.visible, remove=True)
            elif what == "forget":
                self.forgetter.forget(self.id(item), context, erase=more)
            elif what == "restore":
                self.curate.update(self.id(item), {"restore": True}, context)
            else:
                self.count += 1
                self.curate.update(self.id(item), {"content": f"version {self.count}"}, context)
        except AforesaidError:
            pass

    def store_one(self, context, *, everywhere: bool, linked: int | None) -> None:
        self.count += 1
        links = () if linked is None else (Link(kind="refines", target=self.id(linked)),)
        stored = self.remember.store(
            Statement(
                content=f"subject {self.count}",
                scope="global" if everywhere else "project",
                relations=links,
            ),
            context,
        )
        assert stored is not None
        self.ids.append(stored.memory.id)

    def id(self, number: int) -> str:
        return self.ids[number % len(self.ids)] if self.ids else "zzzz"

    def memories(self):
        return self.store.memories.get(list(range(1, 200)))


CHECKED = settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.too_slow],
)


@CHECKED
@given(STEPS)
def test_chains_end_and_every_version_knows_the_one_head(steps) -> None:
    with temporary_store() as store:
        world = World(store)
        for step in steps:
            world.do(step)
        memories = {memory.key: memory for memory in world.memories()}
        for memory in memories.values():
            path = [memory.key]
            while (following := memories[path[-1]].superseded_by) is not None:
                assert following not in path
                path.append(following)
            assert path[-1] == memory.head
            assert (memory.superseded_by is None) == (memory.head == memory.key)


@CHECKED
@given(STEPS)
def test_no_relation_path_leads_to_what_is_hidden(steps) -> None:
    with temporary_store() as store:
        world = World(store)
        for step in steps:
            world.do(step)
        for context in world.places:
            visible = context.visible
            heads = sorted({memory.head for memory in world.memories() if seen(memory, visible)})
            walked = traverse_relations(store, heads, visible, depth=3, limit=50)
            results = [item.memory for items in walked.values() for item in items]
            results += store.memories.get(
                [key for pair in store.relations.contradictions(visible, 50) for key in pair]
            )
            for memory in results:
                assert seen(memory, visible)
                assert memory.forgotten_at is None
            for root, items in walked.items():
                keys = [item.memory.key for item in items]
                assert root not in keys
                assert sorted(set(keys)) == sorted(keys)


@CHECKED
@given(STEPS, st.integers(1, 300), st.integers(0, 3))
def test_what_is_linked_never_exceeds_the_budget(steps, budget, depth) -> None:
    with temporary_store() as store:
        world = World(store)
        for step in steps:
            world.do(step)
        if world.ids:
            question = RecallQuery(
                ids=tuple(world.ids[-5:]), token_budget=budget, include_related=depth
            )
            answer = world.recall.recall(question, world.places[0].visible)
            first = 60 + 1 + count_tokens(CUT_MARK)  # a first result is cut, not left
            assert answer.token_estimate <= max(budget, first)


def seen(memory, visible: Visibility) -> bool:
    return memory.project in visible.projects
