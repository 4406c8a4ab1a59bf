"""Two projects that are one, and a folder that belongs to another."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.task import Assignment
from aforesaid.domain.projects.detection import Repository, WorkspaceFacts
from aforesaid.services.projects.merge import ProjectMerger
from factories import Services, make_context

NOTES = WorkspaceFacts(folder="/srv/notes")


class World(Services):
    """Services over a model store."""

    def __init__(self, store) -> None:
        super().__init__(store)
        self.mend = ProjectMerger(self.store, self.clock, self.projects)

    def add(self, content: str, project, **fields):
        stored = self.remember.store(Statement(content=content, **fields), make_context(project))
        assert stored is not None
        return stored.memory

    def read(self, key: int):
        (memory,) = self.store.memories.get([key])
        return memory


@pytest.fixture
def world(store) -> World:
    return World(store)


def test_what_one_project_holds_moves_to_the_other_with_every_key(world) -> None:
    old, new = world.project("git:example.org/acme/old"), world.project("git:example.org/acme/new")
    with world.store.transaction():
        world.store.projects.change(old.key, description="the old one", keywords=("a", "b"))
        world.store.projects.change(new.key, keywords=("b", "c"))
    fact = world.add("Kilo runs on lima.", old, topic="servers")
    task = world.add("Answer 409.", old, assignment=Assignment(task_id="retries"))
    forgotten = world.add("Mike was here.", old)
    world.forgetter.forget(forgotten.id, make_context(old))
    kept = world.add("November is late.", new)

    plan = world.mend.plan("old", "new")
    assert (2, 1, ("git:example.org/acme/old",)) == (plan.memories, plan.tasks, plan.keys)
    assert world.store.projects.get(old.key) is not None
    done = world.mend.merge("old", "new")

    assert 3 == done.memories
    assert {new.key} == {world.read(memory.key).project for memory in (fact, task, forgotten, kept)}
    merged = world.store.projects.by_key("git:example.org/acme/old")
    assert (new.key, "the old one", ("b", "c", "a")) == (
        merged.key,
        merged.description,
        merged.keywords,
    )
    with pytest.raises(InvalidInputError, match="already the same project"):
        world.mend.merge("git:example.org/acme/old", "new")


def test_what_is_not_known_or_everybody_s_is_not_merged(world) -> None:
    world.project("git:example.org/acme/shop")
    world.projects.default()
    with pytest.raises(NotFoundError, match="no project is called"):
        world.mend.merge("never", "shop")
    with pytest.raises(InvalidInputError, match="default project cannot be merged"):
        world.mend.merge("default", "shop")
    with pytest.raises(InvalidInputError, match="default project cannot be merged"):
        world.mend.merge("shop", "default")


def test_a_folder_is_mapped_with_what_it_held_and_given_back_empty(world) -> None:
    own = world.projects.resolve(NOTES)
    memory = world.add("Notes are kept in English.", own.project)

    mapped = world.mend.map(NOTES, "writing").context
    assert ("writing", 1.0) == (mapped.project.name, mapped.identity.confidence)
    assert mapped.project.key == world.read(memory.key).project
    again = world.mend.unmap(NOTES)
    assert ("notes", "folder") == (again.project.name, again.identity.source)
    assert mapped.project.key == world.read(memory.key).project
    with pytest.raises(NotFoundError, match="/srv/notes is not mapped to a project"):
        world.mend.unmap(NOTES)


def test_a_repository_that_was_mapped_is_its_own_again_with_all_it_held(world) -> None:
    there = WorkspaceFacts(
        folder="/srv/shop",
        repository=Repository(
            root="/srv/shop",
            common_dir="/srv/shop/.git",
            git_dir="/srv/shop/.git",
            remotes={"origin": "https://example.org/acme/shop.git"},
        ),
    )
    own = world.projects.resolve(there).project
    memory = world.add("Kilo runs on lima.", own)

    world.mend.map(there, "everything")
    assert "everything" == world.projects.resolve(there).project.name
    assert own.key == world.read(memory.key).project
    assert own.key == world.mend.unmap(there).project.key


def test_what_is_nobody_s_project_is_not_mapped(world) -> None:
    with pytest.raises(InvalidInputError, match="home folder"):
        world.mend.map(NOTES.replace(excluded_reason="home folder"), "writing")
    world.mend.map(NOTES, "writing")
    with pytest.raises(InvalidInputError, match="similar"):
        world.mend.map(NOTES.replace(folder="/srv/more"), "writings")
    assert "writings" == world.mend.map(NOTES, "writings", new=True).context.project.name
