"""Git repositories made for tests, by the real git in an environment of its own."""

from __future__ import annotations

import os
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

# Nothing of the machine's own settings, no prompt, the same ids on every run.
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


def ask_git(folder: Path | str, *arguments: str, at: int = 1_700_000_000) -> str | None:
    """Return what git prints in a folder, without the last line break; None if it refuses."""
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder,
        env={**ENVIRONMENT, "GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"},
        capture_output=True,
        check=False,
        timeout=20,
    )
    return os.fsdecode(done.stdout).removesuffix("\n") if done.returncode == 0 else None


def git(folder: Path | str, *arguments: str, at: int = 1_700_000_000) -> str:
    """Return what git prints; fail the test if it refuses."""
    said = ask_git(folder, *arguments, at=at)
    assert said is not None, f"git {' '.join(arguments)} failed in {folder}"
    return said


def make_repository(
    folder: Path, *, remote: str | None = None, commits: int = 1, branch: str = "main"
) -> Path:
    """Return a new repository with so many empty commits, a second apart."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", branch)
    if remote is not None:
        git(folder, "remote", "add", "origin", remote)
    for number in range(commits):
        git(
            folder, "commit", "-q", "--allow-empty", "-m", f"commit {number}",
            at=1_700_000_000 + number,
        )  # fmt: skip
    return folder
