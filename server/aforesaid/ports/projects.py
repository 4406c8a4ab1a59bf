"""Ports for projects, and for the commits that identify their repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.detection import Repository


class ProjectStore(Protocol):
    """Projects and their project keys, including former ones."""

    def get(self, key: int) -> Project | None:
        """Return the project with this row key; None if there is none."""
        ...

    def by_key(self, identity: str) -> Project | None:
        """Return the project with this project key; None if there is none."""
        ...

    def list_all(self) -> list[Project]:
        """Return all projects except global, most recently used first."""
        ...

    def add(self, project: Project) -> Project:
        """Store a project with its identity; return it with its row key."""
        ...

    def add_alias(self, project: int, identity: str) -> None:
        """Add a project key to a project; another project loses it."""
        ...

    def remove_alias(self, identity: str) -> None:
        """Remove a project key."""
        ...

    def aliases(self, project: int) -> list[str]:
        """Return all project keys of a project."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a project."""
        ...

    def commits(self, project: int) -> list[str]:
        """Return the commits by which a project's repositories are recognised, newest first."""
        ...

    def add_commits(self, project: int, commits: Sequence[str], at: int) -> None:
        """Store commits of a project's repositories, at most ``KEPT_COMMITS``."""
        ...

    def merge(self, source: int, target: int) -> int:
        """Move everything of source to target, including keys; return the number of memories."""
        ...


class CommitReader(Protocol):
    """Reads the commits in repositories, without running git."""

    def list_known_commits(self, repository: Repository) -> Sequence[str]:
        """Return the commits by which other clones of a repository are recognised."""
        ...

    def holds_any(self, repository: Repository, commits: Sequence[str]) -> bool:
        """Return whether a repository contains one of these commits."""
        ...

    def shares_commit(self, repository: Repository, common_dir: str) -> bool:
        """Return whether a repository has a commit in common with the one at ``common_dir``."""
        ...
