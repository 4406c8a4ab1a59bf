"""What becomes of a statement beside its neighbours: known, in conflict with some, or new."""

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
from aforesaid.domain.model.memory import DAY_MS, TRUSTED, all_cues
from aforesaid.domain.value import Value

from .near_duplicates import CUES_PART, CUES_PART_MOST
from .results import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement


#: What is told of a conflict that lies too far off for a list of what differs.
OUTDATED = "this seems to outdate it"


class DuplicateCheck(Value):
    """What a statement is beside its neighbours."""

    same: Memory | None = None  #: says the same
    #: Says the same, but came from outside, and the user says it himself: he vouches for what was
    #: said, not for the summary, cues and tags that came with it.
    vouched: tuple[Memory, ...] = ()
    conflicts: tuple[Conflict, ...] = ()  #: near and different, or outdated as it seems


def check_against_neighbours(
    statement: Statement,
    neighbours: Sequence[tuple[Memory, float | None]],
    now: int,
    near_cosine: float,
    may_be_about: Callable[[Memory], bool],
) -> DuplicateCheck:
    """Return what a statement is beside its neighbours; what is known is in conflict with nothing.

    Args:
        statement: checked.
        neighbours: as ``find_neighbours`` returns them.
        now: ms.
        near_cosine: above it two texts without cues may say the same.
        may_be_about: whether a memory may be about the subject of the statement.
    """
    vouched: list[Memory] = []
    conflicts: list[Conflict] = []
    for memory, cosine in neighbours:
        cued = bool(memory.cues or all_cues(statement.metadata))
        nearly = near_cosine - CUES_PART if cued else near_cosine
        least = near_cosine - CUES_PART_MOST if cued else near_cosine
        may_be_same = cosine is None or cosine > least
        outdated = announces_supersession(memory, statement, cosine, now)
        if not may_be_same and not outdated:
            continue
        differs = differences(statement.content, memory.content)
        if not differs and not may_be_about(memory):
            differs = ("entity",)
        differs = differs or non_text_differences(memory, statement, now)
        if differs:
            near = (cosine or 0.0) > nearly
            if near or outdated:
                differs = tuple(differs) if near else (OUTDATED,)
                conflicts.append(Conflict(memory=memory, differs=differs))
        elif may_be_same:
            if statement.provenance != "user" or memory.trusted:
                return DuplicateCheck(same=memory, vouched=tuple(vouched))
            vouched.append(memory)
    return DuplicateCheck(vouched=tuple(vouched), conflicts=tuple(conflicts))


def non_text_differences(memory: Memory, statement: Statement, now: int) -> tuple[str, ...]:
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
    return is_valid_at(memory, now) and (statement.valid_from or 0) <= now and not over


def may_copy_metadata_from(statement: Statement, memory: Memory) -> bool:
    """Tell whether a memory takes on what comes with a statement that says the same.

    What was said here takes nothing from outside: by tags it would be found, by cited files told.
    """
    return statement.provenance in TRUSTED or not memory.trusted


def announces_supersession(
    memory: Memory, statement: Statement, cosine: float | None, now: int
) -> bool:
    """Tell whether a statement says that something changed, and seems to outdate a memory.

    Recall would leave the memory out then (services/recall/supersede_filter.py).

    Args:
        memory: found beside it.
        statement: that is stored now.
        cosine: of the two; None where they were found by words.
        now: ms.
    """
    return (
        memory.type != "episodic"
        and states_change(statement.content)
        and may_copy_metadata_from(statement, memory)
        and (statement.valid_from or now) >= valid_since(memory)
        and _may_be_of_one_time(memory, statement, now)
        and max(len(memory.content), len(statement.content)) <= MAX_CHARS
        and supersession_probability(
            ParsedStatement(memory.content), ParsedStatement(statement.content), cosine
        )
        >= OUTDATES
    )
