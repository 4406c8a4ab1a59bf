"""Filing, moving and merging in the topic tree, looking around in it, and recall at one level."""

from __future__ import annotations

import re

import pytest

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.topic import Node
from aforesaid.services.graph.explore import TopicExplorer
from aforesaid.services.recall.query import RecallQuery
from factories import Services, place_of


class World:
    """A project with its services over a store in dictionaries."""

    def __init__(self, store, *, words_only: bool = False) -> None:
        self.store = store
        self.services = Services(self.store, words_only=words_only)
        self.here = place_of(self.services.project("git:example.org/a"))
        self.topics = self.services.remember.topics
        self.explore = TopicExplorer(self.store, lambda: self.services.embedder)

    def put(self, content: str, **fields):
        stored = self.services.remember.store(Statement(content=content, **fields), self.here)
        assert stored is not None
        return stored

    def update(self, memory, **changes):
        return self.services.curate.update(memory.id, changes, self.here)

    def recall(self, query: str | None = None, **fields):
        return self.services.recall.recall(RecallQuery(query=query, **fields), self.here.visible)

    def paths(self) -> list[str]:
        return [topic.path for topic in self.store.topics.of_projects(self.here.visible.projects)]

    def path_of(self, memory) -> str:
        return self.topics.path(self.store.memories.get([memory.key])[0].topic)


@pytest.fixture
def world(store) -> World:
    return World(store)


def shape(nodes) -> list[object]:
    """Return paths and contents, children behind them."""
    return [
        (
            node.memory.content if node.memory else node.path,
            *([shape(node.children)] if node.children else []),
        )
        for node in nodes
    ]


# -- filing


def test_a_path_makes_its_nodes_once(world):
    first = world.put("Tokens are rotated daily.", topic="auth/jwt")
    second = world.put("Keys live in the vault.", topic="Auth/JWTs")

    assert ["auth", "auth/jwt"] == world.paths()
    assert first.memory.topic == second.memory.topic
    assert ("auth/jwt", "") == (first.filing.path, first.filing.note)
    assert "Auth/JWTs matches the existing topic auth/jwt" == second.filing.note


def test_topics_of_two_projects_and_of_global_are_apart(world):
    world.put("Tokens are rotated daily.", topic="auth")
    world.put("Passwords are in the keychain.", topic="auth", scope="global")
    other = place_of(world.services.project("git:example.org/b"))
    world.services.remember.store(Statement(content="No login here.", topic="auth"), other)

    assert [1, 0, 2] == [topic.project for topic in world.store.topics.of_projects([0, 1, 2])]
    assert ["auth", "auth"] == [
        node.path for node in world.explore.everything(world.here.visible).nodes
    ]


def test_a_detail_stands_below_its_parent_in_its_topic_scope_and_project(world):
    fact = world.put("The user signs commits.", topic="commits", scope="global").memory
    detail = world.put("With an SSH key.", parent=fact.id).memory
    deeper = world.put("It is of type ed25519.", parent=detail.id).memory

    assert [(fact.topic, fact.key, 3), (fact.topic, detail.key, 4)] == [
        (item.topic, item.parent, item.depth) for item in (detail, deeper)
    ]
    assert ("global", 0) == (deeper.scope, deeper.project)


def test_what_happened_stays_in_its_project_below_a_global_memory(world):
    fact = world.put("The user signs commits.", topic="commits", scope="global").memory
    event = world.put("A commit went out unsigned.", parent=fact.id, type="episodic").memory

    assert ("project", world.here.project.key) == (event.scope, event.project)


def test_a_new_version_stands_where_the_old_one_stood(world):
    fact = world.put("Tokens are rotated daily.", topic="auth/jwt").memory
    detail = world.put("At three.", parent=fact.id).memory
    new = world.put("Tokens are rotated weekly.", supersedes=(fact.id,)).memory
    newer = world.update(detail, content="At four in the morning.").memory

    assert "auth/jwt" == world.path_of(new) == world.path_of(newer)
    assert ["At four in the morning."] == [
        memory.content for memory in world.store.topics.details(new.key, world.here.visible)
    ]


def test_an_overview_tells_what_its_node_is_about_and_follows_its_versions(world):
    first = world.put("How people and services prove who they are.", topic="auth/jwt", depth=0)
    second = world.put("Signed tokens between services.", topic="auth/jwt", depth=1)
    assert [first.memory.key, second.memory.key] == [
        topic.overview for topic in world.store.topics.of_projects([1])
    ]

    world.update(first.memory, content="Everything about login.")
    (auth,) = world.explore.everything(world.here.visible).nodes
    assert ("auth", "Everything about login.") == (auth.path, auth.summary)

    world.services.forgetter.forget(auth.overview.id, world.here)
    (auth,) = world.explore.everything(world.here.visible).nodes
    assert "" == auth.summary


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"depth": 0}, "set topic"),
        ({"depth": 1, "topic": "auth"}, 'topic="auth/NAME"'),
        ({"depth": 3}, "set parent_id"),
        ({"depth": -1}, "use 0 (topic)"),
        ({"topic": " / "}, "contains no name"),
    ],
)
def test_a_depth_that_fits_nothing_is_refused_with_the_way_out(world, fields, text):
    with pytest.raises(InvalidInputError, match=re.escape(text)):
        world.put("Something.", **fields)
    assert [] == world.paths()


def test_a_depth_that_contradicts_the_parent_is_refused(world):
    fact = world.put("Tokens are rotated daily.").memory
    with pytest.raises(InvalidInputError, match="omit depth"):
        world.put("At three.", parent=fact.id, depth=5)
    with pytest.raises(NotFoundError):
        world.put("At three.", parent="zzzz")
    world.services.forgetter.forget(fact.id, world.here)
    with pytest.raises(ConflictError):
        world.put("At three.", parent=fact.id)


def test_details_end_somewhere(world):
    memory = world.put("Level two.").memory
    for depth in range(3, 10):
        memory = world.put(f"Level number {depth}.", parent=memory.id).memory
    assert 9 == memory.depth
    with pytest.raises(InvalidInputError, match="maximum depth"):
        world.put("Level ten.", parent=memory.id)


def test_what_is_said_again_takes_a_topic_if_it_has_none_and_keeps_the_one_it_has(world):
    world.put("Tokens are rotated daily.")
    again = world.put("Tokens are rotated daily.", topic="auth")
    assert (True, "auth") == (again.deduplicated, world.path_of(again.memory))

    more = world.put("Tokens are rotated daily.", topic="security")
    assert "auth" == world.path_of(more.memory)
    assert "it stays under auth" in more.filing.note
    assert ["auth"] == world.paths()


def test_without_a_topic_a_memory_goes_where_its_neighbours_are(world):
    for number in ("one", "two", "three"):
        world.put(f"Consumer {number} reads payment events from the stream.", topic="queue")
    world.put("Colours follow the brand guide.", topic="design")
    filed = world.put("Consumer four reads payment events from the stream.")
    stray = world.put("Lunch is at noon.")

    assert ("queue", "filed under queue, like similar memories") == (
        filed.filing.path,
        filed.filing.note,
    )
    assert None is stray.memory.topic


def test_without_vectors_a_memory_without_a_topic_stays_unfiled(store):
    world = World(store, words_only=True)
    world.put("Consumer one reads payment events.", topic="queue")
    assert None is world.put("Consumer two reads payment events.").memory.topic


# -- moving, merging, renaming


def test_a_memory_moves_with_its_details_and_an_empty_node_goes(world):
    fact = world.put("Tokens are rotated daily.", topic="misc/tokens").memory
    detail = world.put("At three.", parent=fact.id).memory
    done = world.update(fact, topic="auth")

    assert (("topic",), "auth") == (done.changed, done.filing.path)
    assert ["auth", "auth"] == [world.path_of(fact), world.path_of(detail)]
    assert ["auth"] == world.paths()

    world.update(detail, topic="ops")
    assert [(None, 2, "ops")] == [
        (memory.parent, memory.depth, world.path_of(memory))
        for memory in world.store.memories.get([detail.key])
    ]
    world.update(detail, topic="")
    assert ("", ["auth"]) == (world.path_of(detail), world.paths())


def test_a_memory_that_becomes_global_keeps_its_path_there(world):
    memory = world.put("Always use uv.", topic="python/tools").memory
    world.update(memory, scope="global")

    kept = world.store.memories.get([memory.key])[0]
    assert (0, "python/tools") == (
        world.store.topics.get(kept.topic).project,
        world.path_of(memory),
    )
    assert [] == world.store.topics.of_projects([1])


def test_a_node_merges_into_another_with_its_concepts(world):
    for path in ("login/jwt", "login/passkeys", "auth/JWT", "login"):
        world.put(f"Something about {path}, in words of its own: {len(path)}.", topic=path)
    of = {topic.path: topic.key for topic in world.store.topics.of_projects([1])}
    moved = world.topics.merge_topics(of["login"], of["auth"])

    assert 2 == moved
    assert ["auth", "auth/JWT", "auth/passkeys"] == sorted(world.paths())
    assert {"auth": 1, "auth/JWT": 2, "auth/passkeys": 1} == {
        world.topics.path(key): count
        for key, count in world.store.topics.counts(Visibility(projects=(1,))).items()
    }


def test_what_cannot_be_merged_is_said(world):
    world.put("One.", topic="auth/jwt")
    world.put("Two.", topic="auth", scope="global")
    auth, jwt, everywhere = (topic.key for topic in world.store.topics.of_projects([1, 0]))
    for source, target, message in (
        (auth, auth, "itself"),
        (auth, everywhere, "different projects"),
        (auth, jwt, "other way round"),
        (auth, 99, "no longer exists"),
    ):
        with pytest.raises(ConflictError, match=message):
            world.topics.merge_topics(source, target)


# -- looking around


@pytest.fixture
def grown(world) -> World:
    world.put("Everything about login.", topic="auth", depth=0)
    rotation = world.put("Tokens are rotated daily.", topic="auth/jwt").memory
    world.put("The vault job does it at three.", parent=rotation.id)
    world.put("Sessions end after thirty minutes.", topic="auth/sessions")
    world.put("Events go through NATS.", topic="queue")
    world.put("Commits are small.", topic="commits", scope="global")
    world.put("Lunch is at noon.")
    return world


def test_all_topics_are_listed_the_project_s_own_and_fullest_first(grown):
    tree = grown.explore.everything(grown.here.visible)
    assert [("auth", 4, 2), ("queue", 1, 0), ("commits", 1, 0)] == [
        (node.path, node.memories, node.concepts) for node in tree.nodes
    ]
    assert 1 == tree.unfiled


def test_a_branch_is_shown_down_to_the_depth_that_is_asked(grown):
    def branch(depth: int) -> list[object]:
        return shape(grown.explore.branch("auth", grown.here.visible, max_depth=depth).nodes)

    rotated, does = ("Tokens are rotated daily.",), ("The vault job does it at three.",)
    ends = ("Sessions end after thirty minutes.",)
    assert [("auth",)] == branch(0)
    assert [("auth", [("auth/jwt",), ("auth/sessions",)])] == branch(1)
    assert [("auth", [("auth/jwt", [rotated]), ("auth/sessions", [ends])])] == branch(2)
    assert [("auth", [("auth/jwt", [(*rotated, [does])]), ("auth/sessions", [ends])])] == branch(3)


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("auth", "auth"),
        ("Auth / Session", "auth/sessions"),
        ("jwt", "auth/jwt"),
        ("our commits please", "commits"),
        ("events through NATS", "queue"),
    ],
)
def test_the_best_match_is_by_name_then_words_then_meaning(grown, wanted, path):
    assert [path] == [node.path for node in grown.explore.branch(wanted, grown.here.visible).nodes]


def test_what_is_like_no_topic_is_said(grown):
    with pytest.raises(NotFoundError, match="no topic matches"):
        grown.explore.branch("zebra", grown.here.visible)
    with pytest.raises(InvalidInputError, match="max_depth is 10"):
        grown.explore.branch("auth", grown.here.visible, max_depth=10)


def step(world: World, reference: str, direction: str) -> list[object]:
    matches = world.explore.step(reference, direction, world.here.visible)
    return shape(matches.nodes)


def test_one_step_leads_up_and_down_the_tree(grown):
    (jwt,) = grown.explore.branch("jwt", grown.here.visible, max_depth=3).nodes
    fact, detail = jwt.children[0].memory, jwt.children[0].children[0].memory

    assert [(detail.content,)] == step(grown, fact.id, "children")
    assert [(fact.content,)] == step(grown, detail.id, "parent")
    assert [("auth/jwt",)] == step(grown, fact.id, "parent")
    assert [("auth",)] == step(grown, "auth/jwt", "parent")
    assert [] == step(grown, "auth", "parent")
    assert [("auth/jwt",), ("auth/sessions",)] == step(grown, "auth", "children")
    assert [(fact.content,)] == step(grown, "auth/jwt", "children")


def test_one_step_leads_along_history_and_relations(grown):
    fact = grown.put("Keys live in the vault.", topic="auth/jwt").memory
    new = grown.update(fact, content="Keys live in the HSM.").memory
    other = grown.put("The HSM costs 900 a month.").memory
    with grown.store.transaction():
        grown.store.relations.link(new.key, "depends_on", other.key, 0)
        grown.store.relations.link(other.key, "follows", new.key, 0)

    assert [(fact.content,), (new.content,)] == step(grown, new.id, "history")
    assert [(other.content,)] == step(grown, new.id, "associations")
    assert [(other.content,)] == step(grown, new.id, "next")
    assert [(new.content,)] == step(grown, other.id, "previous")
    (node,) = grown.explore.step(new.id, "associations", grown.here.visible).nodes
    assert ("depends_on", "out") == (node.kind, node.direction)
    with pytest.raises(InvalidInputError, match="is a topic"):
        step(grown, "auth", "history")
    with pytest.raises(InvalidInputError, match="use one of"):
        step(grown, new.id, "sideways")


def test_details_of_a_forgotten_memory_are_shown_in_its_place(grown):
    (jwt,) = grown.explore.branch("jwt", grown.here.visible).nodes
    grown.services.forgetter.forget(jwt.children[0].memory.id, grown.here)

    (jwt,) = grown.explore.branch("jwt", grown.here.visible).nodes
    assert [("auth/jwt", [("The vault job does it at three.",)])] == shape([jwt])
    assert [("auth/jwt",)] == step(grown, jwt.children[0].memory.id, "parent")


def test_another_project_s_tree_is_not_seen(grown):
    other = grown.services.project("git:example.org/b").key
    tree = grown.explore.everything(Visibility.of_project(other))
    assert ["commits"] == [node.path for node in tree.nodes]
    assert 0 == tree.unfiled


# -- recall at one level


def results(answer) -> list[tuple[str, int]]:
    def text(node: Node | None, memory) -> str:
        return memory.content if node is None else node.path

    return [(text(result.node, result.memory), result.below) for result in answer.results]


def test_hits_are_lifted_to_topics_concepts_and_facts_each_once(grown):
    asked = "the vault job at three: tokens rotated daily"
    assert ("auth", 4) == results(grown.recall(asked, depth=0))[0]
    assert ("auth/jwt", 2) == results(grown.recall(asked, depth=1))[0]
    facts = results(grown.recall(asked, depth=2))
    assert ("Tokens are rotated daily.", 1) == facts[0]
    assert "The vault job does it at three." not in [content for content, _below in facts]


def test_a_lifted_hit_has_the_score_of_its_best_descendant(grown):
    plain = grown.recall("the vault job does it at three")
    lifted = grown.recall("the vault job does it at three", depth=2)
    assert plain.results[0].score == lifted.results[0].score
    assert "from a result below it" in lifted.results[0].why


def test_a_shallower_hit_gives_its_details_and_stays_where_it_has_none(grown):
    matches = [content for content, _ in results(grown.recall("tokens are rotated daily", depth=3))]
    assert "The vault job does it at three." == matches[0]
    assert "Tokens are rotated daily." not in matches
    assert [("Lunch is at noon.", 0)] == results(grown.recall("lunch at noon", depth=3))[:1]


def test_what_is_unfiled_is_returned_as_it_is(grown):
    assert [("Lunch is at noon.", 0)] == results(grown.recall("lunch at noon", depth=0))[:1]


def test_filters_alone_are_lifted_and_paged(grown):
    from aforesaid.domain.model.memory import Filters

    filters = Filters(types=("semantic",))
    first = grown.recall(filters=filters, depth=0, max_results=3)
    rest = grown.recall(filters=filters, depth=0, max_results=3, cursor=first.next_cursor)
    matches = sorted(content for content, _ in [*results(first), *results(rest)])
    assert (4, None) == (first.total_matched, rest.next_cursor)
    assert ["Lunch is at noon.", "auth", "commits", "queue"] == matches
    with pytest.raises(InvalidInputError, match="invalid cursor"):
        grown.recall(filters=filters, depth=0, cursor="place-²")


def test_a_depth_that_there_is_not_is_refused(grown):
    with pytest.raises(InvalidInputError, match="depth 12"):
        grown.recall("tokens", depth=12)


def test_what_is_lifted_to_a_node_is_not_counted_as_used(grown):
    answer = grown.recall("the vault job at three", depth=0)
    grown.services.recall.uses.collect(answer)
    grown.services.recall.uses.write()
    shown = [result.memory.key for result in answer.results if result.node is None]
    used = [
        memory.key for memory in grown.store.memories.get(list(range(1, 9))) if memory.access_count
    ]
    assert sorted(shown) == used
