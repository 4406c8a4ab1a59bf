"""Whether a repository is of the project that its remote names: any config can name any remote.

A repository counts as the project's if it holds a commit that was recorded of it, or one of a
repository that is known as the project's. Otherwise the user is asked, once. A project that came by
an import under its remote, and was never seen as a repository, is met by the first that has it.
"""

from __future__ import annotations

from aforesaid.domain.projects.detection import CONFIDENCE_FOLDER, Identity, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.memory import Project
    from aforesaid.domain.projects.detection import ProjectResolution
    from aforesaid.ports import CommitReader, Store

_MAX_REPOSITORIES = 20  #: known ones of a project that are compared with a new one


class Claims:
    """What repositories claim to be."""

    def __init__(self, store: Store, commits: CommitReader | None) -> None:
        """Join the claims to their world.

        Args:
            store: where projects are.
            commits: reads repositories; None where every claim is believed.
        """
        self._store = store
        self._commits = commits

    def find_unproven(
        self, identity: Identity, repository: Repository | None, owners: Mapping[str, int]
    ) -> Project | None:
        """Return the project that a repository claims to be and is not shown to be, if any.

        Args:
            identity: of the repository.
            repository: the repository; None where the identity is of none.
            owners: which project each key of the identity means.
        """
        if self._commits is None or repository is None or identity.given is not None:
            return None
        here = {owners[key] for key in identity.keys if key.startswith("repo:") and key in owners}
        for key in identity.keys:
            owner = owners.get(key)
            if key.startswith("git:") and owner is not None and owner not in here:
                if not self._is_proven(owner, repository):
                    return self._store.projects.get(owner)
                here.add(owner)
        return None

    def find_namesake(self, identity: Identity) -> Project | None:
        """Return the project that has only the name of a repository, from an import perhaps."""
        if not identity.key.startswith("git:") or identity.given is not None:
            return None
        found = self._store.projects.by_key("name:" + " ".join(identity.name.casefold().split()))
        if found is None or found.identity == identity.key:
            return None
        placed = any(
            key.startswith(("git:", "repo:")) for key in self._store.projects.aliases(found.key)
        )
        return None if placed else found

    def settled(self, owners: Mapping[str, int], adoption: ProjectResolution) -> list[int]:
        """Return the provisional projects of a repository whose claim is now shown to be true."""
        found = [self._store.projects.get(key) for key in dict.fromkeys(owners.values())]
        return [
            owner.key
            for owner in found
            if owner is not None
            and owner.provisional
            and owners.get(owner.identity) == owner.key
            and owner.identity.startswith("repo:")
            and owner.key not in {adoption.project, *adoption.merge}
        ]

    def record(self, project: Project, repository: Repository | None, at: int) -> None:
        """Record by which commits other repositories of a project are recognised."""
        if self._commits is None or repository is None:
            return
        known = self._store.projects.commits(project.key)
        if known and (repository.commit is None or repository.commit in known):
            return
        found = self._commits.list_known_commits(repository)
        new = [commit for commit in found if commit not in known]
        if new:
            self._store.projects.add_commits(project.key, new, at)

    def _is_proven(self, project: int, repository: Repository) -> bool:
        assert self._commits is not None
        recorded = self._store.projects.commits(project)
        known = [
            key.removeprefix("repo:")
            for key in self._store.projects.aliases(project)
            if key.startswith("repo:")
        ]
        if not recorded and not known:
            return True  # imported under its remote: the first repository that has it is the one
        return self._commits.holds_any(repository, recorded) or any(
            self._commits.shares_commit(repository, common_dir)
            for common_dir in known[:_MAX_REPOSITORIES]
        )


def without_claim(identity: Identity, claimed: Project, owners: Mapping[str, int]) -> Identity:
    """Return the identity of a repository by its place alone: not as the project it claims to be.

    Args:
        identity: with the claim.
        claimed: the project that it claims to be.
        owners: which project each key of the identity means.
    """
    here = {owners.get(key) for key in identity.keys if key.startswith("repo:")}
    keys = tuple(
        key
        for key in identity.keys
        if not key.startswith("git:") or key not in owners or owners[key] in here
    )
    folder = (identity.root or "").rstrip("/").rpartition("/")[2]
    return identity.replace(
        key=keys[0],
        keys=keys,
        name=folder or identity.name,
        remote=None,
        confidence=CONFIDENCE_FOLDER,
        source="git repository",
        evidence=f"{identity.evidence}, but it holds no commit known of {claimed.name}",
    )
