"""What a store guarantees about its searches by words and by vectors, and about spelling."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.text.tokenize import query_terms
from contract.stored import EMBED, GLOBAL, add, add_project, hits_near, near, words
from factories import NOON, make_memory


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
    hits = hits_near(store, "kilo lima mike")

    assert [exact.key, far.key] == [hit.key for hit in hits]
    assert pytest.approx(1.0, abs=1e-5) == hits[0].score
    assert -1.0 <= hits[1].score < 0.5


def test_vectors_are_replaced_not_added(store) -> None:
    memory = add(store, 1, "kilo")
    with store.transaction():
        store.search.set_vectors(memory.key, EMBED.embed_document("lima"), EMBED.model)

    hit = hits_near(store, "lima")[0]
    assert pytest.approx(1.0, abs=1e-5) == hit.score
    assert 0.5 > hits_near(store, "kilo")[0].score


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
    shop, bakery = add_project(store, "shop"), add_project(store, "bakery")
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
    assert {moved.key, merged.key} == set(near(store, "kilo", seen))  # by the old vectors


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
    mine, theirs = add_project(store, "mine"), add_project(store, "theirs")
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
