"""Reads folders and git repositories without running git (docs/adr/0005-project-identity.md).

workspace.py gathers the facts about a folder; repository.py finds the repository and reads HEAD and
refs, config.py parses git's config, package_markers.py finds package files. reflog.py and
session_commits.py read a session's commits, objects.py the git objects. Not here: what the facts
mean (domain/projects/detection.py).
"""

from __future__ import annotations

from aforesaid.adapters.git_reader.repository import read_repository
from aforesaid.adapters.git_reader.workspace import list_temporary_folders, read_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.adapters.git_reader.reflog import ReflogEntry
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.projects.detection import Repository

__all__ = [
    "list_temporary_folders",
    "read_commits",
    "read_repository",
    "read_session_commits",
    "read_workspace",
]


def read_commits(repository: Repository, since_ms: int, until_ms: int) -> list[ReflogEntry]:
    """Return the commits made in this worktree between two times, oldest first."""
    # imported here because a session's start reads no commits
    from aforesaid.adapters.git_reader import reflog

    return reflog.read_commits(repository, since_ms, until_ms)


def read_session_commits(
    repository: Repository, project: str, since_ms: int, until_ms: int, skipped: SkipCounter
) -> list[ImportItem]:
    """Return a worktree's commits between two times that are still reachable, as import items."""
    from aforesaid.adapters.git_reader import session_commits

    return session_commits.read_session_commits(repository, project, since_ms, until_ms, skipped)
