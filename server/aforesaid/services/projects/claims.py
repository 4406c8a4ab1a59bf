"""Verifying that a repository belongs to the project that its remote names, which may be false.

It does if it contains a commit recorded for the project, or shares one with a known repository of
the project. Otherwise the user is asked, once. A project that was imported under its remote, and
has no repository yet, accepts the first repository with that remote.
"""

from __future__ import annotations

from aforesaid.domain.model.memory import Identity
from aforesaid.domain.projects.detection import CONFIDENCE_FOLDER, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.detection import ProjectResolution
    from aforesaid.ports import CommitReader, Store

_MAX_REPOSITORIES = 20  #: known repositories of a project that are compared with a new one


class Claims:
    """Checks which project a repository claims to be."""

    def __init__(self, store: Store, commits: CommitReader | None) -> None:
        """Set up the checks.

        Args:
            store: The store with the projects.
            commits: Reads repositories; without it, every claim is accepted.
        """
        self._store = store
        self._commits = commits

    def find_unproven(
        self, identity: Identity, repository: Repository | None, owners: Mapping[str, int]
    ) -> Project | None:
        """Return the project that a repository claims to be without proof, if any.

        Args:
            identity: The identity of the repository.
            repository: The repository; None if the identity has none.
            owners: The project that each key of the identity belongs to.
        """
        if self._commits is None or repository is None or identity.user_text is not None:
            return None
        proven = {owners[key] for key in identity.keys if key.startswith("repo:") and key in owners}
        for key in identity.keys:
            owner = owners.get(key)
            if key.startswith("git:") and owner is not None and owner not in proven:
                if not self._is_proven(owner, repository):
                    return self._store.projects.get(owner)
                proven.add(owner)
        return None

    def find_namesake(self, identity: Identity) -> Project | None:
        """Return the project that has a repository's name but no repository, as after an import."""
        if not identity.key.startswith("git:") or identity.user_text is not None:
            return None
        project = self._store.projects.by_key("name:" + " ".join(identity.name.casefold().split()))
        if project is None or project.identity == identity.key:
            return None
        has_repository = any(
            key.startswith(("git:", "repo:")) for key in self._store.projects.aliases(project.key)
        )
        return None if has_repository else project

    def provisional_owners(
        self, owners: Mapping[str, int], adoption: ProjectResolution
    ) -> list[int]:
        """Return the provisional projects of a repository whose claim has now been proven."""
        projects = [self._store.projects.get(key) for key in dict.fromkeys(owners.values())]
        return [
            project.key
            for project in projects
            if project is not None
            and project.provisional
            and owners.get(project.identity) == project.key
            and project.identity.startswith("repo:")
            and project.key not in {adoption.project, *adoption.merge}
        ]

    def record(self, project: Project, repository: Repository | None, at: int) -> None:
        """Record the commits that other repositories of a project are recognised by."""
        if self._commits is None or repository is None:
            return
        recorded = self._store.projects.commits(project.key)
        if recorded and (repository.commit is None or repository.commit in recorded):
            return
        commits = self._commits.list_known_commits(repository)
        new = [commit for commit in commits if commit not in recorded]
        if new:
            self._store.projects.add_commits(project.key, new, at)

    def _is_proven(self, project: int, repository: Repository) -> bool:
        assert self._commits is not None
        recorded = self._store.projects.commits(project)
        repositories = [
            key.removeprefix("repo:")
            for key in self._store.projects.aliases(project)
            if key.startswith("repo:")
        ]
        if not recorded and not repositories:
            return True  # imported under its remote: accept the first repository with that remote
        return self._commits.holds_any(repository, recorded) or any(
            self._commits.shares_commit(repository, common_dir)
            for common_dir in repositories[:_MAX_REPOSITORIES]
        )


def without_claim(identity: Identity, claimed: Project, owners: Mapping[str, int]) -> Identity:
    """Return the identity of a repository by its folder only, without the unproven remote.

    Args:
        identity: The identity with the claim.
        claimed: The project that it claims to be.
        owners: The project that each key of the identity belongs to.
    """
    proven = {owners.get(key) for key in identity.keys if key.startswith("repo:")}
    keys = tuple(
        key
        for key in identity.keys
        if not key.startswith("git:") or key not in owners or owners[key] in proven
    )
    folder = (identity.root or "").rstrip("/").rpartition("/")[2]
    return identity.replace(
        key=keys[0],
        keys=keys,
        name=folder or identity.name,
        remote=None,
        confidence=CONFIDENCE_FOLDER,
        source="git repository",
        evidence=f"{identity.evidence}, but it contains no known commit of {claimed.name}",
    )
