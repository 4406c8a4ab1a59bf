"""Anchors of the reference store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.anchor import Anchor


class ReferenceAnchors:
    """Anchors in a dictionary, by memory."""

    _anchors: dict[int, list[Anchor]]

    def anchors_replace(self, memory: int, anchors: Sequence[Anchor]) -> None:
        self._anchors[memory] = [anchor.replace(memory=memory) for anchor in anchors]

    def anchors_of(self, memories: Sequence[int]) -> list[Anchor]:
        return [
            anchor
            for memory in memories
            for anchor in sorted(
                self._anchors.get(memory, []), key=lambda item: (item.path, item.line)
            )
        ]
