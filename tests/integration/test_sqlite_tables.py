"""The tables of the store's file, and the vectors in it."""

from __future__ import annotations

import re
import struct

import apsw
import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.sqlite.schema import MIGRATIONS
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.memory import Filters, Visibility
from factories import (
    NOON,
    make_memory,
    make_project,
    open_sqlite,
)

GLOBAL = Visibility(projects=(0,))
EMBED = HashedEmbedder()


def test_every_table_is_strict_and_the_file_says_whose_it_is(store) -> None:
    tables = store.database.rows("SELECT name, strict FROM pragma_table_list WHERE type = 'table'")
    ours = {name: strict for name, strict in tables if not re.match("sqlite_|memories_fts", name)}

    assert {1} == set(ours.values())
    assert {
        "projects", "project_aliases", "project_commits", "sessions", "memories", "tasks",
        "topics", "entities",
        "entity_aliases", "tags", "erased", "chunks", "vectors", "unembedded", "relations",
        "anchors", "log", "runs", "steps", "expired_links",
        "suggestions", "topic_summaries", "meta", "extractions", "import_items", "vocabulary",
            "models",
    } == set(ours)  # fmt: skip
    assert (0x41464F52, len(MIGRATIONS)) == (
        store.database.value("PRAGMA application_id"), store.database.value("PRAGMA user_version")
    )  # fmt: skip
    assert [("ok",)] == store.database.rows("PRAGMA integrity_check")
    assert [] == store.database.rows("PRAGMA foreign_key_check")


def test_without_sqlite_vec_a_store_has_words_and_says_so(tmp_path) -> None:
    store = SqliteStore(str(tmp_path / "m.db"))
    with store.transaction():
        memory = store.memories.add(make_memory(1, content="kilo"))
        store.search.set_vectors(memory.key, EMBED.embed_document("kilo"), EMBED.model)

    assert (False, [], []) == (
        store.search.has_vectors,
        store.search.by_vector(EMBED.embed_query("kilo"), GLOBAL, Filters(), 5),
        store.search.without_vectors(EMBED.model, 5),
    )
    assert [memory.key] == [
        by_word.key for by_word in store.search.by_words(["kilo"], GLOBAL, Filters(), 5)
    ]
    store.close()


@pytest.mark.parametrize("vector", [bytes(64), bytes(1536)], ids=["other length", "no direction"])
def test_a_vector_that_cannot_be_compared_is_near_to_nothing(store, vector) -> None:
    query = EMBED.embed_query("kilo")
    with store.transaction():
        for number, stored in enumerate((query, vector), start=1):
            memory = store.memories.add(make_memory(number))
            store.search.set_vectors(memory.key, [stored], EMBED.model)

    assert [1] == [hit.key for hit in store.search.by_vector(query, GLOBAL, Filters(), 5)]
    assert [] == store.search.by_vector(bytes(1536), GLOBAL, Filters(), 5)


def test_projects_that_share_a_task_can_be_merged(store) -> None:
    with store.transaction():
        kept = store.projects.add(make_project("git:example.org/a"))
        gone = store.projects.add(make_project("git:example.org/b"))
        tasks = [
            store.database.insert(
                "INSERT INTO tasks (project, task_id, created_at, updated_at) VALUES (?, ?, 1, 1)",
                (project, name),
            )
            for project, name in ((kept.key, "T-1"), (gone.key, "T-1"), (gone.key, "T-2"))
        ]
        for number, task in enumerate(tasks, start=1):
            project = kept.key if number == 1 else gone.key
            store.memories.add(make_memory(number, scope="task", project=project, task=task))
        assert 2 == store.projects.merge(gone.key, kept.key)

    assert [tasks[0], tasks[0], tasks[2]] == [
        memory.task for memory in store.memories.get([1, 2, 3])
    ]
    assert [(kept.key, "T-1"), (kept.key, "T-2")] == store.database.rows(
        "SELECT project, task_id FROM tasks ORDER BY task_id"
    )


def test_words_agree_with_rows_after_every_kind_of_change(store) -> None:
    with store.transaction():
        for number in range(1, 9):
            store.memories.add(
                make_memory(number, content=f"kilo {number}", tags=(f"tag{number}",))
            )
        store.memories.change(1, content="lima", summary="mike")
        store.memories.change(2, forgotten_at=NOON)
        store.memories.change(2, content="changed while forgotten", tags=("x",))
        store.memories.change(3, forgotten_at=NOON)
        store.memories.change(3, forgotten_at=None)
        store.memories.supersede(4, 5, NOON)
        store.memories.erase(5, "a", NOON)
        store.memories.erase(2, "b", NOON)
        store.memories.change(6, tags=())

    store.database.rows(
        "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
    )
    assert [] == store.database.rows("PRAGMA foreign_key_check")
    assert [("ok",)] == store.database.rows("PRAGMA integrity_check")


def test_other_programs_can_read_the_file_without_our_code(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        store.memories.add(make_memory(1, content="plain text in a plain table"))
    store.close()
    rows = apsw.Connection(str(tmp_path / "m.db")).execute(
        "SELECT content, json(metadata), datetime(created_at / 1000, 'unixepoch') FROM memories"
    )

    assert [("plain text in a plain table", "{}", "2023-11-14 22:13:21")] == rows.fetchall()


def test_the_first_number_of_a_vector_is_where_it_was_put(store) -> None:
    """Little-endian float32, as every embedder gives them."""
    vector = EMBED.embed_query("kilo lima")
    with store.transaction():
        memory = store.memories.add(make_memory(1))
        store.search.set_vectors(memory.key, [vector], EMBED.model)
    kept = store.database.value("SELECT vec_to_json(embedding) FROM vectors")

    assert pytest.approx(struct.unpack("<384f", vector)[:5], abs=1e-6) == [
        float(number) for number in kept.strip("[]").split(",")[:5]
    ]


def test_a_scope_rule_of_the_table_holds_against_any_writer(store) -> None:
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a"))
        store.memories.add(make_memory(1, scope="project", project=project.key))

    with pytest.raises(AforesaidError), store.transaction():
        store.memories.change(1, project=0)
    with pytest.raises(AforesaidError), store.transaction():
        store.memories.change(1, type="opinion")


def test_relations_of_a_few_are_looked_up_by_their_heads_however_large_the_store(store) -> None:
    """The planner, without statistics, would read all that two projects hold."""
    asked = []
    store.database.connection().exec_trace = lambda _cursor, sql, bindings: (
        asked.append((sql, bindings)) or True
    )
    store.relations.of(list(range(1, 13)), Visibility(projects=(0, 1)))
    store.database.connection().exec_trace = None
    (sql, bindings) = asked[-1]
    plan = [row[3] for row in store.database.rows(f"EXPLAIN QUERY PLAN {sql}", bindings)]

    first = [line for line in plan if line.startswith(("SEARCH m ", "SCAN m "))]
    assert ["SEARCH m USING INDEX memories_head (head=?)"] * 2 == first
