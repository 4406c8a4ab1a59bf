"""The neighbours of a page of memories, asked of the store at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Store

    Near = dict[int, dict[int, float]]  #: cosines of neighbours of each memory, nearest first

#: Memories of a page: every vector of their project is read once for all of them.
NEAR_PAGE = 1_000


def neighbours(store: Store, page: Sequence[Memory], limit: int, *, earlier: bool = False) -> Near:
    """Return what lies nearest to each memory of a page, in its own project.

    Args:
        store: where they are.
        page: memories in order of their keys.
        limit: how many neighbours of each.
        earlier: only those that were stored before the last of the page.
    """
    shares: dict[int, list[int]] = {}
    for memory in page:
        shares.setdefault(memory.project, []).append(memory.key)
    found: Near = {}
    for project, keys in shares.items():
        found |= store.neighbours.find(keys, project, limit, keys[-1] if earlier else None)
    return found
