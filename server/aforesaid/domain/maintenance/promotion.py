"""Repeated events that become facts, and command sequences that become procedures."""

from __future__ import annotations

import re
from array import array
from operator import mul

from aforesaid.domain.dedup import differences
from aforesaid.domain.digest.commands import CHECK, COMMIT, TESTS, purpose_of
from aforesaid.domain.text.tokenize import stem
from aforesaid.lexicon.shell_commands import EVERYDAY
from aforesaid.lexicon.stop_words import STOP_WORDS

from .summary import event_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Memory

#: Minimum and average cosine of two versions of one event; words that all versions share.
#: Source: docs/adr/0032-tending.md, "Promotion".
MIN_REWORDED_COSINE, MIN_MEAN_COSINE, MIN_SHARED_WORDS = 0.55, 0.65, 2
_WORD, _FIGURE = re.compile(r"[^\W\d_]{3,}"), re.compile(r"\d+")
MIN_COMMANDS, MAX_COMMANDS = 3, 8  #: of a sequence
MIN_PARTICULAR = 2  #: commands of a sequence that do not belong to any work in a repository
MAX_SEQUENCES = 5  #: sequences suggested per project at once
_EVERYDAY = re.compile(EVERYDAY)


def find_same(memory: Memory, candidates: Sequence[Memory]) -> list[Memory]:
    """Return the candidates that are duplicates of a memory, by the test of the write path."""
    return [other for other in candidates if not differences(memory.content, other.content)]


def find_reworded(
    memory: Memory, candidates: Sequence[Memory], vectors: Mapping[int, bytes]
) -> list[Memory]:
    """Return the candidates that state a memory's event in other words, nearest first.

    All versions are near each other, share two words, and agree in figures and names.

    Args:
        memory: the first version.
        candidates: its neighbours.
        vectors: by key, float32, normalised.
    """
    numbers = {
        item.key: array("f", vectors[item.key])
        for item in (memory, *candidates)
        if item.key in vectors
    }

    def near(a: Memory, b: Memory) -> float:
        return float(sum(map(mul, numbers[a.key], numbers[b.key])))

    versions = [memory]
    words, figures = _stems(memory.content), _FIGURE.findall(memory.content)
    reachable = [item for item in candidates if item.key in numbers and memory.key in numbers]
    for candidate in sorted(reachable, key=lambda item: -near(memory, item)):
        cosines = [near(candidate, version) for version in versions]
        shared = words & _stems(candidate.content)
        if (
            min(cosines) >= MIN_REWORDED_COSINE
            and sum(cosines) / len(cosines) >= MIN_MEAN_COSINE
            and len(shared) >= MIN_SHARED_WORDS
            and _FIGURE.findall(candidate.content) == figures
            and not _has_other_name(memory.content, candidate.content)
        ):
            versions.append(candidate)
            words = shared
    return versions[1:]


def _has_other_name(text_a: str, text_b: str) -> bool:
    """Tell whether one text has a name where the other has another one."""
    return any(
        difference.startswith("name") and "nothing" not in difference
        for difference in differences(text_a, text_b)
    )


def _stems(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS}


def representative(memories: Sequence[Memory]) -> Memory:
    """Return the memory whose text is used for a fact: the most used, then the latest."""
    return max(memories, key=lambda memory: (memory.access_count, event_time(memory), memory.key))


def recurring_commands(
    sessions: Mapping[int, Sequence[str]], min_sessions: int
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Return sequences of commands that several sessions ran, with the sessions, longest first.

    Sequences within a longer one, the same commands in another order, repetitions of the same
    commands, and everyday work (git, tests, checks) are left out.

    Args:
        sessions: commands in order, by key of the session's digest.
        min_sessions: minimum number of sessions.
    """
    sessions_by_sequence: dict[tuple[str, ...], set[int]] = {}
    for key, commands in sessions.items():
        for size in range(MIN_COMMANDS, MAX_COMMANDS + 1):
            for start in range(len(commands) - size + 1):
                sequence = tuple(commands[start : start + size])
                if len(set(sequence)) >= MIN_COMMANDS and _is_particular(sequence):
                    sessions_by_sequence.setdefault(sequence, set()).add(key)
    frequent = [
        (sequence, keys)
        for sequence, keys in sessions_by_sequence.items()
        if len(keys) >= min_sessions
    ]
    frequent.sort(key=lambda item: (-len(item[0]), -len(item[1]), item[0]))
    result: list[tuple[tuple[str, ...], tuple[int, ...]]] = []
    for sequence, keys in frequent:
        if not any(
            _contains(longer, sequence) or set(longer) == set(sequence) for longer, _ in result
        ):
            result.append((sequence, tuple(sorted(keys))))
        if len(result) == MAX_SEQUENCES:
            break
    return result


def _is_particular(sequence: Sequence[str]) -> bool:
    return (
        sum(
            not (_EVERYDAY.match(command) or purpose_of(command)[0] in {TESTS, CHECK, COMMIT})
            for command in set(sequence)
        )
        >= MIN_PARTICULAR
    )


def _contains(longer: Sequence[str], sequence: Sequence[str]) -> bool:
    size = len(sequence)
    return any(
        tuple(longer[start : start + size]) == tuple(sequence)
        for start in range(len(longer) - size + 1)
    )
