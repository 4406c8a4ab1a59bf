"""Whether a command is a further attempt at what an earlier one was for."""

from __future__ import annotations

import re
from itertools import pairwise

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.shell_line import steps_of

_MIN_SHARED = 0.5  #: of the words of two commands after the first: variants of one command


def without_prefixes(command: str) -> str:
    """Return a simple command without its prefixes."""
    steps = steps_of(command)
    return steps[-1].text if steps else command


def tool_of(step: str) -> str:
    """Return the name of the program that a simple command runs."""
    return re.split(r"[/\\]", step.split(maxsplit=1)[0])[-1]


def is_variant_of(failed: str, step: str) -> bool:
    """Tell whether a command is a further attempt at what an earlier one was for."""
    first, second = failed.split(), step.split()
    if first == second:
        return True
    kind, tool = commands.purpose_of(step)
    if kind not in {commands.OTHER, commands.COMMIT}:
        return (kind, tool) == commands.purpose_of(failed)
    tools = [tool_of(failed), tool_of(step)]
    names, others = _names(first), _names(second)
    if "." in tools[0] and any(re.split(r"[/\\]", name)[-1] == tools[0] for name in others):
        return True  # a script, by its interpreter
    if tools[0] == tools[1]:
        is_same = names[:1] == others[:1]
        return is_same and bool(set(names[1:]) & set(others[1:]) or not names[1:] or not others[1:])
    if not (tools[0].startswith(tools[1]) or tools[1].startswith(tools[0])):
        return False
    shared = set(names) & set(others)
    return bool(shared) and len(shared) >= _MIN_SHARED * max(len(names), len(others))


def _names(words: list[str]) -> list[str]:
    """Return the words of a command after its tool, without options and values of short ones."""
    return [
        word
        for before, word in pairwise(words)
        if not word.startswith("-") and not re.fullmatch(r"-[A-Za-z]", before)
    ]
