"""Finds what a file contained earlier, in the commits of the branch that is checked out."""

from __future__ import annotations

import os

from .commits import Commits, open_objects
from .repository import read_repository
from .tree_diff import find_blob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_BLOB_BYTES = 2_000_000
_MAX_SEEN = 50  #: different contents of the file that are read


class GitContents:
    """Implements ``EarlierContentReader`` with the objects of a repository."""

    def find(self, root: str, path: str, is_it: Callable[[bytes], bool]) -> bytes | None:
        """Implement ``EarlierContentReader``."""
        repository = read_repository(root)
        if repository is None or repository.commit is None:
            return None
        folder = os.path.relpath(os.path.realpath(root), repository.root).replace(os.sep, "/")
        name = path if folder == "." else f"{folder}/{path}"
        read_blobs: set[str] = set()
        with open_objects(repository) as objects:
            for commit in Commits(objects).first_parents(repository.commit, 0):
                blob = find_blob(objects, commit.tree, name)
                if not blob or blob in read_blobs:
                    continue
                read_blobs.add(blob)
                content = objects.read(blob, "blob", _BLOB_BYTES)
                if content is not None and is_it(content):
                    return content
                if len(read_blobs) >= _MAX_SEEN:
                    break
        return None
