"""Reads folders and git repositories with no process but this one.

Here: repository.py (discovery, HEAD, refs), config.py (its syntax), reflog.py (logs/HEAD),
session_commits.py (a session's commits with their files), objects.py (what they are read from),
workspace.py (what surrounds a folder), package_markers.py (package files). Not here: what any of it
means (domain/projects/detection.py), and never a git process: docs/adr/0005.
"""

from __future__ import annotations

from aforesaid.adapters.git_reader.repository import read_repository
from aforesaid.adapters.git_reader.workspace import list_temporary_folders, read_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.adapters.git_reader.reflog import Commit
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.projects.detection import Repository

__all__ = [
    "list_temporary_folders",
    "read_commits",
    "read_repository",
    "read_session_commits",
    "read_workspace",
]


def read_commits(repository: Repository, since_ms: int, until_ms: int) -> list[Commit]:
    """Return the commits made in this worktree between two times, oldest first."""
    # Late: a session's start never reads commits.
    from aforesaid.adapters.git_reader import reflog

    return reflog.read_commits(repository, since_ms, until_ms)


def read_session_commits(
    repository: Repository, project: str, since_ms: int, until_ms: int, left_out: SkipCounter
) -> list[ImportItem]:
    """Return the commits made in this worktree between two times that stand, as pieces."""
    from aforesaid.adapters.git_reader import session_commits

    return session_commits.read_session_commits(repository, project, since_ms, until_ms, left_out)
