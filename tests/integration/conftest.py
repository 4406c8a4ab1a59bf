"""A shell in a project's folder, as a person and a script meet it: through the launcher."""

from __future__ import annotations

import subprocess

import pytest

from interfaces import LAUNCHER


@pytest.fixture
def own_folders(environment, monkeypatch):
    """Return the environment of a new user, which is this process's own, too."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


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
