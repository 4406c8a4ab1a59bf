"""Answers at one level of the topic tree: hits lifted to what they lie under, or lowered."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.topic import FACT, MAX_DEPTH, TOPIC
from aforesaid.services.graph.topic_tree import TopicTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.ports import Store

    from .query import RecallHit

PLACE = "place-"  #: how a cursor into results of one depth begins
_CURSOR_CHARS = 12
LOWERED = 3  #: details that stand for a fact that has none among the hits


def roll_up_to_depth(
    store: Store,
    results: Sequence[RecallHit],
    depth: int,
    visible: Visibility,
    *,
    start: int = 0,
    count: int,
) -> tuple[list[RecallHit], int]:
    """Return results at one depth, best first, each once, and how many there are in all.

    A deeper hit gives its ancestor at that depth, scored by its best descendant; a shallower one
    its best descendants there. At 0 and 1 the results are nodes. What has no place at that depth
    (unfiled, or without details) stays as it is. Each says how many lie below it.

    Args:
        store: where the tree is.
        results: what answers, best first.
        depth: 0 topics, 1 concepts, 2 facts, more details.
        visible: what the caller may see.
        start: the first to return.
        count: how many to return.

    Raises:
        InvalidInputError: there is no such depth.
    """
    if not TOPIC <= depth <= MAX_DEPTH:
        raise InvalidInputError(
            f"depth {depth}: 0 topics, 1 concepts, 2 facts, 3 to {MAX_DEPTH} details"
        )
    tree = TopicTree(store, visible)
    hits = {result.memory.key for result in results}
    best: dict[tuple[bool, int], RecallHit] = {}
    for result in results:
        topic = _node_at(result.memory, depth, tree)
        for moved in (
            [result]
            if depth < FACT
            else [_moved(result, one) for one in _memories_at(result.memory, depth, tree, hits)]
        ):
            place = (False, moved.memory.key) if topic is None else (True, topic)
            if place not in best or (moved.score or 0) > (best[place].score or 0):
                best[place] = moved
    ranked = sorted(best.items(), key=lambda entry: -(entry[1].score or 0))
    page = [_filled(place, result, tree) for place, result in ranked[start : start + count]]
    return page, len(ranked)


def _node_at(memory: Memory, depth: int, tree: TopicTree) -> int | None:
    """Return the key of the node that a memory lies under at depth 0 or 1, if there is one."""
    topic = tree.topics.get(memory.topic or 0)
    if topic is None or depth >= FACT:
        return None
    return topic.parent if depth == TOPIC and topic.parent is not None else topic.key


def _memories_at(memory: Memory, depth: int, tree: TopicTree, hits: set[int]) -> list[Memory]:
    """Return what stands for a memory at a depth of 2 or more: itself, if nothing else does."""
    if memory.depth < depth:
        below = [one for one in tree.below(memory) if one.depth == depth]
        return [one for one in below if one.key in hits] or below[:LOWERED] or [memory]
    while memory.depth > depth and (parent := tree.parent(memory)) is not None:
        memory = parent
    return [memory]


def _moved(result: RecallHit, memory: Memory) -> RecallHit:
    if memory.key == result.memory.key:
        return result
    way = "below it" if memory.depth < result.memory.depth else "above it"
    why = f"{result.why}, of a hit {way}".removeprefix(", ")
    return result.replace(memory=memory, why=why, superseded_query_hit=False)


def _filled(place: tuple[bool, int], result: RecallHit, tree: TopicTree) -> RecallHit:
    is_node, key = place
    if not is_node:
        return result.replace(below=len(tree.below(result.memory)))
    node = tree.node(tree.topics[key])
    return result.replace(node=node, below=node.memories, superseded_query_hit=False)


def read_place(cursor: str | None) -> int:
    """Return the place that a cursor of ours stands for; 0 for none.

    Raises:
        InvalidInputError: it is none of ours.
    """
    if cursor is None:
        return 0
    number = cursor.removeprefix(PLACE)
    known = number != cursor and len(cursor) <= _CURSOR_CHARS
    if not (known and number.isascii() and number.isdigit()):
        raise InvalidInputError(
            f"cursor {cursor[:80]!r} is none of ours: use next_cursor as it came"
        )
    return int(number)
