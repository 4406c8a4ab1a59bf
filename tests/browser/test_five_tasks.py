"""Five tasks of a person in the viewer, from its first page, counted in clicks and keys."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from viewer_pages import add_old_session, expect_notice, press


class Hands:
    """What a person does: each click and each key counts as 1, each letter typed as well."""

    def __init__(self, page: Page) -> None:
        page.locator("html.js").wait_for(state="attached")
        self._page, self.count = page, 0

    def click(self, target: Locator) -> None:
        target.click()
        self.count += 1

    def keys(self, *names: str) -> None:
        for name in names:
            press(self._page, name)
            self.count += 1

    def go(self, key: str, heading: str) -> None:
        self.keys("g", key)
        expect(self._page.get_by_role("heading", level=1, name=heading)).to_be_visible()


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_role("link", name=name)


def test_find_why_a_wrong_fact_is_shown_and_end_it(served, open_page):
    memory = served.store("The gateway listens on port 8081.", importance="high")
    page = open_page()
    hands = Hands(page)
    line = page.get_by_role("region", name="What the next session here is shown").locator(
        "[data-item]", has_text=memory.content
    )
    expect(line.locator(".meta span").last).to_have_text(re.compile(r"\w"))  # why it is shown
    hands.click(line.get_by_role("link", name="Open"))
    expect(page.get_by_role("heading", name="Where it comes from")).to_be_visible()
    hands.keys("f")
    expect_notice(page, "Forgotten")
    assert served.find(memory.id).forgotten_at is not None
    assert hands.count <= 2


def test_undo_last_nights_maintenance(served, open_page):
    for number in range(4):
        served.store(f"Worker {number} reads queue {number} in zone {number}.", entity="Worker")
    page = open_page("/maintenance/preview")
    page.get_by_role("button", name="Run it now").click()
    expect_notice(page, "Run 1 is done")
    page.goto("/")
    hands = Hands(page)
    hands.go("m", "Maintenance")
    hands.click(link(page, "Run 1:"))
    hands.click(link(page, "Undo this run"))
    hands.click(page.get_by_role("button", name=re.compile("^Undo [0-9]+ step")))
    expect_notice(page, "Run 1 was undone")
    assert served.core.store.runs.get(1).undone_at
    assert hands.count <= 5


def test_merge_two_entities(served, open_page):
    served.store("Kafka keeps events for a week.", entity="Kafka")
    served.store("The event bus has six partitions.", entity="Bus")
    page = open_page()
    hands = Hands(page)
    hands.go("e", "Entities")
    hands.click(link(page, "Kafka"))
    hands.click(page.get_by_label("Same entity as"))
    hands.keys(*"Bus", "Enter")
    hands.click(page.get_by_role("button", name="Merge into Bus"))
    expect_notice(page, "Kafka merged into Bus")
    expect(page.get_by_role("main")).to_contain_text("Kafka keeps events")
    assert hands.count <= 9


def test_see_what_a_session_three_weeks_ago_decided(served, open_page):
    add_old_session(served, "We decided to keep invoices for ten years.")
    page = open_page()
    hands = Hands(page)
    hands.go("p", "Projects")
    hands.click(link(page, "acme/payments"))
    hands.click(link(page, "3 weeks ago"))
    expect(page.get_by_role("main")).to_contain_text("keep invoices for ten years")
    assert hands.count <= 4


def test_stop_remembering_a_project(served, open_page):
    page = open_page()
    hands = Hands(page)
    hands.go("p", "Projects")
    hands.click(link(page, "acme/payments"))
    hands.click(page.get_by_role("button", name="Stop remembering"))
    expect_notice(page, "Nothing is remembered about acme/payments from now on")
    expect(page.get_by_text("memory off")).to_be_visible()
    assert hands.count <= 4
