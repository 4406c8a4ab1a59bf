"""axe finds nothing serious or critical on any page, in both themes, wide and on a phone."""

from __future__ import annotations

import os

import pytest

from aforesaid.entrypoints.api.operations import ToolCalls
from rig.axe import find_axe
from rig.client import ClientUnavailableError
from viewer_pages import press

SIZES = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 360, "height": 740}}
RUN = """async () => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) =>
            `${node.html.slice(0, 160)} ${node.any.map((check) => check.message).join("; ")}`)}`);
}"""


@pytest.fixture(scope="session")
def axe():
    try:
        return find_axe()
    except ClientUnavailableError as error:
        if os.environ.get("AFORESAID_TEST_CLIENT_REQUIRED"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def paths(axe, served):
    """Fill the store with what each part of each page shows; return the paths of the pages."""
    old = served.store("The broker is RabbitMQ.", tags=["broker"], importance="high")
    new = served.store("The broker is NATS JetStream.", topic="queue/broker", entity="NATS")
    file = served.folder / "queue.py"
    file.write_text("RETRIES = 5  # of the queue\n")
    cited = served.store("The queue is tried five times.", anchors=["queue.py:1"])
    file.write_text("RETRIES = 8  # of the queue\n")
    served.store("Read the guide first.", provenance="tool")
    first = served.store("Tabs are eight columns wide.", scope="global", pinned=True)
    served.learn("Use uv instead of pip.", "Run make dev first.")
    gone = served.store("The vendor is Umbra Networks.")
    _call(served, "update_memory", id=first.id, content="Tabs are four columns wide.")
    _call(served, "forget_memory", id=gone.id)
    _call(served, "link_memories", source_id=new.id, kind="contradicts", target_id=old.id)
    return {
        "today": "/",
        "search": "/search",
        "results": "/search?q=broker&tag=broker",
        "no result": "/search?q=broker&tag=nobody",
        "wrong filter": "/search?since=nonsense",
        "forgotten ones": "/search?state=forgotten",
        "memory": f"/memory/{new.id}",
        "old version": f"/memory/{first.id}",
        "cited file": f"/memory/{cited.id}",
        "forgotten": f"/memory/{gone.id}",
        "edit": f"/memory/{new.id}/edit",
        "erase": f"/memory/{new.id}/erase",
        "projects": "/projects",
        "project": "/projects/1",
        "entities": "/entities",
        "entity": "/entities/1",
        "topics": "/topics",
        "topic": "/topics/1",
        "graph": f"/graph?memory={new.id}",
        "maintenance": "/maintenance",
        "statistics": "/statistics",
        "settings": "/settings",
    }


def _call(served, tool, **arguments):
    return ToolCalls(served.services.connect()).call(tool, arguments)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(axe, paths, open_page, theme, size):
    page = open_page(color_scheme=theme, viewport=SIZES[size])
    page.context.add_init_script(path=axe)
    wrong = {}
    for name, path in paths.items():
        page.goto(path)
        wrong[name] = page.evaluate(RUN)
    page.goto("/")
    press(page, "?")
    wrong["sheet"] = page.evaluate(RUN)
    page.goto(paths["results"])
    page.get_by_label("Change the selected memories").select_option("forget")
    page.locator("input[name=ids]").first.check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Forget 1").wait_for()
    wrong["question"] = page.evaluate(RUN)
    assert {} == {name: found for name, found in wrong.items() if found}
