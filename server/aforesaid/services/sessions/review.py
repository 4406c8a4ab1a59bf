"""What waits for the user's review: what sessions learnt, imports, memories that are stale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.memory import DIGEST_TAG, Filters, Memory
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext, Visibility
    from aforesaid.ports import Store
    from aforesaid.services.anchors import Anchors

MAX_SESSIONS = 5  #: the last ones, in which something was learnt
MAX_LEARNT = 100  #: memories of these sessions
MAX_CHECKED = 500  #: memories whose cited files are compared
IMPORTED = ("import", "tool")  #: provenances of what nobody here has said


class LearntSession(Value):
    """A session, and what it learnt that nobody has confirmed yet."""

    session: str
    started_at: int
    memories: tuple[Memory, ...]


class StaleMemory(Value):
    """A memory whose cited files changed."""

    memory: Memory
    changes: tuple[str, ...]  #: in words


def learnt_lately(store: Store, visible: Visibility, project: int) -> list[LearntSession]:
    """Return the last sessions of a project that learnt something unconfirmed, latest first.

    Unconfirmed are memories that the assistant or a rule concluded, or that are uncertain.
    """
    sessions = store.inspection.session_usage((project,), MAX_SESSIONS)
    if not sessions:
        return []
    filters = Filters(sessions=tuple(session["session"] for session in sessions))
    learnt: dict[str, list[Memory]] = {}
    for memory in store.memories.select(visible.replace(all_tasks=True), filters, MAX_LEARNT):
        if not is_confirmed(memory) and DIGEST_TAG not in memory.tags and memory.session:
            learnt.setdefault(memory.session, []).append(memory)
    return [
        LearntSession(
            session=session["session"],
            started_at=session["started_at"],
            memories=tuple(learnt[session["session"]]),
        )
        for session in sessions
        if session["session"] in learnt
    ]


def is_confirmed(memory: Memory) -> bool:
    """Return whether a memory counts as the user's own certain statement."""
    return memory.provenance == "user" and memory.confidence >= 1


def imported_to_confirm(store: Store, visible: Visibility, limit: int) -> tuple[list[Memory], int]:
    """Return memories that an import or a tool stated, and how many there are."""
    visible, filters = visible.replace(all_tasks=True), Filters(provenances=IMPORTED)
    memories = store.memories.select(visible, filters, limit)
    total = len(memories)
    return memories, total if total < limit else store.memories.count(visible, filters)


def stale_memories(store: Store, anchors: Anchors, context: CallContext) -> list[StaleMemory]:
    """Return the project's memories whose cited files changed, as far as they are compared."""
    keys = store.anchors.cited_by(context.visible.replace(all_tasks=True), MAX_CHECKED)
    memories = store.memories.get(keys)
    by_key = {memory.key: memory for memory in memories}
    return [
        StaleMemory(memory=by_key[key], changes=changes)
        for key, changes in anchors.find_stale(memories, context).items()
    ]
