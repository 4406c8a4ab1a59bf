"""A change in the viewer while another process writes: it is given up soon, and says so."""

from __future__ import annotations

import time

import apsw
import pytest

from aforesaid.entrypoints.api.operations import ToolCalls
from viewer import Viewer


@pytest.fixture
def viewer(own_folders, tmp_path):
    opened = Viewer(own_folders, tmp_path)
    yield opened
    opened.core.close()


def test_a_locked_store_is_told_after_five_seconds_and_nothing_is_changed(viewer):
    made = ToolCalls(viewer.services.connect()).call("store_memory", {"content": "Use uv."})
    memory = viewer.core.store.memories.find(made["id"])[0]
    viewer.get("/")
    other = apsw.Connection(viewer.core.store.path)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert "Use uv." in viewer.get(f"/memory/{memory.id}")  # reading waits for nobody
        began = time.monotonic()
        page = viewer.post(f"/memory/{memory.id}/pin", next=f"/memory/{memory.id}")
        assert 4 < time.monotonic() - began < 8
        assert "Nothing was changed: another program is writing to the store" in page
        assert "Try again" in page
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert not viewer.core.store.memories.find(memory.id)[0].pinned
    assert "Pinned" in viewer.post(f"/memory/{memory.id}/pin", next=f"/memory/{memory.id}")
