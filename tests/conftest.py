"""What every suite may use: a user with nothing but the environment that the tests run in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

#: No test is timed, and a machine that is busy makes a generated case late, too. How many cases
#: there are is a share of each test's full number (generated.py); tools/nightly names its profile.
for name, share in (("untimed", 30), ("nightly", 300)):
    settings.register_profile(
        name, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=share
    )
settings.load_profile("untimed")

#: Nothing of whoever runs the tests reaches what they start.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the variables of a user whose folders are all in ``tmp_path``."""
    home = tmp_path / "home"
    temporary = tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "TMPDIR": str(temporary),
        "AFORESAID_ENV": sys.prefix,
    }
