"""What is linked to what was recalled: walked breadth first, within the budget that is left."""

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

DEPTH = 1  #: steps, unless asked for more
MAX_DEPTH = 3
SHOWN = 3  #: related memories of a result, unless a depth is asked for
MAX_SHOWN = 20  #: then
ITEM_TOKENS = 15  #: what a related item's other fields cost beside its preview, about


class Related(Value):
    """A memory that a chain of relations leads to."""

    memory: Memory
    kind: str  #: of the last step, or of all where it is inferred
    direction: str  #: ``out``, ``in`` or ``both``, as seen from ``via``
    via: int | None = None  #: key of the memory before it on the way; None for the start itself
    inferred: bool = False  #: nobody said so: it follows, since each step on the way says so
    shown: bool = True  #: False where its text stands elsewhere in the same answer


def traverse_relations(
    store: Store, roots: Sequence[int], visible: Visibility, *, depth: int, most: int
) -> dict[int, list[Related]]:
    """Return what relations lead to from each root, nearest first, each memory once a root.

    What the caller may not see, what was forgotten and what is archived is neither shown nor
    walked through. One query where there is nothing, two more for each step where there is.

    Args:
        store: where to look.
        roots: keys of heads.
        visible: what the caller may see.
        depth: steps to walk.
        most: memories to return for each root.
    """
    ways = {root: _Traversal(root, most) for root in roots}
    for _step in range(depth):
        edges = sorted({edge for way in ways.values() for edge in way.edge})
        relations: dict[int, list[Relation]] = {}
        for one in store.relations.of(edges, visible):
            relations.setdefault(one.head, []).append(one)
        if not relations:
            break
        others = {one.other for found in relations.values() for one in found}
        memories = {
            one.key: one for one in store.memories.get(sorted(others)) if one.archived_at is None
        }
        for way in ways.values():
            way.advance(relations, memories)
    return {root: way.found for root, way in ways.items()}


class _Traversal:
    """The walk from one root."""

    def __init__(self, root: int, most: int) -> None:
        self.found: list[Related] = []
        self.edge = [root]  #: where the next step starts
        self._root = root
        self._most = most
        self._carried: dict[int, tuple[str, str]] = {}  #: kind and direction of every step there

    def advance(
        self, relations: Mapping[int, Iterable[Relation]], memories: Mapping[int, Memory]
    ) -> None:
        """Go one step from the edge."""
        known = {self._root, *(one.memory.key for one in self.found)}
        reached = []
        for start in self.edge:
            for relation in relations.get(start, ()):
                memory = memories.get(relation.other)
                if memory is None or memory.key in known or len(self.found) >= self._most:
                    continue
                known.add(memory.key)
                reached.append(memory.key)
                step = (relation.kind, relation.direction)
                first = start == self._root
                if relation.kind in TRANSITIVE and (first or self._carried.get(start) == step):
                    self._carried[memory.key] = step
                inferred = not first and memory.key in self._carried
                self.found.append(
                    Related(
                        memory=memory,
                        kind=relation.kind,
                        direction=relation.shown_direction,
                        via=None if first or inferred else start,
                        inferred=inferred,
                    )
                )
        self.edge = reached


def take_within_budget(
    found: Sequence[Related], told: set[int], room_tokens: int
) -> tuple[tuple[Related, ...], int]:
    """Return the items that fit, and what they cost.

    Args:
        found: related memories, nearest first.
        told: keys of memories whose text the answer holds already; grows by what is kept.
        room_tokens: what is left of the budget.
    """
    kept: list[Related] = []
    spent = 0
    for item in found:
        shown = item.memory.key not in told
        cost = ITEM_TOKENS + (count_tokens(item.memory.preview) if shown else 0)
        if spent + cost > room_tokens:
            break
        spent += cost
        told.add(item.memory.key)
        kept.append(item.replace(shown=shown))
    return tuple(kept), spent
