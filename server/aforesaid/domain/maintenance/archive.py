"""Which memories are archived as decayed or unused, and which a cleanup may erase.

For reports, memories are grouped by retention.
"""

from __future__ import annotations

from aforesaid.domain.model.decay import activation, confidence_in_force, days_between
from aforesaid.domain.model.memory import IMPORTANCE_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory

    from .thresholds import Thresholds


def is_decayed(memory: Memory, now: int, limits: Thresholds) -> bool:
    """Return whether a memory is old enough, and its activation low enough, to be archived.

    Memories that were never recalled are archived earlier than others, pinned ones never.
    """
    if memory.pinned:
        return False
    age = days_between(memory.created_at, now)
    strength = activation(memory, now, limits)
    if (
        memory.access_count == 0
        and strength < limits.archive_activation
        and age > limits.archive_days
    ):
        return True
    return strength < limits.archive_faded and age > limits.archive_faded_days


def is_unused(memory: Memory, now: int, limits: Thresholds) -> bool:
    """Return whether a memory of at most medium importance was not recalled for some days.

    That suffices to archive a low-value memory, but no other.
    """
    return (
        not memory.pinned
        and memory.access_count == 0
        and memory.importance <= IMPORTANCE_WORDS["medium"]
        and days_between(memory.created_at, now) > limits.archive_junk_days
    )


def may_be_cleaned(memory: Memory, now: int, limits: Thresholds) -> bool:
    """Return whether cleanup may erase a memory: its confidence is low and it was long unused."""
    last_used = memory.last_accessed_at or memory.created_at
    return (
        not memory.pinned
        and confidence_in_force(memory, now, limits) < limits.cleanup_confidence
        and days_between(last_used, now) >= limits.cleanup_days
    )


WELL, FADING, FADED, DOUBTFUL = "well kept", "fading", "faded", "due for cleanup"
WELL_KEPT = 0.25  #: activation of a memory of medium importance after three weeks


def retention_band(memory: Memory, now: int, limits: Thresholds) -> str:
    """Return the band of a memory: ``WELL``, ``FADING``, ``FADED`` or ``DOUBTFUL``."""
    if may_be_cleaned(memory, now, limits):
        return DOUBTFUL
    if is_decayed(memory, now, limits):
        return FADED
    well_kept = memory.pinned or activation(memory, now, limits) >= WELL_KEPT
    return WELL if well_kept else FADING
