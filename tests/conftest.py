"""Fixtures and settings for every test suite: Hypothesis profiles, and a new user's environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.store import SqliteStore

#: Generated cases have no deadline, because they are slow on a busy machine. ``max_examples`` is
#: the percentage of its full number of cases that each test runs (generated.py). tools/nightly
#: selects the second profile.
for name, share in (("untimed", 30), ("nightly", 300)):
    settings.register_profile(
        name, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=share
    )
settings.load_profile("untimed")

#: The only variables of the real user that processes started by tests inherit.
_INHERITED = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Return an empty store that can search vectors."""
    from factories import open_sqlite

    opened = open_sqlite(tmp_path / "m.db")
    yield opened
    opened.close()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the variables of a user whose folders are all in ``tmp_path``."""
    return _new_user(tmp_path)


@pytest.fixture(scope="module")
def module_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the variables of a user that a module's tests share."""
    return _new_user(tmp_path_factory.mktemp("user"))


def _new_user(folder: Path) -> dict[str, str]:
    home = folder / "home"
    temporary = folder / "tmp"
    home.mkdir()
    temporary.mkdir()
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {
        **inherited,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "TMPDIR": str(temporary),
        "AFORESAID_ENV": sys.prefix,
    }
