"""Which lines of a failed command's output say what went wrong.

A logistic model scores each line; ``python -m bench.failures.train`` makes its weights.
"""

from __future__ import annotations

import re

from aforesaid.lexicon import shell_commands

from .error_line_weights import BIAS, FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_LINES = 200
_MAX_LINE_CHARS = 1_000  #: that are read of a line
_LONG = 240  #: characters of a line that is split into its statements
_STATEMENT_END = r"(?<=[.;])\s+|,\s*(?=[\"'{])|\s->\s|\\n"
_MAX_COUNTED = 20  #: words
_PATTERNS = {
    "cause": shell_commands.CAUSES,
    "negation": shell_commands.NEGATIONS,
    "generic": shell_commands.GENERIC_ERRORS,
    "tagged": shell_commands.ERROR_TAGS,
    "error": r"(?i)error",
    "done": shell_commands.DONE,
    "level": r"(?i)\b(?:INFO|WARN(?:ING)?|DEBUG)\b",
    "advice": shell_commands.ADVICE,
    "colon": r": ",
}


def split_lines(output: str) -> list[str]:
    """Return the lines of an output that are read, long ones split into their statements."""
    lines: list[str] = []
    for line in output.split("\n")[:_MAX_LINES]:
        is_long = len(line) > _LONG
        lines += re.split(_STATEMENT_END, line[:_MAX_LINE_CHARS]) if is_long else [line.rstrip()]
    return lines


def line_features(lines: Sequence[str]) -> list[dict[str, float]]:
    """Return what the model knows about each line of an output."""
    reporting = [
        index for index, line in enumerate(lines) if re.search(shell_commands.REPORTS_ERROR, line)
    ] or [len(lines)]
    return [
        {
            **{name: bool(re.search(pattern, line)) for name, pattern in _PATTERNS.items()},
            "first": index == reporting[0],
            "before": index < reporting[0],
            "after": index > reporting[-1],
            "words": min(len(set(re.findall(r"[^\W\d_]{2,}", line.lower()))), _MAX_COUNTED),
            "letters": sum(char.isalpha() or char == " " for char in line) / max(1, len(line)),
            "digits": sum(map(str.isdigit, line)) / max(1, len(line)),
        }
        for index, line in enumerate(lines)
    ]


def line_scores(lines: Sequence[str]) -> list[float]:
    """Return the log-odds that each line of an output says what went wrong."""
    return [
        BIAS + sum(FEATURES[name] * value for name, value in features.items())
        for features in line_features(lines)
    ]
