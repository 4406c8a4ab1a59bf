"""A shell in a project's folder, as a person and a script meet it: through the launcher."""

from __future__ import annotations

import subprocess

import pytest

from git_folders import make_repository
from interfaces import LAUNCHER
from viewer import Viewer


@pytest.fixture
def own_folders(environment, monkeypatch):
    """Return the environment of a new user, which is this process's own, too."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


@pytest.fixture
def viewer(own_folders, tmp_path):
    """Return a viewer in a project's folder, and a browser that it let in."""
    folder = tmp_path / "payments"
    make_repository(folder, remote="https://git.example/acme/payments.git")
    opened = Viewer(own_folders, folder)
    yield opened
    opened.core.close()


@pytest.fixture
def shell(environment, tmp_path):
    """Return what runs a command in a project's folder."""
    folder = tmp_path / "code" / "payments"
    (folder / ".git" / "objects").mkdir(parents=True)
    (folder / ".git" / "refs").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@host.example:acme/payments.git\n'
        "[user]\n\tname = Ada Lovelace\n"
    )

    def run(*arguments, **more):
        return subprocess.run(
            [LAUNCHER, *arguments],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            **{"input": "", "cwd": folder, "env": environment, **more},
        )

    run.environment = environment
    run.folder = folder
    return run
