"""Erasing by hand what is hardly believed any more; telling what is stale."""

from __future__ import annotations

import pytest

from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.anchor import Anchor, make_fingerprint
from aforesaid.domain.model.statement import Statement
from aforesaid.services.maintenance.cleanup import Cleanup
from aforesaid.services.maintenance.freshness import Freshness
from aforesaid.services.maintenance.runner import MaintenanceRunner
from factories import DAY, NOON, Services, make_context, make_project


@pytest.fixture
def services(store):
    return Services(store)


def test_only_what_is_hardly_believed_and_long_unused_is_found_and_erased(services):
    here = make_context(services.project("git:shop"))

    def say(text: str, **fields):
        values = {"scope": "project", "confidence": 0.02, **fields}
        return services.remember.store(Statement(content=text, **values), here).memory

    doubtful = [say("perhaps the port moved"), say("maybe a rumour", scope="global")]
    kept = [say("pinned doubt", pinned=True), say("sure of it", confidence=1.0)]
    used = say("doubted and used")
    services.clock.at = NOON + 100 * DAY
    with services.store.transaction():
        services.store.usage.reinforce([used.key], NOON + 50 * DAY, 0.0)
    cleanup = Cleanup(services.store, services.clock, services.forgetter, Thresholds())
    matches = cleanup.find()
    assert [memory.key for memory in doubtful] == [memory.key for memory in matches]
    assert 2 == cleanup.erase(matches)
    assert [] == services.store.memories.get([memory.key for memory in doubtful])
    assert 3 == len(services.store.memories.get([memory.key for memory in (*kept, used)]))
    assert [] == cleanup.find()


def test_what_was_set_aside_is_cleaned_too_and_what_was_used_meanwhile_stays(services):
    here = make_context(services.project("git:shop"))
    first, second = (
        services.remember.store(
            Statement(content=text, scope="project", confidence=0.02), here
        ).memory
        for text in ("a rumour", "another doubt")
    )
    services.clock.at = NOON + 100 * DAY
    with services.store.transaction():
        services.store.memories.change(first.key, archived_at=NOON + DAY)
    cleanup = Cleanup(services.store, services.clock, services.forgetter, Thresholds())
    matches = cleanup.find()
    with services.store.transaction():
        services.store.usage.reinforce([second.key], services.clock.now(), 0.5)
    assert (2, 1) == (len(matches), cleanup.erase(matches))
    assert 1 == len(services.store.memories.get([second.key]))


class Files:
    """Files that all hold the same."""

    def __init__(self, content) -> None:
        self.content = content

    def resolve(self, root, path):
        return path

    def read(self, root, relative):
        return self.content


def test_memories_that_cite_changed_files_are_told_and_nothing_is_written(services):
    with services.store.transaction():
        project = services.store.projects.add(make_project("git:shop", root="/somewhere"))
    here = make_context(project)
    memories = [
        services.remember.store(Statement(content=text, scope="project"), here).memory
        for text in ("release by make", "no file at all")
    ]
    with services.store.transaction():
        services.store.anchors.replace(
            memories[0].key,
            [
                Anchor(
                    path="Makefile",
                    line=0,
                    fingerprint=make_fingerprint(b"as it was", 0, "Makefile"),
                )
            ],
        )
    freshness = Freshness(services.store, services.store.projects.list_all, Files(b"changed"))
    report = MaintenanceRunner(services.store, services.clock, [freshness]).run()
    assert {"stale": 1} == report.run.counts["freshness"]
    ((message,),) = report.examples.values()
    assert ((memories[0].key,), "Makefile changed") == (message.keys, message.detail)
    assert [] == services.store.runs.steps(report.run.key)
