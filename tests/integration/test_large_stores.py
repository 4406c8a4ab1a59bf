"""What holds where a store compares bits first, and ranks only rows that rare words choose."""

from __future__ import annotations

import random
import struct
import sys

import pytest

from aforesaid.adapters.sqlite.vectors import VectorIndex
from aforesaid.domain.model.memory import Filters, Visibility
from factories import NOON, bytes_on_disk, make_memory, make_project, open_sqlite

GLOBAL = Visibility(projects=(0,))
MODEL = "model"


def vector(chance: random.Random, near: list[float] | None = None, noise: float = 1.0) -> bytes:
    numbers = [chance.gauss(0, noise) + (near[at] if near else 0) for at in range(384)]
    length = sum(number * number for number in numbers) ** 0.5
    return struct.pack("<384f", *(number / length for number in numbers))


def put(store, number: int, vectors: list[bytes], **fields) -> int:
    memory = store.memories.add(make_memory(number, content=f"memory number {number}", **fields))
    store.search.set_vectors(memory.key, vectors, MODEL)
    return memory.key


@pytest.fixture
def filled(tmp_path):
    """Return a store of 1,500 memories in 30 clouds, all compared by bits, and some questions."""
    chance = random.Random(4)
    middles = [[chance.gauss(0, 1) for _ in range(384)] for _ in range(30)]
    store = open_sqlite(tmp_path / "m.db", exact_vectors=0)
    with store.transaction():
        for number in range(1, 1501):
            put(store, number, [vector(chance, middles[number % 30])])
    yield store, [vector(chance, middle) for middle in middles]
    store.close()


def found(store, query: bytes, limit: int = 10, filters: Filters | None = None) -> list[int]:
    hits = store.search.by_vector(query, GLOBAL, filters or Filters(), limit)
    return [hit.key for hit in hits][:limit]


def exactly(store, query: bytes, limit: int = 10) -> list[int]:
    near = VectorIndex(store.database).nearest(query, (0,), limit, store.vectors.find_model())
    chunks = dict(store.database.rows("SELECT key, memory FROM chunks"))
    return [chunks[chunk] for chunk, _cosine in near]


def test_bits_find_what_comparing_all_vectors_finds(filled) -> None:
    store, queries = filled
    shared = [len(set(found(store, query)) & set(exactly(store, query))) for query in queries]
    assert store.vectors._bits.count((0,)) == 1500
    assert sum(shared) >= 0.99 * 10 * len(queries)


@pytest.mark.parametrize("multiplied", [True, False])
def test_neighbours_of_many_are_those_that_each_has_alone(filled, monkeypatch, multiplied) -> None:
    store, _queries = filled
    keys = list(range(1, 1501, 100 if multiplied else 700))
    vectors = store.maintenance.first_vectors(keys)
    alone = {key: exactly(store, vectors[key], 7)[1:] for key in keys}
    if not multiplied:
        monkeypatch.setitem(sys.modules, "numpy", None)
    near = store.neighbours.find(keys, 0, 6)
    assert alone == {key: list(item) for key, item in near.items()}
    assert (
        pytest.approx(store.search.pair_cosines([(1, alone[1][0])])[1, alone[1][0]], abs=1e-6)
        == (near[1][alone[1][0]])
    )


def test_a_damaged_vector_is_near_to_nothing(filled) -> None:
    store, _queries = filled
    with store.transaction():
        store.database.rows("UPDATE vectors SET embedding = zeroblob(1536) WHERE chunk = 3")
        store.database.rows("UPDATE vectors SET embedding = zeroblob(10) WHERE chunk = 4")
    near = store.neighbours.find([1, 3, 4], 0, 2000)
    assert [1497, 0] == [len(near[key]) for key in (1, 3)]
    assert 4 not in near


def test_cosines_are_those_of_the_floats(filled) -> None:
    store, queries = filled
    exact = VectorIndex(store.database).nearest(queries[0], (0,), 1, store.vectors.find_model())
    ours = store.vectors.nearest(queries[0], (0,), 1, store.vectors.find_model())
    assert pytest.approx(exact[0][1], abs=1e-6) == ours[0][1]


def test_what_another_process_stores_is_found_at_once(filled) -> None:
    store, queries = filled
    found(store, queries[0])
    other = open_sqlite(store.path, exact_vectors=0)
    with other.transaction():
        key = put(other, 2000, [queries[0]])
    other.close()
    assert key == found(store, queries[0])[0]


def test_what_a_transaction_took_back_is_not_found_and_its_number_is_read_anew(filled) -> None:
    store, queries = filled
    with pytest.raises(RuntimeError), store.transaction():  # noqa: PT012 - all of it fails
        key = put(store, 2000, [queries[0]])
        assert key == found(store, queries[0])[0]
        raise RuntimeError
    with store.transaction():
        key = put(store, 2001, [queries[1]])
    assert key == found(store, queries[1])[0]
    assert key not in found(store, queries[0])


def test_what_was_forgotten_is_not_found_even_if_it_was_most(filled) -> None:
    store, queries = filled
    found(store, queries[0])
    with store.transaction():
        for key in range(1, 1401):
            store.memories.change(key, forgotten_at=NOON)
    assert exactly(store, queries[0]) == found(store, queries[0])
    assert set(range(1401, 1501)) >= set(found(store, queries[0], 50))


def test_a_rare_kind_is_found_whole(filled) -> None:
    store, queries = filled
    with store.transaction():
        store.memories.change(700, type="procedural")
    assert [700] == found(store, queries[0], filters=Filters(types=("procedural",)))


def test_erased_bits_leave_the_file(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db", exact_vectors=0)
    with store.transaction():
        key = put(store, 1, [vector(random.Random(1))])
    bits = store.database.value("SELECT bits FROM chunks")
    assert bits in bytes_on_disk(tmp_path / "m.db")
    with store.transaction():
        store.memories.erase(key, "hash", NOON)
    store.clean_file()
    assert bits not in bytes_on_disk(tmp_path / "m.db")
    store.close()


def test_merged_projects_have_their_vectors_again_once_they_are_embedded(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db", exact_vectors=0)
    item = vector(random.Random(1))
    with store.transaction():
        source, target = (store.projects.add(make_project(f"git:x/{name}")).key for name in "ab")
        key = put(store, 1, [item], scope="project", project=source)
    visible = Visibility(projects=(target,))
    assert [] == store.search.by_vector(item, visible, Filters(), 5)
    with store.transaction():
        store.projects.merge(source, target)
        store.search.set_vectors(key, [item], MODEL)
    assert [key] == [hit.key for hit in store.search.by_vector(item, visible, Filters(), 5)]
    assert [] == store.search.by_vector(item, Visibility(projects=(source,)), Filters(), 5)
    store.close()


def test_texts_that_say_the_same_are_among_those_that_are_alike(filled) -> None:
    store, queries = filled
    chance = random.Random(8)
    for number, query in enumerate(queries):
        middle = [value * 384**0.5 for value in struct.unpack("<384f", query)]
        with store.transaction():
            key = put(store, 3000 + number, [vector(chance, middle, noise=0.35)])
        alike = store.search.near_duplicates(query, GLOBAL, Filters(), 0.92, 5)
        assert key in [hit.key for hit in alike]


def test_common_words_still_order_what_rare_words_find(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db", whole_words=10)
    with store.transaction():
        for number in range(1, 3101):
            store.memories.add(make_memory(number, content=f"the worker saw item{number}"))
        plain = store.memories.add(make_memory(4001, content="zebra crossing here now"))
        both = store.memories.add(make_memory(4002, content="zebra worker here now"))
    hits = store.search.by_words(["zebra", "worker"], GLOBAL, Filters(), 5)
    assert [both.key, plain.key] == [hit.key for hit in hits]
    hits = store.search.by_words(["worker", "saw"], GLOBAL, Filters(), 5)
    assert 5 == len(hits)
    store.close()


def test_more_entities_and_projects_than_a_query_can_name_are_all_seen(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    count = "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT "
    with store.transaction():
        store.database.rows(
            f"{count} INTO entities (key, name, normalised, project, head, created_at, updated_at) "
            "SELECT i, 'name ' || i, 'name' || i, 0, i, 0, 0 FROM n",
            (33_000,),
        )
        store.database.rows(
            f"{count} INTO projects (key, identity, name, created_at, used_at) "
            "SELECT i, 'git:h/' || i, 'name', 0, 0 FROM n",
            (5_000,),
        )
        first, second = (
            store.memories.add(make_memory(number, scope="project", project=4_000 + number))
            for number in (1, 2)
        )
        store.relations.link(first.key, "contradicts", second.key, NOON)
    everywhere = Visibility(projects=tuple(range(5_001)))

    assert 33_000 == len(store.entities.list_visible(GLOBAL))
    assert [second.key] == [link.other for link in store.relations.of([first.key], everywhere)]
    assert [first.key, second.key] == sorted(
        hit.key for hit in store.search.by_words(["memory"], everywhere, Filters(), 9)
    )
    store.close()
