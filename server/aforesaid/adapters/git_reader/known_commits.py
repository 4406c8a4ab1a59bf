"""Determines whether two repositories have a commit in common, without running git.

A commit counts only if its object is in the repository and has that id, because refs can name any
id. Links and alternates are ignored: through them a repository could use another one's objects.
Not here: what follows from a common commit (services/projects/registry.py).
"""

from __future__ import annotations

import os

from aforesaid.adapters.git_reader.repository import (
    find_ref,
    first_logged_commit,
    list_heads,
    read_repository,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aforesaid.domain.projects.detection import Repository

_MAX_COMMIT_BYTES = 1 << 20
_MAX_HEADS = 200  #: branches of one repository that are searched for in another
_MAX_PACKED = 8


def list_known_commits(repository: Repository) -> tuple[str, ...]:
    """Return a few commits by which other clones of a repository are recognised.

    HEAD may never be pushed, or be squashed; every other clone has the remote's default branch and
    the commit that this clone started with.
    """
    remote_heads = (
        find_ref(repository, f"refs/remotes/{remote}/HEAD")
        for remote in ("origin", "upstream")
        if remote in repository.remotes
    )
    candidates = (repository.commit, *remote_heads, first_logged_commit(repository))
    commits = tuple(dict.fromkeys(commit for commit in candidates if commit))
    return commits or _list_packed(repository)


def holds_any(repository: Repository, commits: Iterable[str]) -> bool:
    """Return whether a repository contains one of these commits."""
    return next(_list_contained(repository, commits), None) is not None


def shares_commit(repository: Repository, common_dir: str) -> bool:
    """Return whether a repository has a commit in common with the one of this git folder."""
    top = os.path.dirname(common_dir) if os.path.basename(common_dir) == ".git" else common_dir
    other = read_repository(top)
    if other is None or other.common_dir != common_dir:
        return False  # deleted, or replaced by another repository
    return holds_any(repository, _heads(other)) or holds_any(
        repository, _list_contained(other, _heads(repository))
    )


def _list_contained(repository: Repository, commits: Iterable[str]) -> Iterator[str]:
    """Yield the commits that a repository contains."""
    folder = os.path.join(repository.common_dir, "objects")
    if os.path.islink(folder) or os.path.islink(os.path.join(folder, "pack")):
        return
    from aforesaid.adapters.git_reader.objects import Objects

    with Objects(folder) as objects:
        for commit in commits:
            if os.path.islink(os.path.join(folder, commit[:2])):
                continue
            if objects.read(commit, "commit", _MAX_COMMIT_BYTES) is not None:
                yield commit


def _heads(repository: Repository) -> list[str]:
    heads = dict.fromkeys((*list_known_commits(repository), *list_heads(repository)))
    return list(heads)[:_MAX_HEADS]


def _list_packed(repository: Repository) -> tuple[str, ...]:
    """Return the first commit of each pack, for unreadable refs (reftable)."""
    from aforesaid.adapters.git_reader.objects import Objects

    with Objects(os.path.join(repository.common_dir, "objects")) as objects:
        return tuple(objects.first_packed()[:_MAX_PACKED])
