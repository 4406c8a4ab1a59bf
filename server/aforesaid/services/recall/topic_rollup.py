"""Results at one depth of the topic tree: hits rolled up to an ancestor, or down to descendants."""

from __future__ import annotations

from collections.abc import Sequence

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Memory, Visibility
from aforesaid.domain.model.topic import FACT, MAX_DEPTH, TOPIC
from aforesaid.ports import Store
from aforesaid.services.graph.topic_tree import TopicTree

from .query import RecallHit

MAX_DETAILS = 3  #: details that stand for a fact if none of its details is a hit


def roll_up_to_depth(
    store: Store,
    hits: Sequence[RecallHit],
    depth: int,
    visible: Visibility,
    *,
    start: int = 0,
    count: int,
) -> tuple[list[RecallHit], int]:
    """Return results at one depth, best first and without repeats, and their total number.

    A deeper hit is replaced by its ancestor at that depth, which takes the score of its best
    descendant; a shallower one by its best descendants there. At depth 0 and 1 the results are
    nodes. A hit with no position at that depth (unfiled, or without details) stays as it is. Each
    result has the number of memories below it.

    Args:
        store: where the tree is.
        hits: best first.
        depth: 0 topics, 1 concepts, 2 facts, 3 and more details.
        visible: what the caller may see.
        start: index of the first result to return.
        count: how many results to return.

    Raises:
        InvalidInputError: the depth is out of range.
    """
    if not TOPIC <= depth <= MAX_DEPTH:
        raise InvalidInputError(
            f"depth {depth} is out of range: use 0 (topics), 1 (concepts), 2 (facts) or "
            f"3 to {MAX_DEPTH} (details)"
        )
    tree = TopicTree(store, visible)
    hit_keys = {hit.memory.key for hit in hits}
    best: dict[tuple[bool, int], RecallHit] = {}  # by (is a node, key)
    for hit in hits:
        topic = _topic_at(hit.memory, depth, tree)
        for moved in (
            [hit]
            if depth < FACT
            else [_moved(hit, memory) for memory in _memories_at(hit.memory, depth, tree, hit_keys)]
        ):
            position = (False, moved.memory.key) if topic is None else (True, topic)
            if position not in best or (moved.score or 0) > (best[position].score or 0):
                best[position] = moved
    ranked = sorted(best.items(), key=lambda entry: -(entry[1].score or 0))
    page = [
        _with_counts(key, hit, tree, is_node=is_node)
        for (is_node, key), hit in ranked[start : start + count]
    ]
    return page, len(ranked)


def _topic_at(memory: Memory, depth: int, tree: TopicTree) -> int | None:
    """Return the key of the node above a memory at depth 0 or 1, if there is one."""
    topic = tree.topics.get(memory.topic or 0)
    if topic is None or depth >= FACT:
        return None
    return topic.parent if depth == TOPIC and topic.parent is not None else topic.key


def _memories_at(memory: Memory, depth: int, tree: TopicTree, hit_keys: set[int]) -> list[Memory]:
    """Return the memories that represent this one at a depth of 2 or more; never none."""
    if memory.depth < depth:
        below = [detail for detail in tree.below(memory) if detail.depth == depth]
        return (
            [detail for detail in below if detail.key in hit_keys]
            or below[:MAX_DETAILS]
            or [memory]
        )
    while memory.depth > depth and (parent := tree.parent(memory)) is not None:
        memory = parent
    return [memory]


def _moved(hit: RecallHit, memory: Memory) -> RecallHit:
    if memory.key == hit.memory.key:
        return hit
    direction = "below" if memory.depth < hit.memory.depth else "above"
    why = f"{hit.why}, from a result {direction} it".removeprefix(", ")
    return hit.replace(memory=memory, why=why, superseded_query_hit=False)


def _with_counts(key: int, hit: RecallHit, tree: TopicTree, *, is_node: bool) -> RecallHit:
    if not is_node:
        return hit.replace(below=len(tree.below(hit.memory)))
    node = tree.node(tree.topics[key])
    return hit.replace(node=node, below=node.memories, superseded_query_hit=False)
