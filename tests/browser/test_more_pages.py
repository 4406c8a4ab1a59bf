"""The viewer's other pages in a real browser: projects, entities, topics, graph and the rest."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from aforesaid.operations.automatic_backup import back_up_daily
from viewer_pages import WEEK_MS, add_old_session, add_project, expect_notice, press


def test_an_entity_is_renamed_and_merged_and_both_are_undone(served, open_page):
    first = served.store("Kafka keeps events for a week.", entity="Kafka")
    served.store("The event bus has six partitions.", entity="Event bus")
    page = open_page("/entities")
    page.get_by_role("link", name="Kafka", exact=True).click()
    page.get_by_label("New name").fill("Apache Kafka")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Apache Kafka")
    press(page, "u")
    expect_notice(page, "Undone")
    page.goto("/entities")
    page.get_by_role("link", name="Kafka", exact=True).click()
    page.get_by_label("Same entity as").fill("Event bus")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("main")).to_contain_text("1 memory of Kafka will be about Event bus")
    page.get_by_role("button", name="Merge into Event bus").click()
    expect_notice(page, "Kafka merged into Event bus")
    expect(page.get_by_role("main")).to_contain_text(first.content)
    press(page, "u")
    expect_notice(page, "Undone")
    page.goto("/entities")
    expect(page.get_by_role("link", name="Kafka", exact=True)).to_be_visible()


def test_a_topic_is_moved_and_moved_back(served, open_page):
    served.store("Lambda functions time out after 30 s.", topic="cloud/functions")
    page = open_page("/topics")
    page.get_by_role("link", name="functions", exact=True).click()
    page.get_by_label("New path").fill("hosting/lambda")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Move 1").click()
    expect_notice(page, "1 memory moved from cloud/functions to hosting/lambda.")
    press(page, "u")
    expect_notice(page, "Undone")
    page.goto("/topics")
    expect(page.get_by_role("link", name="functions", exact=True)).to_be_visible()


def test_a_project_shows_old_sessions_and_previews_a_merge(served, open_page):
    add_old_session(served, "We decided to keep invoices for ten years.")
    add_project(served, "billing")
    page = open_page("/projects")
    page.get_by_role("link", name="acme/payments", exact=True).click()
    page.get_by_role("link", name="3 weeks ago").click()
    expect(page.get_by_role("main")).to_contain_text("keep invoices for ten years")
    page.get_by_label("Move all of acme/payments to").select_option(label="billing")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("main")).to_contain_text("in force move to billing")


def test_a_project_is_no_longer_remembered_until_undone(served, open_page):
    served.store("The project has a memory.")
    page = open_page("/projects")
    page.get_by_role("link", name="acme/payments", exact=True).click()
    page.get_by_role("button", name="Stop remembering").click()
    expect_notice(page, "Nothing is remembered about acme/payments from now on")
    expect(page.get_by_text("memory off")).to_be_visible()
    press(page, "u")
    expect_notice(page, "Undone")
    expect(page.get_by_text("memory off")).to_be_hidden()


def test_maintenance_is_previewed_run_and_undone(served, open_page):
    for number in range(4):
        served.store(f"Worker {number} reads queue {number} in zone {number}.", entity="Worker")
    page = open_page("/maintenance")
    page.get_by_role("link", name="Run it now").click()
    expect(page.get_by_role("main")).to_contain_text("nothing was changed")
    assert not served.core.store.runs.get(1)
    page.get_by_role("button", name="Run it now").click()
    expect_notice(page, "Run 1 is done")
    page.get_by_role("link", name="Undo this run").click()
    expect(page.get_by_role("main")).to_contain_text("This would revert")
    page.get_by_role("button", name=re.compile("^Undo [0-9]+ step")).click()
    expect_notice(page, "Run 1 was undone")
    assert served.core.store.runs.get(1).undone_at


def test_statistics_draw_all_six_plots(served, open_page):
    first = served.store("Statistics count from the first week on.")
    served.store("Statistics need a second week.")
    served.learn("Statistics need a session of today.")
    add_old_session(served, "We decided to count sessions.")
    core = served.core
    with core.store.transaction():
        created = core.clock.now() - 2 * WEEK_MS
        core.store.memories.change(first.key, created_at=created, access_count=3)
    back_up_daily(core.store, core.settings, core.environment)
    page = open_page("/statistics")
    panels = page.locator(".plots > .panel")
    expect(panels).to_have_count(6)
    for panel in panels.all():
        expect(panel.locator("canvas")).to_be_visible()
        box = panel.locator("canvas").bounding_box()
        assert box["width"] > 100
        assert box["height"] > 50
        drawn = panel.locator("canvas").evaluate(
            """(canvas) => {
                const { width, height } = canvas;
                const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
                return data.some((value, index) => index % 4 === 3 && value > 0);
            }"""
        )
        assert drawn
        panel.get_by_text("Numbers", exact=True).click()
        expect(panel.get_by_role("table").locator("tbody tr").first).to_be_visible()


def test_a_setting_is_changed_refused_and_reset(open_page):
    page = open_page("/settings")
    name = "maintenance.interval_hours"
    item = page.locator(f'[id="{name}"]')
    item.get_by_label(name).fill("48")
    item.get_by_role("button", name="Save").click()
    expect_notice(page, f"{name} is 48")
    item.get_by_label(name).fill("soon")
    item.get_by_role("button", name="Save").click()
    expect(item.get_by_role("alert")).to_contain_text("Not saved")
    expect(item.get_by_role("alert")).to_be_in_viewport()
    expect(item.get_by_label(name)).to_have_value("soon")
    expect(item.get_by_label(name)).to_be_focused()
    page.reload()
    expect(item.get_by_label(name)).to_have_value("48.0")
    item.get_by_role("button", name="Reset to default").click()
    expect_notice(page, f"{name} has its default again")


def test_the_graph_draws_and_its_list_leads_to_a_memory(served, open_page):
    memory = served.store("Graphs show what is near.", topic="graphs/near", entity="Graph")
    page = open_page(f"/graph?memory={memory.id}")
    canvas = page.locator("#graph canvas").first
    expect(canvas).to_be_visible()
    assert canvas.bounding_box()["width"] > 100
    page.get_by_role("navigation", name="Nodes").get_by_role("link", name="Graphs show").click()
    expect(page.locator(".content")).to_have_text(memory.content)
