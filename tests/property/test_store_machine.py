"""The SQLite store and the model side by side: whatever is done, both answer the same."""

from __future__ import annotations

import operator
import os
import shutil
import tempfile

import pytest
from bench.hashed_embedder import HashedEmbedder
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.embedding_model import Model
from aforesaid.domain.model.ids import code_of, next_uuid7
from aforesaid.domain.model.memory import (
    PROVENANCES,
    TYPES,
    Filters,
    Hit,
    PageCursor,
    Session,
    Visibility,
)
from aforesaid.domain.model.topic import Topic
from factories import DAY, NOON, make_memory, make_project
from generated import examples
from property.reference_store import ReferenceStore

DIMENSIONS = 16
EMBED = HashedEmbedder(DIMENSIONS)
#: Each is its own stem, and none is a part of another.
VOCABULARY = ("kilo", "lima", "golf", "bravo", "yankee", "delta", "echo", "foxtrot")
MANY = 10_000
WAYS = (
    "models.activate",
    "models.keep",
    "models.drop_vectors",
)  #: a model that came, ends or serves

words = st.sampled_from(VOCABULARY)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join)
tags = st.lists(st.sampled_from(["red", "green", "blue-ish"]), max_size=2).map(tuple)
fractions = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
times = st.integers(-3, 3).map(lambda days: NOON + days * DAY)
picks = st.integers(0, 1_000)  #: chooses among whatever is there
#: Few different ends, so that short ids collide.
chance = st.sampled_from(
    [bytes(10), bytes(9) + b"\x01", b"\x01" + bytes(9), bytes(8) + b"\x80\x00"]
)
filters = st.builds(
    Filters,
    types=st.lists(st.sampled_from(TYPES), max_size=2).map(tuple),
    scopes=st.lists(st.sampled_from(["global", "project"]), max_size=1).map(tuple),
    tags=tags,
    since=st.none() | times,
    until=st.none() | times,
    min_confidence=fractions,
    include_history=st.booleans(),
)
no_filters = st.builds(Filters, include_history=st.booleans())


class Stores(RuleBasedStateMachine):
    """Does the same to both stores, and asks both the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.real = self._open()
        self.model = ReferenceStore()
        self.keys: list[int] = []
        self.projects: list[int] = []
        self.now = NOON

    def _open(self) -> SqliteStore:
        return SqliteStore(
            os.path.join(self.folder, "m.db"),
            vec_extension=find_vec_extension(),
        )

    def teardown(self) -> None:
        self.real.close()
        shutil.rmtree(self.folder)

    # -- helpers

    def both(self, method: str, /, *arguments, **fields):
        """Call a method of both stores in a transaction; return the answer, which is one."""
        answers = []
        for store in (self.model, self.real):
            with store.transaction():
                answers.append(operator.attrgetter(method)(store)(*arguments, **fields))
        assert answers[0] == answers[1], method
        return answers[0]

    def pick(self, number: int, among: list[int]) -> int:
        return among[number % len(among)]

    def visible(self, number: int) -> Visibility:
        """Return global alone, global and a project, or all."""
        if number % 3 == 0 or not self.projects:
            return Visibility(projects=(0,))
        if number % 3 == 1:
            return Visibility.of_project(self.pick(number, self.projects))
        return Visibility(projects=(0, *self.projects))

    def later(self) -> int:
        self.now += 1_000
        return self.now

    def in_force(self) -> list[int]:
        return [key for key in self.keys if self.model.memories.get([key])[0].superseded_by is None]

    # -- memories

    @initialize(
        contents=st.lists(texts, min_size=6, max_size=6),
        chances=st.lists(chance, min_size=6, max_size=6),
    )
    def begin_with_something(self, contents, chances) -> None:
        """Two projects, memories in each and a chain of three: there are no others in most runs."""
        for number in (6, 7):
            self.projects.append(
                self.both("projects.add", make_project(f"git:example.org/team{number}/same")).key
            )
        for number, (content, chance) in enumerate(zip(contents, chances, strict=True)):
            project = [0, *self.projects][number // 2]
            memory = make_memory(
                content=content, project=project, scope="project" if project else "global",
                id=next_uuid7(self.model.memories.last_id(), self.later(), chance),
            )  # fmt: skip
            key = self.both("memories.add", memory).key
            self.both("search.set_vectors", key, [EMBED.embed_query(content)], EMBED.model)
            self.keys.append(key)
        self.both("memories.supersede", self.keys[0], self.keys[1], self.later())
        self.both("memories.supersede", self.keys[1], self.keys[3], self.later())

    @rule(
        text=texts, kind=st.sampled_from(TYPES), tags=tags, at=times, pick=picks, chance=chance,
        importance=fractions, confidence=fractions, pinned=st.booleans(), summary=st.none() | texts,
        provenance=st.sampled_from(PROVENANCES), windows=st.lists(texts, max_size=2),
    )  # fmt: skip
    def add(self, text, kind, tags, at, pick, chance, windows, **fields) -> None:
        project = self.pick(pick, [0, *self.projects])
        memory = make_memory(
            content=text, type=kind, tags=tuple(sorted(set(tags))), at=at, project=project,
            scope="project" if project else "global", origin_project=project or None, **fields,
            id=next_uuid7(self.model.memories.last_id(), self.later(), chance),
        )  # fmt: skip
        stored = self.both("memories.add", memory)
        if windows:
            vectors = [EMBED.embed_query(window) for window in windows]
            self.both("search.set_vectors", stored.key, vectors, EMBED.model)
        self.keys.append(stored.key)

    @precondition(lambda self: self.keys)
    @rule(
        pick=picks,
        fields=st.fixed_dictionaries(
            {},
            optional={
                "content": texts, "summary": st.none() | texts, "tags": tags,
                "pinned": st.booleans(),
                "importance": fractions, "metadata": st.dictionaries(words, fractions, max_size=2)
                | st.fixed_dictionaries({"cues": st.lists(texts, max_size=2)}),
                "archived_at": st.none() | times,
            },
        ),
    )  # fmt: skip
    def change(self, pick, fields) -> None:
        self.both("memories.change", self.pick(pick, self.keys), updated_at=self.later(), **fields)

    @precondition(lambda self: len(self.in_force()) > 1)
    @rule(old=picks, new=picks)
    def supersede(self, old, new) -> None:
        old_key = self.pick(old, self.in_force())
        new_key = self.pick(new, [key for key in self.in_force() if key != old_key])
        self.both("memories.supersede", old_key, new_key, self.later())

    @precondition(lambda self: self.keys)
    @rule(pick=picks)
    def forget(self, pick) -> None:
        self.both("memories.change", self.pick(pick, self.keys), forgotten_at=self.later())

    @precondition(lambda self: self.keys)
    @rule(pick=picks)
    def restore(self, pick) -> None:
        self.both(
            "memories.change", self.pick(pick, self.keys), forgotten_at=None, archived_at=None
        )

    @precondition(lambda self: self.keys)
    @rule(pick=picks)
    def erase(self, pick) -> None:
        key = self.pick(pick, self.keys)
        self.both(
            "memories.erase",
            key,
            f"hash of {self.model.memories.get([key])[0].content}",
            self.later(),
        )
        self.keys.remove(key)

    @precondition(lambda self: self.keys)
    @rule(chosen=st.lists(picks, min_size=1, max_size=3), gain=fractions)
    def reinforce(self, chosen, gain) -> None:
        keys = [self.pick(pick, self.keys) for pick in chosen]
        self.both("usage.reinforce", keys, self.later(), gain)

    @precondition(lambda self: self.keys)
    @rule(pick=picks, share=fractions)
    def refresh(self, pick, share) -> None:
        self.both("usage.refresh", {self.pick(pick, self.keys): share}, self.later())

    @precondition(lambda self: self.keys)
    @rule(pick=picks, windows=st.lists(texts, min_size=1, max_size=3), model=st.sampled_from("ab"))
    def set_vectors(self, pick, windows, model) -> None:
        vectors = [EMBED.embed_query(window) for window in windows]
        self.both("search.set_vectors", self.pick(pick, self.keys), vectors, model)

    @rule(model=st.sampled_from([EMBED.model, "a", "b"]))
    def announce_model(self, model) -> None:
        self.both("models.announce", Model(name=model, dimensions=EMBED.dimensions))

    @precondition(lambda self: self.keys)
    @rule(model=st.sampled_from("ab"), text=texts)
    def fill_model(self, model, text) -> None:
        for key in self.both("search.without_vectors", model, MANY):
            self.both("search.set_vectors", key, [EMBED.embed_query(text)], model)

    @rule(model=st.sampled_from([EMBED.model, "a", "b"]), way=st.sampled_from(WAYS))
    def end_model(self, model, way) -> None:
        self.both(*((way, model, MANY) if way == "models.drop_vectors" else (way, model)))

    @rule(text=texts, pick=picks)
    def fail_in_the_middle(self, text, pick) -> None:
        for store in (self.model, self.real):
            with pytest.raises(RuntimeError), store.transaction():  # noqa: PT012 - all fails
                store.memories.add(make_memory(content=text, id=next_uuid7(None, 1, bytes(10))))
                if self.keys:
                    store.memories.change(self.pick(pick, self.keys), content=text, forgotten_at=1)
                    store.memories.erase(self.pick(pick + 1, self.keys), "half", 1)
                raise RuntimeError

    @precondition(lambda self: self.keys)
    @rule(pick=picks)
    def store_an_id_again(self, pick) -> None:
        taken = self.model.memories.get([self.pick(pick, self.keys)])[0]
        for store in (self.model, self.real):
            with pytest.raises(AforesaidError), store.transaction():
                store.memories.add(taken)

    @rule()
    def open_again(self) -> None:
        self.real.close()
        self.real = self._open()

    # -- questions

    @rule(terms=st.lists(words, min_size=1, max_size=3), pick=picks, filters=filters | no_filters)
    def search_words(self, terms, pick, filters) -> None:
        visible = self.visible(pick)
        hits = self.real.search.by_words(terms, visible, filters, MANY)
        expected = self.model.search.by_words(terms, visible, filters, MANY)

        assert _places(expected) == _places(hits)
        assert sorted(hits, key=lambda hit: (-hit.score, hit.key)) == hits

    @rule(
        text=texts,
        pick=picks,
        filters=filters | no_filters,
        limit=st.sampled_from([1, 2, MANY]),
        by=st.sampled_from([None, EMBED.model, "a", "b"]),
    )
    def search_vectors(self, text, pick, filters, limit, by) -> None:
        visible, vector = self.visible(pick), EMBED.embed_query(text)
        hits = self.real.search.by_vector(vector, visible, filters, limit, by)
        expected = self.model.search.by_vector(vector, visible, filters, MANY, by)

        heads = {hit.head for hit in expected}
        assert min(limit, len(heads)) <= len({hit.head for hit in hits})
        scores = [hit.score for hit in expected[: len(hits)]]
        assert scores == pytest.approx([hit.score for hit in hits], abs=1e-5)
        assert _places(hits) <= _places(expected)
        if limit == MANY:
            assert _places(expected) == _places(hits)

    @rule(
        pick=picks,
        filters=filters | no_filters,
        limit=st.integers(1, 5),
        start=st.integers(0, 3),
    )
    def select(self, pick, filters, limit, start) -> None:
        visible = self.visible(pick)
        before = self.both("memories.select", visible, filters, start) if start else []
        after = PageCursor.of(before[-1]) if before else None
        self.both("memories.select", visible, filters, limit, after)
        self.both("memories.count", visible, filters)

    @rule(pick=picks, limit=st.integers(1, 4), text=texts)
    def read_parts(self, pick, limit, text) -> None:
        project = self.pick(pick, [0, *self.projects])
        self.both("memories.most_important", project, TYPES, limit)
        self.both("memories.last_recalled", project, TYPES, limit)
        self.both("memories.latest_events", project, limit)
        self.both("memories.same_text", make_memory(content=text).content_hash, self.visible(pick))
        self.both("search.without_vectors", "a", limit)
        self.both("memories.is_erased", f"hash of {text}")
        self.both("models.list_all")
        results, expected = (
            {name: value for name, value in item.memories.statistics(self.visible(pick)).items()
             if name != "db_size_bytes"}
            for item in (self.real, self.model)
        )  # fmt: skip
        assert expected == results

    @precondition(lambda self: self.keys)
    @rule(pick=picks, length=st.integers(4, 26))
    def find_by_end(self, pick, length) -> None:
        end = code_of(self.model.memories.get([self.pick(pick, self.keys)])[0].id)[:length][::-1]
        expected = {memory.id for memory in self.model.memories.find(end)}
        ids = {memory.id for memory in self.real.memories.find(end)}

        assert len(expected) == len(ids)
        assert len(expected) == 10 or expected == ids

    # -- the topic tree

    def topics_of(self, project: int) -> list[int]:
        return [topic.key for topic in self.model.topics.of_projects([project])]

    @rule(name=words, pick=picks, below=st.none() | picks)
    def add_topic(self, name, pick, below) -> None:
        project = self.pick(pick, [0, *self.projects])
        roots = [item for item in self.model.topics.of_projects([project]) if item.parent is None]
        parent = roots[below % len(roots)].key if below is not None and roots else None
        known = [(item.parent, item.name) for item in self.model.topics.of_projects([project])]
        if (parent, name) not in known:
            at = self.later()
            topic = Topic(
                project=project, parent=parent, name=name, normalised=name,
                created_at=at, updated_at=at,
            )  # fmt: skip
            self.both("topics.add", topic)

    @precondition(lambda self: self.keys)
    @rule(pick=picks, topic=st.none() | picks, parent=st.none() | picks, overview=st.booleans())
    def place(self, pick, topic, parent, overview) -> None:
        key = self.pick(pick, self.in_force())
        known = self.topics_of(self.model.memories.get([key])[0].project)
        node = known[topic % len(known)] if topic is not None and known else None
        above = None if parent is None else self.pick(parent, self.keys)
        self.both("memories.change", key, topic=node, parent=above)
        self.both("topics.recompute", key)
        if overview and node is not None:
            self.both("topics.change", node, overview=key)

    @rule(pick=picks, gone=picks, kept=picks)
    def replace_topic(self, pick, gone, kept) -> None:
        known = self.model.topics.of_projects([self.pick(pick, [0, *self.projects])])
        leaves = [
            memory.key for memory in known if all(other.parent != memory.key for other in known)
        ]
        if leaves:
            source = self.pick(gone, leaves)
            others = [memory.key for memory in known if memory.key != source]
            if others:
                self.both("topics.replace", source, self.pick(kept, others))

    @rule()
    def remove_unused_topics(self) -> None:
        self.both("topics.remove_unused")

    @invariant()
    def topics_are_the_same(self) -> None:
        projects = [0, *self.projects]
        topics = self.model.topics.of_projects(projects)
        assert topics == self.real.topics.of_projects(projects)
        visible = self.visible(len(self.keys))
        keys = [topic.key for topic in topics]
        self.both("topics.counts", visible)
        self.both("topics.filed", keys, visible, MANY)
        self.both("topics.shown", self.keys, visible)
        for key in self.in_force()[:4]:
            self.both("topics.details", key, visible)

    # -- projects and sessions

    @rule(number=st.integers(0, 5))
    def add_project(self, number) -> None:
        identity = f"git:example.org/team{number}/same"
        if self.model.projects.by_key(identity) is None and len(self.projects) < 4:
            values = make_project(identity, used_at=self.later())
            if all(
                values.identity != project.identity for project in self.model.projects.list_all()
            ):
                self.projects.append(self.both("projects.add", values).key)

    @precondition(lambda self: self.projects)
    @rule(pick=picks, name=words)
    def add_alias(self, pick, name) -> None:
        project = self.pick(pick, self.projects)
        self.both("projects.add_alias", project, f"folder:/{name}")
        self.both("projects.change", project, name=name, used_at=self.later())

    @precondition(lambda self: len(self.projects) > 1)
    @rule(gone=picks, kept=picks)
    def merge_projects(self, gone, kept) -> None:
        source = self.pick(gone, self.projects)
        self.projects.remove(source)
        self.both("projects.merge", source, self.pick(kept, self.projects))

    @rule(name=words, pid=st.integers(1, 2), pick=picks, ended=st.booleans(), shown=st.booleans())
    def put_session(self, name, pid, pick, ended, shown) -> None:
        at = self.later()
        session = Session(
            id=name, client_pid=pid, started_at=at - 50_000, opened_at=at,
            project=self.pick(pick, self.projects) if self.projects else None,
            digest=self.pick(pick, self.keys) if self.keys else None,
            ended_at=at if ended else None, shown_at=at if shown else None,
        )  # fmt: skip
        self.both("sessions.put", session)

    # -- always

    @invariant()
    def rows_are_the_same(self) -> None:
        assert self.model.memories.get(self.keys) == self.real.memories.get(self.keys)
        assert self.model.memories.short_ids(self.keys) == self.real.memories.short_ids(self.keys)
        assert self.model.memories.last_id() == self.real.memories.last_id()

    @invariant()
    def projects_and_sessions_are_the_same(self) -> None:
        assert self.model.projects.list_all() == self.real.projects.list_all()
        for project in self.projects:
            assert self.model.projects.aliases(project) == self.real.projects.aliases(project)
            assert self.model.sessions.list_shown(project, 3) == self.real.sessions.list_shown(
                project, 3
            )
        assert self.model.sessions.list_open() == self.real.sessions.list_open()
        for name in VOCABULARY:
            assert self.model.sessions.get(name) == self.real.sessions.get(name)
        assert self.model.sessions.of_client(1, None, 3) == self.real.sessions.of_client(1, None, 3)

    @invariant()
    def every_version_has_its_head_and_its_chain(self) -> None:
        for key in self.keys[:4]:
            memory = self.model.memories.get([key])[0]
            assert self.model.memories.chain(key) == self.real.memories.chain(key)
            assert self.model.memories.get([memory.head])[0].superseded_by is None

    @invariant()
    def the_index_of_words_agrees_with_the_rows(self) -> None:
        self.real.database.rows(
            "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
        )


def _places(hits: list[Hit]) -> set[tuple[int, int]]:
    return {(hit.key, hit.head) for hit in hits}


Stores.TestCase.settings = settings(
    max_examples=examples(100),
    stateful_step_count=40,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestStores = Stores.TestCase
