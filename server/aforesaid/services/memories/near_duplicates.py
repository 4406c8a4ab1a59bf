"""Neighbours of a statement or a memory, which may be duplicates of it.

duplicate_check.py decides whether they are.
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

NEAR_COSINE = 0.92  #: minimum cosine of texts that are checked for being duplicates
#: How much different cues lower the cosine: typically for similar texts, at most for equal ones.
#: Source: docs/adr/0039-cues.md.
CUES_PART, CUES_PART_MOST = 0.12, 0.3
#: Below it a neighbour cannot be superseded. Source: docs/adr/0033.
MIN_COSINE = 0.5
MAX_NEIGHBOURS = 5


def filter_by_cosine(
    memory: Memory, hits: Sequence[Hit], neighbours: Sequence[Memory], min_cosine: float
) -> list[Memory]:
    """Return the neighbours of a memory that may be duplicates of it.

    Args:
        memory: the one that they are compared with.
        hits: near its vector, with a cosine of at least ``min_cosine - CUES_PART_MOST``.
        neighbours: the memories of the hits.
        min_cosine: that texts without cues must exceed.
    """
    cosines = {hit.key: hit.score for hit in hits}
    return [
        neighbour
        for neighbour in neighbours
        if memory.cues or neighbour.cues or cosines.get(neighbour.key, 0.0) > min_cosine
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
    """Return memories in force of the same type and scope as a statement, nearest first.

    Each has its cosine; None if it was found by words.

    Args:
        store: where they are.
        statement: what they are compared with.
        scope: of the statement.
        project: key of its project.
        task: its task.
        windows: its vectors; if empty, words are compared.
        model: the embedding model of the vectors.
        near_cosine: minimum cosine of texts without cues that may be duplicates.
    """
    tasks = (task.key,) if task is not None and scope == "task" else ()
    visible = Visibility(projects=(project,), tasks=tasks)
    filters = Filters(types=(statement.type,), scopes=(scope,), tasks=tasks)
    cosines: dict[int, float | None] = {}
    for memory in store.memories.same_text(content_hash(statement.content), visible):
        if memory.type == statement.type and memory.scope == scope:
            cosines[memory.key] = 1.0
    if len(windows) == 1:
        min_cosine = min(near_cosine - CUES_PART_MOST, MIN_COSINE)
        if all_cues(statement.metadata) or states_change(statement.content):
            hits = store.search.by_vector(windows[0], visible, filters, MAX_NEIGHBOURS, model)
        else:  # a faster search, which misses distant neighbours
            hits = store.search.near_duplicates(
                windows[0], visible, filters, min_cosine, MAX_NEIGHBOURS, model
            )
        for hit in hits:
            if hit.key == hit.head and hit.score > min_cosine:
                cosines.setdefault(hit.key, hit.score)
    elif not windows:
        terms = query_terms(statement.content)
        for hit in store.search.by_words(terms, visible, filters, MAX_NEIGHBOURS):
            if hit.key == hit.head:
                cosines.setdefault(hit.key, None)
    return [
        (memory, cosines[memory.key])
        for memory in store.memories.get(list(cosines))
        if memory.in_force and (not tasks or memory.task in tasks)
    ]
