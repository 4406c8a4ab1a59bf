"""How memories keep and fade: pure functions of what is stored and the present time.

Nothing is written because time passes. Decay changes rank, never existence.
"""

from __future__ import annotations

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .memory import Memory

DAY_MS = 86_400_000
#: Share of confidence that is left after a week without use.
WEEKLY_FACTOR = {"episodic": 0.95}
WEEKLY_FACTOR_OTHERS = 0.99
DECAY_PER_DAY = 0.07  #: of activation, at importance 0; none at importance 1
RECALL_CONFIDENCE = 0.05  #: gained by each recall
#: What a link of weight 1 to a recalled memory takes off the days since the last use, as a share.
#: Source: docs/adr/0033-use-change-and-a-year.md.
SPREAD = 0.1
TOGETHER_WEIGHT = 0.1  #: gained by an ``associated`` link each time both its ends are recalled
LINK_DECAY = 0.95  #: share of an ``associated`` link's weight that is left after a day
REPEAT_CONFIDENCE = 0.1  #: gained when the same thing is stored again


def days_between(earlier: int, later: int) -> float:
    """Return the days from one time to another (ms), never negative whatever the clock did."""
    return max(later - earlier, 0) / DAY_MS


def may_outdate(older: Memory, newer: Memory) -> bool:
    """Tell whether two memories are of one place and kind of subject, in this order."""
    return (
        since(older) < since(newer)
        and (older.project, older.task) == (newer.project, newer.task)
        and (older.entity is None or newer.entity is None or older.entity == newer.entity)
    )


def since(memory: Memory) -> int:
    """Return from when on (ms) a memory holds."""
    return memory.valid_from or memory.created_at


def confidence_in_force(memory: Memory, now: int) -> float:
    """Return how sure we still are, in [0, 1]."""
    factor = WEEKLY_FACTOR.get(memory.type, WEEKLY_FACTOR_OTHERS)
    return float(memory.confidence * factor ** (days_between(memory.last_reinforced_at, now) / 7))


def spread(weights: Iterable[float]) -> float:
    """Return how much fresher a memory gets by links (weights in [0, 1]) to what was recalled.

    As a share in [0, 1] of the time since it was last reinforced; several links add up, each to
    what the others left.
    """
    left = 1.0
    for weight in weights:
        left *= 1 - SPREAD * min(max(weight, 0.0), 1.0)
    return 1 - left


def link_weight(weight: float, since: int, now: int, decay: float = LINK_DECAY) -> float:
    """Return what is left of an ``associated`` link's weight: the same share goes with every day.

    Args:
        weight: what it was.
        since: when it was that (ms).
        now: the present time (ms).
        decay: share that is left after a day.
    """
    return float(weight * decay ** days_between(since, now))


def activation(memory: Memory, now: int) -> float:
    """Return how present a memory is, from 0 up; use raises it, time lowers it."""
    strength = 1 + log(1 + memory.access_count)
    rate = DECAY_PER_DAY * (1 - memory.importance)
    days = days_between(memory.last_reinforced_at, now)
    return memory.importance * strength * exp(-rate * days)


def retention(memory: Memory, now: int) -> float:
    """Return how well a memory is kept, in [0, 1]: activation, and a floor by importance."""
    return min(1.0, activation(memory, now) + 0.3 * memory.importance)
