"""What the properties of a whole store share."""

from __future__ import annotations

import pytest

from git_folders import make_repository
from property.planted_secrets import CALLERS


@pytest.fixture
def folders(tmp_path, environment, monkeypatch):
    """Return each caller's folder: three repositories, and one that is nobody's."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, environment[name])
    results = {
        name: str(make_repository(tmp_path / name, remote=f"https://host.example/{name}/shop.git"))
        for name in CALLERS[:3]
    }
    return {**results, "nowhere": environment["HOME"]}
