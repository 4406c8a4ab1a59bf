"""Ports for anchors and the files that they cite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.memory import Visibility


class FileReader(Protocol):
    """Reads files inside a root folder, never outside."""

    def resolve(self, root: str, path: str) -> str:
        """Return a path relative to the root, with /.

        Raises:
            InvalidInputError: the path leads outside the root.
        """
        ...

    def read(self, root: str, relative: str) -> bytes | None:
        """Return the content of a file; None if it is missing or not a readable regular file."""
        ...

    def exists(self, root: str, relative: str) -> bool:
        """Return whether there is a file or a folder at a path, as ``resolve`` returns it."""
        ...


class EarlierContentReader(Protocol):
    """Finds what a file contained before; never raises."""

    def find(self, root: str, path: str, is_it: Callable[[bytes], bool]) -> bytes | None:
        """Return the latest committed content that is the wanted one; None if there is none.

        Args:
            root: of the project.
            path: of the file, relative to it, with /.
            is_it: tells whether a content is the wanted one.
        """
        ...


class MoveReader(Protocol):
    """Finds where files were moved; never raises."""

    def find_moved(self, root: str, paths: Collection[str], since_ms: int) -> dict[str, str]:
        """Return the new paths of files that commits moved, if their content identifies them.

        Args:
            root: of the repository.
            paths: relative to it, with /.
            since_ms: when the paths were right; earlier commits are not read.
        """
        ...


class AnchorStore(Protocol):
    """Anchors of memories."""

    def replace(self, memory: int, anchors: Sequence[Anchor]) -> None:
        """Replace the anchors of a memory."""
        ...

    def of(self, memories: Sequence[int]) -> list[Anchor]:
        """Return the anchors of memories, in the order of the keys, then by path and line."""
        ...

    def citing(
        self, paths: Sequence[str], visible: Visibility, limit: int, *, trusted: bool = True
    ) -> list[int]:
        """Return keys of memories in force that cite one of these files, newest first.

        A pattern or folder cites the files that match it.

        Args:
            paths: relative to the project's root.
            visible: what to look in.
            limit: how many to return.
            trusted: whether only trusted memories count.
        """
        ...

    def cited_by(self, visible: Visibility, limit: int) -> list[int]:
        """Return keys of memories in force that cite a file, newest first."""
        ...

    def is_any(self, visible: Visibility) -> bool:
        """Return whether a trusted memory in force cites a file."""
        ...
