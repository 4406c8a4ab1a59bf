"""What identifies an error in the output of a command: its line without what changes each time.

Two outputs report the same error if they share a signature.
"""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import cut
from aforesaid.lexicon import shell_commands

MAX_SIGNATURES = 6  #: of one output
_MAX_LINES = 200
_LAST_LINES = 5
_MAX_CHARS = 160
_AFTER_CAUSE = 60  #: characters shown after the words that say why
_MIN_WORDS = 2  #: of letters; a shorter line identifies nothing


def error_lines(output: str) -> list[str]:
    """Return the lines of an output that describe an error, the best description first.

    That is a line that says why something failed. If none is known to describe an error, it is the
    first of the last lines that says something.

    Args:
        output: of a command, at best from ``relevant_lines``.
    """
    lines = [line.rstrip() for line in output.split("\n")[:_MAX_LINES]]
    found: dict[str, None] = {}
    for pattern in shell_commands.ERROR_LINES:
        for line in lines:
            match = re.match(pattern, line)
            if match and error_signature(match[1]):
                found[match[1].strip()] = None
    for line in lines[::-1]:
        if re.search(shell_commands.CAUSES, line) and error_signature(line):
            found.setdefault(line.strip())
    if not found:
        last = [line.strip() for line in lines if line.strip()][-_LAST_LINES:]
        found = dict.fromkeys([line for line in last if error_signature(line)][:1])
    return sorted(found, key=lambda line: not re.search(shell_commands.CAUSES, line))


def describe_error(output: str) -> str:
    """Return the line that describes an output's error best, with the last line that says why.

    Empty if no line describes an error.
    """
    lines = error_lines(output)
    causes = [
        line.strip()
        for line in output.split("\n")[:_MAX_LINES]
        if re.search(shell_commands.CAUSES, line) and error_signature(line)
    ]
    parts = [_part_with_cause(" ".join(line.split())) for line in (*lines[:1], *causes[-1:])]
    if len(parts) > 1 and (parts[0] in parts[1] or parts[1] in parts[0]):
        return max(parts, key=len)
    return " / ".join(parts)


def _part_with_cause(line: str) -> str:
    """Return a line, or the part of a long one that says why."""
    if len(line) <= _MAX_CHARS:
        return line
    found = list(re.finditer(shell_commands.CAUSES, line))
    end = min(len(line), max(_MAX_CHARS, found[-1].end() + _AFTER_CAUSE if found else 0))
    if end == _MAX_CHARS:
        return cut(line, _MAX_CHARS)
    start = line.find(" ", end - _MAX_CHARS) + 1
    return f"…{line[start:end]}"


def error_signature(line: str) -> str:
    """Return what identifies an error in the line that describes it; empty if it says too little.

    Paths are reduced to their last name; times, ids, addresses and large numbers to ``*``.
    """
    text = " ".join(line.split())
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
