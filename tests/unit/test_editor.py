"""Changing what is stored: in place, by a new version, hidden, brought back, erased."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.ids import code_of
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.hashing import keyed_hash
from factories import Services, WriteLockCheckingEmbedder, make_context, open_sqlite


@pytest.fixture
def services(store) -> Services:
    return Services(store)


@pytest.fixture
def shop(services):
    return make_context(services.project("git:example.org/shop"), session="s1")


@pytest.fixture
def bank(services):
    return make_context(services.project("git:example.org/bank"))


def store(services, context, content="The queue is NATS", **fields):
    return services.remember.store(Statement(content=content, **fields), context).memory


def test_what_can_change_in_place_does(services, shop) -> None:
    memory = store(services, shop, metadata={"a": 1})
    changes = {
        "tags": ["New Tag"], "pinned": True, "importance": "high", "confidence": 0.5,
        "summary": " queue ", "metadata": {"b": 2}, "provenance": "user",
    }  # fmt: skip
    done = services.curate.update(memory.id, dict(changes), shop)
    now = done.memory

    assert (memory.key, None, tuple(sorted(changes))) == (now.key, done.superseded, done.changed)
    assert (("new-tag",), True, 0.9, 0.5, "queue", {"b": 2}, "user") == (
        now.tags, now.pinned, now.importance, now.confidence, now.summary, now.metadata,
        now.provenance,
    )  # fmt: skip
    assert now.updated_at > memory.updated_at


def test_a_trigger_is_replaced_or_taken_away_and_the_other_metadata_stays(services, shop) -> None:
    given = {"a": 1, "trigger": ["git push -f", "git push --force"]}
    memory = store(services, shop, metadata=given)
    assert {"a": 1, "trigger": "$ git push -f\n$ git push --force"} == memory.metadata
    done = services.curate.update(memory.id, {"trigger": ["git push --force"]}, shop)
    assert {"a": 1, "trigger": "$ git push --force"} == done.memory.metadata
    assert ("trigger",) == done.changed
    assert {"a": 1} == services.curate.update(memory.id, {"trigger": []}, shop).memory.metadata


def test_changed_texts_are_cleaned_metadata_too(services, shop) -> None:
    memory = store(services, shop)
    changes = {
        "tags": ["x<private>y</private>"], "summary": "<private>a</private>b",
        "metadata": {"k": ["<private>diary</private>note"]},
    }  # fmt: skip
    done = services.curate.update(memory.id, changes, shop).memory

    assert (("x",), "b", {"k": ["note"]}) == (done.tags, done.summary, done.metadata)


def test_new_content_is_a_new_version_that_keeps_what_was_not_said(services, shop) -> None:
    memory = store(
        services, shop, tags=("queue",), pinned=True, importance=0.7, type="procedural",
        metadata={"version": 3, "trigger": "deploy"}, summary="old summary", provenance="user",
    )  # fmt: skip
    done = services.curate.update(memory.id, {"content": "The queue is Kafka"}, shop)
    new = done.memory

    assert (memory, ("content",)) == (done.superseded, done.changed)
    assert ("The queue is Kafka", ("queue",), True, 0.7, "procedural", None, "user") == (
        new.content, new.tags, new.pinned, new.importance, new.type, new.summary, new.provenance,
    )  # fmt: skip
    assert {"version": 4, "trigger": "deploy"} == new.metadata
    assert new.key == services.store.memories.get([memory.key])[0].superseded_by


def test_where_another_memory_says_the_new_content_that_one_is_changed(services, shop) -> None:
    memory = store(services, shop, tags=("a",))
    other = store(services, shop, "The queue is Kafka", tags=("b",))
    changes = {"content": other.content, "pinned": True, "summary": "queue", "tags": ["c"]}
    done = services.curate.update(memory.id, changes, shop)

    assert (other.key, ("content", "pinned", "summary", "tags")) == (done.memory.key, done.changed)
    assert (True, "queue", ("b", "c")) == (
        done.memory.pinned, done.memory.summary, done.memory.tags
    )  # fmt: skip
    assert other.key == services.store.memories.get([memory.key])[0].superseded_by


def test_new_content_of_what_another_process_replaced_meanwhile_is_refused(services, shop) -> None:
    memory = store(services, shop)
    begin = services.store.transaction

    def another_first(**options):
        services.store.transaction = begin
        services.curate.update(memory.id, {"content": "The queue is Kafka"}, shop)
        return begin(**options)

    services.store.transaction = another_first
    with pytest.raises(ConflictError, match="the memory was replaced by"):
        services.curate.update(memory.id, {"content": "The queue is Redpanda"}, shop)


def test_a_new_type_is_a_new_version_and_the_same_type_is_none(services, shop) -> None:
    memory = store(services, shop, summary="kept")
    new = services.curate.update(memory.id, {"type": "episodic"}, shop)
    assert memory.key != new.memory.key
    assert ("episodic", memory.content, "kept") == (
        new.memory.type, new.memory.content, new.memory.summary
    )  # fmt: skip
    same = services.curate.update(new.memory.id, {"type": "episodic", "pinned": True}, shop)
    assert new.memory.key == same.memory.key


def test_scope_moves_a_memory_with_its_words_and_vectors(services, shop, bank) -> None:
    memory = store(services, shop)
    assert [] == services.store.memories.select(bank.visible, Filters(), 9)
    moved = services.curate.update(memory.id, {"scope": "global"}, shop).memory

    assert ("global", 0) == (moved.scope, moved.project)
    assert [moved] == services.store.memories.select(bank.visible, Filters(), 9)
    assert [] == services.store.search.without_vectors("hashed@1", 9)
    back = services.curate.update(memory.id, {"scope": "project"}, shop).memory
    assert shop.project.key == back.project


def test_the_same_text_makes_no_new_version(services, shop) -> None:
    memory = store(services, shop)
    with pytest.raises(InvalidInputError, match="it has this text already"):
        services.curate.update(memory.id, {"content": memory.content}, shop)
    result = services.curate.update(memory.id, {"content": memory.content, "pinned": True}, shop)

    assert (memory.key, True) == (result.memory.key, result.memory.pinned)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "nothing to change"),
        ({"content": None}, "nothing to change"),
        ({"colour": "blue"}, "colour cannot be changed: use content, type, tags"),
        ({"scope": "task"}, "scope task needs"),
        ({"provenance": "god"}, "provenance"),
        ({"confidence": 2}, "outside 0 to 1"),
        ({"summary": "x" * 1_001}, "1000 at most"),
        ({"content": ""}, "content is empty"),
        ({"type": "fact"}, "type 'fact'"),
        ({"metadata": {"category": 7}}, "metadata.category"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(services, shop, changes, words) -> None:
    memory = store(services, shop)
    with pytest.raises(InvalidInputError, match=words):
        services.curate.update(memory.id, changes, shop)

    assert [memory] == services.store.memories.get([memory.key])
    assert 1 == services.store.memories.count(shop.visible, Filters())


def test_replaced_and_forgotten_memories_are_not_changed_and_say_what_to_do(services, shop) -> None:
    memory = store(services, shop)
    new = services.curate.update(memory.id, {"content": "The queue is Kafka"}, shop).memory
    short = services.store.memories.short_ids([new.key])[new.key]
    with pytest.raises(ConflictError, match=rf"replaced by \[{short}\]"):
        services.curate.update(memory.id, {"pinned": True}, shop)
    services.forgetter.forget(new.id, shop)
    with pytest.raises(ConflictError, match="restore=true"):
        services.curate.update(new.id, {"pinned": True}, shop)


def test_what_another_project_holds_can_neither_be_changed_nor_forgotten(
    services, shop, bank
) -> None:
    memory = store(services, shop)

    for call in (
        lambda: services.curate.update(memory.id, {"pinned": True}, bank),
        lambda: services.forgetter.forget(memory.id, bank),
        lambda: services.forgetter.forget(memory.id, bank, erase=True),
    ):
        with pytest.raises(NotFoundError) as refused:
            call()
        assert memory.content not in str(refused.value)
    assert [memory] == services.store.memories.get([memory.key])


def test_a_forgotten_memory_comes_back_as_it_was(services, shop) -> None:
    memory = store(services, shop)
    forgotten = services.forgetter.forget(memory.id, shop, reason="<private>x</private>wrong")
    again = services.forgetter.forget(memory.id, shop)

    assert (memory.key, False, memory.key) == (
        forgotten.memory.key, forgotten.erased, again.memory.key
    )  # fmt: skip
    log = services.store.inspection.log_of(memory.id, 9)
    assert [{"reason": "wrong"}] == [line.details for line in log if line.operation == "forget"]
    assert 0 == services.store.memories.count(shop.visible, Filters())
    back = services.curate.update(forgotten.short_id, {"restore": True}, shop)
    assert (("restored",), None) == (back.changed, back.memory.forgotten_at)
    assert 1 == len(services.store.search.by_words(["queue"], shop.visible, Filters(), 5))
    assert [] == services.store.search.without_vectors("hashed@1", 5)
    with pytest.raises(ConflictError, match="nothing to restore"):
        services.curate.update(memory.id, {"restore": True}, shop)


def test_restoring_and_changing_are_one_call(services, shop) -> None:
    memory = store(services, shop)
    services.forgetter.forget(memory.id, shop)
    done = services.curate.update(memory.id, {"restore": True, "pinned": True}, shop)

    assert (("restored", "pinned"), True) == (done.changed, done.memory.pinned)


def test_a_new_text_of_what_is_restored_is_embedded_before_anybody_is_held_up(tmp_path) -> None:
    services = Services(
        open_sqlite(tmp_path / "m.db"), embedder=WriteLockCheckingEmbedder(tmp_path / "m.db")
    )
    shop = make_context(services.project("git:example.org/shop"))
    memory = store(services, shop)
    services.forgetter.forget(memory.id, shop)
    report = {"restore": True, "content": "The queue is Kafka", "pinned": True}
    done = services.curate.update(memory.id, report, shop)

    assert (("restored", "content", "pinned"), True) == (done.changed, done.stored.embedded)
    (before, after) = services.store.memories.chain(memory.key)
    assert (None, after.key) == (before.forgotten_at, before.superseded_by)
    assert ("The queue is Kafka", True) == (after.content, after.in_force)
    services.store.close()


def test_what_was_changed_is_not_said_to_have_failed_since_its_vector_waits(tmp_path) -> None:
    other = open_sqlite(tmp_path / "m.db")

    class Held(HashedEmbedder):
        def embed_documents(self, texts):
            if held:
                held.pop().__enter__()
            return super().embed_documents(texts)

    held = []
    services = Services(open_sqlite(tmp_path / "m.db", busy_timeout_ms=1), embedder=Held())
    context = make_context(services.project("git:example.org/shop"))
    memory = services.remember.store(Statement(content="The queue is NATS"), context).memory
    held.append(transaction := other.transaction())
    done = services.curate.update(memory.id, {"cues": ["where do events go"]}, context)
    transaction.__exit__(None, None, None)

    assert (("cues",), ("where do events go",)) == (done.changed, done.memory.cues)
    assert 1 == services.remember.embed_missing(9)


def test_all_versions_are_forgotten_brought_back_and_erased_together(services, shop) -> None:
    memory = store(services, shop)
    head = services.curate.update(memory.id, {"content": "The queue is Kafka"}, shop).memory
    before = services.store.memories.chain(memory.key)

    for item in (memory, head):
        assert before == list(services.forgetter.forget(item.id, shop).footprint.versions)
        hidden = services.store.memories.get([memory.key, head.key])
        assert all(version.forgotten_at is not None for version in hidden)
        for other in (memory, head):
            if services.store.memories.get([other.key])[0].forgotten_at is not None:
                services.curate.update(other.id, {"restore": True}, shop)
        assert before == services.store.memories.chain(memory.key)
    services.forgetter.forget(head.id, shop, erase=True)
    assert [] == services.store.memories.get([memory.key, head.key])


def test_an_older_version_brings_back_what_stood_in_its_place(services, shop) -> None:
    memory = store(services, shop)
    head = services.curate.update(memory.id, {"content": "The queue is Kafka"}, shop).memory
    services.forgetter.forget(head.id, shop)
    with pytest.raises(ConflictError, match="restore=true"):
        services.curate.update(memory.id, {"pinned": True}, shop)

    done = services.curate.update(memory.id, {"restore": True, "pinned": True}, shop)
    assert (head.key, True, None) == (done.memory.key, done.memory.pinned, done.memory.forgotten_at)
    with pytest.raises(ConflictError, match="nothing to restore"):
        services.curate.update(memory.id, {"restore": True}, shop)


def test_what_cannot_be_changed_is_not_restored_either(services, shop) -> None:
    memory = store(services, shop)
    services.forgetter.forget(memory.id, shop)
    for wrong in ({"confidence": 7}, {"content": "   "}, {"status": "active"}):
        with pytest.raises(InvalidInputError):
            services.curate.update(memory.id, {"restore": True, **wrong}, shop)
        assert services.store.memories.get([memory.key])[0].forgotten_at is not None


def test_erasing_leaves_a_keyed_hash_and_no_text_in_the_log(services, shop) -> None:
    memory = store(services, shop)
    services.forgetter.forget(memory.id, shop, reason="about the queue")
    done = services.forgetter.forget(memory.id, shop, erase=True)
    secret = services.store.meta("install_secret")

    assert (True, False, []) == (
        done.erased,
        done.clean_pending,
        services.store.memories.find(memory.id),
    )
    assert services.store.memories.is_erased(keyed_hash(memory.content.upper(), secret))
    with pytest.raises(NotFoundError):
        services.forgetter.forget(memory.id, shop, erase=True)


@pytest.mark.parametrize("erase", [True, False])
def test_what_another_process_erases_meanwhile_is_said_to_be_gone(services, shop, erase) -> None:
    memory = store(services, shop)
    begin = services.store.transaction

    def another_first(**options):
        services.store.transaction = begin
        services.forgetter.forget(memory.id, shop, erase=True)
        return begin(**options)

    services.store.transaction = another_first
    with pytest.raises(NotFoundError, match="no memory here"):
        services.forgetter.forget(memory.id, shop, erase=erase)


def test_an_ambiguous_end_lists_candidates_but_not_what_was_forgotten(services, shop) -> None:
    first, second = store(services, shop, "kilo plan"), store(services, shop, "lima plan")
    twin = second.replace(id=f"{first.id[:14]}{(int(first.id[14], 16) + 1) % 16:x}{first.id[15:]}")
    services.store.memories.change(second.key, id=twin.id, code=code_of(twin.id))
    services.forgetter.forget(twin.id, shop)

    with pytest.raises(ConflictError, match=r"kilo plan") as refused:
        services.curate.update(
            services.store.memories.short_ids([first.key])[first.key][-5:], {"pinned": True}, shop
        )
    assert "lima" not in str(refused.value)
    assert "(forgotten)" in str(refused.value)
