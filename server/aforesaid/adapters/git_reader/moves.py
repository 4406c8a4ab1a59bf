"""Finds the new paths of moved files, by their content in the commits of the default branch."""

from __future__ import annotations

import os
from collections import Counter

from .commits import Commits, default_branch, open_objects, tips_of
from .repository import read_repository
from .tree_diff import compare_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from .objects import Objects

_BLOB_BYTES = 1 << 20
_MAX_ADDED = 200  #: files of one commit that a deleted file is compared with
_MIN_SHARED = 0.6  #: share of the longer file's lines that a moved file must keep


class GitMoves:
    """Implements ``MoveReader`` with the files of a repository."""

    def find_moved(self, root: str, paths: Collection[str], since_ms: int) -> dict[str, str]:
        repository = read_repository(root) if paths else None
        default = None if repository is None else default_branch(repository)
        if repository is None or default is None:
            return {}
        folder = os.path.relpath(os.path.realpath(root), repository.root).replace(os.sep, "/")
        prefix = "" if folder == "." else f"{folder}/"
        now = {prefix + path: prefix + path for path in paths}
        with open_objects(repository) as objects:
            known = Commits(objects)
            for tip in tips_of(repository, default)[:1]:
                for commit in reversed(list(known.first_parents(tip, since_ms // 1000))):
                    before = known.get(commit.parents[0]) if commit.parents else None
                    changes = compare_trees(objects, before.tree, commit.tree) if before else None
                    moved = _moved(objects, changes or [], set(now.values()))
                    now = {path: moved.get(current, current) for path, current in now.items()}
        return {
            path.removeprefix(prefix): current.removeprefix(prefix)
            for path, current in now.items()
            if current != path and current and current.startswith(prefix)
        }


def _moved(
    objects: Objects, changes: list[tuple[str, str, str]], wanted: Collection[str]
) -> dict[str, str]:
    """Return the new paths of wanted files that a commit deleted; "" if unclear."""
    deleted = [(path, was) for path, was, now in changes if path in wanted and was and not now]
    added = [(path, now) for path, was, now in changes if now and not was]
    moved = {}
    for path, was in deleted:
        lines = _lines(objects, was)
        shares = sorted(
            (1.0 if now == was else _shared(lines, _lines(objects, now)), name)
            for name, now in added[:_MAX_ADDED]
        )
        is_sure = shares and shares[-1][0] >= _MIN_SHARED and len(added) <= _MAX_ADDED
        is_only = len(shares) == 1 or (is_sure and shares[-2][0] < shares[-1][0])
        moved[path] = shares[-1][1] if is_sure and is_only else ""
    return moved


def _lines(objects: Objects, blob: str) -> Counter[bytes]:
    content = objects.read(blob, "blob", _BLOB_BYTES) or b""
    return Counter(line.strip() for line in content.split(b"\n") if line.strip())


def _shared(first: Counter[bytes], second: Counter[bytes]) -> float:
    longer = max(first.total(), second.total())
    return (first & second).total() / longer if longer else 0.0
