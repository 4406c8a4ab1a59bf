"""The viewer as a process, and headless Chromium that looks at it: one of each for a module.

The browser is the system's, never downloaded: Debian's package ``chromium``, or the program that
``AFORESAID_TEST_BROWSER`` names. Without one these tests are skipped, unless
``AFORESAID_TEST_BROWSER_REQUIRED`` is set.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from aforesaid.domain.model.memory import Memory, Session
from aforesaid.domain.model.statement import Statement
from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.entrypoints.viewer.services import Services
from git_folders import make_repository
from interfaces import LAUNCHER

WAIT_MS = 10_000  #: of the browser, for what must appear
#: What htmx logs as an error when typing on replaces a request that is under way.
REPLACED = ("htmx:afterRequest,", "htmx:sendAbort,")
#: On a machine that is busy the browser may be late: such a test gets a second try, which the
#: report shows. A wrong text gets none.
LATE = ["Locator expected to be visible", "TimeoutError"]

expect.set_options(timeout=WAIT_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of this folder a second try when a wait ran out."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=LATE))


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return the path of the system's Chromium."""
    named = os.environ.get("AFORESAID_TEST_BROWSER")
    path = named or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        message = "there is no Chromium: apt-get install chromium, or set AFORESAID_TEST_BROWSER"
        if os.environ.get("AFORESAID_TEST_BROWSER_REQUIRED"):
            raise RuntimeError(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    """Return a running browser; it is a module's own, because its event loop blocks others."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path)
        yield browser
        browser.close()


class Served:
    """A viewer's process, and the services of this process over the same store."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment, self.folder = environment, folder
        self.services = Services(environment, str(folder))
        self._process = subprocess.Popen(
            [LAUNCHER, "ui", "--no-browser"],
            env=environment, cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._process.stdout.readline()
        address = re.search(r"(http://\S+?)/\?token=\S+", self._process.stdout.readline())
        assert address, self._process.stderr.read()
        self.address, self.origin = address[0], address[1]
        self._learnt = 0

    @property
    def core(self):
        """The services of this thread."""
        return self.services.containers.get()

    def store(self, content: str, **fields: Any) -> Memory:
        """Store a memory as an agent would."""
        made = ToolCalls(self.services.connect()).call(
            "store_memory", {"content": content, **fields}
        )
        return self.find(made["id"])

    def learn(self, *contents: str, **fields: Any) -> list[Memory]:
        """Store what a new session said, which a person has not confirmed."""
        self._learnt += 1
        name = f"session-{self._learnt}"
        context = self.services.connect().call_context()
        with self.core.store.transaction():
            self.core.store.sessions.put(
                Session(
                    id=name, started_at=self.core.clock.now(), project=context.project.key,
                    branch="main",
                )
            )  # fmt: skip
        statements = [
            Statement(
                content=content, scope="project", session=name, provenance="assistant",
                confidence=0.6, **fields,
            )
            for content in contents
        ]  # fmt: skip
        return [result.memory for result in self.core.writer.store_many(statements, context)]

    def find(self, reference: str) -> Memory:
        """Return a memory as it is now."""
        return self.core.store.memories.find(reference)[0]

    def close(self) -> None:
        """End the process."""
        self.core.close()
        self._process.terminate()
        self._process.communicate(timeout=30)
        assert 0 == self._process.returncode


@pytest.fixture(scope="module")
def served(chromium: Browser, module_environment: dict[str, str]) -> Iterator[Served]:
    """Return the module's viewer, in a repository of its own."""
    folder = Path(module_environment["HOME"]) / "payments"
    make_repository(folder, remote="https://git.example/acme/payments.git")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in module_environment.items():
            patch.setenv(name, value)
        viewer = Served(module_environment, folder)
        yield viewer
        viewer.close()


class Watch:
    """What a page may not do: log an error, break the policy, ask another host, open a dialog."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.complaints: list[str] = []
        self._origin = origin
        context.on("console", self._see_message)
        context.on("weberror", lambda error: self.complaints.append(f"error: {error.error}"))
        context.on("request", self._see_request)
        context.on("dialog", self._see_dialog)

    def _see_message(self, message: Any) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(REPLACED):
            self.complaints.append(f"console: {message.text} at {message.location.get('url')}")

    def _see_request(self, request: Any) -> None:
        if not request.url.startswith((f"{self._origin}/", "data:,")):
            self.complaints.append(f"request: {request.url}")

    def _see_dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture(scope="module")
def access(chromium: Browser, served: Served) -> Any:
    """Return the cookies of a browser that came by the one-time address."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(served.address)
    page.get_by_role("heading", name="Today").wait_for(timeout=WAIT_MS)
    assert f"{served.origin}/" == page.url
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def open_page(chromium: Browser, served: Served, access: Any) -> Iterator[Callable[..., Page]]:
    """Return what opens a page in a browser with access; none of them may complain."""
    opened: list[tuple[BrowserContext, Watch]] = []

    def new_page(path: str = "/", **options: Any) -> Page:
        context = chromium.new_context(base_url=served.origin, storage_state=access, **options)
        context.set_default_timeout(WAIT_MS)
        opened.append((context, Watch(context, served.origin)))
        page = context.new_page()
        page.goto(path)
        return page

    yield new_page
    for context, _watch in opened:
        context.close()
    assert [] == [complaint for _context, watch in opened for complaint in watch.complaints]
