"""What the browser tests of several pages share: keys, notices, old sessions, a second project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from aforesaid.domain.model.memory import Session
from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.entrypoints.viewer.services import Services

WEEK_MS = 7 * 24 * 3600 * 1000


def press(page: Page, *keys: str) -> None:
    """Press keys, once the page listens to them."""
    page.locator("html.js").wait_for(state="attached")
    for key in keys:
        page.keyboard.press(key)


def expect_notice(page: Page, text: str) -> None:
    """Expect a message after a change."""
    expect(page.get_by_role("status").filter(has_text=text)).to_be_visible()


def add_old_session(served: Any, text: str) -> None:
    """Add a session that ended 22 days ago, with a digest of this text."""
    digest = served.store(text)
    started = served.core.clock.now() - 3 * WEEK_MS - WEEK_MS // 7
    with served.core.store.transaction():
        served.core.store.sessions.put(
            Session(
                id="three-weeks-ago", started_at=started, opened_at=started,
                ended_at=started + 1000, digest=digest.key,
                project=served.services.connect().call_context().project.key,
            )
        )  # fmt: skip


def add_project(served: Any, name: str) -> None:
    """Add a project with one memory."""
    folder = Path(served.environment["HOME"]) / name
    folder.mkdir()
    (folder / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n')
    services = Services(served.environment, str(folder))
    ToolCalls(services.connect()).call("store_memory", {"content": f"{name} is a project."})
    services.containers.get().close()
