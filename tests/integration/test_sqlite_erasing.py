"""What erasing leaves in the store's file: no byte of text, words or vectors."""

from __future__ import annotations

import struct

import apsw
import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.memory import CallContext, Filters, Visibility, text_to_embed
from aforesaid.domain.model.statement import Statement
from factories import (
    NOON,
    Services,
    bytes_on_disk,
    make_memory,
    open_sqlite,
)

GLOBAL = Visibility(projects=(0,))
EMBED = HashedEmbedder()


def test_what_is_erased_without_sqlite_vec_takes_its_vectors_along(tmp_path) -> None:
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    with store.transaction():
        for number, text in enumerate(("kilo", "lima", "mike"), start=1):
            memory = store.memories.add(make_memory(number, content=text))
            store.search.set_vectors(memory.key, EMBED.embed_document(text), EMBED.model)
        dense = [(number * 7 % 13 - 6.1) / 80 for number in range(384)]
        store.search.set_vectors(1, [struct.pack("<384f", *dense)], EMBED.model)
    piece = struct.pack("<6f", *dense[60:66])
    store.close()
    assert piece in bytes_on_disk(path)
    words_only = SqliteStore(str(path))
    with words_only.transaction():
        words_only.memories.erase(1, "hash", NOON)
        words_only.memories.change(2, forgotten_at=NOON)
        words_only.memories.add(make_memory(4, content="november"))
    assert words_only.clean_file()
    words_only.close()
    assert piece not in bytes_on_disk(path)
    store = open_sqlite(path)

    hits = store.search.by_vector(EMBED.embed_query("kilo"), GLOBAL, Filters(), 5)
    assert [3] == [hit.key for hit in hits]
    assert [4] == store.search.without_vectors(EMBED.model, 5)
    store.close()


SECRET = "Wolpertinger Schnackselhuber verschlüsselt Quarkstrudel xylophonisch um Mitternacht"
OTHERS = [f"ordinary sentence number {number} about deployment and tests" for number in range(60)]


@pytest.mark.parametrize("way", ["at once", "after a tombstone", "as an old version"])
def test_erasing_leaves_no_byte_of_text_words_or_vector(tmp_path, way) -> None:
    path = tmp_path / "m.db"
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    for text in OTHERS[:30]:
        services.remember.store(Statement(content=text), context)
    statement = Statement(content=SECRET, summary=SECRET[:50], tags=("quarkstrudelgeheimnis",),
                      metadata={"subject": "Schnackselhuber",
                                "cues": ["Zwirbelnuss finden"]})  # fmt: skip
    secret = services.remember.store(statement, context).memory
    for text in OTHERS[30:]:
        services.remember.store(Statement(content=text), context)
    vector = EMBED.embed_query(text_to_embed(SECRET, secret.metadata))
    pieces = [SECRET.encode()[at : at + 24] for at in range(len(SECRET.encode()) - 24)]
    pieces += [
        vector[at : at + 24] for at in range(0, len(vector) - 24, 4) if any(vector[at : at + 24])
    ]
    stems = [b"wolperting", b"schnackselhub", b"quarkstrudel", b"xylophonisch", b"zwirbelnuss"]
    services.store.clean_file()
    assert all(piece in bytes_on_disk(path) for piece in pieces[:20])  # the search works
    assert all(stem in bytes_on_disk(path) for stem in stems[:1])

    if way == "after a tombstone":
        services.forgetter.forget(secret.id, context, reason=f"it says {SECRET}")
    elif way == "as an old version":
        changes = {"content": "something else altogether", "tags": [], "metadata": {}, "cues": []}
        services.curate.update(secret.id, changes, context)
    done = services.forgetter.forget(secret.id, context, erase=True)

    left = bytes_on_disk(path)
    assert not done.clean_pending
    assert [] == [piece for piece in pieces if piece in left]
    assert [] == [stem for stem in stems if stem in left.lower()]
    assert secret.id.encode() in left  # id and date stay
    services.store.close()
    left = bytes_on_disk(path)
    assert [] == [piece for piece in pieces if piece in left]


def test_erasing_while_another_process_reads_says_so_and_is_finished_later(tmp_path) -> None:
    path = tmp_path / "m.db"
    services = Services(open_sqlite(path))
    context = CallContext(project=services.projects.default())
    secret = services.remember.store(Statement(content=SECRET), context).memory
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchall()
    services.store.database.connection().set_busy_timeout(50)

    assert services.forgetter.forget(secret.id, context, erase=True).clean_pending
    assert SECRET.encode() in bytes_on_disk(path)
    reader.execute("ROLLBACK")
    reader.close()
    services.remember.store(Statement(content="the next one that is written"), context)
    services.store.finish_cleaning()
    assert SECRET.encode() not in bytes_on_disk(path)
    services.store.close()
