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
_LONG, _SHORT = 240, 30  #: characters of a line that is split, and of a part that is not
_STATEMENT_ENDS = (r"(?<=[.;])\s+|,\s*(?=[\"'{])|\s->\s|\\n", r"(?<=:)\s+")
_MAX_COUNTED = 20  #: words
#: Patterns of a line in which names of files and paths are replaced: these say nothing.
_PATTERNS = {
    "cause": shell_commands.CAUSES,
    "negation": shell_commands.NEGATIONS,
    "tagged": shell_commands.ERROR_TAGS,
    "error": r"(?i)error",
    "done": shell_commands.DONE,
    "level": r"(?i)\b(?:INFO|WARN(?:ING)?|DEBUG)\b",
    "colon": r": ",
    "code": shell_commands.ERROR_CODES,
    "quoted": r"[\"'`][^\s\"'`]",
}
#: Patterns of a line as it was printed.
_PRINTED_PATTERNS = {
    "generic": shell_commands.GENERIC_ERRORS,
    "advice": shell_commands.ADVICE,
    "options": r"\s--?\w\S*(?: .*)?\s--?\w",
}
_RULE = r"([^\w\s])\1{3,}"
_FILE = rf"{shell_commands.FOLDERS}\S*|{shell_commands.FILE_NAME}"


def split_lines(output: str) -> list[str]:
    """Return the lines of an output that are read, long ones split into their statements."""
    lines = [line[:_MAX_LINE_CHARS].rstrip() for line in output.split("\n")[:_MAX_LINES]]
    for end in _STATEMENT_ENDS:
        lines = [part for line in lines for part in _split(line, end)]
    return lines


def _split(line: str, end: str) -> list[str]:
    if len(line) <= _LONG:
        return [line]
    parts = [""]
    for part in re.split(end, line):
        if len(parts[-1]) < _SHORT:
            parts[-1] = f"{parts[-1]} {part}".lstrip()
        else:
            parts.append(part)
    return parts


def line_features(lines: Sequence[str]) -> list[dict[str, float]]:
    """Return what the model knows about each line of an output."""
    texts = [_stated(line) for line in lines]
    reporting = [
        index for index, text in enumerate(texts) if re.search(shell_commands.REPORTS_ERROR, text)
    ] or [len(lines)]
    return [
        {
            **{name: bool(re.search(pattern, text)) for name, pattern in _PATTERNS.items()},
            **{name: bool(re.search(pattern, line)) for name, pattern in _PRINTED_PATTERNS.items()},
            "first": index == reporting[0],
            "before": index < reporting[0],
            "after": index > reporting[-1],
            "words": min(len(set(re.findall(r"[^\W\d_]{2,}", line.lower()))), _MAX_COUNTED),
            "letters": sum(char.isalpha() or char == " " for char in line) / max(1, len(line)),
            "digits": sum(map(str.isdigit, line)) / max(1, len(line)),
            "position": (index + 1) / len(lines),
            "above": bool(re.search(shell_commands.GENERIC_ERRORS, _after(lines, index))),
            "explains": _before(lines, index).endswith(":"),
        }
        for index, (line, text) in enumerate(zip(lines, texts, strict=True))
    ]


def _stated(line: str) -> str:
    """Return a line without names of files, counts of no errors and rules, which say nothing."""
    line = re.sub(_RULE, r"\1", line)
    return re.sub(shell_commands.NO_ERRORS, "_", re.sub(_FILE, "_", line))


def _after(lines: Sequence[str], index: int) -> str:
    """Return the next line that is not empty."""
    return next((line.strip() for line in lines[index + 1 :] if line.strip()), "")


def _before(lines: Sequence[str], index: int) -> str:
    """Return the line before that is not empty."""
    return next((line.strip() for line in lines[:index][::-1] if line.strip()), "")


def line_scores(lines: Sequence[str]) -> list[float]:
    """Return the log-odds that each line of an output says what went wrong."""
    return [
        BIAS + sum(FEATURES[name] * value for name, value in features.items())
        for features in line_features(lines)
    ]


def ends_with_error(output: str) -> bool:
    """Tell whether an output says what went wrong, and reports an error after its last success."""
    texts = [_stated(line) for line in split_lines(output)]
    last = {
        pattern: max((at for at, text in enumerate(texts) if re.search(pattern, text)), default=-1)
        for pattern in (shell_commands.REPORTS_ERROR, shell_commands.SUCCEEDED)
    }
    is_last = last[shell_commands.REPORTS_ERROR] > last[shell_commands.SUCCEEDED]
    return is_last and reports_error(output)


def reports_error(output: str) -> bool:
    """Tell whether a line of an output likely says that something went wrong."""
    return any(score > 0 for score in line_scores(split_lines(output)))
