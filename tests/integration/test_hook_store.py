"""The store as hooks open it, on a real file: less of it, and never another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from aforesaid.adapters.sqlite.hook_store import HookStore, open_hook_store
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.sqlite.words_store import WordsStore, open_words_store
from aforesaid.domain.model.memory import Filters, Visibility
from factories import make_memory, make_project

#: What a hook's store hands on, since the whole store does more than the table alone.
HANDED_ON = {"erase", "merge_projects", "supersede", "unchain"}


@pytest.mark.parametrize("kind", [HookStore, WordsStore])
def test_what_a_hooks_store_has_is_what_the_whole_store_has(kind: type) -> None:
    has = {name for name in dir(kind) if not name.startswith("_")}

    differing = {one for one in has if getattr(kind, one) is not getattr(SqliteStore, one)}

    assert HANDED_ON == differing


def test_it_becomes_the_whole_store_once_more_is_asked_of_it(tmp_path: Path) -> None:
    store = open_hook_store(str(tmp_path / "memory.db"))
    project = store.add_project(make_project("a/b"))
    assert HookStore is type(store)

    stored = store.add(
        make_memory(content="The queue is NATS.", project=project.key, scope="project")
    )
    found = store.search_words(["nats"], Visibility(projects=(project.key,)), Filters(), 5)

    assert [stored.key] == [hit.key for hit in found]
    assert SqliteStore is type(store)
    store.close()


def test_a_prompts_store_finds_words_and_becomes_the_whole_one_for_what_is_near(
    tmp_path: Path,
) -> None:
    store = open_words_store(str(tmp_path / "memory.db"))
    stored = SqliteStore(str(tmp_path / "memory.db")).add(make_memory(content="The queue is NATS."))
    everywhere = Visibility(projects=(0,))

    assert [stored.key] == [
        one.key for one in store.search_words(["nats"], everywhere, Filters(), 5)
    ]
    assert WordsStore is type(store)
    assert {"queeu": ["queue"]} == store.near_words(["queeu"], everywhere)
    assert SqliteStore is type(store)
    store.close()


def test_what_it_hands_on_is_done_by_the_whole_store(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    whole = SqliteStore(path)
    old, new = (whole.add_project(make_project(name)) for name in ("a/b", "a/c"))
    first, second = (
        whole.add(make_memory(number, content=text, project=old.key, scope="project"))
        for number, text in enumerate(("Queue: Redis.", "Queue: NATS."))
    )
    whole.close()

    store = open_hook_store(path)
    store.supersede(first.key, second.key, at=1)
    assert 2 == open_hook_store(path).merge_projects(old.key, new.key)

    assert [second.key, second.key] == [one.head for one in store.get([first.key, second.key])]
    assert {new.key} == {one.project for one in store.get([first.key, second.key])}
    store.close()
