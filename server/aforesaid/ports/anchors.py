"""What memories cite, and where it is read, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.anchor import Anchor


class FileReader(Protocol):
    """Files below a folder, and none outside it."""

    def resolve(self, root: str, path: str) -> str:
        """Return a path below a root as it is kept, parts joined by /; refuse what lies outside."""
        ...

    def read(self, root: str, relative: str) -> bytes | None:
        """Return the content of a file below a root; None if it is gone, or no file to read."""
        ...


class AnchorStore(Protocol):
    """The files that memories cite."""

    def replace(self, memory: int, anchors: Sequence[Anchor]) -> None:
        """Replace what a memory cites."""
        ...

    def of(self, memories: Sequence[int]) -> list[Anchor]:
        """Return what these memories cite, in their order, then by path and line."""
        ...
