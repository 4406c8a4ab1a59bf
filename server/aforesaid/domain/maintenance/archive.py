"""What has faded without being of use, and may be set aside. Pure; nothing is erased."""

from __future__ import annotations

from aforesaid.domain.model.decay import activation, confidence_in_force, days_between
from aforesaid.domain.model.memory import IMPORTANCE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory

    from .thresholds import Thresholds


def is_decayed(memory: Memory, now: int, limits: Thresholds) -> bool:
    """Tell whether a memory is old and faint enough to be set aside.

    Never recalled: below one activation after some time; anything: below a lower one after more.
    What is pinned never is. Source of the figures: thresholds.py.
    """
    if memory.pinned:
        return False
    age = days_between(memory.created_at, now)
    faint = activation(memory, now, limits)
    if memory.access_count == 0 and faint < limits.archive_activation and age > limits.archive_days:
        return True
    return faint < limits.archive_faded and age > limits.archive_faded_days


def is_unused(memory: Memory, now: int, limits: Thresholds) -> bool:
    """Tell whether a memory of no great importance was never recalled in some weeks.

    Enough to set aside what says nothing worth keeping; not enough for anything else.
    """
    return (
        not memory.pinned
        and memory.access_count == 0
        and memory.importance <= IMPORTANCE_WORDS["medium"]
        and days_between(memory.created_at, now) > limits.archive_junk_days
    )


def may_be_cleaned(memory: Memory, now: int, limits: Thresholds) -> bool:
    """Tell whether a memory is so doubtful and so long unused that cleanup may erase it."""
    used = memory.last_accessed_at or memory.created_at
    return (
        not memory.pinned
        and confidence_in_force(memory, now, limits) < limits.cleanup_confidence
        and days_between(used, now) >= limits.cleanup_days
    )
