"""The viewer's application in this process, over a real store, with a browser's headers."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from aforesaid.entrypoints.viewer.app import make_app
from aforesaid.entrypoints.viewer.security import Access
from aforesaid.entrypoints.viewer.services import Services

PORT = 7411
ORIGIN = f"http://127.0.0.1:{PORT}"


class Viewer:
    """A running viewer, and a browser that it let in."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.folder = folder
        self.services = Services(environment, str(folder))
        self.access = Access(PORT)
        self.app = make_app(self.services, self.access)
        self.browser = self.new_browser()
        self.token = self.access.one_time_token
        self.last = ""  #: the source of the page that get returned last
        assert self.browser.get("/", params={"token": self.token}).status_code == 200

    def new_browser(self) -> TestClient:
        """Return a browser without a cookie."""
        return TestClient(
            self.app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False
        )

    @property
    def core(self):
        """The services of this thread, over the same store."""
        return self.services.containers.get()

    def get(self, path: str, status: int = 200, **query: Any) -> str:
        """Return a page's text, with its entities decoded and its white space reduced.

        A refused question leads back, with status 303, to the page that it was asked on.
        """
        response = self.browser.get(path, params=query or None)
        assert status == response.status_code, response.text
        if status == 303:
            return self.get(response.headers["location"])
        self.last = response.text
        return text_of(response.text)

    def post(self, path: str, status: int = 303, **fields: Any) -> str:
        """Send a form as the page would; return the page that it leads to, or the error's."""
        response = self.browser.post(
            path, data={"csrf": self.access.csrf, **fields}, headers={"Origin": ORIGIN}
        )
        assert status == response.status_code, response.text
        if status == 303:
            return self.get(response.headers["location"])
        return text_of(response.text)


def text_of(page: str) -> str:
    """Return what a page shows of its main part."""
    main = page.partition("<main")[2].partition("</main>")[0].partition(">")[2] or page
    main = re.sub(r"</?(mark|ins|del|a|strong)\b[^>]*>", "", main)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main)).split())
