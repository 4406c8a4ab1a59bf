"""What a store guarantees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.anchor import presence_anchor
from aforesaid.domain.model.ids import code_of
from aforesaid.domain.model.import_item import ImportedItem
from aforesaid.domain.model.memory import (
    TYPES,
    Filters,
    Memory,
    PageCursor,
    Session,
    Visibility,
)
from aforesaid.domain.model.topic import Topic
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.ports import Store
from factories import DAY, NOON, make_memory, make_project, open_sqlite

EVERYTHING = Filters()
GLOBAL = Visibility(projects=(0,))
EMBED = HashedEmbedder()


#: The second compares bits first and plans its full-text queries, as large stores do.
OPENED = {"sqlite": {}, "sqlite as if large": {"exact_vectors": 0, "whole_words": 0}}


@pytest.fixture(params=OPENED)
def store(request: pytest.FixtureRequest, tmp_path) -> Iterator[Store]:
    created = open_sqlite(tmp_path / "m.db", **OPENED[request.param])
    yield created
    created.close()


def add(store: Store, number: int, content: str | None = None, **fields) -> Memory:
    """Store one memory with its vectors."""
    content = content or f"memory number {number}"
    with store.transaction():
        stored = store.memories.add(make_memory(number, content=content, **fields))
        store.search.set_vectors(stored.key, EMBED.embed_document(content), EMBED.model)
    return store.memories.get([stored.key])[0]


def words(store: Store, *terms: str, visible=GLOBAL, filters=EVERYTHING, limit=50) -> list[int]:
    return [hit.key for hit in store.search.by_words(terms, visible, filters, limit)]


def near(store: Store, text: str, visible=GLOBAL, filters=EVERYTHING, limit=50) -> list[int]:
    return [
        hit.key for hit in store.search.by_vector(EMBED.embed_query(text), visible, filters, limit)
    ]


# -- adding and reading


def test_what_is_read_is_what_was_stored(store) -> None:
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a"))
        session = "5e551017"
        original = make_memory(
            1,
            content='zwölf Boxkämpfer 🥊\n\tjagen \u202b\u05d0\u202c "Viktor"',
            type="procedural",
            scope="project",
            project=project.key,
            origin_project=project.key,
            summary="über Boxkämpfer",
            importance=0.25,
            confidence=0.75,
            pinned=True,
            provenance="user",
            session=session,
            valid_from=NOON - 5,
            valid_to=NOON + 5,
            metadata={"steps": ["eins", "zwei"], "version": 2, "deep": {"a": [1, None, 1.5]}},
            tags=("alpha", "zulu"),
        )
        stored = store.memories.add(original)

    assert original.replace(key=stored.key, head=stored.key) == stored
    assert [stored] == store.memories.get([stored.key])


def test_keys_are_answered_in_the_order_asked_and_unknown_ones_left_out(store) -> None:
    first, second = add(store, 1), add(store, 2)

    assert [second, first] == store.memories.get([second.key, 999, first.key])
    assert [] == store.memories.get([])


def test_a_transaction_that_fails_leaves_nothing(store) -> None:
    with pytest.raises(RuntimeError), store.transaction():  # noqa: PT012 - all of it fails
        store.memories.add(make_memory(1))
        store.set_meta("name", "value")
        with store.transaction():
            store.memories.add(make_memory(2))
        raise RuntimeError

    assert 0 == store.memories.count(GLOBAL, EVERYTHING)
    assert None is store.meta("name")
    assert [] == words(store, "memory")


def test_a_transaction_inside_another_is_part_of_it(store) -> None:
    with store.transaction():
        with store.transaction():
            store.memories.add(make_memory(1))
        store.memories.add(make_memory(2))

    assert 2 == store.memories.count(GLOBAL, EVERYTHING)


def test_a_filter_holds_every_memory_if_it_names_all_types(store) -> None:
    for number, kind in enumerate(TYPES, start=1):
        add(store, number, f"text {number}", type=kind)
    add(store, 9, "another fact")

    assert 5 == store.memories.count(GLOBAL, Filters(types=TYPES[::-1]))
    assert 2 == store.memories.count(GLOBAL, Filters(types=("semantic",)))
    assert 4 == store.memories.count(
        GLOBAL, Filters(types=tuple(t for t in TYPES if t != "entity"))
    )


def test_an_id_is_stored_once(store) -> None:
    add(store, 1)

    with pytest.raises(AforesaidError):
        add(store, 1, "another text")
    assert 1 == store.memories.count(GLOBAL, EVERYTHING)


@pytest.mark.parametrize(("scope", "project"), [("project", 0), ("global", 1)])
def test_what_is_global_has_no_project_and_the_reverse(store, scope, project) -> None:
    with store.transaction():
        store.projects.add(make_project("git:example.org/a"))

    with pytest.raises(AforesaidError):
        add(store, 1, scope=scope, project=project)


def test_text_with_nul_is_refused_by_name(store) -> None:
    with pytest.raises(InvalidInputError, match="content"):
        add(store, 1, "before\0after")


def test_the_last_id_stays_the_last_after_it_was_erased(store) -> None:
    assert None is store.memories.last_id()
    add(store, 1)
    last = add(store, 2)
    with store.transaction():
        store.memories.erase(last.key, "hash", NOON)

    assert last.id == store.memories.last_id()


# -- ids


def test_a_whole_id_or_its_end_finds_a_memory(store) -> None:
    memory = add(store, 1)
    add(store, 2)
    short = store.memories.short_ids([memory.key])[memory.key]

    assert 4 == len(short)
    for reference in (memory.id, memory.id.upper(), short, f"[{short.upper()}]"):
        assert [memory] == store.memories.find(reference)


def test_an_end_that_several_share_finds_them_all_and_is_never_shown(store) -> None:
    first = make_memory(1)
    twin = f"{first.id[:14]}{(int(first.id[14], 16) + 1) % 16:x}{first.id[15:]}"
    with store.transaction():
        row = store.memories.add(first)
        other = store.memories.add(make_memory(2, id=twin))
    shown = store.memories.short_ids([row.key, other.key])

    shared = code_of(first.id)[:6][::-1]

    assert {row.key, other.key} == {memory.key for memory in store.memories.find(shared)}
    assert shown[row.key] != shown[other.key]
    assert [row.key] == [memory.key for memory in store.memories.find(shown[row.key])]


def test_an_end_that_many_hidden_ids_share_still_finds_the_visible_one(store) -> None:
    first = make_memory(1)
    with store.transaction():
        theirs = store.projects.add(make_project("git:example.org/theirs")).key
        for number in range(12):  # more than an answer ever lists
            twin = f"{first.id[:14]}{number:x}{first.id[15:]}"
            store.memories.add(make_memory(number + 2, id=twin, project=theirs, scope="project"))
        mine = store.memories.add(make_memory(20, id=f"{first.id[:14]}f{first.id[15:]}"))
    shared = code_of(first.id)[:6][::-1]

    assert [mine] == store.memories.find(shared, Visibility(projects=(0,)))
    assert 10 == len(store.memories.find(shared))


def test_unknown_keys_have_no_short_id(store) -> None:
    assert {} == store.memories.short_ids([7])


# -- changing


def test_changed_columns_are_read_back_and_words_follow(store) -> None:
    memory = add(store, 1, "kilo lima", tags=("oscar",))
    with store.transaction():
        store.memories.change(
            memory.key, content="mike lima", summary="quebec", tags=("papa",), pinned=True,
            metadata={"a": 1}, importance=0.9, updated_at=NOON + 9,
        )  # fmt: skip

    changed = store.memories.get([memory.key])[0]
    assert ("mike lima", "quebec", ("papa",), True, {"a": 1}, 0.9) == (
        changed.content, changed.summary, changed.tags, changed.pinned, changed.metadata,
        changed.importance,
    )  # fmt: skip
    results = {word: words(store, word) for word in ("kilo", "oscar", "mike", "quebec", "papa")}
    assert {"kilo": [], "oscar": [], "mike": [1], "quebec": [1], "papa": [1]} == results


def test_a_forgotten_memory_is_found_by_id_only_and_comes_back(store) -> None:
    memory = add(store, 1, "kilo")
    with store.transaction():
        store.memories.change(memory.key, forgotten_at=NOON)

    assert ([], [], 0, []) == (
        words(store, "kilo"), near(store, "kilo"), store.memories.count(GLOBAL, EVERYTHING),
        store.memories.select(GLOBAL, EVERYTHING, 9),
    )  # fmt: skip
    assert [memory.key] == [row.key for row in store.memories.find(memory.id)]
    assert [] == store.search.without_vectors(EMBED.model, 9)

    with store.transaction():
        store.memories.change(memory.key, forgotten_at=None)
    assert [memory.key] == words(store, "kilo")
    assert [memory.key] == store.search.without_vectors(EMBED.model, 9)  # to be embedded again


def test_an_archived_memory_is_not_found(store) -> None:
    memory = add(store, 1, "kilo")
    with store.transaction():
        store.memories.change(memory.key, archived_at=NOON)

    assert ([], [], 0) == (
        words(store, "kilo"), near(store, "kilo"), store.memories.count(GLOBAL, EVERYTHING)
    )  # fmt: skip


def test_reinforcing_counts_an_access_and_raises_confidence_to_one_at_most(store) -> None:
    low, high = add(store, 1, confidence=0.5), add(store, 2, confidence=0.98)
    with store.transaction():
        store.usage.reinforce([low.key, high.key], NOON + 5, 0.05)
        store.usage.reinforce([low.key], NOON + 6, 0.05)

    low, high = store.memories.get([low.key, high.key])
    assert (2, NOON + 6, NOON + 6) == (
        low.access_count, low.last_accessed_at, low.last_reinforced_at
    )  # fmt: skip
    assert pytest.approx((0.6, 1.0)) == (low.confidence, high.confidence)


def test_a_linked_memory_gets_fresher_by_a_share_and_counts_no_access(store) -> None:
    old, fresh = add(store, 1), add(store, 2, at=NOON + 9_000)
    with store.transaction():
        store.usage.refresh({old.key: 0.25, fresh.key: 0.25}, NOON + 5_000)

    old_after, fresh_after = store.memories.get([old.key, fresh.key])
    assert (NOON + 2_000, 0, None) == (
        old_after.last_reinforced_at, old_after.access_count, old_after.last_accessed_at
    )  # fmt: skip
    assert fresh == fresh_after  # it was reinforced later


# -- chains


@pytest.fixture
def chain(store) -> list[Memory]:
    """Three versions of one statement, each superseding the one before."""
    versions = [add(store, 1, "kilo"), add(store, 2, "lima"), add(store, 3, "mike")]
    with store.transaction():
        store.memories.supersede(versions[0].key, versions[1].key, NOON)
        store.memories.supersede(versions[1].key, versions[2].key, NOON + 1)
    return store.memories.get([memory.key for memory in versions])


def test_every_version_knows_its_head_and_only_the_head_is_in_force(store, chain) -> None:
    keys = [memory.key for memory in chain]

    assert [keys[2]] * 3 == [memory.head for memory in chain]
    assert [keys[1], keys[2], None] == [memory.superseded_by for memory in chain]
    assert [NOON, NOON + 1, None] == [memory.superseded_at for memory in chain]
    assert [False, False, True] == [memory.in_force for memory in chain]
    assert [chain] * 3 == [store.memories.chain(key) for key in keys]
    assert [keys[2]] == [memory.key for memory in store.memories.select(GLOBAL, EVERYTHING, 9)]


def test_a_hit_on_an_old_version_stands_for_the_head(store, chain) -> None:
    hits = store.search.by_words(["kilo"], GLOBAL, EVERYTHING, 5)

    assert [(chain[0].key, chain[2].key)] == [(hit.key, hit.head) for hit in hits]
    assert {memory.key for memory in chain} == set(near(store, "kilo"))


def test_nothing_of_a_chain_is_found_once_its_head_is_forgotten(store, chain) -> None:
    with store.transaction():
        store.memories.change(chain[2].key, forgotten_at=NOON)

    assert [] == words(store, "kilo", "lima", "mike") + near(store, "kilo")


def test_in_history_each_version_stands_for_itself(store, chain) -> None:
    history = Filters(include_history=True)
    hits = store.search.by_words(["kilo", "lima", "mike"], GLOBAL, history, 5)

    assert {(memory.key, memory.key) for memory in chain} == {(hit.key, hit.head) for hit in hits}
    hits = store.search.by_vector(EMBED.embed_query("lima"), GLOBAL, history, 5)
    assert (chain[1].key, chain[1].key) == (hits[0].key, hits[0].head)
    assert (
        3 == len(store.memories.select(GLOBAL, history, 9)) == store.memories.count(GLOBAL, history)
    )


def test_chains_that_join_share_one_head(store, chain) -> None:
    newest = add(store, 4, "november")
    other = add(store, 5, "oscar")
    with store.transaction():
        store.memories.supersede(other.key, newest.key, NOON)
        store.memories.supersede(chain[2].key, newest.key, NOON)

    assert {newest.key} == {memory.head for memory in store.memories.chain(newest.key)}
    assert 5 == len(store.memories.chain(chain[0].key))


def test_erasing_the_middle_of_a_chain_leaves_the_rest_replaced(store, chain) -> None:
    with store.transaction():
        store.memories.erase(chain[1].key, "hash", NOON)

    first, last = store.memories.get([chain[0].key, chain[2].key])
    assert (last.key, last.key, False) == (first.head, first.superseded_by, first.in_force)
    assert [last.key] == [memory.key for memory in store.memories.select(GLOBAL, EVERYTHING, 9)]


def test_erasing_the_head_puts_the_version_before_it_in_force(store, chain) -> None:
    with store.transaction():
        store.memories.erase(chain[2].key, "hash", NOON)

    first, second = store.memories.get([chain[0].key, chain[1].key])
    assert (second.key, second.key, True) == (first.head, second.head, second.in_force)
    assert None is second.superseded_at


# -- erasing


def test_an_erased_memory_is_gone_but_for_its_hash(store) -> None:
    memory = add(store, 1, "kilo", tags=("lima",))
    child = add(store, 2, "mike", parent=memory.key)
    with store.transaction():
        store.sessions.put(Session(id="s", started_at=NOON, digest=memory.key))
        store.memories.erase(memory.key, "the hash", NOON)

    assert ([], [], [], []) == (
        store.memories.get([memory.key]),
        store.memories.find(memory.id),
        words(store, "kilo", "lima"),
        [key for key in near(store, "kilo") if key == memory.key],
    )  # fmt: skip
    assert (True, False) == (
        store.memories.is_erased("the hash"),
        store.memories.is_erased("another"),
    )
    assert None is store.memories.get([child.key])[0].parent
    session = store.sessions.get("s")
    assert (None, True) == (session.digest, session.digest_refused)
    assert True is store.clean_file()


# -- full-text search


def test_more_matching_words_come_first(store) -> None:
    first = add(store, 1, "kilo lima mike")
    second = add(store, 2, "kilo november oscar")
    add(store, 3, "papa quebec romeo")

    assert [first.key, second.key] == words(store, "kilo", "lima")
    assert [first.key] == words(store, "kilo", "lima", limit=1)
    assert [] == words(store)


def test_equal_matches_come_in_order_of_their_keys(store) -> None:
    keys = [add(store, number, "kilo lima").key for number in range(1, 6)]

    assert keys == words(store, "kilo")


@pytest.mark.parametrize(
    "term", ['"', "NEAR(a b)", "a AND", "content:kilo", "*", "^kilo", 'a"b', "-", "{kilo}", "()"]
)
def test_no_word_is_read_as_syntax(store, term) -> None:
    memory = add(store, 1, "zulu")

    assert [memory.key] == words(store, "zulu", term)


def test_tags_summaries_and_parts_of_names_are_words(store) -> None:
    memory = add(store, 1, "parseHttpHeader 数据库", summary="sierra", tags=("tango-uniform",))

    for term in ("sierra", "tango", "tango-uniform", "http", "header", "parsehttpheader", "据库"):
        assert [memory.key] == words(store, term)


def test_a_term_with_punctuation_is_a_phrase(store) -> None:
    memory = add(store, 1, "see src/auth/jwt.py there")
    add(store, 2, "jwt and auth and src and py")

    assert [memory.key] == words(store, "src/auth/jwt.py")


# -- vector search


def test_the_nearest_window_counts_and_best_come_first(store) -> None:
    far = add(store, 1, "papa quebec romeo sierra")
    with store.transaction():
        exact = store.memories.add(make_memory(2, content="two windows"))
        store.search.set_vectors(
            exact.key,
            [EMBED.embed_query("zulu yankee"), EMBED.embed_query("kilo lima mike")],
            EMBED.model,
        )
    hits = store.search.by_vector(EMBED.embed_query("kilo lima mike"), GLOBAL, EVERYTHING, 5)

    assert [exact.key, far.key] == [hit.key for hit in hits]
    assert pytest.approx(1.0, abs=1e-5) == hits[0].score
    assert -1.0 <= hits[1].score < 0.5


def test_vectors_are_replaced_not_added(store) -> None:
    memory = add(store, 1, "kilo")
    with store.transaction():
        store.search.set_vectors(memory.key, EMBED.embed_document("lima"), EMBED.model)

    hit = store.search.by_vector(EMBED.embed_query("lima"), GLOBAL, EVERYTHING, 5)[0]
    assert pytest.approx(1.0, abs=1e-5) == hit.score
    assert 0.5 > store.search.by_vector(EMBED.embed_query("kilo"), GLOBAL, EVERYTHING, 5)[0].score


def test_other_cues_are_found_at_once_and_ask_for_new_vectors(store) -> None:
    memory = add(store, 1, "kilo")
    with store.transaction():
        store.memories.change(memory.key, metadata={"cues": ["sierra tango"], "note": "x"})
    assert [memory.key] == words(store, "tango") == near(store, "kilo")
    assert [memory.key] == store.search.without_vectors(EMBED.model, 9)

    with store.transaction():
        store.search.set_vectors(memory.key, EMBED.embed_document("lima"), EMBED.model)
        store.memories.change(memory.key, metadata={"cues": ["sierra tango"]})
    assert [] == store.search.without_vectors(EMBED.model, 9)  # the same cues
    with store.transaction():
        store.memories.change(memory.key, metadata={})
    assert ([], [memory.key]) == (
        words(store, "tango"),
        store.search.without_vectors(EMBED.model, 9),
    )


def test_what_waits_for_new_vectors_waits_wherever_it_goes(store) -> None:
    with store.transaction():
        shop, bakery = (store.projects.add(make_project(f"git:{name}")) for name in ("shop", "ba"))
    moved, merged = add(store, 1, "kilo"), add(store, 2, "lima")
    with store.transaction():
        store.memories.change(
            moved.key, metadata={"cues": ["sierra"]}, scope="project", project=shop.key
        )
        store.memories.change(merged.key, metadata={"cues": ["tango"]})
        store.memories.change(merged.key, scope="project", project=shop.key)
        store.projects.merge(shop.key, bakery.key)

    assert [moved.key, merged.key] == store.search.without_vectors(EMBED.model, 9)
    seen = Visibility(projects=(bakery.key,))
    assert {moved.key, merged.key} == {
        hit.key for hit in store.search.by_vector(EMBED.embed_query("kilo"), seen, EVERYTHING, 5)
    }  # the old vectors are searched


def test_memories_without_vectors_of_a_model_are_listed_oldest_first(store) -> None:
    with store.transaction():
        keys = [store.memories.add(make_memory(number)).key for number in (1, 2, 3)]
        store.search.set_vectors(keys[1], EMBED.embed_document("x"), EMBED.model)

    assert [keys[0], keys[2]] == store.search.without_vectors(EMBED.model, 9)
    assert [] == store.search.without_vectors("another@1", 2)


def test_vectors_of_an_unknown_memory_are_not_kept(store) -> None:
    with store.transaction():
        store.search.set_vectors(99, EMBED.embed_document("kilo"), EMBED.model)

    assert [] == near(store, "kilo")


# -- filters and visibility


FILTERS = {
    "types": Filters(types=("procedural",)),
    "scopes": Filters(scopes=("project",)),
    "tags": Filters(tags=("wanted", "other")),
    "since": Filters(since=NOON + 5 * DAY),
    "until": Filters(until=NOON - 5 * DAY),
    "min_confidence": Filters(min_confidence=0.95),
    "trusted": Filters(trusted_only=True),
    "provenances": Filters(provenances=("import", "derived")),
    "sessions": Filters(sessions=("s1", "s2")),
}
FITTING = {
    "types": {"type": "procedural"},
    "scopes": {"scope": "project", "project": 1},
    "tags": {"tags": ("wanted",)},
    "since": {"at": NOON + 6 * DAY},
    "until": {"at": NOON - 6 * DAY},
    "min_confidence": {"confidence": 1.0},
    "trusted": {"provenance": "derived"},
    "provenances": {"provenance": "import"},
    "sessions": {"session": "s2"},
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_holds_wherever_memories_are_found(store, name) -> None:
    with store.transaction():
        store.projects.add(make_project("git:example.org/a"))
    visible = Visibility(projects=(0, 1))
    add(store, 1, "kilo", confidence=0.9, tags=("unwanted",), provenance="tool")
    fitting = add(store, 2, "kilo", **{"confidence": 0.9, **FITTING[name]})
    arguments = {"visible": visible, "filters": FILTERS[name]}

    assert [fitting.key] == words(store, "kilo", **arguments)
    assert [fitting.key] == near(store, "kilo", **arguments)
    assert [fitting.key] == [
        memory.key for memory in store.memories.select(visible, FILTERS[name], 9)
    ]
    assert 1 == store.memories.count(visible, FILTERS[name])


def test_a_filter_by_topics_holds_wherever_memories_are_found(store) -> None:
    with store.transaction():
        topics = [
            store.topics.add(
                Topic(project=0, name=name, normalised=name, created_at=NOON, updated_at=NOON)
            ).key
            for name in ("queue", "broker")
        ]
    add(store, 1, "kilo")
    fitting = [add(store, number, "kilo", topic=key) for number, key in enumerate(topics, start=2)]
    for memory, key in zip(fitting, topics, strict=True):
        filters = Filters(topics=(key,))
        assert [memory.key] == words(store, "kilo", filters=filters)
        assert [memory.key] == near(store, "kilo", filters=filters)
    assert 2 == store.memories.count(GLOBAL, Filters(topics=tuple(topics)))


def test_forgotten_memories_are_listed_alone_and_once_a_chain(store) -> None:
    kept, gone, replaced = (add(store, number) for number in (1, 2, 3))
    with store.transaction():
        store.memories.supersede(replaced.key, gone.key, NOON)
        for memory in (gone, replaced):
            store.memories.change(memory.key, forgotten_at=NOON)
    listed = store.memories.select(GLOBAL, Filters(forgotten_only=True), 9)
    assert [gone.key] == [memory.key for memory in listed]
    assert [kept.key] == [memory.key for memory in store.memories.select(GLOBAL, Filters(), 9)]


def test_it_is_known_how_often_any_version_of_a_memory_was_shown(store) -> None:
    old, new, other = (add(store, number) for number in (1, 2, 3))
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)
        for name, shown in (("a", (old.key, new.key)), ("b", (new.key, other.key)), ("c", ())):
            at = NOON + ord(name)
            store.sessions.put(Session(id=name, started_at=at, shown=shown, shown_at=at))
    assert (2, NOON + ord("b")) == store.inspection.times_shown(new.key)
    assert (2, NOON + ord("b")) == store.inspection.times_shown(old.key)
    assert (0, None) == store.inspection.times_shown(add(store, 4).key)


def test_memories_in_force_that_cite_a_file_are_listed(store) -> None:
    citing, gone, hidden = (add(store, number) for number in (1, 2, 3))
    add(store, 4)
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a")).key
        store.memories.change(hidden.key, project=project, scope="project")
        store.memories.change(gone.key, forgotten_at=NOON)
        for memory in (citing, gone, hidden):
            store.anchors.replace(memory.key, [presence_anchor("a.py"), presence_anchor("b.py")])
    assert [citing.key] == store.anchors.cited_by(GLOBAL, 9)
    both = Visibility(projects=(0, project))
    assert [hidden.key] == store.anchors.cited_by(both, 1)


def test_only_visible_projects_are_seen_by_any_reader(store) -> None:
    with store.transaction():
        for name in "abc":
            store.projects.add(make_project(f"git:example.org/{name}/same"))
    for project in (1, 2, 3):
        add(store, project, "kilo", scope="project", project=project)
    add(store, 4, "kilo")
    for project in (1, 2, 3):
        visible = Visibility.of_project(project)
        seen = {
            *words(store, "kilo", visible=visible),
            *near(store, "kilo", visible=visible),
            *(memory.key for memory in store.memories.select(visible, EVERYTHING, 99)),
        }

        assert {project, 4} == seen
        assert (
            2
            == store.memories.count(visible, EVERYTHING)
            == store.memories.statistics(visible)["total"]
        )
        assert [project] == [
            memory.key for memory in store.memories.most_important(project, ["semantic"], 9)
        ]
        same = store.memories.same_text(make_memory(1, content="kilo").content_hash, visible)
        assert {project, 4} == {memory.key for memory in same}


def test_an_old_version_in_a_hidden_project_is_not_searched_for_a_global_head(store) -> None:
    with store.transaction():
        store.projects.add(make_project("git:example.org/a"))
    old = add(store, 1, "kilo", scope="project", project=1)
    head = add(store, 2, "lima")
    with store.transaction():
        store.memories.supersede(old.key, head.key, NOON)

    assert [head.key] == near(store, "kilo")
    assert [] == words(store, "kilo")
    assert [old.key] == words(store, "kilo", visible=Visibility(projects=(0, 1)))


def test_memories_come_pinned_first_then_by_day_and_importance(store) -> None:
    old_pinned = add(store, 1, at=NOON - 9 * DAY, pinned=True, importance=0.1)
    older = add(store, 2, at=NOON - DAY, importance=0.9)
    low = add(store, 3, at=NOON, importance=0.2)
    high = add(store, 4, at=NOON - 60_000, importance=0.8)
    ordered = [memory.key for memory in (old_pinned, high, low, older)]

    assert ordered == [memory.key for memory in store.memories.select(GLOBAL, EVERYTHING, 9)]
    after = PageCursor.of(store.memories.get([ordered[0]])[0])
    assert ordered[1:3] == [
        memory.key for memory in store.memories.select(GLOBAL, EVERYTHING, 2, after)
    ]


def test_what_nobody_vouches_for_is_not_among_the_most_important(store) -> None:
    trusted = [
        add(store, 1, provenance="user", importance=0.3),
        add(store, 2, provenance="assistant", importance=0.6),
        add(store, 3, provenance="derived", importance=0.1, pinned=True),
    ]
    for number, provenance in enumerate(("tool", "import"), start=4):
        add(store, number, provenance=provenance, importance=1.0, pinned=True)
    event = add(store, 6, type="episodic")

    results = store.memories.most_important(0, ["semantic", "episodic"], 2)
    assert [trusted[2].key, trusted[1].key, event.key] == [memory.key for memory in results]


def test_what_was_recalled_comes_last_recalled_first_without_untrusted_ones(store) -> None:
    first, second = add(store, 1), add(store, 2, type="procedural")
    add(store, 3)
    untrusted, event = add(store, 4, provenance="tool"), add(store, 5, type="episodic")
    with store.transaction():
        store.usage.reinforce([second.key, untrusted.key, event.key], NOON, 0.0)
        store.usage.reinforce([first.key], NOON + DAY, 0.0)

    kinds = ["semantic", "procedural"]
    assert [first.key, second.key] == [
        memory.key for memory in store.memories.last_recalled(0, kinds, 9)
    ]
    assert [first.key] == [memory.key for memory in store.memories.last_recalled(0, kinds, 1)]


def test_the_latest_events_come_newest_first_without_untrusted_ones(store) -> None:
    first = add(store, 1, type="episodic", at=NOON)
    second = add(store, 2, type="episodic", at=NOON + DAY, importance=0.1)
    add(store, 3, type="episodic", at=NOON + 2 * DAY, provenance="tool")
    add(store, 4, at=NOON + 3 * DAY)

    assert [second.key, first.key] == [memory.key for memory in store.memories.latest_events(0, 9)]
    assert [second.key] == [memory.key for memory in store.memories.latest_events(0, 1)]


def test_equal_texts_in_force_are_found_by_their_hash(store) -> None:
    first, second = add(store, 1, "Kilo lima."), add(store, 2, "kilo  LIMA")
    replaced = add(store, 3, "kilo lima")
    with store.transaction():
        store.memories.supersede(replaced.key, first.key, NOON)

    results = store.memories.same_text(first.content_hash, GLOBAL)
    assert [first.key, second.key] == [memory.key for memory in results]


def test_statistics_count_states_types_and_scopes(store) -> None:
    with store.transaction():
        store.projects.add(make_project("git:example.org/a"))
    versions = [add(store, 1), add(store, 2)]
    add(store, 3, type="episodic", scope="project", project=1)
    removed, put_away = add(store, 4), add(store, 5)
    with store.transaction():
        store.memories.supersede(versions[0].key, versions[1].key, NOON)
        store.memories.change(removed.key, forgotten_at=NOON)
        store.memories.change(put_away.key, archived_at=NOON)
    statistics = store.memories.statistics(Visibility(projects=(0, 1)))
    del statistics["db_size_bytes"]

    assert {
        "total": 5, "active": 2, "superseded": 1, "forgotten": 1, "archived": 1, "compacted": 0,
        "by_type": {"episodic": 1, "semantic": 1}, "by_scope": {"global": 1, "project": 1},
        "relations": 0, "entities": 0, "oldest": NOON + 1_000, "newest": NOON + 5_000,
    } == statistics  # fmt: skip


def test_an_empty_store_has_statistics_too(store) -> None:
    statistics = store.memories.statistics(GLOBAL)

    assert (0, 0, None, None) == (
        statistics["total"], statistics["active"], statistics["oldest"], statistics["newest"]
    )  # fmt: skip


def test_facts_about_the_store_are_kept(store) -> None:
    assert None is store.meta("colour")
    with store.transaction():
        store.set_meta("colour", "blue")
        store.set_meta("colour", "green")

    assert "green" == store.meta("colour")
    assert 64 == len(store.meta("install_secret"))


# -- projects


def test_a_project_is_found_by_every_key_that_means_it(store) -> None:
    with store.transaction():
        created = store.projects.add(
            make_project(
                "git:example.org/a", keywords=("x", "y"), description="d", root="/r",
                remote="https://example.org/a", provisional=True,
            )
        )  # fmt: skip
        store.projects.add_alias(created.key, "folder:/r")

    named = created.replace(aliases=("folder:/r", "git:example.org/a"))
    assert named == store.projects.get(created.key) == store.projects.by_key("folder:/r")
    assert ["folder:/r", "git:example.org/a"] == store.projects.aliases(created.key)
    assert None is store.projects.by_key("folder:/elsewhere")
    assert None is store.projects.get(99)


def test_an_identity_is_registered_once_and_an_alias_can_change_hands(store) -> None:
    with store.transaction():
        first = store.projects.add(make_project("git:example.org/a"))
        second = store.projects.add(make_project("git:example.org/b"))
        store.projects.add_alias(first.key, "folder:/r")
        store.projects.add_alias(second.key, "folder:/r")

    owner = store.projects.by_key("folder:/r")
    assert (second.key, ("folder:/r", "git:example.org/b")) == (owner.key, owner.aliases)
    with store.transaction():
        store.projects.remove_alias("folder:/r")
    assert None is store.projects.by_key("folder:/r")
    with pytest.raises(AforesaidError), store.transaction():
        store.projects.add(make_project("git:example.org/a"))


def test_projects_are_listed_last_used_first_without_global(store) -> None:
    with store.transaction():
        first = store.projects.add(make_project("git:example.org/a"))
        second = store.projects.add(make_project("git:example.org/b", used_at=NOON + 1))
    assert [second, first] == store.projects.list_all()

    with store.transaction():
        store.projects.change(first.key, used_at=NOON + 2, keywords=("new",), provisional=1)
    changed = first.replace(used_at=NOON + 2, keywords=("new",), provisional=True)
    assert [changed, second] == store.projects.list_all()


def test_merging_moves_memories_sessions_and_keys_and_retires_the_number(store) -> None:
    with store.transaction():
        remaining = store.projects.add(make_project("git:example.org/a"))
        removed = store.projects.add(make_project("folder:/r"))
        store.sessions.put(Session(id="s", started_at=NOON, project=removed.key))
    moved = add(store, 1, "kilo", scope="project", project=removed.key, origin_project=removed.key)
    with store.transaction():
        assert 1 == store.projects.merge(removed.key, remaining.key)

    assert None is store.projects.get(removed.key)
    owner = store.projects.by_key("folder:/r")
    assert remaining.key == owner.key
    assert ("folder:/r", "git:example.org/a", "name:r") == owner.aliases
    after = store.memories.get([moved.key])[0]
    assert (remaining.key, remaining.key) == (after.project, after.origin_project)
    assert remaining.key == store.sessions.get("s").project
    here = Visibility(projects=(remaining.key,))
    assert [moved.key] == words(store, "kilo", visible=here)
    assert [moved.key] == near(store, "kilo", visible=here)
    assert [] == near(store, "kilo")
    assert [] == store.search.without_vectors(EMBED.model, 9)
    with store.transaction():
        assert removed.key < store.projects.add(make_project("folder:/new")).key


# -- sessions


def test_a_session_is_read_as_it_was_put_and_put_again(store) -> None:
    session = Session(
        id="s", client_pid=7, client_start=8, chosen_project=True, folder="/f",
        transcript_path="/t", branch="main", started_at=NOON, opened_at=NOON + 1,
        bytes_ingested=9, shown=(7, 9), shown_at=NOON + 2,
    )  # fmt: skip
    with store.transaction():
        store.sessions.put(session)
        store.sessions.put(session.replace(branch="other"))

    assert session.replace(branch="other") == store.sessions.get("s")
    assert None is store.sessions.get("unknown")


def test_the_session_that_a_client_opened_last_is_its_own(store) -> None:
    with store.transaction():
        for name, pid, start, opened in (
            ("old", 7, 1, 10), ("new", 7, 1, 20), ("other start", 7, 2, 30), ("other", 8, 1, 40),
            ("no start", 7, None, 50),
        ):  # fmt: skip
            store.sessions.put(
                Session(id=name, client_pid=pid, client_start=start, started_at=5, opened_at=opened)
            )

    assert "new" == store.sessions.of_client(7, 1, 5)[0].id
    assert ["no start"] == [session.id for session in store.sessions.of_client(7, None, 5)]
    assert [] == store.sessions.of_client(9, 1, 5)


def test_open_sessions_come_oldest_first_and_ended_ones_do_not(store) -> None:
    with store.transaction():
        store.sessions.put(Session(id="b", started_at=2))
        store.sessions.put(Session(id="a", started_at=1))
        store.sessions.put(Session(id="c", started_at=0, ended_at=3))

    assert ["a", "b"] == [session.id for session in store.sessions.list_open()]


def test_the_sessions_that_a_project_was_shown_to_come_newest_first(store) -> None:
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a"))
        store.sessions.put(Session(id="a", started_at=1, project=project.key, shown_at=5))
        store.sessions.put(Session(id="b", started_at=2, project=project.key, shown_at=4))
        store.sessions.put(Session(id="c", started_at=3, project=project.key))

    assert ["a", "b"] == [session.id for session in store.sessions.list_shown(project.key, 9)]
    assert ["a"] == [session.id for session in store.sessions.list_shown(project.key, 1)]
    assert [] == store.sessions.list_shown(99, 9)


def test_sessions_that_begin_with_the_same_line_are_found(store) -> None:
    with store.transaction():
        store.sessions.put(Session(id="b", started_at=1, first_line="x"))
        store.sessions.put(Session(id="a", started_at=2, first_line="x"))
        store.sessions.put(Session(id="c", started_at=3, first_line="y"))
        store.sessions.put(Session(id="d", started_at=4))

    assert ["a", "b"] == [session.id for session in store.sessions.list_from("x", 9)]
    assert ["a"] == [session.id for session in store.sessions.list_from("x", 1)]


# -- import items


def test_a_piece_is_kept_under_its_name_and_the_last_one_counts(store) -> None:
    memory = add(store, 1)
    assert store.import_items.get("one") is None
    with store.transaction():
        store.import_items.put(ImportedItem(name="one", checksum="p", memory=memory.key), NOON)
        store.import_items.put(ImportedItem(name="one", checksum="q", memory=memory.key), NOON)
    assert ImportedItem(name="one", checksum="q", memory=memory.key) == store.import_items.get(
        "one"
    )


def test_a_piece_outlives_the_memory_that_it_became(store) -> None:
    memory = add(store, 1)
    with store.transaction():
        store.import_items.put(ImportedItem(name="one", checksum="p", memory=memory.key), NOON)
        store.memories.erase(memory.key, "hash", NOON)
    assert ImportedItem(name="one", checksum="p") == store.import_items.get("one")


def test_likeness_is_the_cosine_of_two_memories_where_both_have_vectors(store) -> None:
    same = add(store, 1, "the queue is NATS")
    twin = add(store, 2, "the queue is NATS ")
    other = add(store, 3, "lunch is at noon")
    with store.transaction():
        bare = store.memories.add(make_memory(4))
    pairs = [(same.key, twin.key), (same.key, other.key), (same.key, bare.key)]
    results = store.search.pair_cosines(pairs)

    assert {pairs[0], pairs[1]} == set(results)
    assert results[pairs[0]] == pytest.approx(1.0, abs=1e-5)
    assert results[pairs[1]] < results[pairs[0]]
    assert {} == store.search.pair_cosines([])


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("call parse_http_header first", "parse_http_header"),
        ("call parse_http_header first", "http header"),
        ("useClientDate after mount", "useClientDate"),
        ("useClientDate after mount", "client date"),
        ("see src/auth/jwt.py for it", "src/auth/jwt.py"),
        ("see src/auth/jwt.py for it", "jwt"),
        ("QM-E040 is a missing include", "QM-E040"),
        ("QM-E040 is a missing include", "E040"),
        ("pinned to v1.12.3 since May", "v1.12.3"),
        ("pinned to 1.12.3 since May", "1.12"),
        ("run it with --no-cache", "--no-cache"),
        ("run it with --no-cache", "cache"),
        ("std::sync::Arc is shared", "std::sync::Arc"),
        ("数据库端口是五四三二", "数据库"),
        ("Reactの状態を保存する", "React"),
        ("Reactの状態を保存する", "状態"),
        ("한국어 책의 각주", "각주"),
        ("ราคาสินค้าใหม่", "ราคา"),
        ("Straße nach München", "strasse münchen"),
    ],
)
def test_words_names_and_scripts_are_found_whole_and_by_their_parts(store, content, query) -> None:
    other = add(store, 1, "nothing of the kind")
    expected = add(store, 2, content)

    assert [expected.key] == [key for key in words(store, *query_terms(query)) if key != other.key]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("watchdg", ["watchdog"]),
        ("wacthdog", ["watchdog"]),
        ("qatchdog", ["watchdog"]),
        ("atchdog", ["watchdog"]),
        ("watchdogg", ["watchdog"]),
        ("wotchdg", []),
        ("watchdog", []),
    ],
)
def test_a_word_with_a_slip_leads_to_the_word_that_is_there(store, word, near) -> None:
    add(store, 1, "The watchdog bites after nine seconds")

    assert ({word: near} if near else {}) == store.search.near_words([word], GLOBAL)


def test_no_word_is_offered_that_the_caller_may_not_see(store) -> None:
    with store.transaction():
        mine = store.projects.add(make_project("git:example.org/mine"))
        theirs = store.projects.add(make_project("git:example.org/theirs"))
    add(store, 1, "codename zephyrtal", scope="project", project=theirs.key)
    add(store, 2, "the queue is slow", scope="project", project=mine.key)
    seen = Visibility.of_project(mine.key)

    assert {} == store.search.near_words(["zephrtal", "zephyrtal"], seen)
    assert {"zephrtal": ["zephyrtal"]} == store.search.near_words(
        ["zephrtal"], Visibility.of_project(theirs.key)
    )


def test_a_word_leaves_with_the_last_text_that_has_it(store) -> None:
    first = add(store, 1, "the codename is zephyrtal")
    second = add(store, 2, "zephyrtal is late")
    with store.transaction():
        store.memories.erase(first.key, "hash", NOON)
    assert {"zephrtal": ["zephyrtal"]} == store.search.near_words(["zephrtal"], GLOBAL)

    with store.transaction():
        store.memories.change(second.key, content="it is late")
    assert {} == store.search.near_words(["zephrtal"], GLOBAL)


def test_only_a_text_is_a_trigger(store) -> None:
    named = [
        add(store, number, type="procedural", metadata={"trigger": trigger}).key
        for number, trigger in enumerate(("deploy", 7, None, ["deploy"], {"a": 1}), 1)
    ]
    assert [(named[0], "deploy")] == store.search.triggers(GLOBAL, 9)
