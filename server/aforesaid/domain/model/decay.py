"""How memories keep and fade: pure functions of what is stored and the present time.

Nothing is written because time passes. Decay changes rank, never existence.
"""

from __future__ import annotations

from math import exp, log

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .memory import Memory

DAY_MS = 86_400_000
#: What a link of weight 1 to a recalled memory takes off the days since the last use, as a share.
#: Source: docs/adr/0033-use-change-and-a-year.md.
SPREAD = 0.1


class Factors(Value):
    """How fast memories fade and what use gives them, by the names of settings."""

    keep_events: float = 0.95  #: share of an event's confidence that is left after a week unused
    keep_others: float = 0.99  #: of anything else's
    decay_rate: float = 0.07  #: of activation a day, at importance 0; none at importance 1
    retention_floor: float = 0.3  #: retention that importance 1 keeps for good
    use_confidence: float = 0.05  #: gained by each recall
    repeat_confidence: float = 0.1  #: gained when the same thing is stored again
    use_link: float = 0.1  #: gained by an ``associated`` link when both its ends are recalled
    link_decay: float = 0.95  #: share of such a link's weight that is left after a day


FACTORS = Factors()


def days_between(earlier: int, later: int) -> float:
    """Return the days from one time to another (ms), never negative whatever the clock did."""
    return max(later - earlier, 0) / DAY_MS


def is_superseding_pair(older: Memory, newer: Memory) -> bool:
    """Tell whether two memories are of one place and kind of subject, in this order."""
    return (
        valid_since(older) < valid_since(newer)
        and (older.project, older.task) == (newer.project, newer.task)
        and (older.entity is None or newer.entity is None or older.entity == newer.entity)
    )


def may_supersede(older: Memory, newer: Memory) -> bool:
    """Tell whether a later memory may take an earlier one's place without anybody saying so.

    Never that of what is pinned.
    """
    return (
        is_at_least_as_trusted(older, newer)
        and not older.pinned
        and is_superseding_pair(older, newer)
    )


def is_at_least_as_trusted(older: Memory, newer: Memory) -> bool:
    """Tell whether a later memory is trusted no less: nothing from outside outdates our own."""
    return newer.trusted or not older.trusted


def is_valid_at(memory: Memory, now: int) -> bool:
    """Tell whether a memory speaks of the present time: not of what is to come or over.

    Args:
        memory: says when it is valid, or nothing of it.
        now: ms.
    """
    return (memory.valid_from or 0) <= now and not memory.is_expired(now)


def valid_since(memory: Memory) -> int:
    """Return from when on (ms) a memory holds."""
    return memory.valid_from or memory.created_at


def confidence_in_force(memory: Memory, now: int, factors: Factors = FACTORS) -> float:
    """Return how sure we still are, in [0, 1]."""
    factor = factors.keep_events if memory.type == "episodic" else factors.keep_others
    return float(memory.confidence * factor ** (days_between(memory.last_reinforced_at, now) / 7))


def spreading_activation(weights: Iterable[float]) -> float:
    """Return how much fresher a memory gets by links (weights in [0, 1]) to what was recalled.

    As a share in [0, 1] of the time since it was last reinforced; several links add up, each to
    what the others left.
    """
    left = 1.0
    for weight in weights:
        left *= 1 - SPREAD * min(max(weight, 0.0), 1.0)
    return 1 - left


def link_weight(weight: float, since: int, now: int, decay: float = FACTORS.link_decay) -> float:
    """Return what is left of an ``associated`` link's weight: the same share goes with every day.

    Args:
        weight: what it was.
        since: when it was that (ms).
        now: the present time (ms).
        decay: share that is left after a day.
    """
    return float(weight * decay ** days_between(since, now))


def activation(memory: Memory, now: int, factors: Factors = FACTORS) -> float:
    """Return how present a memory is, from 0 up; use raises it, time lowers it."""
    strength = 1 + log(1 + memory.access_count)
    rate = factors.decay_rate * (1 - memory.importance)
    days = days_between(memory.last_reinforced_at, now)
    return memory.importance * strength * exp(-rate * days)


def retention(memory: Memory, now: int, factors: Factors = FACTORS) -> float:
    """Return how well a memory is kept, in [0, 1]: activation, and a floor by importance."""
    return min(1.0, activation(memory, now, factors) + factors.retention_floor * memory.importance)
