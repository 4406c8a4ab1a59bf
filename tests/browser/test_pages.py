"""The viewer's pages in a real browser: every key and button that a person uses."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from viewer_pages import expect_notice, press

PHONE = {"width": 360, "height": 740}


def select(page: Page, text: str) -> None:
    """Go down the items by key until the one with this text is selected."""
    for _item in range(page.locator("[data-item]").count()):
        press(page, "j")
        if text in page.locator("[data-item].selected").inner_text():
            return
    raise AssertionError(f"no item contains {text!r}")


def learnt(page: Page):
    return page.get_by_role("region", name="Learnt in the last sessions")


# -- the door


def test_the_address_opens_the_viewer_once(served, access, chromium):
    page = chromium.new_page()
    assert 403 == page.goto(served.address).status
    assert "opens the viewer once" in page.inner_text("main")
    assert 403 == page.goto(served.origin).status
    page.close()


# -- Today


def test_a_key_accepts_what_was_learnt_and_another_takes_it_back(served, open_page):
    memory = served.learn("Releases are cut on Tuesdays.")[0]
    page = open_page()
    select(page, memory.content)
    while not page.locator(".selected [data-key=a]").count():  # it is also among what is shown
        press(page, "j")
    press(page, "a")
    expect_notice(page, "Accepted: Releases are cut on Tuesdays.")
    assert ("user", 1.0) == (served.find(memory.id).provenance, served.find(memory.id).confidence)
    expect(learnt(page)).not_to_contain_text(memory.content)
    press(page, "u")
    expect_notice(page, "Undone: Accepted")
    expect(learnt(page)).to_contain_text(memory.content)
    assert 0.6 == served.find(memory.id).confidence


def test_a_key_forgets_what_was_learnt_and_the_next_item_is_selected(served, open_page):
    first, second = served.learn("Staging runs on Fridays.", "The gateway is Envoy 1.31.")
    page = open_page()
    item = learnt(page).locator("[data-item]", has_text=first.content)
    item.locator(".meta").click()
    press(page, "f")
    expect_notice(page, "Forgotten: Staging runs on Fridays.")
    assert served.find(first.id).forgotten_at is not None
    assert served.find(second.id).forgotten_at is None
    expect(page.locator("[data-item].selected")).to_have_count(1)
    press(page, "u")
    expect_notice(page, "Undone: Forgotten")
    assert served.find(first.id).forgotten_at is None


def test_a_key_corrects_what_was_learnt(served, open_page):
    memory = served.learn("The cache is Redis 6.")[0]
    page = open_page()
    learnt(page).locator("[data-item]", has_text=memory.content).locator(".meta").click()
    press(page, "e")
    field = page.get_by_label("Text", exact=True)
    expect(field).to_have_value(memory.content)
    field.fill("The cache is Valkey 8.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".content")).to_have_text("The cache is Valkey 8.")
    assert served.find(memory.id).superseded_by is not None


def test_a_contradiction_is_settled_by_a_button(served, open_page):
    old, new = (
        served.store("The ledger is in PostgreSQL 15."),
        served.store("The ledger is in MySQL."),
    )
    page = open_page(f"/memory/{new.id}")
    page.get_by_label("Kind").fill("contradicts")
    page.get_by_label("… memory with the id").fill(old.id)
    page.get_by_role("button", name="Link", exact=True).click()
    page.goto("/")
    pair = page.locator(".pair", has_text=old.content)
    pair.locator(".panel", has_text=new.content).get_by_role("button", name="Keep this one").click()
    expect_notice(page, "Kept: The ledger is in MySQL.")
    assert served.find(new.id).in_force
    assert not served.find(old.id).in_force


# -- Search


def test_results_follow_what_is_typed(served, open_page):
    served.store("The queue is NATS JetStream, for replay.")
    served.store("Amounts are integers of cents.")
    page = open_page()
    press(page, "/")
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    field.press_sequentially("nats jetstream")
    results = page.get_by_role("region", name="Results")
    expect(results.locator("mark").first).to_have_text(re.compile("NATS|JetStream"))
    expect(results.locator("[data-item]").first).to_contain_text(re.compile("relevance [0-9]+%"))
    expect(page).to_have_url(re.compile(r"/search\?q=nats"))
    field.fill("cents")
    expect(results.locator("[data-item]").first).to_contain_text("Amounts are integers of cents.")
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("cents")


def test_a_filter_narrows_the_results_without_loading_the_page(served, open_page):
    served.store("To publish, run make ship.", type="procedural", tags=["shipping"])
    served.store("Publishing takes an hour.", tags=["waiting"])
    page = open_page("/search?q=publish")
    page.evaluate("window.same = true")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Type").select_option("procedural")
    results = page.get_by_role("region", name="Results")
    expect(results).not_to_contain_text("Publishing takes an hour.")
    expect(results).to_contain_text("To publish, run make ship.")
    page.get_by_label("Type").select_option("")
    page.get_by_label("Tag", exact=True).fill("waiting")
    press(page, "Tab")
    expect(results).to_contain_text("Publishing takes an hour.")
    expect(results).not_to_contain_text("make ship")
    assert page.evaluate("window.same")
    expect(page.locator("#names datalist").first).to_be_attached()


def test_a_wrong_filter_says_so_and_keeps_what_was_typed(open_page):
    page = open_page("/search?q=queue&since=nonsense")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Since")).to_have_value("nonsense")


def test_a_search_without_result_says_what_to_do(open_page):
    page = open_page("/search?tag=nobody-has-this")
    expect(page.get_by_text("No memory matches.")).to_be_visible()


# -- a memory


def test_an_edit_makes_a_version_and_is_undone(served, open_page):
    memory = served.store("The build takes ten minutes.")
    page = open_page(f"/memory/{memory.id}")
    press(page, "e")
    page.get_by_label("Text", exact=True).fill("The build takes four minutes.")
    page.get_by_label("Tags").fill("build, ci")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("ins").first).to_have_text(re.compile("four"))
    expect(page.locator("del").first).to_have_text(re.compile("ten"))
    expect(page.locator(".tag").first).to_have_text("#build")
    press(page, "u")
    expect_notice(page, "Undone")
    assert served.find(memory.id).in_force
    page.goto(f"/memory/{memory.id}")
    expect(page.locator(".content")).to_have_text("The build takes ten minutes.")


def test_a_memory_is_pinned_forgotten_and_brought_back(served, open_page):
    memory = served.store("Alerts go to the channel ops.")
    page = open_page(f"/memory/{memory.id}")
    press(page, "p")
    expect_notice(page, "Pinned")
    assert served.find(memory.id).pinned
    press(page, "f")
    expect_notice(page, "Forgotten")
    expect(page.get_by_role("main")).to_contain_text("Its text is not shown anywhere")
    press(page, "u")
    expect_notice(page, "Undone")
    expect(page.locator(".content")).to_have_text(memory.content)


def test_a_memory_supersedes_another(served, open_page):
    old, new = served.store("The linter is flake8."), served.store("We lint with ruff now.")
    page = open_page(f"/memory/{new.id}")
    page.get_by_label("Kind").fill("supersedes")
    page.get_by_label("… memory with the id").fill(old.id)
    page.get_by_role("button", name="Link", exact=True).click()
    expect_notice(page, "Linked")
    assert not served.find(old.id).in_force
    press(page, "u")
    expect_notice(page, "Undone")
    assert served.find(old.id).in_force


def test_erasing_shows_what_goes_and_needs_consent(served, open_page):
    memory = served.store("The old vendor is Umbra Networks.")
    page = open_page(f"/memory/{memory.id}")
    page.get_by_role("link", name="Erase…").click()
    expect(page.get_by_role("main")).to_contain_text("What would be removed")
    page.get_by_role("button", name="Erase").click()  # the browser asks for the tick first
    assert served.find(memory.id).content == memory.content
    page.get_by_label("I understand that this cannot be undone").check()
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_role("heading", name="Today")).to_be_visible()
    assert [] == served.core.store.memories.find(memory.id)


# -- several memories


@pytest.mark.parametrize("whole", [False, True], ids=["selected", "all that match"])
def test_a_change_of_several_tells_their_exact_number_first(served, open_page, whole):
    tag = "whole" if whole else "part"
    count = 23 if whole else 3
    memories = [
        served.store(f"Service {tag} {number} listens at port {4000 + number * 13}.", tags=[tag])
        for number in range(count)
    ]
    page = open_page(f"/search?tag={tag}")
    chosen = count
    if whole:
        page.get_by_label(f"all {count} that match").check()
    else:
        press(page, "j")
        press(page, "x")
        press(page, "j")
        press(page, "x")
        chosen = 2
        expect(page.locator("[data-selected]")).to_have_text("2")
    page.get_by_label("Change the selected memories").select_option("forget")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{chosen} memories?")
    assert all(served.find(memory.id).forgotten_at is None for memory in memories)
    page.get_by_role("button", name=re.compile(f" {chosen}$")).click()
    expect_notice(page, f"{chosen} memories")
    forgotten = [m for m in memories if served.find(m.id).forgotten_at is not None]
    assert chosen == len(forgotten)
    press(page, "u")
    expect_notice(page, "Undone")
    assert all(served.find(memory.id).forgotten_at is None for memory in memories)


# -- what all pages share


def test_keys_go_to_pages_and_the_sheet_lists_them(open_page):
    page = open_page()
    press(page, "?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet).to_contain_text("Undo the last change")
    press(page, "Escape")
    expect(sheet).to_be_hidden()
    press(page, "g")
    press(page, "s")
    expect(page.get_by_role("heading", name="Search", exact=True)).to_be_visible()
    page.get_by_role("searchbox").blur()
    press(page, "g")
    press(page, "t")
    expect(page.get_by_role("heading", name="Today")).to_be_visible()


def test_an_item_is_opened_by_enter(served, open_page):
    memory = served.store("The runbook is in docs/ops.", tags=["runbook"])
    page = open_page("/search?tag=runbook")
    press(page, "j")
    press(page, "Enter")
    expect(page.locator(".content")).to_have_text(memory.content)


def test_the_theme_is_switched_and_kept(open_page):
    page = open_page(color_scheme="light")
    root, button = page.locator("html"), page.get_by_role("button", name="Theme")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for _theme in range(3):
        button.click()
        page.wait_for_load_state()
        if root.get_attribute("data-theme") == "dark":
            break
    expect(root).to_have_attribute("data-theme", "dark")
    assert light != page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto("/search")
    expect(root).to_have_attribute("data-theme", "dark")


def test_the_pages_are_one_row_on_a_phone_and_the_current_one_is_in_it(open_page):
    page = open_page("/settings", viewport=PHONE)
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    tops = {link.bounding_box()["y"] for link in links.all()}
    assert 1 == len(tops)
    expect(links.filter(has_text="Settings")).to_be_in_viewport(ratio=0.9)
    assert all(link.bounding_box()["height"] >= 40 for link in links.all())
    for control in page.locator("main button, main select, main input[type=text]").all():
        assert control.bounding_box()["height"] >= 40, control.inner_text()


@pytest.mark.parametrize("name", ["today", "search", "memory", "edit", "erase"])
def test_a_page_fits_a_phone(served, open_page, name):
    word = "averyverylongidentifier" * 6
    memory = served.learn(f"The phone shows {word} of {name}.")[0]
    path = {
        "today": "/", "search": "/search?q=phone", "memory": f"/memory/{memory.id}",
        "edit": f"/memory/{memory.id}/edit", "erase": f"/memory/{memory.id}/erase",
    }[name]  # fmt: skip
    page = open_page(path, viewport=PHONE)
    wide = page.evaluate(
        "[...document.querySelectorAll('body *')]"
        ".filter((e) => e.getBoundingClientRect().right > innerWidth + 1)"
        ".filter((e) => !e.closest('.scroll, .code, dialog')).map((e) => e.outerHTML.slice(0, 200))"
    )
    assert PHONE["width"] >= page.evaluate("document.documentElement.scrollWidth"), wide
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_it_works_without_script(served, open_page):
    memory = served.store("The printer is on floor three.")
    page = open_page("/search", java_script_enabled=False)
    page.get_by_role("searchbox").fill("printer floor")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=re.compile("printer")).click()
    page.get_by_role("button", name="Pin", exact=True).click()
    expect_notice(page, "Pinned")
    assert served.find(memory.id).pinned
