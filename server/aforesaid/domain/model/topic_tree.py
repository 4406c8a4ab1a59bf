"""The displayed topic tree: nodes with their children, truncated to a token budget.

Built by services/graph/explore.py.
"""

from __future__ import annotations

from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value

from .memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .memory import Memory

NODE_TOKENS = 14  #: approximate cost of a node besides its texts


class Node(Value):
    """A topic, a concept or a memory in the displayed tree."""

    topic: int | None = None  #: key of the topic or concept
    memory: Memory | None = None  #: set if the node is a memory
    path: str = ""  #: set if it is a topic or concept
    name: str = ""
    summary: str = ""
    overview: Memory | None = None  #: the memory that the summary was taken from
    depth: int = 0
    project: int = GLOBAL_PROJECT
    memories: int = 0  #: number of memories in force below it, at any depth
    concepts: int = 0
    kind: str = ""  #: kind of the relation that led to it
    replaced_by: int | None = None  #: key of the memory's next version, if visible
    direction: str = ""  #: direction of that relation: ``out``, ``in`` or ``both``
    children: tuple[Node, ...] = ()
    hidden: int = 0  #: number of children that were left out

    @property
    def text(self) -> str:
        """All text that is displayed for it, for counting tokens."""
        text = self.path + self.name + self.summary
        return text if self.memory is None else text + self.memory.preview


def truncate_to_budget(nodes: Sequence[Node], budget_tokens: int) -> tuple[list[Node], int]:
    """Return the nodes with as many children as the budget allows, and how many nodes were cut.

    Children are added level by level and, within a level, round-robin over the parents, so that no
    branch crowds out another. The first node is always included. Children that are cut are counted
    in ``hidden`` of their parent.
    """
    remaining_tokens = budget_tokens
    shown: list[Node] = []
    children_of: list[list[int]] = []  # for each shown node, the indexes of its shown children

    def add(node: Node) -> int | None:
        nonlocal remaining_tokens
        cost = NODE_TOKENS + count_tokens(node.text)
        if cost > remaining_tokens and shown:
            remaining_tokens = 0  # later nodes matter less: none may slip in
            return None
        remaining_tokens -= cost
        shown.append(node)
        children_of.append([])
        return len(shown) - 1

    roots = [index for node in nodes if (index := add(node)) is not None]
    level = roots
    while level:
        next_level = []
        for nth in range(max(len(shown[parent].children) for parent in level)):
            for parent in level:
                if nth < len(shown[parent].children):
                    child = add(shown[parent].children[nth])
                    if child is not None:
                        children_of[parent].append(child)
                        next_level.append(child)
        level = next_level

    def build(index: int) -> Node:
        node = shown[index]
        children = tuple(build(child) for child in children_of[index])
        hidden = node.hidden + len(node.children) - len(children)
        return node.replace(children=children, hidden=hidden)

    return [build(index) for index in roots], len(nodes) - len(roots)
