"""Adding the links of imported memories, once all of these are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Visibility
from aforesaid.domain.model.relation import SUPERSEDES, SYSTEM_KINDS, read_kind
from aforesaid.ports import Clock, Store
from aforesaid.services.graph.relations import link

BATCH = 50  #: links of one transaction
NO_END = "relations to a missing memory"
BETWEEN = "relations between two projects"
NO_KIND = "relations of an unsupported kind"


def link_all(
    store: Store,
    clock: Clock,
    links: Sequence[tuple[str, str, str]],
    find: Callable[[str], Memory | None],
    left_out: Callable[[str], None] = lambda _why: None,
) -> int:
    """Add links between imported memories; return how many are new.

    Args:
        store: The store.
        clock: The current time.
        links: Name of the source, kind, name of the target.
        find: Returns the memory in force that was imported under a name, if any.
        left_out: Called with the reason if a link is skipped.
    """
    added = 0
    for start in range(0, len(links), BATCH):
        with store.transaction():
            for source_name, kind, target_name in links[start : start + BATCH]:
                source, target = find(source_name), find(target_name)
                if source is None or target is None:
                    left_out(NO_END)
                else:
                    added += _link(store, clock, source, kind, target, left_out)
    return added


def _link(
    store: Store,
    clock: Clock,
    source: Memory,
    kind: str,
    target: Memory,
    left_out: Callable[[str], None],
) -> bool:
    projects = {source.project, target.project} - {GLOBAL_PROJECT}
    if len(projects) > 1:
        left_out(BETWEEN)
        return False
    try:
        kind = kind if kind in SYSTEM_KINDS else read_kind(kind)
    except InvalidInputError:
        left_out(NO_KIND)
        return False
    if source.head == target.head or kind == SUPERSEDES:  # chains come with the versions
        return False
    visible = Visibility(projects=(GLOBAL_PROJECT, *projects))
    return link(store, source, kind, target, visible, clock.now())
