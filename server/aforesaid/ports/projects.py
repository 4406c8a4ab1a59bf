"""Projects, and what shows that a repository is of one, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.detection import Repository


class ProjectStore(Protocol):
    """Projects and every key that ever meant them."""

    def get(self, key: int) -> Project | None:
        """Return a project by its number."""
        ...

    def by_key(self, identity: str) -> Project | None:
        """Return the project that this key means."""
        ...

    def list_all(self) -> list[Project]:
        """Return all projects but global, most recently used first."""
        ...

    def add(self, project: Project) -> Project:
        """Register a project under its identity; return it with its number."""
        ...

    def add_alias(self, project: int, identity: str) -> None:
        """Make this key mean that project from now on."""
        ...

    def remove_alias(self, identity: str) -> None:
        """Let this key mean no project any more."""
        ...

    def aliases(self, project: int) -> list[str]:
        """Return every key that means the project."""
        ...

    def change(self, key: int, **fields: object) -> None:
        """Set columns of a project."""
        ...

    def commits(self, project: int) -> list[str]:
        """Return the commits by which a project's repositories are recognised, newest first."""
        ...

    def add_commits(self, project: int, commits: Sequence[str], at: int) -> None:
        """Record commits of a project's repositories; of many the first and the last are kept."""
        ...

    def merge(self, source: int, target: int) -> int:
        """Move all that source holds to target, keys included; return how many memories moved."""
        ...


class CommitReader(Protocol):
    """Reads which commits repositories hold, without running git."""

    def list_known_commits(self, repository: Repository) -> Sequence[str]:
        """Return the commits by which other clones of a repository are recognised."""
        ...

    def holds_any(self, repository: Repository, commits: Sequence[str]) -> bool:
        """Return whether a repository itself holds one of these commits."""
        ...

    def shares_commit(self, repository: Repository, common_dir: str) -> bool:
        """Return whether a repository holds a commit of the one with this shared git folder."""
        ...
