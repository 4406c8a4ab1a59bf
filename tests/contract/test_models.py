"""Which model's vectors are searched, in every store: never those of two models."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.domain.model.embedding_model import COMING, KEPT, SERVING, Model
from aforesaid.domain.model.memory import Filters, Visibility
from factories import NOON, make_memory, open_sqlite

OLD, NEW = HashedEmbedder(), HashedEmbedder(dimensions=64)
GLOBAL = Visibility(projects=(0,))
WORDS = ("kilo", "lima", "mike")
COMER = Model(name="new@1", source="/models/new", dimensions=64)
OPENED = {"sqlite": {}, "sqlite as if large": {"exact_vectors": 0}}


@pytest.fixture(params=OPENED)
def store(request, tmp_path):
    """Three memories with vectors of the active model."""
    opened = open_sqlite(tmp_path / "m.db", **OPENED[request.param])
    with opened.transaction():
        for number, word in enumerate(WORDS, start=1):
            memory = opened.memories.add(make_memory(number, content=word))
            opened.search.set_vectors(memory.key, OLD.embed_document(word), OLD.model)
    yield opened
    opened.close()


def near(store, word: str, embedder=OLD, model: str | None = None) -> list[int]:
    vector = embedder.embed_query(word)
    hits = store.search.by_vector(vector, GLOBAL, Filters(), 9, model)
    return [hit.key for hit in hits if hit.score > 0.9]


def fill(store) -> None:
    for key in store.search.without_vectors(COMER.name, 99):
        store.search.set_vectors(
            key, NEW.embed_document(store.memories.get([key])[0].content), COMER.name
        )


def states(store) -> dict[str, str]:
    return {model.name: model.state for model in store.models.list_all()}


def test_what_is_to_be_embedded_is_counted_before_anything_is(store) -> None:
    with store.transaction():
        store.memories.add(make_memory(9, content="gone", forgotten_at=NOON))

    assert (0, 0) == store.models.embedding_workload(OLD.model)
    assert (3, len("".join(WORDS))) == store.models.embedding_workload(COMER.name)
    with store.transaction():
        store.models.announce(COMER)
        store.search.set_vectors(1, NEW.embed_document("kilo"), COMER.name)
    assert (2, len("limamike")) == store.models.embedding_workload(COMER.name)


def test_the_first_model_that_makes_vectors_serves(store) -> None:
    serving = store.models.in_state(SERVING)

    assert (OLD.model, 384) == (serving.name, serving.dimensions)
    assert [(3, 0)] == [(model.vectors, model.missing) for model in store.models.list_all()]


def test_vectors_of_a_model_that_nobody_announced_are_not_kept(store) -> None:
    with store.transaction():
        store.search.set_vectors(1, NEW.embed_document("zulu"), COMER.name)

    assert {OLD.model: SERVING} == states(store)
    assert [] == store.search.without_vectors(COMER.name, 9)
    assert [1] == near(store, "kilo")


def test_the_old_vectors_answer_until_the_new_ones_are_complete(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        store.search.set_vectors(1, NEW.embed_document("kilo"), COMER.name)

    assert {OLD.model: SERVING, COMER.name: COMING} == states(store)
    assert [2, 3] == store.search.without_vectors(COMER.name, 9)
    assert not store.models.activate(COMER.name)
    assert [[1], [2], [3]] == [near(store, word) for word in WORDS]
    with store.transaction():
        fill(store)
    assert store.models.activate(COMER.name)
    assert {COMER.name: SERVING, OLD.model: KEPT} == states(store)
    assert [[1], [2], [3]] == [near(store, word, NEW) for word in WORDS]


def test_a_search_by_the_model_before_is_answered_by_its_own_vectors(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        fill(store)
    store.models.activate(COMER.name)

    assert [2] == near(store, "lima", OLD, OLD.model)
    assert [2] == near(store, "lima", NEW, COMER.name)
    assert [] == near(store, "lima", OLD, "stranger@1")


def test_a_vector_that_the_store_gave_out_is_compared_with_its_own_kind(store) -> None:
    vectors = store.maintenance.first_vectors([1, 2])
    with store.transaction():
        store.models.announce(COMER)
        fill(store)
    store.models.activate(COMER.name)

    for key, vector in vectors.items():
        hits = store.search.by_vector(vector, GLOBAL, Filters(), 9)
        assert [key] == [hit.key for hit in hits if hit.score > 0.9]
        assert [key] == [
            hit.key for hit in store.search.near_duplicates(vector, GLOBAL, Filters(), 0.9, 9)
        ]
    assert 4 * 64 == len(store.maintenance.first_vectors([1])[1])


def test_what_is_stored_meanwhile_is_awaited(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        fill(store)
        late = store.memories.add(make_memory(9, content="november"))
        store.search.set_vectors(late.key, OLD.embed_document("november"), OLD.model)

    assert [late.key] == store.search.without_vectors(COMER.name, 9)
    assert not store.models.activate(COMER.name)
    assert [late.key] == near(store, "november")


def test_what_is_forgotten_or_erased_meanwhile_is_not_awaited(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        store.search.set_vectors(2, NEW.embed_document("lima"), COMER.name)
        store.memories.change(1, forgotten_at=NOON)
        store.memories.erase(3, "hash", NOON)

    assert [] == store.search.without_vectors(COMER.name, 9)
    assert store.models.activate(COMER.name)


def test_what_changes_loses_its_vectors_of_every_model(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        fill(store)
        store.memories.change(1, forgotten_at=NOON)
        store.memories.change(1, forgotten_at=None)

    assert [1] == store.search.without_vectors(COMER.name, 9)
    assert [1] == store.search.without_vectors(OLD.model, 9)


def test_a_model_that_comes_back_has_no_vectors_of_former_cues(store) -> None:
    with store.transaction():
        store.memories.change(1, metadata={"cues": ["zulu"]})
        store.models.announce(COMER)
        fill(store)
    assert store.models.activate(COMER.name)
    assert [] == near(store, "kilo", OLD, OLD.model)

    store.models.announce(Model(name=OLD.model, source="", dimensions=384))
    assert [1] == store.search.without_vectors(OLD.model, 9)


def test_a_model_that_is_given_up_goes_on_where_it_stopped(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        store.search.set_vectors(1, NEW.embed_document("kilo"), COMER.name)
        store.models.keep(COMER.name)

    assert {OLD.model: SERVING, COMER.name: KEPT} == states(store)
    assert [] == store.search.without_vectors(COMER.name, 9)
    store.models.announce(COMER)
    assert [2, 3] == store.search.without_vectors(COMER.name, 9)


def test_a_third_model_takes_the_place_of_the_one_that_comes(store) -> None:
    store.models.announce(COMER)
    store.models.announce(COMER.replace(name="third@1"))

    assert {OLD.model: SERVING, "third@1": COMING, COMER.name: KEPT} == states(store)


def test_to_announce_the_one_that_serves_gives_up_the_one_that_comes(store) -> None:
    store.models.announce(COMER)
    store.models.announce(Model(name=OLD.model))

    assert {OLD.model: SERVING, COMER.name: KEPT} == states(store)


def test_only_a_model_that_is_kept_loses_its_vectors(store) -> None:
    with store.transaction():
        store.models.announce(COMER)
        fill(store)

    assert (0, 0) == (
        store.models.drop_vectors(OLD.model, 99),
        store.models.drop_vectors(COMER.name, 99),
    )
    store.models.activate(COMER.name)
    assert 3 == store.models.drop_vectors(OLD.model, 99)
    assert {COMER.name: SERVING} == states(store)
    assert [] == near(store, "kilo", OLD, OLD.model)
    assert [1] == near(store, "kilo", NEW)


def test_where_there_is_none_the_first_model_announced_serves_at_once(tmp_path) -> None:
    empty = open_sqlite(tmp_path / "empty.db")
    with empty.transaction():
        stored = empty.memories.add(make_memory(1))
        empty.models.announce(COMER)

    assert {COMER.name: SERVING} == states(empty)
    assert [stored.key] == empty.search.without_vectors(COMER.name, 9)
    empty.close()
