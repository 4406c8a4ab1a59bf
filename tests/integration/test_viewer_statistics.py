"""Statistics in the viewer: the numbers of the plots, and of the tables below them."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.memory import Session
from aforesaid.entrypoints.api.operations import ToolCalls
from factories import DAY
from viewer import Viewer

MONDAY = 1_764_547_200_000  #: 2025-12-01


@pytest.fixture
def viewer(own_folders, tmp_path):
    opened = Viewer(own_folders, tmp_path)
    opened.get("/")
    yield opened
    opened.core.close()


@pytest.fixture
def store(viewer):
    def stored(content, at=MONDAY, recalls=0, **fields):
        calls = ToolCalls(viewer.services.connect())
        short = calls.call("store_memory", {"content": content, **fields})["id"]
        memory = viewer.core.store.memories.find(short)[0]
        with viewer.core.store.transaction():
            viewer.core.store.memories.change(memory.key, created_at=at, access_count=recalls)

    return stored


def plots(viewer, **query):
    answer = viewer.browser.get("/statistics/data", params=query)
    return {plot["name"]: plot for plot in answer.json()}


def numbers(plot):
    return {series["name"]: series["values"] for series in plot["series"]}


def test_without_memories_there_is_no_plot(viewer):
    assert "No numbers yet: they appear with the first memory" in viewer.get("/statistics")
    assert [] == plots(viewer)["growth"]["labels"]


def test_growth_counts_each_week_also_empty_ones(viewer, store):
    store("The queue is NATS.", MONDAY)
    store("The cache is Redis.", MONDAY + 7 * DAY - 1)
    store("Amounts are integers.", MONDAY + 14 * DAY)
    growth = plots(viewer)["growth"]
    assert ["2025-12-01", "2025-12-08", "2025-12-15"] == growth["labels"]
    assert {"in all": [2, 2, 3], "stored in the week": [2, 0, 1]} == numbers(growth)


def test_types_and_recalls_are_counted(viewer, store):
    store("The queue is NATS.", recalls=1)
    store("To release, make ship.", type="procedural", recalls=30)
    answer = plots(viewer)
    assert ["procedural", "semantic"] == answer["types"]["labels"]
    assert {"memories": [1, 1]} == numbers(answer["types"])
    assert {"memories": [0, 1, 0, 0, 1]} == numbers(answer["recalls"])


def test_sessions_show_their_tokens(viewer):
    core, project = viewer.core, viewer.services.connect().call_context().project
    with core.store.transaction():
        for day in range(2):
            core.store.sessions.put(
                Session(
                    id=f"s{day}", started_at=MONDAY + day * DAY, project=project.key,
                    shown_tokens=100 + day, recalled_tokens=7,
                )
            )  # fmt: skip
    tokens = plots(viewer)["tokens"]
    assert ["2025-12-01", "2025-12-02"] == tokens["labels"]
    assert [100, 101] == numbers(tokens)["shown at the start"]
    assert [7, 7] == numbers(tokens)["recalled"]


def test_all_projects_are_counted_on_request(viewer, store):
    viewer.core.projects.named("acme/website")
    store("The website is static.", project="acme/website")
    assert [] == plots(viewer)["types"]["labels"]
    assert ["semantic"] == plots(viewer, project="*")["types"]["labels"]


def test_storage_ends_with_the_size_now(viewer):
    storage = plots(viewer)["storage"]
    assert "now" == storage["labels"][-1]
    assert numbers(storage)["MB"][-1] > 0


def test_the_table_has_the_numbers_and_only_this_page_loads_the_library(viewer, store):
    store("The queue is NATS.")
    assert "week from in all stored in the week 2025-12-01 1 1" in viewer.get("/statistics")
    assert "uPlot" in viewer.browser.get("/statistics").text
    assert "uPlot" not in viewer.browser.get("/").text
