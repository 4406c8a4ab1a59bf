"""Creates git repositories for tests with the real git, isolated from the user's configuration."""

from __future__ import annotations

import os
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

# Ignores the machine's git settings, never prompts, and gives the same commit ids on every run.
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


def try_git(folder: Path | str, *arguments: str, at: int = 1_700_000_000) -> str | None:
    """Return what git prints in a folder, without the last line break; None if it fails."""
    process = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder,
        env={**ENVIRONMENT, "GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"},
        capture_output=True,
        check=False,
        timeout=20,
    )
    return os.fsdecode(process.stdout).removesuffix("\n") if process.returncode == 0 else None


def git(folder: Path | str, *arguments: str, at: int = 1_700_000_000) -> str:
    """Return what git prints; fail the test if git fails."""
    output = try_git(folder, *arguments, at=at)
    assert output is not None, f"git {' '.join(arguments)} failed in {folder}"
    return output


def make_repository(
    folder: Path, *, remote: str | None = None, commits: int = 1, branch: str = "main"
) -> Path:
    """Return a new repository with this number of empty commits, one second apart."""
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
