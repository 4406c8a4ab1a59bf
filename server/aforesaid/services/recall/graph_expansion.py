"""Memories linked to the results, found breadth first within the remaining token budget."""

from __future__ import annotations

from aforesaid.domain.model.relation import TRANSITIVE
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.relation import Relation
    from aforesaid.ports import Store

DEPTH = 1  #: default number of steps
MAX_DEPTH = 3
SHOWN = 3  #: related memories of a result, unless a depth is given
MAX_SHOWN = 20  #: related memories of a result, if a depth is given
ITEM_TOKENS = 15  #: approximate cost of a related item's other fields


class Related(Value):
    """A memory that is reached through relations."""

    memory: Memory
    kind: str  #: of the last step, or of every step if the relation is inferred
    direction: str  #: ``out``, ``in`` or ``both``, as seen from ``via``
    via: int | None = None  #: key of the preceding memory; None for the root
    inferred: bool = False  #: not stored, but implied by the steps
    shown: bool = True  #: False if the same answer already contains its text


def traverse_relations(
    store: Store, roots: Sequence[int], visible: Visibility, *, depth: int, limit: int
) -> dict[int, list[Related]]:
    """Return the memories related to each root, nearest first, each once per root.

    Memories that are hidden from the caller, forgotten or archived are neither returned nor
    traversed. Without relations this costs one query; each step with relations costs two more.

    Args:
        store: where the relations are.
        roots: keys of heads.
        visible: what the caller may see.
        depth: number of steps.
        limit: memories to return for each root.
    """
    traversals = {root: _Traversal(root, limit) for root in roots}
    for _step in range(depth):
        frontier = sorted({key for walk in traversals.values() for key in walk.frontier})
        relations: dict[int, list[Relation]] = {}
        for relation in store.relations.of(frontier, visible):
            relations.setdefault(relation.head, []).append(relation)
        if not relations:
            break
        targets = {relation.other for edges in relations.values() for relation in edges}
        memories = {
            memory.key: memory
            for memory in store.memories.get(sorted(targets))
            if memory.archived_at is None
        }
        for traversal in traversals.values():
            traversal.advance(relations, memories)
    return {root: traversal.related for root, traversal in traversals.items()}


class _Traversal:
    """The breadth-first search from one root."""

    def __init__(self, root: int, limit: int) -> None:
        self.related: list[Related] = []
        self.frontier = [root]  #: keys from which the next step starts
        self._root = root
        self._limit = limit
        #: kind and direction of every step to a memory, if they are all the same and transitive
        self._transitive: dict[int, tuple[str, str]] = {}

    def advance(
        self, relations: Mapping[int, Iterable[Relation]], memories: Mapping[int, Memory]
    ) -> None:
        """Take one step from the frontier."""
        visited = {self._root, *(item.memory.key for item in self.related)}
        reached = []
        for start in self.frontier:
            for relation in relations.get(start, ()):
                memory = memories.get(relation.other)
                if memory is None or memory.key in visited or len(self.related) >= self._limit:
                    continue
                visited.add(memory.key)
                reached.append(memory.key)
                step = (relation.kind, relation.direction)
                first = start == self._root
                if relation.kind in TRANSITIVE and (first or self._transitive.get(start) == step):
                    self._transitive[memory.key] = step
                inferred = not first and memory.key in self._transitive
                self.related.append(
                    Related(
                        memory=memory,
                        kind=relation.kind,
                        direction=relation.shown_direction,
                        via=None if first or inferred else start,
                        inferred=inferred,
                    )
                )
        self.frontier = reached


def take_within_budget(
    related: Sequence[Related], shown_keys: set[int], budget_tokens: int
) -> tuple[tuple[Related, ...], int]:
    """Return the items that fit the budget, and their cost in tokens.

    Args:
        related: memories, nearest first.
        shown_keys: keys of memories whose text the answer already has; the items are added.
        budget_tokens: what is left of the budget.
    """
    items: list[Related] = []
    spent = 0
    for item in related:
        shown = item.memory.key not in shown_keys
        cost = ITEM_TOKENS + (count_tokens(item.memory.preview) if shown else 0)
        if spent + cost > budget_tokens:
            break
        spent += cost
        shown_keys.add(item.memory.key)
        items.append(item.replace(shown=shown))
    return tuple(items), spent
