"""Stored text is shown as text by a real browser, on every page, whatever it contains (A6, T25)."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from aforesaid.domain.model.suggestion import LINK, Suggestion

#: Each would leave an element with the attribute ``data-xss``, or run and set ``window.xss``.
PAYLOADS = {
    "script": "<script data-xss>window.xss=1</script>",
    "image": "<img data-xss src=x onerror='window.xss=1'>",
    "attribute": '" data-xss autofocus onfocus="window.xss=1" x="',
    "single": "' data-xss onmouseover='window.xss=1' x='",
    "vector": "<svg data-xss onload=window.xss=1><a href='javascript:window.xss=1'>x</a></svg>",
    "close": "</textarea></title></option></pre><iframe data-xss srcdoc='<script>1</script>'>",
    "remote": "<link data-xss rel=stylesheet href=//evil.example><base data-xss href=/evil>",
    "template": "{{ 7*191 }}{% raw %}${7*191}<b data-xss hx-get='/undo' hx-trigger='load'>",
    "link": "[click](javascript:window.xss=1) javascript:window.xss=1 https://evil.example/?q=vault",
}


@pytest.fixture(scope="module")
def paths(served):
    """Store every payload in every field that takes text; return the pages that show them."""
    learnt = []
    projects = served.core.projects
    for number, (name, payload) in enumerate(PAYLOADS.items()):
        served.store(
            f"Fact {number} about the vault: {payload}", tags=["vault", payload[:60]],
            topic=f"vault/{payload[:60].replace('/', '|')}", entity=payload[:60],
            summary=f"Vault {payload}", cues=[f"cue {payload[:60]}"],
            importance="high",
        )  # fmt: skip
        learnt += served.learn(f"Session {number} learnt of the vault {payload}")
        project = projects.named(f"acme/{name}")
        with served.core.store.transaction():
            served.core.store.projects.change(project.key, name=payload, root=f"/{payload}")
    everywhere = served.store(
        f"Everywhere: {PAYLOADS['script']}{PAYLOADS['image']}", scope="global", pinned=True
    )
    other = served.store(f"Nowhere: {PAYLOADS['attribute']}")
    calls = served.services.connect()
    context = calls.call_context()
    with served.core.store.transaction():
        served.core.store.suggestions.add(
            Suggestion(
                kind=LINK, name="a", project=context.project.key, created_at=1,
                memories=(everywhere.key, other.key),
            )
        )  # fmt: skip
    whole = served.core.store.memories.find(everywhere.id)[0]
    memories = [whole, *(served.find(memory.id) for memory in learnt)]
    pages = ["/", "/search", "/search?q=vault"]
    pages += ["/projects", "/entities", "/topics", "/maintenance", "/statistics", "/settings"]
    pages += [f"/{kind}/{key}" for kind in ("projects", "entities", "topics") for key in (1, 2, 3)]
    pages += [f"/graph?memory={everywhere.id}"]
    pages += [
        f"/search?{field}={quote(text)}"
        for text in PAYLOADS.values()
        for field in ("q", "tag", "since", "project")
    ]
    for memory in memories:
        pages += [f"/memory/{memory.id}{page}" for page in ("", "/edit", "/erase", "/words")]
    return pages


def test_no_page_makes_markup_of_stored_text(paths, open_page):
    page = open_page()
    seen = ""
    for path in paths:
        page.goto(path)
        assert 0 == page.locator("[data-xss], iframe, base, [onerror], [onload]").count(), path
        assert 0 == page.locator("a[href^='javascript'], a[href*='evil.example']").count(), path
        assert page.evaluate("window.xss === undefined"), path
        seen += page.content()
    page.goto("/search")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Topic").focus()
    page.locator("#names option").first.wait_for(state="attached")
    assert 0 == page.locator("[data-xss]").count()
    seen += page.content()
    assert "1337" not in seen  # no template of ours evaluated it
    for payload in PAYLOADS.values():
        shown = payload.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert shown[:20] in seen, payload


def test_a_notice_and_a_question_show_markup_as_text(served, paths, open_page):
    memory = served.store("<img data-xss src=x onerror='window.xss=1'> in a notice", tags=["told"])
    page = open_page(f"/memory/{memory.id}")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("<img data-xss")
    page.goto("/search?tag=told")
    page.get_by_label(re.compile("^Select: ")).check()
    page.get_by_label("Change the selected memories").select_option("tag")
    page.get_by_label("Tag or project").fill("<b data-xss>")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("main")).to_contain_text("<b data-xss>")
    assert 0 == page.locator("[data-xss]").count()
    assert page.evaluate("window.xss === undefined")


def test_what_would_run_is_stopped_by_the_policy(served, access, chromium):
    """Even if a page had a hole: the browser itself runs no inline script and asks no host."""
    page = chromium.new_page(base_url=served.origin, storage_state=access)
    page.goto("/")
    ran = page.evaluate(
        """async () => {
            const holder = document.createElement("div");
            document.body.append(holder);
            holder.innerHTML = "<img src='/x' onerror='window.xss=1'><b style='color:red'>x</b>";
            const script = document.createElement("script");
            script.textContent = "window.xss = 1";
            document.body.append(script);
            let sent = true;
            try { await fetch("http://127.0.0.1:9/"); } catch { sent = false; }
            await new Promise((resolve) => setTimeout(resolve, 300));
            return [window.xss, sent, getComputedStyle(holder.querySelector("b")).color];
        }"""
    )
    assert [None, False] == ran[:2]
    assert "rgb(255, 0, 0)" != ran[2]
    page.close()
