"""The plugin in the real client, by the route that users get: a marketplace over git.

Here: fixtures. Not here: how the client is driven (tests/rig), what is expected (the tests). All
tests share the environment that they run in (``AFORESAID_ENV``); those marked ``setup`` build one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rig import ClientUnavailableError, GitServer, Sandbox, find_client

ROOT = Path(__file__).resolve().parents[2]
OLD_CLIENT = "2.1.197"

#: On a machine that is busy the real client, not the plugin, may be late: such a test gets a second
#: try, which the report shows. A wrong answer gets none.
LATE = ["TimeoutError", "TimeoutExpired"]

#: makes a sandbox with the plugin installed
Installer = Callable[..., Sandbox]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of this folder a second try when a wait ran out."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=LATE))


def _client(version: str | None = None) -> Path:
    try:
        return find_client(version)
    except ClientUnavailableError as error:
        if os.environ.get("AFORESAID_TEST_CLIENT_REQUIRED"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def client() -> Path:
    return _client()


@pytest.fixture(scope="session")
def old_client() -> Path:
    return _client(OLD_CLIENT)


@pytest.fixture(params=["pinned", pytest.param("old", marks=pytest.mark.nightly)])
def either_client(request: pytest.FixtureRequest) -> Path:
    """Return the client, and at night the oldest that we support, too.

    One test asks for both by name, so that the older one is tried on every change.
    """
    return request.getfixturevalue("client" if request.param == "pinned" else "old_client")


@pytest.fixture(scope="session")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    """A repository with this one's tracked files as they are now, served over git."""
    copy = tmp_path_factory.mktemp("market") / "aforesaid"
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    server = GitServer(copy)
    yield server
    server.close()


def install_plugin(box: Sandbox, url: str) -> None:
    """Install by the one step, or by the two that an older client needs."""
    steps = [("install", "aforesaid", "--marketplace", url)]
    if OLD_CLIENT in str(box.client):
        steps = [("marketplace", "add", url), ("install", "aforesaid@aforesaid")]
    for step in steps:
        done = box.command("plugin", *step)
        assert 0 == done.code, done.stdout + done.stderr


@pytest.fixture(scope="session")
def installed(
    market: GitServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Path], Sandbox]]:
    """A function that gives a sandbox in which a client installed the plugin: once for each."""
    boxes: dict[Path, Sandbox] = {}

    def made(client: Path) -> Sandbox:
        if client not in boxes:
            boxes[client] = Sandbox(tmp_path_factory.mktemp("installed"), client)
            install_plugin(boxes[client], market.url)
            assert [] == boxes[client].api.refused
        return boxes[client]

    yield made
    for box in boxes.values():
        box.close()


def copy_plugin(source: Sandbox, target: Sandbox) -> None:
    """Leave in a sandbox what an installation left in another one, with its own paths.

    Both share the files, which nobody writes into: 88 MB for each test would take longer than it.
    """
    shutil.copytree(source.config / "plugins", target.config / "plugins", copy_function=os.link)
    shutil.copy2(source.config / "settings.json", target.config)
    for path in (target.config / "plugins").glob("*.json"):
        report = path.read_text().replace(str(source.root), str(target.root))
        path.unlink()
        path.write_text(report)


@pytest.fixture
def install(tmp_path: Path, installed: Callable[[Path], Sandbox]) -> Iterator[Installer]:
    """A function that makes a sandbox with the plugin installed, its client never started."""
    boxes: list[Sandbox] = []

    def made(client: Path, *, ready: bool = True, **env: str | None) -> Sandbox:
        shared = {"AFORESAID_ENV": sys.prefix} if ready else {}
        box = Sandbox(tmp_path / f"box{len(boxes)}", client, env={**shared, **env})
        boxes.append(box)
        copy_plugin(installed(client), box)
        return box

    yield made
    for box in boxes:
        box.close()


@pytest.fixture
def box(client: Path, install: Installer) -> Sandbox:
    return install(client)
