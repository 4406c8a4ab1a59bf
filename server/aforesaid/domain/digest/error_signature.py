"""What identifies an error in the output of a command: its line without what changes each time.

Two outputs report the same error if they share a signature.
"""

from __future__ import annotations

import re

from aforesaid.lexicon import shell_commands

MAX_SIGNATURES = 6  #: of one output
_MAX_LINES = 200
_LAST_LINES = 5
_MAX_CHARS = 160
_MIN_WORDS = 2  #: of letters; a shorter line identifies nothing


def error_lines(output: str) -> list[str]:
    """Return the lines of an output that describe an error, the best description first.

    If none is known to, that is the first of the last lines that says something.

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
    if not found:
        last = [line.strip() for line in lines if line.strip()][-_LAST_LINES:]
        found = dict.fromkeys([line for line in last if error_signature(line)][:1])
    return list(found)


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
