"""What happened so often that it is known: events that tell the same, commands that recur. Pure."""

from __future__ import annotations

from aforesaid.domain.dedup import differences

from .summary import event_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Memory

MIN_COMMANDS, MAX_COMMANDS = 3, 8  #: of a sequence
MAX_OFFERED = 5  #: sequences of one project at once


def find_same(memory: Memory, others: Sequence[Memory]) -> list[Memory]:
    """Return which of others say the same, by the test that the write path uses."""
    return [one for one in others if not differences(memory.content, one.content)]


def representative(memories: Sequence[Memory]) -> Memory:
    """Return the one whose text tells it for all: the most used, then the latest."""
    return max(memories, key=lambda one: (one.access_count, event_time(one), one.key))


def recurring_commands(
    sessions: Mapping[int, Sequence[str]], least: int
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Return sequences of commands that several sessions ran, with those sessions.

    The longest first; of what one contains, nothing; a command again and again is no sequence.

    Args:
        sessions: commands in order, by the key of what tells them.
        least: so many sessions must have it.
    """
    ran: dict[tuple[str, ...], set[int]] = {}
    for key, commands in sessions.items():
        for size in range(MIN_COMMANDS, MAX_COMMANDS + 1):
            for start in range(len(commands) - size + 1):
                part = tuple(commands[start : start + size])
                if len(set(part)) >= MIN_COMMANDS:
                    ran.setdefault(part, set()).add(key)
    often = [(part, keys) for part, keys in ran.items() if len(keys) >= least]
    often.sort(key=lambda one: (-len(one[0]), -len(one[1]), one[0]))
    found: list[tuple[tuple[str, ...], tuple[int, ...]]] = []
    for part, keys in often:
        if not any(_contains(longer, part) for longer, _ in found):
            found.append((part, tuple(sorted(keys))))
        if len(found) == MAX_OFFERED:
            break
    return found


def _contains(longer: Sequence[str], part: Sequence[str]) -> bool:
    size = len(part)
    return any(
        tuple(longer[start : start + size]) == tuple(part)
        for start in range(len(longer) - size + 1)
    )
