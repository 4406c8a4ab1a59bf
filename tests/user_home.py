"""A user's home folder for hooks that run in the test's process: environment and a repository."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def make_shop(home: Path) -> Path:
    """Return a repository with a remote and without commits."""
    folder = home / "code" / "shop"
    git = folder / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "refs").mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = git@host.example:acme/shop.git\n')
    return folder


def use_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process look like a client with this home folder and no settings."""
    (home / "tmp").mkdir()
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE", "ANTHROPIC")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(home / "tmp"))
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))
