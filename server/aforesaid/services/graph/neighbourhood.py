"""The memories around some, with the relations among them: for a picture of them."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.domain.model.memory import Memory, Visibility
from aforesaid.domain.model.relation import IN, Relation
from aforesaid.domain.value import Value
from aforesaid.ports import Store


class Neighbourhood(Value):
    """Memories and the relations among them."""

    memories: tuple[Memory, ...]  #: nearest first
    relations: tuple[Relation, ...]  #: each once, seen from its source
    is_cut: bool  #: there are more, beyond the limit


def find_neighbourhood(
    store: Store, start: Sequence[Memory], visible: Visibility, limit: int, steps: int
) -> Neighbourhood:
    """Return what a few relations lead to from some memories, nearest first, up to a number.

    Args:
        store: the store.
        start: memories in force.
        visible: what the caller may see.
        limit: maximum number of memories.
        steps: how many relations away at most.
    """
    reached = {memory.key: memory for memory in start[:limit]}
    edge, is_cut = list(reached), len(start) > limit
    for _ in range(steps):
        if is_cut or not edge:
            break
        links = store.relations.of(edge, visible)
        others = list(dict.fromkeys(link.other for link in links if link.other not in reached))
        edge = others[: limit - len(reached)]
        is_cut = len(others) > len(edge)
        reached |= {memory.key: memory for memory in store.memories.get(edge)}
    among = [
        _from_source(link)
        for link in store.relations.of(list(reached), visible)
        if link.other in reached
    ]
    relations = {(link.head, link.kind, link.other): link for link in among}
    return Neighbourhood(
        memories=tuple(reached.values()), relations=tuple(relations.values()), is_cut=is_cut
    )


def _from_source(link: Relation) -> Relation:
    if link.direction != IN:
        return link
    return link.replace(head=link.other, other=link.head, direction="out")
