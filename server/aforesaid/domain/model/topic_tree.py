"""What is shown of the topic tree: nodes with their children, cut to a budget.

Here: values and the cut. Not here: where they come from (services/graph/explore.py).
"""

from __future__ import annotations

from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value

from .memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .memory import Memory

NODE_TOKENS = 14  #: what a node's other fields cost beside its texts, about


class Node(Value):
    """A topic, a concept, or a memory in its place."""

    topic: int | None = None  #: key of the topic or concept
    memory: Memory | None = None  #: where it is one
    path: str = ""  #: of a topic or concept
    name: str = ""
    summary: str = ""
    overview: Memory | None = None  #: the memory that the summary is of
    depth: int = 0
    project: int = GLOBAL_PROJECT
    memories: int = 0  #: in force below it, at any depth
    concepts: int = 0
    kind: str = ""  #: of the relation that led to it
    replaced_by: int | None = None  #: key of the memory's next version, if that is in sight
    direction: str = ""  #: of that relation: ``out``, ``in`` or ``both``
    children: tuple[Node, ...] = ()
    hidden: int = 0  #: children that are there and not among these

    @property
    def text(self) -> str:
        """Return what is shown of it, for counting."""
        shown = self.path + self.name + self.summary
        return shown if self.memory is None else shown + self.memory.preview


def truncate_to_budget(nodes: Sequence[Node], budget_tokens: int) -> tuple[list[Node], int]:
    """Return the nodes with as many of their children as the budget allows, and how many are cut.

    Level by level, and within a level one child of each node after the other, so that no branch
    starves; the first node is always there. What is cut below a node is counted in its ``hidden``.
    """
    left = budget_tokens
    kept: dict[int, list[int]] = {}  # of each node kept, by place: the places of its children
    flat: list[Node] = []

    def take(node: Node) -> int | None:
        nonlocal left
        cost = NODE_TOKENS + count_tokens(node.text)
        if cost > left and flat:
            left = 0  # what comes later is less important: it does not slip through
            return None
        left -= cost
        flat.append(node)
        kept[len(flat) - 1] = []
        return len(flat) - 1

    roots = [place for node in nodes if (place := take(node)) is not None]
    level = roots
    while level:
        following = []
        for turn in range(max(len(flat[place].children) for place in level)):
            for place in level:
                if turn < len(flat[place].children):
                    child = take(flat[place].children[turn])
                    if child is not None:
                        kept[place].append(child)
                        following.append(child)
        level = following

    def built(place: int) -> Node:
        node = flat[place]
        children = tuple(built(child) for child in kept[place])
        hidden = node.hidden + len(node.children) - len(children)
        return node.replace(children=children, hidden=hidden)

    return [built(place) for place in roots], len(nodes) - len(roots)
