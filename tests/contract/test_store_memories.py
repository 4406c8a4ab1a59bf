"""What a store guarantees about memories: keys and ids, changes, chains, erasing."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.ids import code_of
from aforesaid.domain.model.memory import TYPES, Filters, Memory, Session, Visibility
from contract.stored import (
    EMBED,
    EVERYTHING,
    GLOBAL,
    add,
    add_project,
    hits_near,
    near,
    selected,
    words,
)
from factories import NOON, make_memory


def test_what_is_read_is_what_was_stored(store) -> None:
    project = add_project(store)
    with store.transaction():
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
    add_project(store)

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
    theirs = add_project(store, "theirs").key
    with store.transaction():
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
        selected(store),
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
    assert [keys[2]] == selected(store)


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
    hits = hits_near(store, "lima", filters=history)
    assert (chain[1].key, chain[1].key) == (hits[0].key, hits[0].head)
    assert 3 == len(selected(store, history)) == store.memories.count(GLOBAL, history)


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
    assert [last.key] == selected(store)


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


def test_facts_about_the_store_are_kept(store) -> None:
    assert None is store.meta("colour")
    with store.transaction():
        store.set_meta("colour", "blue")
        store.set_meta("colour", "green")

    assert "green" == store.meta("colour")
    assert 64 == len(store.meta("install_secret"))
