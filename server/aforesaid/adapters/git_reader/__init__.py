"""Reads folders and git repositories with no process but this one.

Here: repository.py (discovery, HEAD, refs), config.py (its syntax), commits.py (logs/HEAD),
pieces.py (a session's commits with their files), objects.py (what they are read from),
surroundings.py (what surrounds a folder), markers.py (package files).
Not here: what any of it means (domain/project.py), and never a git process: docs/adr/0005.
"""

from __future__ import annotations

from aforesaid.adapters.git_reader.repository import read_repository
from aforesaid.adapters.git_reader.surroundings import list_temporary_folders, look_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.adapters.git_reader.commits import Commit
    from aforesaid.domain.piece import LeftOut, Piece
    from aforesaid.domain.project import Repository

__all__ = ["list_temporary_folders", "look_around", "read_commits", "read_made", "read_repository"]


def read_commits(repository: Repository, since_ms: int, until_ms: int) -> list[Commit]:
    """Return the commits made in this worktree between two times, oldest first."""
    # Late: a session's start never reads commits.
    from aforesaid.adapters.git_reader import commits

    return commits.read_commits(repository, since_ms, until_ms)


def read_made(
    repository: Repository, project: str, since_ms: int, until_ms: int, left_out: LeftOut
) -> list[Piece]:
    """Return the commits made in this worktree between two times that stand, as pieces."""
    from aforesaid.adapters.git_reader import pieces

    return pieces.read_made(repository, project, since_ms, until_ms, left_out)
