"""Maintenance in the viewer: its runs, what they changed, running and undoing them."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.operations.maintenance import make_phases
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.transfer.export import export_lines
from factories import TickingClock
from maintenance_store import NOW, StoreFiller
from viewer import Viewer


@pytest.fixture
def viewer(own_folders, tmp_path):
    opened = Viewer(own_folders, tmp_path)
    opened.get("/")  # the project of the folder becomes known
    yield opened
    opened.core.close()


@pytest.fixture
def run(viewer):
    """Return a run that changed something in every phase that changes memories."""
    core, embedder = viewer.core, HashedEmbedder()
    StoreFiller(core.store, embedder).fill()
    phases = make_phases(core.store, core.settings, core.environment, lambda: embedder)
    return MaintenanceRunner(core.store, TickingClock(NOW), phases).run().run


def exported(viewer) -> str:
    return "".join(export_lines(viewer.core.store))


def test_without_a_run_the_page_teaches(viewer):
    page = viewer.get("/maintenance")
    assert "Maintenance has not run yet." in page
    assert "there is no backup yet" in page


def test_runs_are_listed_in_plain_words(viewer, run):
    page = viewer.get("/maintenance")
    assert f"Run {run.key}:" in page
    assert "compacted" in page
    assert "by you" in page


def test_a_run_shows_what_each_phase_did_with_its_memories(viewer, run):
    page = viewer.browser.get(f"/maintenance/{run.key}").text
    assert "Summarises old events by week" in page
    steps = viewer.core.store.runs.steps(run.key)
    changed = viewer.core.store.memories.get([steps[0].memories[0]])[0]
    assert f'href="/memory/{changed.id}"' in page


def test_undoing_a_run_asks_first_and_changes_nothing_until_confirmed(viewer, run):
    before = exported(viewer)
    steps = len(viewer.core.store.runs.steps(run.key))
    assert f"This would revert {steps} steps" in viewer.get(f"/maintenance/{run.key}/undo")
    assert before == exported(viewer)
    assert "must be confirmed" in viewer.post(f"/maintenance/{run.key}/undo")
    assert before == exported(viewer)
    page = viewer.post(f"/maintenance/{run.key}/undo", agreed="yes")
    assert f"was undone: {steps} steps reverted" in page
    assert before != exported(viewer)
    assert "was already undone" in viewer.get(f"/maintenance/{run.key}/undo", status=409)


def test_what_changed_since_is_named_before_undoing(viewer, run):
    steps = viewer.core.store.runs.steps(run.key)
    archived = next(step for step in reversed(steps) if step.phase == "archive")
    memory = viewer.core.store.memories.get(archived.memories[:1])[0]
    with viewer.core.store.transaction():
        viewer.core.store.memories.change(memory.key, archived_at=5, importance=1.0)
    page = viewer.get(f"/maintenance/{run.key}/undo")
    assert "Not reverted, because they have changed since" in page
    assert memory.preview in page


def test_a_run_is_previewed_and_then_made(viewer):
    StoreFiller(viewer.core.store, HashedEmbedder()).fill()
    before = exported(viewer)
    assert "compacted" in viewer.get("/maintenance/preview")
    assert before == exported(viewer)
    page = viewer.post("/maintenance/run")
    assert "Run 1 is done" in page
    assert "1 backup" in viewer.get("/maintenance")
    assert viewer.core.store.runs.get(1).finished


def test_an_unknown_run_is_not_there(viewer):
    assert "there is no run 9" in viewer.get("/maintenance/9", status=404)
