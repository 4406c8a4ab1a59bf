"""Decay of confidence, activation and link weights: pure functions of stored data and time.

Time alone writes nothing. Decay changes ranking and never deletes a memory.
"""

from __future__ import annotations

from math import exp, log

from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .memory import Memory

#: Share of the days since the last use that a link of weight 1 to a recalled memory removes.
#: Source: docs/adr/0033-use-change-and-a-year.md.
SPREAD = 0.1


class Factors(Value):
    """Rates of decay and reinforcement, named like their settings in ``[maintenance]``."""

    keep_events: float = (
        0.95  #: share of an event's confidence that remains after a week without use
    )
    keep_others: float = 0.99  #: the same for all other memories
    decay_rate: float = 0.07  #: of activation per day at importance 0; no decay at importance 1
    retention_floor: float = 0.3  #: minimum retention at importance 1
    use_confidence: float = 0.05  #: gained with each recall
    repeat_confidence: float = 0.1  #: gained when the same statement is stored again
    use_link: float = 0.1  #: gained by an ``associated`` link when both ends are recalled
    link_decay: float = 0.95  #: share of such a link's weight that remains after a day


FACTORS = Factors()


def days_between(earlier: int, later: int) -> float:
    """Return the days between two times (ms); 0 if the clock was set back."""
    return max(later - earlier, 0) / DAY_MS


def is_superseding_pair(older: Memory, newer: Memory) -> bool:
    """Return whether two memories share project, task and entity, in this order of validity.

    Failures never do: two errors of one command are two facts.
    """
    return (
        valid_since(older) < valid_since(newer)
        and not (older.is_failure or newer.is_failure)
        and (older.project, older.task) == (newer.project, newer.task)
        and (older.entity is None or newer.entity is None or older.entity == newer.entity)
    )


def may_supersede(older: Memory, newer: Memory) -> bool:
    """Return whether a newer memory may supersede an older one without an explicit statement.

    A pinned memory is never superseded so.
    """
    return (
        is_at_least_as_trusted(older, newer)
        and not older.pinned
        and is_superseding_pair(older, newer)
    )


def is_at_least_as_trusted(older: Memory, newer: Memory) -> bool:
    """Return whether the newer memory is trusted, or the older one is not trusted either."""
    return newer.trusted or not older.trusted


def is_valid_at(memory: Memory, now: int) -> bool:
    """Return whether a time (ms) is within the memory's validity period, if it states one."""
    return (memory.valid_from or 0) <= now and not memory.is_expired(now)


def valid_since(memory: Memory) -> int:
    """Return the time (ms) from which a memory is valid: as stated, else when it was stored."""
    return memory.valid_from or memory.created_at


def confidence_in_force(memory: Memory, now: int, factors: Factors = FACTORS) -> float:
    """Return the decayed confidence, in [0, 1]."""
    factor = factors.keep_events if memory.type == "episodic" else factors.keep_others
    return float(memory.confidence * factor ** (days_between(memory.last_reinforced_at, now) / 7))


def spreading_activation(weights: Iterable[float]) -> float:
    """Return by how much links to recalled memories refresh a memory.

    The result is the share, in [0, 1], of the time since its last reinforcement that is removed.
    Each link (weight in [0, 1]) applies to what the others leave.
    """
    remaining = 1.0
    for weight in weights:
        remaining *= 1 - SPREAD * min(max(weight, 0.0), 1.0)
    return 1 - remaining


def link_weight(weight: float, since: int, now: int, decay: float = FACTORS.link_decay) -> float:
    """Return the decayed weight of an ``associated`` link.

    Args:
        weight: the stored weight.
        since: when that was stored (ms).
        now: ms.
        decay: share that remains after a day.
    """
    return float(weight * decay ** days_between(since, now))


def activation(memory: Memory, now: int, factors: Factors = FACTORS) -> float:
    """Return the activation of a memory, 0 or more: use raises it, time lowers it."""
    strength = 1 + log(1 + memory.access_count)
    rate = factors.decay_rate * (1 - memory.importance)
    days = days_between(memory.last_reinforced_at, now)
    return memory.importance * strength * exp(-rate * days)


def retention(memory: Memory, now: int, factors: Factors = FACTORS) -> float:
    """Return the retention of a memory, in [0, 1]: activation plus a floor by importance."""
    return min(1.0, activation(memory, now, factors) + factors.retention_floor * memory.importance)
