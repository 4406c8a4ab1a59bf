"""Links that come in with memories, made once all of these are there."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.model.relation import SUPERSEDES, SYSTEM_KINDS, read_kind
from aforesaid.services.graph.relations import link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Clock, Store

BATCH = 50  #: links of one transaction
NO_END = "relations whose other end is not there"
BETWEEN = "relations between two projects"
NO_KIND = "relations of a kind that is none here"


def link_all(
    store: Store,
    clock: Clock,
    links: Sequence[tuple[str, str, str]],
    find: Callable[[str], Memory | None],
    left_out: Callable[[str], None] = lambda _why: None,
) -> int:
    """Link what came in; return how many links are new.

    Args:
        store: where both ends are.
        clock: the present time.
        links: name, kind, name.
        find: the memory in force that a name means here, if there is one.
        left_out: told why a link is not made.
    """
    made = 0
    for start in range(0, len(links), BATCH):
        with store.transaction():
            for source, kind, target in links[start : start + BATCH]:
                one, other = find(source), find(target)
                if one is None or other is None:
                    left_out(NO_END)
                else:
                    made += _link(store, clock, one, kind, other, left_out)
    return made


def _link(
    store: Store,
    clock: Clock,
    one: Memory,
    kind: str,
    other: Memory,
    left_out: Callable[[str], None],
) -> bool:
    projects = {one.project, other.project} - {GLOBAL_PROJECT}
    if len(projects) > 1:
        left_out(BETWEEN)
        return False
    try:
        kind = kind if kind in SYSTEM_KINDS else read_kind(kind)
    except InvalidInputError:
        left_out(NO_KIND)
        return False
    if one.head == other.head or kind == SUPERSEDES:  # the chain itself, which versions bring
        return False
    visible = Visibility(projects=(GLOBAL_PROJECT, *projects))
    return link(store, one, kind, other, visible, clock.now())
