"""Repeated events that become facts, and command sequences that become procedures."""

from __future__ import annotations

from aforesaid.domain.dedup import differences

from .summary import event_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Memory

MIN_COMMANDS, MAX_COMMANDS = 3, 8  #: of a sequence
MAX_OFFERED = 5  #: sequences suggested per project at once


def find_same(memory: Memory, candidates: Sequence[Memory]) -> list[Memory]:
    """Return the candidates that are duplicates of a memory, by the test of the write path."""
    return [other for other in candidates if not differences(memory.content, other.content)]


def representative(memories: Sequence[Memory]) -> Memory:
    """Return the memory whose text is used for a fact: the most used, then the latest."""
    return max(memories, key=lambda memory: (memory.access_count, event_time(memory), memory.key))


def recurring_commands(
    sessions: Mapping[int, Sequence[str]], min_sessions: int
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Return sequences of commands that several sessions ran, with the sessions, longest first.

    Sequences within a longer one, and repetitions of the same commands, are left out.

    Args:
        sessions: commands in order, by key of the session's digest.
        min_sessions: minimum number of sessions.
    """
    sessions_by_sequence: dict[tuple[str, ...], set[int]] = {}
    for key, commands in sessions.items():
        for size in range(MIN_COMMANDS, MAX_COMMANDS + 1):
            for start in range(len(commands) - size + 1):
                sequence = tuple(commands[start : start + size])
                if len(set(sequence)) >= MIN_COMMANDS:
                    sessions_by_sequence.setdefault(sequence, set()).add(key)
    frequent = [
        (sequence, keys)
        for sequence, keys in sessions_by_sequence.items()
        if len(keys) >= min_sessions
    ]
    frequent.sort(key=lambda item: (-len(item[0]), -len(item[1]), item[0]))
    result: list[tuple[tuple[str, ...], tuple[int, ...]]] = []
    for sequence, keys in frequent:
        if not any(_contains(longer, sequence) for longer, _ in result):
            result.append((sequence, tuple(sorted(keys))))
        if len(result) == MAX_OFFERED:
            break
    return result


def _contains(longer: Sequence[str], sequence: Sequence[str]) -> bool:
    size = len(sequence)
    return any(
        tuple(longer[start : start + size]) == tuple(sequence)
        for start in range(len(longer) - size + 1)
    )
