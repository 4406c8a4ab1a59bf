"""Whatever is stored, moved, merged, forgotten or erased: nothing loses its place in the tree."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.topic import match_name
from aforesaid.services.graph.explore import TopicExplorer
from aforesaid.services.graph.relations import RelationService
from factories import Services, make_context, temporary_store
from generated import examples

picks = st.integers(0, 1_000)  #: chooses among whatever is there
names = st.sampled_from(
    ["auth", "Auths", "jwt", "JWT-s", "queue", "authentication", "authentcation"]
)
paths = st.builds(
    lambda first, other: first if other is None else f"{first}/{other}", names, st.none() | names
)


class Tree(RuleBasedStateMachine):
    """Does what users and tending do, in any order, to one store."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = ExitStack()
        self.store = self.opened.enter_context(temporary_store())
        self.services = Services(self.store)
        self.topics = self.services.remember.topics
        self.relate = RelationService(self.store, self.services.clock)
        self.explore = TopicExplorer(self.store, lambda: self.services.embedder)
        self.places = []
        self.keys: list[int] = []
        self.count = 0

    @initialize(filed=st.lists(paths, min_size=3, max_size=3))
    def two_projects_with_details(self, filed) -> None:
        """Three facts with a detail each, one of them two deep: few runs would grow them."""
        self.places = [
            make_context(self.services.project(f"git:example.org/{name}")) for name in "ab"
        ]
        for number, path in enumerate(filed):
            scope = "global" if number == 0 else "project"
            self._store(number, topic=path, scope=scope)
            self._store(number, parent=self.id_of(-1))
        self._store(2, parent=self.id_of(-1))

    def _store(self, context: int, **fields) -> None:
        """Store what no other statement is like."""
        self.count += 1
        content = f"Statement {self.count} speaks of matter {self.count}."
        statement = Statement(**{"content": content, **fields})
        at = self.places[context % len(self.places)]
        stored = self.tried(self.services.remember.store, statement, at)
        if stored is not None and stored.memory.key not in self.keys:
            self.keys.append(stored.memory.key)

    def id_of(self, pick: int) -> str:
        return self.store.memories.get([self.keys[pick % len(self.keys)]])[0].id

    def tried(self, does, *arguments, **fields):
        """Do what may be refused in words; nothing else may go wrong."""
        try:
            return does(*arguments, **fields)
        except AforesaidError:
            return None

    def teardown(self) -> None:
        self.opened.close()

    # -- what is done

    @rule(
        pick=picks, context=picks, path=st.none() | paths, below=st.none() | picks,
        replaces=st.lists(picks, max_size=2), depth=st.sampled_from([None] * 6 + [0, 1, 3]),
        scope=st.sampled_from([None, "global", "project"]), again=st.booleans(),
    )  # fmt: skip
    def put(self, pick, context, path, below, replaces, depth, scope, again) -> None:
        fields = {}
        if again and self.keys:
            fields["content"] = self.store.memories.get([self.keys[pick % len(self.keys)]])[
                0
            ].content
        self._store(
            context,
            topic=path,
            parent=self.id_of(below) if below is not None and self.keys else None,
            supersedes=tuple(self.id_of(replace) for replace in replaces) if self.keys else (),
            depth=depth,
            scope=scope,
            **fields,
        )

    @precondition(lambda self: self.keys)
    @rule(
        pick=picks,
        context=picks,
        path=paths | st.just(""),
        scope=st.none() | st.sampled_from(["global", "project"]),
    )
    def update(self, pick, context, path, scope) -> None:
        changes = {"topic": path, "scope": scope}
        at = self.places[context % len(self.places)]
        self.tried(self.services.curate.update, self.id_of(pick), changes, at)

    @precondition(lambda self: self.keys)
    @rule(pick=picks, context=picks)
    def new_version(self, pick, context) -> None:
        self.count += 1
        changes = {"content": f"Version {self.count} of matter {self.count}."}
        at = self.places[context % len(self.places)]
        done = self.tried(self.services.curate.update, self.id_of(pick), changes, at)
        if done is not None:
            self.keys.append(done.memory.key)

    @precondition(lambda self: len(self.keys) > 1)
    @rule(one=picks, other=picks, context=picks, back=st.booleans())
    def replace(self, one, other, context, back) -> None:
        visible = self.places[context % len(self.places)].visible
        self.tried(
            self.relate.link, self.id_of(one), "supersedes", self.id_of(other), visible, remove=back
        )

    @precondition(lambda self: self.keys)
    @rule(pick=picks, context=picks, erase=st.sampled_from([False, False, True]))
    def forget(self, pick, context, erase) -> None:
        at = self.places[context % len(self.places)]
        done = self.tried(self.services.forgetter.forget, self.id_of(pick), at, erase=erase)
        if done is not None and erase:
            self.keys = [
                memory.key for memory in self.store.memories.get(self.keys)
            ]  # all versions went

    @precondition(lambda self: self.keys)
    @rule(pick=picks, context=picks)
    def restore(self, pick, context) -> None:
        at = self.places[context % len(self.places)]
        self.tried(self.services.curate.update, self.id_of(pick), {"restore": True}, at)

    @rule(gone=picks, kept=picks)
    def merge(self, gone, kept) -> None:
        known = self.store.topics.of_projects(self.projects())
        if known:
            self.tried(
                self.topics.merge_topics,
                known[gone % len(known)].key,
                known[kept % len(known)].key,
            )

    @precondition(lambda self: len(self.places) > 1 and self.count > 12)
    @rule(forwards=st.booleans())
    def merge_projects(self, forwards) -> None:
        kept, gone = self.places if forwards else self.places[::-1]
        with self.store.transaction():
            self.store.projects.merge(gone.project.key, kept.project.key)
        self.places = [kept]

    # -- what holds

    def projects(self) -> list[int]:
        return [0, *(context.project.key for context in self.places)]

    @invariant()
    def every_node_has_its_place_and_a_name_of_its_own(self) -> None:
        topics = {topic.key: topic for topic in self.store.topics.of_projects(self.projects())}
        siblings = [(topic.project, topic.parent, topic.normalised) for topic in topics.values()]
        assert len(siblings) == len(set(siblings))
        for topic in topics.values():
            if topic.parent is not None:
                assert (None, topic.project) == (
                    topics[topic.parent].parent,
                    topics[topic.parent].project,
                )
            same = [
                other
                for other in topics.values()
                if (other.project, other.parent) == (topic.project, topic.parent)
            ]
            assert topic == match_name(topic.name, same)

    @invariant()
    def every_memory_has_its_place(self) -> None:
        topics = {topic.key: topic for topic in self.store.topics.of_projects(self.projects())}
        for memory in self.store.memories.get(self.keys):
            if memory.topic is not None:
                assert topics[memory.topic].project == memory.project
            if memory.superseded_by is not None:
                continue
            above = memory
            seen = set()
            while above.parent is not None:
                assert above.key not in seen
                seen.add(above.key)
                (named,) = self.store.memories.get([above.parent])
                (above,) = self.store.memories.get([named.head])
            depth = 2
            if memory.parent is not None:
                (named,) = self.store.memories.get([memory.parent])
                (parent,) = self.store.memories.get([named.head])
                depth = parent.depth + 1
                if named.project == parent.project == memory.project:
                    assert parent.topic == memory.topic
            assert depth == memory.depth

    @invariant()
    def everything_in_force_is_reached_from_the_top(self) -> None:
        for context in self.places:
            tree = self.explore.list_topics(context.visible, max_depth=9, budget_tokens=10**6)
            reached = [memory.key for memory in self._memories(tree.nodes)]
            assert len(reached) == len(set(reached))
            standing = [
                memory
                for memory in self.store.memories.get(self.keys)
                if memory.in_force and memory.project in context.visible.projects
            ]
            filed = [item for item in standing if item.topic is not None]
            assert {memory.key for memory in filed} == set(reached)
            assert tree.unfiled == len(standing) - len(filed)
            assert sum(node.memories for node in tree.nodes) == len(filed)

    def _memories(self, nodes):
        for node in nodes:
            yield from filter(None, (node.memory, node.overview))
            yield from self._memories(node.children)


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
Tree.TestCase.settings = settings(
    max_examples=examples(80), stateful_step_count=40, print_blob=True,
    suppress_health_check=CHECKS,
)  # fmt: skip
TestTree = Tree.TestCase
