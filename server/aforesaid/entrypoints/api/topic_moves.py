"""Moving all memories of a topic to another path: its rename, its merge, or its move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters, Memory, Visibility
from aforesaid.domain.model.topic import Topic, read_path

if TYPE_CHECKING:
    from aforesaid.ports import Store

MAX_MEMORIES = 2_000  #: moved at once


def plan_topic_move(store: Store, topic: Topic, path: str) -> list[tuple[Memory, str]]:
    """Return the memories in force that a move of a topic changes, each with its new path.

    A topic's concepts keep their names below its new one. Details go with their memories.

    Args:
        store: the store.
        topic: the topic or concept to move.
        path: where to: a topic, or a topic and a concept.

    Raises:
        InvalidInputError: the path is no path, or there are too many memories.
    """
    names, _cut = read_path(path)
    nodes = {
        node.key: node
        for node in store.topics.of_projects([topic.project])
        if topic.key in {node.key, node.parent}
    }
    here = Visibility(projects=(topic.project,), all_tasks=True)
    memories = store.memories.select(here, Filters(topics=tuple(nodes)), MAX_MEMORIES + 1)
    if len(memories) > MAX_MEMORIES:
        raise InvalidInputError(
            f"{topic.path} has over {MAX_MEMORIES} memories: move its concepts one at a time"
        )
    moves = []
    for memory in memories:
        node = nodes[memory.topic or topic.key]
        parts = [*names, node.name] if node.parent == topic.key and len(names) == 1 else names
        if memory.parent is None and "/".join(parts) != node.path:
            moves.append((memory, "/".join(parts)))
    return moves
