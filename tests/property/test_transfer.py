"""Exported, wiped and imported, a store exports the same; as Markdown, memories come back whole."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.adapters.markdown import read_path, write_project
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.export_record import Record
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.task import Assignment
from aforesaid.services.graph.relations import link
from aforesaid.services.transfer.export import export_lines, import_export, read_records
from aforesaid.services.transfer.merge import StoreMerger
from aforesaid.services.transfer.merge_details import DetailMerger
from factories import DAY, NOON, Services, make_context, open_sqlite
from generated import examples

WORDS = st.sampled_from(
    ["queue", "port", "deploy", "broker", "Friday", "NATS", "Kafka", "staging", "token", "release"]
)
LINE = st.lists(WORDS, min_size=2, max_size=8).map(" ".join)
#: What may look like the lines that frame a memory, and what may stand in any text.
AWKWARD = st.sampled_from([
    "<!-- /memory -->", "<!-- memory {} -->", "\\<!-- /memory -->", "-->", "# heading", "", " ",
    "\\", "a\r", "\x85", "\u2028", "```", "é\U0001f600",
])  # fmt: skip
TEXT = st.lists(LINE | AWKWARD | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
                min_size=1, max_size=5).map("\n".join)  # fmt: skip
STEP = st.tuples(
    st.sampled_from(["store", "store", "store", "supersede", "forget", "erase", "link"]),
    LINE, st.integers(0, 9), st.integers(0, 9), st.booleans(),
)  # fmt: skip


def live(services: Services, steps, context) -> None:
    """Do these steps, each on what the earlier ones left."""
    stored = []
    for number, (kind, text, first, second, inside) in enumerate(steps):
        item = stored[first % len(stored)] if stored else None
        other = stored[second % len(stored)] if stored else None
        if kind in {"store", "supersede"} or item is None:
            older = (item.id,) if kind == "supersede" and item is not None else ()
            services.clock.at += 1_000
            done = services.remember.store(
                Statement(
                    content=f"{text} {number}", topic="infra/a" if inside else None,
                    entity="NATS" if inside else None, tags=("t",) if inside else (),
                    supersedes=older,
                    assignment=Assignment(task_id="move" if inside and first > 6 else None),
                ),
                context,
            )  # fmt: skip
            stored = [memory for memory in stored if memory.id not in older] + [done.memory]
        elif kind in {"forget", "erase"}:
            services.forgetter.forget(item.id, context, erase=kind == "erase")
            stored.remove(item)
        elif other is not None and other.head != item.head:
            current = services.store.memories.get([item.key, other.key])
            with services.store.transaction():
                link(services.store, current[0], "supports", current[1], context.visible, NOON)


def versions_of(store, key: int) -> list[str]:
    return sorted(
        memory.content for memory in store.memories.chain(key) if memory.forgotten_at is None
    )


@settings(max_examples=examples(15))
@given(st.lists(STEP, min_size=1, max_size=10))
def test_exported_wiped_and_imported_a_store_exports_the_same_bytes(steps) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(open_sqlite(f"{folder}/m.db")) as store:
        services = Services(store)
        live(services, steps, make_context(services.project("git:h/shop")))
        text = "".join(export_lines(store))
        with closing(SqliteStore(f"{folder}/copy.db")) as copy:
            import_export(copy, text.splitlines(keepends=True))
            assert text == "".join(export_lines(copy))
            with closing(open_sqlite(f"{folder}/merged.db")) as third:
                merged = Services(third)
                merged.clock.at += DAY  # else both give the same ids
                here = make_context(merged.project("git:h/shop"))
                records = [
                    read_record for key in (0, 1) for read_record in read_records(store, key)
                ]

                def merge():
                    way_in = StoreMerger(third, merged.clock, merged.remember, lambda _record: here)
                    carry = DetailMerger(third, store, merged.clock, str, way_in.merged_head)
                    done = way_in.merge(records, lambda _count: None)
                    brought = carry.merge(way_in.stored)
                    return done, brought, way_in.stored

                (first, _, stored), (again, brought, _) = merge(), merge()
                for memory_id, key in stored.items():
                    (there,) = store.memories.find(memory_id)
                    assert versions_of(store, there.key) == versions_of(third, key)
                assert 0 == sum(brought.as_dict().values())
                held = [
                    read_record.content
                    for key in (0, 1)
                    for read_record in read_records(third, key)
                ]
                assert sorted({record.content for record in records}) == sorted(held)
                assert (len(records), 0) == (first.stored + first.recognised, len(first.refused))
                assert (0, len(records)) == (again.stored, again.known + again.let_go)
                assert 0 == again.linked


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.builds(
            Record,
            id=st.uuids().map(str), content=TEXT.filter(lambda text: "\0" not in text),
            type=st.sampled_from(["semantic", "episodic", "procedural", "entity"]),
            summary=st.none() | TEXT, tags=st.lists(LINE, max_size=2).map(tuple),
            importance=st.none() | st.floats(0, 1), pinned=st.booleans(),
            provenance=st.sampled_from(["user", "import"]),
            metadata=st.dictionaries(LINE, TEXT | st.integers(), max_size=2),
            created_at=st.none() | st.integers(0, 4_000_000_000_000),
            updated_at=st.integers(0, 4_000_000_000_000),
            links=st.lists(st.tuples(WORDS, st.uuids().map(str)), max_size=2).map(tuple),
            project=st.just("acme/payments"), project_key=st.just("git:h/acme/payments"),
        ),
        max_size=4,
    )
)  # fmt: skip
def test_as_markdown_every_memory_comes_back_as_it_was(records) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "payments.md")
        written = write_project(
            path,
            "acme/payments",
            "git:h/acme/payments",
            ((record.type, record) for record in records),
        )
        assert len(records) == written
        assert records == list(read_path(folder))
        assert 0o600 == os.stat(path).st_mode & 0o777
