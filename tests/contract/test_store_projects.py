"""What a store guarantees about projects, sessions and imported items."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.import_item import ImportedItem
from aforesaid.domain.model.memory import Session, Visibility
from contract.stored import EMBED, add, add_project, near, words
from factories import NOON, make_project


def test_a_project_is_found_by_every_key_that_means_it(store) -> None:
    with store.transaction():
        created = store.projects.add(
            make_project(
                "git:example.org/a", keywords=("x", "y"), description="d", root="/r",
                remote="https://example.org/a", provisional=True,
            )
        )  # fmt: skip
        store.projects.add_alias(created.key, "folder:/r")

    named = created.replace(aliases=("folder:/r", "git:example.org/a"))
    assert named == store.projects.get(created.key) == store.projects.by_key("folder:/r")
    assert ["folder:/r", "git:example.org/a"] == store.projects.aliases(created.key)
    assert None is store.projects.by_key("folder:/elsewhere")
    assert None is store.projects.get(99)


def test_an_identity_is_registered_once_and_an_alias_can_change_hands(store) -> None:
    first, second = add_project(store, "a"), add_project(store, "b")
    with store.transaction():
        store.projects.add_alias(first.key, "folder:/r")
        store.projects.add_alias(second.key, "folder:/r")

    owner = store.projects.by_key("folder:/r")
    assert (second.key, ("folder:/r", "git:example.org/b")) == (owner.key, owner.aliases)
    with store.transaction():
        store.projects.remove_alias("folder:/r")
    assert None is store.projects.by_key("folder:/r")
    with pytest.raises(AforesaidError):
        add_project(store, "a")


def test_projects_are_listed_last_used_first_without_global(store) -> None:
    first, second = add_project(store, "a"), add_project(store, "b", used_at=NOON + 1)
    assert [second, first] == store.projects.list_all()

    with store.transaction():
        store.projects.change(first.key, used_at=NOON + 2, keywords=("new",), provisional=1)
    changed = first.replace(used_at=NOON + 2, keywords=("new",), provisional=True)
    assert [changed, second] == store.projects.list_all()


def test_merging_moves_memories_sessions_and_keys_and_retires_the_number(store) -> None:
    with store.transaction():
        remaining = store.projects.add(make_project("git:example.org/a"))
        removed = store.projects.add(make_project("folder:/r"))
        store.sessions.put(Session(id="s", started_at=NOON, project=removed.key))
    moved = add(store, 1, "kilo", scope="project", project=removed.key, origin_project=removed.key)
    with store.transaction():
        assert 1 == store.projects.merge(removed.key, remaining.key)

    assert None is store.projects.get(removed.key)
    owner = store.projects.by_key("folder:/r")
    assert remaining.key == owner.key
    assert ("folder:/r", "git:example.org/a", "name:r") == owner.aliases
    after = store.memories.get([moved.key])[0]
    assert (remaining.key, remaining.key) == (after.project, after.origin_project)
    assert remaining.key == store.sessions.get("s").project
    here = Visibility(projects=(remaining.key,))
    assert [moved.key] == words(store, "kilo", visible=here)
    assert [moved.key] == near(store, "kilo", visible=here)
    assert [] == near(store, "kilo")
    assert [] == store.search.without_vectors(EMBED.model, 9)
    with store.transaction():
        assert removed.key < store.projects.add(make_project("folder:/new")).key


# -- sessions


def test_a_session_is_read_as_it_was_put_and_put_again(store) -> None:
    session = Session(
        id="s", client_pid=7, client_start=8, chosen_project=True, folder="/f",
        transcript_path="/t", branch="main", started_at=NOON, opened_at=NOON + 1,
        bytes_ingested=9, shown=(7, 9), shown_at=NOON + 2,
    )  # fmt: skip
    with store.transaction():
        store.sessions.put(session)
        store.sessions.put(session.replace(branch="other"))

    assert session.replace(branch="other") == store.sessions.get("s")
    assert None is store.sessions.get("unknown")


def test_the_session_that_a_client_opened_last_is_its_own(store) -> None:
    with store.transaction():
        for name, pid, start, opened in (
            ("old", 7, 1, 10), ("new", 7, 1, 20), ("other start", 7, 2, 30), ("other", 8, 1, 40),
            ("no start", 7, None, 50),
        ):  # fmt: skip
            store.sessions.put(
                Session(id=name, client_pid=pid, client_start=start, started_at=5, opened_at=opened)
            )

    assert "new" == store.sessions.of_client(7, 1, 5)[0].id
    assert ["no start"] == [session.id for session in store.sessions.of_client(7, None, 5)]
    assert [] == store.sessions.of_client(9, 1, 5)


def test_open_sessions_come_oldest_first_and_ended_ones_do_not(store) -> None:
    with store.transaction():
        store.sessions.put(Session(id="b", started_at=2))
        store.sessions.put(Session(id="a", started_at=1))
        store.sessions.put(Session(id="c", started_at=0, ended_at=3))

    assert ["a", "b"] == [session.id for session in store.sessions.list_open()]


def test_the_sessions_that_a_project_was_shown_to_come_newest_first(store) -> None:
    project = add_project(store)
    with store.transaction():
        store.sessions.put(Session(id="a", started_at=1, project=project.key, shown_at=5))
        store.sessions.put(Session(id="b", started_at=2, project=project.key, shown_at=4))
        store.sessions.put(Session(id="c", started_at=3, project=project.key))

    assert ["a", "b"] == [session.id for session in store.sessions.list_shown(project.key, 9)]
    assert ["a"] == [session.id for session in store.sessions.list_shown(project.key, 1)]
    assert [] == store.sessions.list_shown(99, 9)
    assert ["a", "b"] == [session.id for session in store.sessions.list_shown(None, 9)]


def test_sessions_that_begin_with_the_same_line_are_found(store) -> None:
    with store.transaction():
        store.sessions.put(Session(id="b", started_at=1, first_line="x"))
        store.sessions.put(Session(id="a", started_at=2, first_line="x"))
        store.sessions.put(Session(id="c", started_at=3, first_line="y"))
        store.sessions.put(Session(id="d", started_at=4))

    assert ["a", "b"] == [session.id for session in store.sessions.list_from("x", 9)]
    assert ["a"] == [session.id for session in store.sessions.list_from("x", 1)]


# -- import items


def test_a_piece_is_kept_under_its_name_and_the_last_one_counts(store) -> None:
    memory = add(store, 1)
    assert store.import_items.get("one") is None
    with store.transaction():
        store.import_items.put(ImportedItem(name="one", checksum="p", memory=memory.key), NOON)
        store.import_items.put(ImportedItem(name="one", checksum="q", memory=memory.key), NOON)
    assert ImportedItem(name="one", checksum="q", memory=memory.key) == store.import_items.get(
        "one"
    )


def test_a_piece_outlives_the_memory_that_it_became(store) -> None:
    memory = add(store, 1)
    with store.transaction():
        store.import_items.put(ImportedItem(name="one", checksum="p", memory=memory.key), NOON)
        store.memories.erase(memory.key, "hash", NOON)
    assert ImportedItem(name="one", checksum="p") == store.import_items.get("one")
