"""Finding the neighbours of a page of memories in one query."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.domain.model.memory import Memory
from aforesaid.ports import Store

Near = dict[int, dict[int, float]]  #: for each memory, its neighbours' cosines, nearest first

#: Memories of a page: all vectors of their project are read once for each page.
NEAR_PAGE = 1_000


def neighbours(store: Store, page: Sequence[Memory], limit: int, *, earlier: bool = False) -> Near:
    """Return the nearest memories of each memory of a page, in its own project.

    Args:
        store: The store.
        page: Memories in order of their keys.
        limit: The number of neighbours of each memory.
        earlier: Only return neighbours stored before the last memory of the page.
    """
    keys_by_project: dict[int, list[int]] = {}
    for memory in page:
        keys_by_project.setdefault(memory.project, []).append(memory.key)
    near: Near = {}
    for project, keys in keys_by_project.items():
        near |= store.neighbours.find(keys, project, limit, keys[-1] if earlier else None)
    return near
