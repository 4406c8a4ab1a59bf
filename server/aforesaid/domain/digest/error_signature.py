"""What identifies an error in a command's output: its lines without the parts that vary.

Two outputs report the same error if a line of each has mostly the same distinctive words.
"""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import cut
from aforesaid.lexicon import shell_commands
from aforesaid.lexicon.output_words import COMMON_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SIGNATURES = 6  #: of one output
_MAX_LINES = 200
_LAST_LINES = 5
_MAX_LINE_CHARS = 1_000  #: that are read of a line
_MAX_CHARS = 240
_MAX_DESCRIBED = 3  #: lines
_AFTER_CAUSE = 60  #: characters shown after the words that state the cause
_KINDS = ("error", "exception", "warning")  #: endings of words that name a kind of error
_MIN_WORDS = 2  #: of letters; a shorter line identifies nothing
#: Weight of a word that many outputs have; any other word has weight 1.
_COMMON_WEIGHT = 0.25
#: Minimum likeness of two errors that count as the same.
#: Source: python -m bench.failures, on the authors in its folder.
MIN_LIKENESS = 0.5


def error_lines(output: str) -> list[str]:
    """Return the lines of an output that describe an error, the best description first.

    Lines that state a cause come first. If no line is recognised, the result is the first one among
    the last lines that identifies anything.

    Args:
        output: of a command, preferably from ``relevant_lines``.
    """
    lines = [line[:_MAX_LINE_CHARS].rstrip() for line in output.split("\n")[:_MAX_LINES]]
    described: dict[str, None] = {}
    for pattern in shell_commands.ERROR_LINES:
        for line in lines:
            match = re.match(pattern, line)
            if match and error_signature(match[1]):
                described[match[1].strip()] = None
    for line in lines[::-1]:
        if re.search(shell_commands.CAUSES, line) and error_signature(line):
            described.setdefault(line.strip())
    if not described:
        last = [line.strip() for line in lines if line.strip()][-_LAST_LINES:]
        described = dict.fromkeys([line for line in last if error_signature(line)][:1])
    return sorted(described, key=lambda line: not re.search(shell_commands.CAUSES, line))


def describe_error(output: str) -> str:
    """Return the lines that best describe an output's error, at most three.

    Empty if no line describes an error.
    """
    parts: list[str] = []
    for line in error_lines(output):
        part = _part_with_cause(" ".join(line.split()))
        if not any(part in other or other in part for other in parts):
            parts.append(part)
    return " / ".join(parts[:_MAX_DESCRIBED])


def _part_with_cause(line: str) -> str:
    """Return a line, or the part of a long one that states the cause."""
    if len(line) <= _MAX_CHARS:
        return line
    causes = list(re.finditer(shell_commands.CAUSES, line))
    end = min(len(line), max(_MAX_CHARS, causes[-1].end() + _AFTER_CAUSE if causes else 0))
    if end == _MAX_CHARS:
        return cut(line, _MAX_CHARS)
    start = line.find(" ", end - _MAX_CHARS) + 1
    return f"…{line[start:end]}"


def error_signature(line: str) -> str:
    """Return what identifies an error in the line that describes it; empty if it says too little.

    Paths are reduced to their last name; times, ids, addresses and large numbers to ``*``.
    """
    text = " ".join(line[:_MAX_LINE_CHARS].split())
    if re.search(shell_commands.GENERIC_ERRORS, text):
        return ""
    for pattern, replacement in shell_commands.VARYING:
        text = re.sub(pattern, replacement, text)
    text = " ".join(text.split()).strip(" .:!").casefold()[:_MAX_CHARS]
    return text if len(re.findall(r"[^\W\d_]{2,}", text)) >= _MIN_WORDS else ""


def error_signatures(output: str) -> list[str]:
    """Return the signatures of an output, the best description first."""
    signatures = dict.fromkeys(map(error_signature, error_lines(output)))
    return list(signatures)[:MAX_SIGNATURES]


def likeness_of_errors(signatures: Iterable[str], others: Iterable[str]) -> float:
    """Return how alike two errors are, in [0, 1], by the most similar of their lines.

    At ``MIN_LIKENESS`` or above, they are the same error.

    Args:
        signatures: of one output.
        others: of the other.
    """
    known = [_distinctive_words(other) for other in others]
    return max(
        (_likeness(_distinctive_words(each), words) for each in signatures for words in known),
        default=0.0,
    )


def _distinctive_words(signature: str) -> dict[str, float]:
    """Return the words of a signature with their weights; of numbers, only codes (TS2322) count."""
    words = set(re.findall(r"[^\W\d_]{2,}(?:\d{3,})?", signature))
    return {
        word: _COMMON_WEIGHT if word in COMMON_WORDS or word.endswith(_KINDS) else 1.0
        for word in words
    }


def _likeness(words: dict[str, float], others: dict[str, float]) -> float:
    codes, other_codes = ({word for word in each if word[-1].isdigit()} for each in (words, others))
    if codes and other_codes and not codes & other_codes:
        return 0.0
    shared = [words[word] for word in words.keys() & others.keys()]
    if 1.0 not in shared:  # only words that many outputs have
        return 0.0
    return 2 * sum(shared) / (sum(words.values()) + sum(others.values()))
