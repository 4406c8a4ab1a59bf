"""Whether a command is a further attempt at what an earlier one was for."""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.shell_line import steps_of

_MIN_SHARED = 0.4  #: of the arguments of two commands that are variants of one
_MIN_KEPT = 1 / 3  #: likewise, if one has all arguments of the other
_MIN_WORDS = 3  #: of a command that is recognised as the end of another one
#: An argument, with the quoted texts in it; redirections are left out.
_ARGUMENT = r"(?<!\S)(?:\d?>>?&?\s*\S+|<\s*\S+|&$|((?:[^\s'\"]|\"[^\"]*\"|'[^']*')+))"
_VERSION = r"[=<>~]=|@(?=\d)|:(?=[\w.-]+$)"  #: what a version follows
_RUN = r"^(?:(?:python[\d.]*|py) -m |(npm|pnpm|yarn|bun) run )"


def without_prefixes(written: str) -> str:
    """Return a simple command without its prefixes."""
    steps = steps_of(written, remote=True)
    return steps[-1].text if steps else written


def tool_of(step: str) -> str:
    """Return the name of the program that a simple command runs."""
    return re.split(r"[/\\]", step.split(maxsplit=1)[0])[-1]


def is_variant_of(failed: str, step: str) -> bool:
    """Tell whether a command is a further attempt at what an earlier one was for."""
    first, second = (re.sub(_RUN, r"\1 ", each) for each in (failed, step))
    if first.split() == second.split():
        return True
    if len(first.split()) >= _MIN_WORDS and second.endswith(f" {first}"):
        return True  # in another environment
    tools = [tool_of(first), tool_of(second)]
    names, others = arguments_of(first), arguments_of(second)
    if "." in tools[0] and any(re.split(r"[/\\]", name)[-1] == tools[0] for name in others):
        return True  # a script, by its interpreter
    if not (tools[0].startswith(tools[1]) or tools[1].startswith(tools[0])):
        return False
    shared = len(names & others) / max(1, len(names | others))
    if not (names <= others or others <= names):
        return shared >= _MIN_SHARED or _has_operands_of(first, second)
    kinds = {commands.purpose_of(each)[0] for each in (first, second)}
    return shared >= _MIN_KEPT or kinds == {commands.TESTS}


def _has_operands_of(first: str, second: str) -> bool:
    """Tell whether of two commands that differ in their options, one has the other's operands."""
    operands = [_split_arguments(each)[1] for each in (first, second)]
    fewer, more = sorted(operands, key=len)
    return fewer <= more and len(fewer) >= _MIN_KEPT * len(more) > 0


def replaced_operands(failed: str, step: str) -> set[str]:
    """Return the operands in place of which a command with the same options has others.

    Another version of the same thing does not count (``torch==1.9``, ``node:18``).
    """
    options, operands = zip(*map(_split_arguments, (failed, step)), strict=True)
    added = operands[1] - operands[0]
    if not options[0] <= options[1] or not added:
        return set()
    names = {re.split(_VERSION, operand)[0] for operand in added}
    return {
        operand
        for operand in operands[0] - operands[1]
        if re.split(_VERSION, operand)[0] not in names
    }


def operands_left_out(failed: str, step: str) -> set[str]:
    """Return the operands that a command had and another one has not."""
    return _split_arguments(failed)[1] - _split_arguments(step)[1]


def _split_arguments(step: str) -> tuple[set[str], set[str]]:
    """Return the names of a command's options, and its operands with the options' values."""
    options: set[str] = set()
    operands: set[str] = set()
    for match in list(re.finditer(_ARGUMENT, step))[1:]:
        word = match[1] or ""
        name, _, value = word.partition("=") if word.startswith("-") else ("", "", word)
        options.update({name} - {""})
        operands.update({value.strip("'\"")} - {""})
    return options, operands


def arguments_of(step: str) -> set[str]:
    """Return the arguments of a command without their numbers and one-letter flags."""
    words = re.findall(_ARGUMENT, step)[1:]
    return {
        re.sub(r"\d+(?:\.\d+)*", "*", word)
        for word in words
        if re.search(r"\w", word) and not re.fullmatch(r"-\w", word)
    }
