"""Memories beside a statement or a memory, which may say the same.

Not here: what becomes of a statement beside them (duplicate_check.py).
"""

from __future__ import annotations

from aforesaid.domain.conflict.supersession import states_change
from aforesaid.domain.model.memory import Filters, Visibility, all_cues
from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.tokenize import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Hit, Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Store

NEAR_COSINE = 0.92  #: above it two texts may be the same; sameness decides
#: How much further apart two vectors lie that have cues in them, each its own: of what nearly says
#: the same, and of what may still be the same text. Source: docs/adr/0039-cues.md.
CUES_PART, CUES_PART_MOST = 0.12, 0.3
#: Below it nothing that is found says what became of a memory. Source: docs/adr/0033.
MIN_COSINE = 0.5
MAX_NEIGHBOURS = 5


def filter_by_cosine(
    one: Memory, hits: Sequence[Hit], others: Sequence[Memory], least: float
) -> list[Memory]:
    """Return which of those that were found beside a memory may say the same.

    Args:
        one: the memory.
        hits: what was found near its vector, from ``least - CUES_PART_MOST`` on.
        others: their memories.
        least: cosine that texts without cues must exceed.
    """
    cosines = {hit.key: hit.score for hit in hits}
    return [
        other for other in others if one.cues or other.cues or cosines.get(other.key, 0.0) > least
    ]


def find_neighbours(
    store: Store,
    statement: Statement,
    scope: str,
    project: int,
    task: Task | None,
    windows: Sequence[bytes],
    model: str,
    near_cosine: float,
) -> list[tuple[Memory, float | None]]:
    """Return live memories of the same kind and place beside a statement, nearest first.

    Each with its cosine; None where it was found by words.

    Args:
        store: where they are.
        statement: what is compared with them.
        scope: of the statement.
        project: its project's key.
        task: its task.
        windows: its vectors; none: compared by words.
        model: that made the vectors.
        near_cosine: above it two texts without cues may say the same.
    """
    inside = (task.key,) if task is not None and scope == "task" else ()
    visible = Visibility(projects=(project,), tasks=inside)
    filters = Filters(types=(statement.type,), scopes=(scope,), tasks=inside)
    found: dict[int, float | None] = {}
    for memory in store.memories.same_text(content_hash(statement.content), visible):
        if memory.type == statement.type and memory.scope == scope:
            found[memory.key] = 1.0
    if len(windows) == 1:
        least = min(near_cosine - CUES_PART_MOST, MIN_COSINE)
        if all_cues(statement.metadata) or states_change(statement.content):
            hits = store.search.by_vector(windows[0], visible, filters, MAX_NEIGHBOURS, model)
        else:  # a quick search, which misses what lies far apart
            hits = store.search.near_duplicates(
                windows[0], visible, filters, least, MAX_NEIGHBOURS, model
            )
        for hit in hits:
            if hit.key == hit.head and hit.score > least:
                found.setdefault(hit.key, hit.score)
    elif not windows:
        terms = query_terms(statement.content)
        for hit in store.search.by_words(terms, visible, filters, MAX_NEIGHBOURS):
            if hit.key == hit.head:
                found.setdefault(hit.key, None)
    return [
        (memory, found[memory.key])
        for memory in store.memories.get(list(found))
        if memory.in_force and (not inside or memory.task in inside)
    ]
