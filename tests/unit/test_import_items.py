"""Pieces of other programs: each once, changed ones as new versions, nothing brought back."""

from __future__ import annotations

import pytest

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.import_item import ImportItem, SkipCounter
from aforesaid.domain.model.memory import CallContext, Filters
from aforesaid.domain.model.relation import OUT
from aforesaid.domain.model.statement import Statement
from aforesaid.ports import Store
from aforesaid.services.transfer.import_items import BATCH, ItemImporter
from factories import Services, make_context, open_sqlite

SECRET = "ghp_" + "Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zA4bC"


class World:
    """A store with one project, and what takes pieces in."""

    def __init__(self, store: Store) -> None:
        self.services = Services(store, words_only=True, secrets=SecretRedactor())
        self.store = self.services.store
        self.left_out = SkipCounter()
        self.here: CallContext = make_context(self.services.project("git:example.org/here"))

    def make_context(self, project, folder):
        if project == "off":
            return None
        if project == "two of them":
            raise InvalidInputError("which one?")
        return make_context(self.services.projects.named(project or folder))

    def gather(self) -> ItemImporter:
        return ItemImporter(
            self.store,
            self.services.clock,
            self.services.remember,
            self.make_context,
            self.left_out,
        )

    def take(self, *pieces, told=None):
        progress = told.append if told is not None else lambda _count: None
        return self.gather().import_all(pieces, self.here, progress)

    def memories(self):
        return self.store.memories.select(self.here.visible, Filters(), 500)


@pytest.fixture
def world(store) -> World:
    return World(store)


def piece(name: str, content: str | None = None, **fields) -> ImportItem:
    message = {"type", "scope", "tags"} & fields.keys()
    return ImportItem(
        name=name,
        statement=Statement(
            content=content or f"what {name} says of topic{name}",
            **{field: fields.pop(field) for field in message},
        ),
        **fields,
    )


def test_a_piece_comes_in_once_and_is_marked(world):
    assert 1 == world.take(piece("one")).stored
    again = world.take(piece("one"))
    assert (0, 1) == (again.stored, again.known)
    (memory,) = world.memories()
    assert ("import", 1.0, 0) == (memory.provenance, memory.confidence, memory.access_count)


def test_names_that_differ_by_a_sign_are_two_pieces(world):
    assert 2 == world.take(piece("a-1", "first of topica"), piece("a 1", "other of topicb")).stored


def test_a_piece_that_changed_is_a_new_version(world):
    world.take(piece("one", "The port is 5432."))
    assert 1 == world.take(piece("one", "The port is 5433.")).changed
    (memory,) = world.memories()
    assert "The port is 5433." == memory.content
    assert ["The port is 5432.", "The port is 5433."] == [
        item.content for item in world.store.memories.chain(memory.key)
    ]


def test_what_replaces_a_piece_of_the_same_batch_supersedes_it(world):
    done = world.take(
        piece("old", "alpha of topicx"), piece("new", "beta of topicy", replaces=("old",))
    )
    assert 2 == done.stored
    assert ["beta of topicy"] == [memory.content for memory in world.memories()]


def test_what_was_forgotten_or_erased_does_not_come_back_even_if_it_changed(world):
    world.take(piece("one", "alpha"), piece("two", "beta"))
    by_text = {memory.content: memory for memory in world.memories()}
    world.services.forgetter.forget(by_text["alpha"].id, world.here)
    world.services.forgetter.forget(by_text["beta"].id, world.here, erase=True)
    done = world.take(
        piece("one", "alpha"), piece("two", "beta"), piece("one", "gamma"), piece("two", "delta")
    )
    assert (0, 0, 4) == (done.stored, done.changed, done.known)
    assert [] == world.memories()


def test_what_the_user_said_better_is_not_replaced_by_the_source(world):
    world.take(piece("one", "The port is 5432."))
    (memory,) = world.memories()
    world.services.remember.store(
        Statement(content="The port is 6000.", provenance="user", supersedes=(memory.id,)),
        world.here,
    )
    world.take(piece("one", "The port is 5433."))
    assert "The port is 6000." in {memory.content for memory in world.memories()}


def test_what_is_known_already_is_recognised(world):
    world.services.remember.store(Statement(content="Use tabs.", provenance="user"), world.here)
    done = world.take(piece("one", "Use tabs."))
    assert (0, 1) == (done.stored, done.recognised)
    assert ["user"] == [memory.provenance for memory in world.memories()]


def test_pieces_go_to_the_projects_they_name_and_links_do_not_cross(world):
    done = world.take(
        piece("one", project="shop", links=(("supports", "two"), ("supports", "three"))),
        piece("two", project="shop"),
        piece("three", project="blog"),
        piece("four", project="off"),
    )
    assert (3, 1) == (done.stored, done.linked)
    shop = make_context(world.services.projects.named("shop"))
    memories = world.store.memories.select(shop.visible, Filters(), 10)
    ends = {memory.content.split()[1]: memory for memory in memories}
    assert ["two", "one"] == list(ends) or ["one", "two"] == list(ends)
    assert [ends["two"].head] == world.store.relations.step(
        ends["one"].head, "supports", OUT, shop.visible
    )
    assert {
        "relations between two projects": 1, "entries of projects whose memory is off": 1,
    } == world.left_out.counts  # fmt: skip


def test_a_piece_that_is_refused_is_named_and_stops_no_other(world):
    pieces = [piece(f"p{number}") for number in range(BATCH + 5)]
    pieces[7] = piece("bad", "<private>all of it</private>")
    pieces[9] = piece("where", project="two of them")
    done = world.take(*pieces)
    assert BATCH + 3 == done.stored
    assert {"bad", "where"} == {name for name, _ in done.refused}


def test_secrets_and_private_text_are_taken_out_and_counted(world):
    done = world.take(
        piece("one", f"the token is {SECRET}"), piece("two", "open <private>closed</private> topic")
    )
    assert 2 == done.redacted
    kept = " ".join(memory.content for memory in world.memories())
    assert SECRET not in kept
    assert "closed" not in kept


def test_progress_is_told_by_batches(world):
    report: list[int] = []
    world.take(*(piece(f"p{number}") for number in range(BATCH + 1)), told=report)
    assert [BATCH, BATCH + 1] == report


def test_a_preview_counts_and_writes_nothing(world):
    world.take(piece("known"), piece("changed", "alpha"))
    before = world.memories()
    done = world.gather().preview(
        [piece("known"), piece("changed", "beta"), piece("new"), piece("newer")]
    )
    assert (2, 1, 1) == (done.stored, done.changed, done.known)
    assert before == world.memories()


def test_a_store_that_cannot_be_written_stops_it(tmp_path):
    world = World(open_sqlite(tmp_path / "m.db"))
    database = world.store.database
    database.rows(f"PRAGMA max_page_count = {database.value('PRAGMA page_count')}")
    with pytest.raises(UnavailableError, match="full"):
        world.take(*(piece(f"p{number}") for number in range(BATCH)))
    world.store.close()
