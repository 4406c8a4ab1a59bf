"""Cues: other words by which a memory is found, kept with it and never shown."""

from __future__ import annotations

import json

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.embedding.prefetch import PrefetchedEmbedder
from aforesaid.adapters.importers.parsing import extra_fields
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.extraction import Item, TurnBatch, assess_grounding, read_answer, statement_of
from aforesaid.domain.model.memory import (
    CONTENT_CHARS,
    CUE_CHARS,
    MAX_CUES,
    SUMMARY_CHARS,
    TAG_CHARS,
    Filters,
    all_cues,
    text_to_embed,
)
from aforesaid.domain.model.statement import Statement, check_cues, check_statement
from aforesaid.services.maintenance.secret_scan import SecretScan
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.sessions.extraction_writer import ExtractionWriter
from factories import Services, make_context, open_sqlite
from unit.test_writer import PORT, Redactor, services, shop

__all__ = ["services", "shop"]

CUES_OF_PORT = ["cannot connect to postgres", "which socket does SQL use"]


def store(services, context, content, *, cues=(), **fields):
    metadata = {**fields.pop("metadata", {}), **({"cues": list(cues)} if cues else {})}
    return services.remember.store(Statement(content=content, metadata=metadata, **fields), context)


def found(services, context, word) -> list[int]:
    return [
        hit.key for hit in services.store.search.by_words([word], context.visible, Filters(), 9)
    ]


def test_cues_are_what_is_said_once_on_one_line_and_a_trigger_is_one() -> None:
    assert ("which port", "Ünder way") == check_cues(
        [" which  port\n", "", "which port", "Ünder way"]
    )
    assert ("a", "ship it") == all_cues({"cues": ["a", "a"], "trigger": "ship it"})
    assert ("x\na; ship it", "x") == (
        text_to_embed("x", {"cues": ["a"], "trigger": "ship it"}), text_to_embed("x", {"note": "a"})
    )  # fmt: skip


@pytest.mark.parametrize("odd", [None, "text", 3, [3, None, ""], {"a": 1}])
def test_what_is_no_list_of_texts_in_a_foreign_row_is_no_cue(odd) -> None:
    assert () == all_cues({"cues": odd, "trigger": None})


@pytest.mark.parametrize(
    ("cues", "says"),
    [
        ([str(item) for item in range(MAX_CUES + 1)], f"{MAX_CUES} at most"),
        (["x" * (CUE_CHARS + 1)], "shorten it"),
    ],
)
def test_too_many_or_too_long_cues_are_refused_with_the_way_out(cues, says) -> None:
    with pytest.raises(InvalidInputError, match=says):
        check_cues(cues)


def test_what_stands_for_a_secret_does_not_make_a_text_too_long() -> None:
    mark = "[redacted: github-token]"

    def redact(text: str) -> str:
        return text.replace("secret", mark)

    def longest(chars: int) -> str:
        return "secret" + "x" * (chars - len("secret"))

    kept = check_statement(
        Statement(
            content=longest(CONTENT_CHARS), summary=longest(SUMMARY_CHARS),
            tags=(longest(TAG_CHARS),), metadata={"cues": [longest(CUE_CHARS)]},
        ),
        redact,
    )  # fmt: skip

    assert (f"{mark}xxx", [f"{mark}{'x' * (CUE_CHARS - 6)}"]) == (
        kept.content[: len(mark) + 3], kept.metadata["cues"]
    )  # fmt: skip
    assert kept == check_statement(kept, redact), "nor does a new version of it"


@pytest.mark.parametrize("cues", ["which port", [1]])
def test_metadata_takes_cues_as_a_list_of_texts(services, shop, cues) -> None:
    with pytest.raises(InvalidInputError, match=r"metadata\.cues"):
        services.remember.store(Statement(content=PORT, metadata={"cues": cues}), shop)


def test_a_memory_is_found_by_its_cues(services, shop) -> None:
    memory = store(services, shop, PORT, cues=CUES_OF_PORT).memory

    assert tuple(CUES_OF_PORT) == memory.cues
    assert [memory.key] == found(services, shop, "postgres") == found(services, shop, "database")


def test_a_cue_counts_however_long_the_text_is(services, shop) -> None:
    long = store(services, shop, "The rule holds. " * 300, cues=["zebra crossing"]).memory
    store(services, shop, "Zebra stripes are painted in May")
    asked = services.recall.recall(RecallQuery(query="zebra crossing"), shop.visible).results

    assert [long.key] == [question.memory.key for question in asked if question.relevance > 0.5]


def test_secrets_and_private_spans_in_cues_are_never_stored(services, shop) -> None:
    services.remember._secrets = Redactor()
    memory = store(
        services, shop, PORT, cues=["log in with hunter2", "<private>ask Bob</private>"]
    ).memory

    assert ("log in with [secret]",) == memory.cues
    assert "hunter2" not in json.dumps(memory.metadata)


def test_a_secret_that_is_taken_out_of_a_cue_leaves_words_and_vector_as_well(tmp_path) -> None:
    services = Services(open_sqlite(tmp_path / "m.db"))
    shop = make_context(services.project("git:example.org/shop"))
    memory = store(services, shop, PORT, cues=["log in with hunter2"]).memory
    scan = SecretScan(services.store, services.clock, Redactor())
    assert 1 == scan.fix(scan.scan(lambda _rows: None))

    assert ("log in with [secret]",) == services.store.memories.get([memory.key])[0].cues
    assert ([], [memory.key]) == (found(services, shop, "hunter2"), found(services, shop, "log"))
    assert {} == services.store.maintenance.first_vectors([memory.key])
    assert [memory.key] == services.store.search.without_vectors(services.embedder.model, 9)


def test_a_word_that_many_have_in_cues_alone_is_known_while_a_text_has_it(tmp_path) -> None:
    services = Services(open_sqlite(tmp_path / "m.db"), words_only=True)
    shop = make_context(services.project("git:example.org/shop"))
    for number in range(30):
        store(services, shop, f"Rule number {number} holds", cues=["which postgres is it"])
    store(services, shop, "The postgres of the shop is old")
    gone = store(services, shop, "Another postgres serves reports").memory
    services.forgetter.forget(gone.id, shop, erase=True)

    near = services.store.vocabulary._similar_words("postgras")
    assert ["postgres"] == near


def test_the_same_said_again_brings_its_cues_if_it_was_said_here(services, shop) -> None:
    first = store(services, shop, PORT, cues=CUES_OF_PORT[:1]).memory
    store(services, shop, PORT, cues=["from a web page"], provenance="tool")
    again = store(services, shop, PORT, cues=[*CUES_OF_PORT, *map(str, range(MAX_CUES - 2))])

    assert (True, first.key) == (again.deduplicated, again.memory.key)
    assert (*CUES_OF_PORT, *map(str, range(MAX_CUES - 2))) == again.memory.cues
    full = store(services, shop, PORT, cues=["one too many"]).memory
    assert again.memory.cues == full.cues


def test_a_trigger_said_again_stays_no_cue_that_is_too_long_to_be_kept(services, shop) -> None:
    steps = "To ship: run make ship on the release branch"
    first = store(services, shop, steps, type="procedural").memory
    long = "when the user " + "wants it shipped " * 8
    store(services, shop, steps, type="procedural", metadata={"trigger": long}, cues=["go live"])
    version = services.curate.update(first.id, {"content": f"{steps} twice"}, shop).memory

    assert {"trigger": long, "cues": ["go live"]} == version.metadata


@pytest.mark.parametrize("odd", ["text", 3, [3, None, "kept"], {"a": 1}])
def test_odd_cues_of_a_foreign_row_are_in_nobody_s_way(services, shop, odd) -> None:
    first = store(services, shop, PORT).memory
    with services.store.transaction():
        services.store.memories.change(first.key, metadata={"cues": odd})
    kept = ["kept"] if isinstance(odd, list) else []

    again = store(services, shop, PORT, cues=["new"]).memory
    assert (*kept, "new") == again.cues
    with services.store.transaction():
        services.store.memories.change(first.key, metadata={"cues": odd})
    version = services.curate.update(first.id, {"content": f"{PORT} now"}, shop).memory
    assert tuple(kept) == version.cues


def test_cues_that_change_while_another_field_does_take_nothing_back(tmp_path) -> None:
    services = Services(open_sqlite(tmp_path / "m.db"))
    shop = make_context(services.project("git:example.org/shop"))
    first = store(services, shop, PORT).memory
    begin = services.store.transaction

    def another_first(**options):
        services.store.transaction = begin
        with begin():
            services.store.memories.change(first.key, metadata={"subject": "db"})
        return begin(**options)

    services.store.transaction = another_first
    changed = services.curate.update(first.id, {"cues": ["postgres"]}, shop).memory

    assert {"subject": "db", "cues": ["postgres"]} == changed.metadata


@pytest.mark.parametrize("metadata", [{"cues": ["live"]}, {"trigger": "live"}])
def test_cues_given_as_metadata_have_their_vector_as_well(shop, services, metadata) -> None:
    first = store(services, shop, PORT, type="procedural").memory
    services.curate.update(first.id, {"metadata": metadata}, shop)
    if services.embedder is not None:
        assert [] == services.store.search.without_vectors(services.embedder.model, 9)


def test_an_update_replaces_cues_and_leaves_the_rest_of_the_metadata(services, shop) -> None:
    event = store(
        services, shop, "Released 2.0", type="episodic", cues=["went live"],
        metadata={"event_date": "2026-11-20"}, event_at=1_795_132_800_000,
    ).memory  # fmt: skip
    changed = services.curate.update(event.id, {"cues": ["shipped"]}, shop).memory

    assert ("shipped",) == changed.cues
    assert ("2026-11-20", event.event_at) == (changed.metadata["event_date"], changed.event_at)
    assert ([], [event.key]) == (found(services, shop, "live"), found(services, shop, "shipped"))
    if services.embedder is not None:
        assert [] == services.store.search.without_vectors(services.embedder.model, 9)


def test_new_metadata_and_new_content_leave_the_cues(services, shop) -> None:
    first = store(services, shop, PORT, cues=CUES_OF_PORT).memory
    changed = services.curate.update(first.id, {"metadata": {"subject": "db"}}, shop).memory
    assert ("db", tuple(CUES_OF_PORT)) == (changed.metadata["subject"], changed.cues)

    version = services.curate.update(first.id, {"content": PORT.replace("5432", "5433")}, shop)
    assert tuple(CUES_OF_PORT) == version.memory.cues


def test_no_cues_take_them_away(services, shop) -> None:
    first = store(services, shop, PORT, cues=CUES_OF_PORT, metadata={"subject": "db"}).memory
    done = services.curate.update(first.id, {"cues": []}, shop)

    assert ({"subject": "db"}, ("cues",)) == (done.memory.metadata, done.changed)
    assert [] == found(services, shop, "postgres")


def test_a_summariser_s_cues_come_with_what_it_can_quote(services) -> None:
    text = "the database of the build server listens on port 5432 now"
    batch = TurnBatch(text=f"USER: {text}", user=text, assistant="", until_ms=0, spoken=1)
    fields = {"text": PORT, "quote": text, "cues": [*CUES_OF_PORT, PORT, 7, "x" * 200, "a", "b"]}
    item = read_answer(json.dumps({"title": "t", "digest": "d", "items": [fields]})).items[0]
    made = statement_of(item, assess_grounding(item, batch), batch, "test")
    invented = Item(text=PORT, cues=("anything",))

    assert tuple(CUES_OF_PORT) == item.cues
    assert CUES_OF_PORT == made.metadata["cues"]
    assert (
        "cues"
        not in statement_of(invented, assess_grounding(invented, batch), batch, "test").metadata
    )


@pytest.mark.parametrize(
    "theirs", ["fast", ["x" * 200], [str(item) for item in range(MAX_CUES + 1)]]
)
def test_what_another_program_calls_cues_is_not_taken_for_ours(services, shop, theirs) -> None:
    metadata = extra_fields({"cues": theirs})

    assert {"their_cues": theirs} == metadata
    assert () == store(services, shop, PORT, metadata=metadata).memory.cues


def test_what_a_summariser_finds_is_embedded_ahead_with_its_cues(store) -> None:
    services = Services(store)
    shop = make_context(services.project("git:example.org/shop"), session="s1")
    ahead = PrefetchedEmbedder(HashedEmbedder)
    services.remember._embedder = ahead.get
    text = "the database of the build server listens on port 5432 now"
    batch = TurnBatch(text=f"USER: {text}", user=text, assistant="", until_ms=0, spoken=1)
    item = {"text": PORT, "quote": text, "cues": CUES_OF_PORT, "details": ["It is Postgres"]}
    answer = read_answer(json.dumps({"title": "t", "digest": "d", "items": [item]}))

    items = ExtractionWriter(services.store, services.remember, "test", ahead.prepare)
    ready = items.prepare(answer, batch, lambda _text: True)
    with services.store.transaction():
        assert 2 == items.store(ready, shop)
    assert [] == services.store.search.without_vectors(services.embedder.model, 9)
