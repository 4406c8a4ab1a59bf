"""What identifies an error in a command's output: its lines without the parts that vary.

Two outputs report the same error if a line of each has mostly the same distinctive words.
"""

from __future__ import annotations

import re
from itertools import pairwise

from aforesaid.lexicon import shell_commands
from aforesaid.lexicon.output_words import COMMON_WORDS

from .error_lines import line_scores, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_SIGNATURES = 6  #: of one output
_MAX_CHARS = 240  #: of a line
_START_SHARE = 7 / 12  #: of what is left of a longer line, its beginning
_REPETITION = 0.9  #: likeness of a line to an earlier one that it repeats
DESCRIBED_CHARS = 480  #: of the lines that describe an error
_MIN_DESCRIBED, _MAX_DESCRIBED = 4, 6  #: lines; more than the first only if there is room
_FEW_DESCRIBED, _MIN_OF_FEW = 3, -2.0  #: lines; the score from which some are added to fewer
_KINDS = ("error", "exception", "warning")  #: endings of words that name a kind of error
_MIN_WORDS = 2  #: of letters; a shorter line identifies nothing
_MIN_BESIDE = 1.5  #: weight of the words beside what ends many errors
#: Least scores of further lines: of those that describe an error, and that identify it.
_MIN_DESCRIBING, _MIN_IDENTIFYING = -1.0, 0.0
_MIN_FURTHER = -0.5  #: the same of lines beyond the first four that describe it
#: Weight of a word that many outputs have; any other word has weight 1.
_COMMON_WEIGHT = 0.25
#: Minimum likeness of two errors that count as the same.
#: Source: python -m bench.failures, on the authors in its folder.
MIN_LIKENESS = 0.5


def error_lines(output: str, min_score: float = _MIN_DESCRIBING) -> list[str]:
    """Return the lines of an output that describe an error, the best description first.

    Args:
        output: of a command, preferably from ``relevant_lines``.
        min_score: the least score of all lines but the best.
    """
    lines = split_lines(output)
    ranked = sorted(zip(line_scores(lines), lines, strict=True), key=lambda pair: -pair[0])
    told = [(score, line.strip()) for score, line in ranked if error_signature(line)]
    least = min(min_score, told[0][0]) if told else 0.0
    return list(dict.fromkeys(line for score, line in told if score >= least))


def describe_error(output: str) -> str:
    """Return the lines that best describe an output's error, at most six.

    A line that ends with a colon is followed by the next, and a repetition is left out. Empty if no
    line describes an error.
    """
    parts: list[str] = []
    known: list[str] = []
    likely = frozenset(error_lines(output, _MIN_FURTHER))
    following = _lines_after_colons(output)
    lines = error_lines(output)
    if len(lines) < _FEW_DESCRIBED:
        lines = error_lines(output, _MIN_OF_FEW)[:_FEW_DESCRIBED]
    for line in lines:
        signature = error_signature(line)
        if likeness_of_errors(known, [signature]) >= _REPETITION:
            continue
        known.append(signature)
        after = following.get(line, "")
        joined = " ".join(f"{line} {after if after not in lines else ''}".split())
        part = joined if len(joined) <= _MAX_CHARS else _shortened(" ".join(line.split()))
        alike = [index for index, other in enumerate(parts) if part in other or other in part]
        if alike:
            parts[alike[0]] = max(parts[alike[0]], part, key=len)
        elif len(parts) < _MIN_DESCRIBED or (
            len(parts) < _MAX_DESCRIBED
            and line in likely
            and len(" / ".join([*parts, part])) <= DESCRIBED_CHARS
        ):
            parts.append(part)
    return " / ".join(_fitted(parts))


def _fitted(lines: Sequence[str]) -> list[str]:
    """Return lines of which the longest are shortened, so that together they are not too long.

    Folders are left out first.
    """
    parts = list(lines)
    if sum(map(len, parts)) > DESCRIBED_CHARS - len(parts) * len(" / "):
        parts = [re.sub(shell_commands.FOLDERS, "", part) for part in parts]
    room = share = DESCRIBED_CHARS - len(parts) * len(" / ")
    for index, length in enumerate(sorted(map(len, parts))):
        share = room // (len(parts) - index)
        if length > share:
            break
        room -= length
    return [_shortened(part, share) for part in parts]


def _lines_after_colons(output: str) -> dict[str, str]:
    """Return the line that follows each line with a colon at its end."""
    lines = [line.strip() for line in split_lines(output) if line.strip()]
    return {line: after for line, after in pairwise(lines) if line.endswith(":")}


def _shortened(line: str, max_chars: int = _MAX_CHARS) -> str:
    """Return a line; of a long one, its beginning and its end."""
    if len(line) <= max_chars:
        return line
    start_chars = int(max_chars * _START_SHARE)
    start = line.rfind(" ", 0, start_chars) + 1 or start_chars
    end = line.find(" ", start - max_chars) + 1 or start - max_chars
    return f"{line[:start]}… {line[end:]}"


def error_signature(line: str) -> str:
    """Return what identifies an error in the line that describes it; empty if it says too little.

    Paths are reduced to their last name; times, ids, addresses and large numbers to ``*``. Of what
    ends many errors, only the rest of the line counts.
    """
    text = " ".join(line.split())
    for pattern, replacement in shell_commands.VARYING:
        text = re.sub(pattern, replacement, text)
    text = " ".join(text.split()).strip(" .:!").casefold()
    rest = " ".join(re.sub(shell_commands.GENERIC_ERRORS, " ", text).split())
    if rest != text and sum(_distinctive_words(rest).values()) < _MIN_BESIDE:
        return ""
    return _shortened(rest) if len(re.findall(r"[^\W\d_]{2,}", rest)) >= _MIN_WORDS else ""


def error_signatures(output: str) -> list[str]:
    """Return the signatures of an output, the best description first."""
    signatures = dict.fromkeys(map(error_signature, error_lines(output, _MIN_IDENTIFYING)))
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
