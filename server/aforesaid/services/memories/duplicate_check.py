"""Compares a statement with its neighbours: a duplicate, in conflict with some, or new."""

from __future__ import annotations

from aforesaid.domain.conflict.supersession import (
    MAX_CHARS,
    OUTDATES,
    ParsedStatement,
    states_change,
    supersession_probability,
)
from aforesaid.domain.dedup import differences
from aforesaid.domain.model.decay import is_valid_at, valid_since
from aforesaid.domain.model.memory import TRUSTED, all_cues
from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.domain.value import Value

from .near_duplicates import CUES_PART, CUES_PART_MOST
from .results import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement


#: Reported for a conflict whose texts are too different for a list of differences.
OUTDATED = "this seems to outdate it"


class DuplicateCheck(Value):
    """What a statement is, compared with its neighbours."""

    same: Memory | None = None  #: the memory that it duplicates
    #: Untrusted duplicates of a statement by the user. They are superseded rather than confirmed:
    #: the user vouches for the text, not for their summary, cues and tags.
    vouched: tuple[Memory, ...] = ()
    conflicts: tuple[Conflict, ...] = ()  #: similar but different, or apparently outdated


def check_against_neighbours(
    statement: Statement,
    neighbours: Sequence[tuple[Memory, float | None]],
    now: int,
    near_cosine: float,
    may_be_about: Callable[[Memory], bool],
) -> DuplicateCheck:
    """Compare a statement with its neighbours; a duplicate has no conflicts.

    Args:
        statement: validated.
        neighbours: from ``find_neighbours``.
        now: ms.
        near_cosine: minimum cosine of texts without cues that may be duplicates.
        may_be_about: tells whether a memory may be about the statement's subject.
    """
    vouched: list[Memory] = []
    conflicts: list[Conflict] = []
    for memory, cosine in neighbours:
        has_cues = bool(memory.cues or all_cues(statement.metadata))
        similar_cosine = near_cosine - CUES_PART if has_cues else near_cosine
        min_cosine = near_cosine - CUES_PART_MOST if has_cues else near_cosine
        may_be_same = cosine is None or cosine > min_cosine
        outdated = announces_supersession(memory, statement, cosine, now)
        if not may_be_same and not outdated:
            continue
        differs = differences(statement.content, memory.content)
        if not differs and not may_be_about(memory):
            differs = ("entity",)
        differs = differs or non_text_differences(memory, statement, now)
        if differs:
            similar = (cosine or 0.0) > similar_cosine
            if similar or outdated:
                differs = tuple(differs) if similar else (OUTDATED,)
                conflicts.append(Conflict(memory=memory, differs=differs))
        elif may_be_same:
            if statement.provenance != "user" or memory.trusted:
                return DuplicateCheck(same=memory, vouched=tuple(vouched))
            vouched.append(memory)
    return DuplicateCheck(vouched=tuple(vouched), conflicts=tuple(conflicts))


def non_text_differences(memory: Memory, statement: Statement, now: int) -> tuple[str, ...]:
    """Return which of time and steps differ between a memory and a statement with the same text."""
    if not _covers_same_time(memory, statement, now):
        return ("time",)
    new_steps, old_steps = statement.metadata.get("steps"), memory.metadata.get("steps")
    return ("steps",) if new_steps and old_steps and new_steps != old_steps else ()


def _covers_same_time(memory: Memory, statement: Statement, now: int) -> bool:
    """Tell whether a memory and a statement are true of the same time.

    Either both hold now, or both have the same validity. Events must be less than a day apart.
    """
    if statement.event_at is not None:
        event_at = memory.created_at if memory.event_at is None else memory.event_at
        if abs(statement.event_at - event_at) >= DAY_MS:
            return False
    if (statement.valid_from, statement.valid_to) == (memory.valid_from, memory.valid_to):
        return True
    expired = statement.valid_to is not None and statement.valid_to < now
    return is_valid_at(memory, now) and (statement.valid_from or 0) <= now and not expired


def may_copy_metadata_from(statement: Statement, memory: Memory) -> bool:
    """Tell whether a memory may take over metadata of a statement that repeats it.

    A trusted memory takes nothing from untrusted sources, as their tags and anchors would show.
    """
    return statement.provenance in TRUSTED or not memory.trusted


def announces_supersession(
    memory: Memory, statement: Statement, cosine: float | None, now: int
) -> bool:
    """Tell whether a statement says that something changed, and probably supersedes a memory.

    Recall would leave the memory out then (services/recall/supersede_filter.py).

    Args:
        memory: a neighbour.
        statement: to be stored now.
        cosine: of the two; None if the neighbour was found by words.
        now: ms.
    """
    return (
        memory.type != "episodic"
        and states_change(statement.content)
        and may_copy_metadata_from(statement, memory)
        and (statement.valid_from or now) >= valid_since(memory)
        and _covers_same_time(memory, statement, now)
        and max(len(memory.content), len(statement.content)) <= MAX_CHARS
        and supersession_probability(
            ParsedStatement(memory.content), ParsedStatement(statement.content), cosine
        )
        >= OUTDATES
    )
