"""Memories that may say the same as a statement: equal texts, and those that mean nearly it."""

from __future__ import annotations

from aforesaid.domain.fingerprint import content_hash
from aforesaid.domain.lifecycle import holds
from aforesaid.domain.memory import DAY_MS, TRUSTED, Filters, Visibility, cues_of
from aforesaid.domain.words import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.memory import Hit, Memory
    from aforesaid.domain.statement import Statement
    from aforesaid.domain.task import Task
    from aforesaid.ports import Store

NEAR_COSINE = 0.92  #: above it two texts may be the same; sameness decides
#: How much further apart two vectors lie that have cues in them, each its own: of what nearly says
#: the same, and of what may still be the same text. Source: docs/adr/0039-cues.md.
CUES_PART, CUES_PART_MOST = 0.12, 0.3
MOST = 5


def near_cosine_of(statement: Statement, memory: Memory, near_cosine: float) -> float:
    """Return the cosine above which a memory nearly says what a statement does."""
    cued = cues_of(statement.metadata) or memory.cues
    return near_cosine - CUES_PART if cued else near_cosine


def differs_beside(memory: Memory, statement: Statement, now: int) -> tuple[str, ...]:
    """Return in what else than words a memory differs from a statement: its time, its steps."""
    if not _may_be_of_one_time(memory, statement, now):
        return ("time",)
    steps, known = statement.metadata.get("steps"), memory.metadata.get("steps")
    return ("steps",) if steps and known and steps != known else ()


def _may_be_of_one_time(memory: Memory, statement: Statement, now: int) -> bool:
    """Tell whether a memory says of the same time what a statement does.

    Both hold now, or both say the same of it: what is over, or to come, is not said again by what
    holds now; nor is what happened by what is said to have happened on another day.
    """
    if statement.event_at is not None:
        happened = memory.created_at if memory.event_at is None else memory.event_at
        if abs(statement.event_at - happened) >= DAY_MS:
            return False
    told = (statement.valid_from, statement.valid_to)
    if told == (memory.valid_from, memory.valid_to):
        return True
    over = statement.valid_to is not None and statement.valid_to < now
    return holds(memory, now) and (statement.valid_from or 0) <= now and not over


def may_lend(statement: Statement, memory: Memory) -> bool:
    """Tell whether a memory takes on what comes with a statement that says the same.

    What was said here takes nothing from outside: by tags it would be found, by cited files told.
    """
    return statement.provenance in TRUSTED or not memory.trusted


def near_enough(
    one: Memory, hits: Sequence[Hit], others: Sequence[Memory], least: float
) -> list[Memory]:
    """Return which of those that were found beside a memory may say the same.

    Args:
        one: the memory.
        hits: what was found near its vector, from ``least - CUES_PART_MOST`` on.
        others: their memories.
        least: cosine that texts without cues must exceed.
    """
    cosines = {hit.key: hit.score for hit in hits}
    return [
        other for other in others if one.cues or other.cues or cosines.get(other.key, 0.0) > least
    ]


def find_neighbours(
    store: Store,
    statement: Statement,
    scope: str,
    project: int,
    task: Task | None,
    windows: Sequence[bytes],
    model: str,
    near_cosine: float,
) -> list[tuple[Memory, float]]:
    """Return live memories of the same kind and place that may say the same, nearest first.

    Args:
        store: where they are.
        statement: what is compared with them.
        scope: of the statement.
        project: its project's key.
        task: its task.
        windows: its vectors; none: compared by words.
        model: that made the vectors.
        near_cosine: above it two texts without cues are compared.
    """
    inside = (task.key,) if task is not None and scope == "task" else ()
    visible = Visibility(projects=(project,), tasks=inside)
    filters = Filters(types=(statement.type,), scopes=(scope,), tasks=inside)
    found: dict[int, float] = {}
    for memory in store.same_text(content_hash(statement.content), visible):
        if memory.type == statement.type and memory.scope == scope:
            found[memory.key] = 1.0
    cued = bool(cues_of(statement.metadata))
    if len(windows) == 1:
        least = near_cosine - CUES_PART_MOST
        if cued:  # what lies far apart is missed by the quick search of large stores
            hits = store.search_vectors(windows[0], visible, filters, MOST, model)
        else:
            hits = store.search_alike(windows[0], visible, filters, least, MOST, model)
        for hit in hits:
            if hit.key == hit.head and hit.score > least:
                found.setdefault(hit.key, hit.score)
    elif not windows:
        terms = query_terms(statement.content)
        for hit in store.search_words(terms, visible, filters, MOST):
            if hit.key == hit.head:
                found.setdefault(hit.key, 0.0)
    return [
        (memory, found[memory.key])
        for memory in store.get(list(found))
        if memory.in_force
        and (not inside or memory.task in inside)
        and (not windows or cued or memory.cues or found[memory.key] > near_cosine)
    ]
