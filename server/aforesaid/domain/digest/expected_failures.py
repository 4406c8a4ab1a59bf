"""Which failures were no obstacle, so that what came after them cured nothing.

A conflict that is resolved, a thing that was not there yet, a server that was not started yet, and
a command that was given another target.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.retries import (
    is_variant_of,
    operands_left_out,
    replaced_operands,
    without_prefixes,
)
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.failed_attempt import Failure

_OPTION = r"\s--?\w"  #: in a line of an error that repeats the command
_MIN_NAME = 3  #: characters of a target that an error names


def is_expected(failure: Failure, ran: Sequence[str]) -> bool:
    """Tell whether a failure was no obstacle.

    Args:
        failure: to judge.
        ran: the commands that count as its cure, or as tried.
    """
    command, error = without_prefixes(failure.command), failure.error
    others = [step for step in ran if not is_variant_of(command, without_prefixes(step))]
    if re.match(shell_commands.MERGES, command) and "conflict" in error.lower():
        return True
    looks = re.match(shell_commands.LOOKS, command) is not None
    if _was_absent(command, error, others, looks=looks):
        return True
    if not failure.is_fixed or any(
        re.search(shell_commands.CONFIGURATION_FILES, name) for name in failure.changed
    ):
        return False
    return _is_started_later(command, others) or _had_another_target(command, error, ran, others)


def _was_absent(command: str, error: str, others: Sequence[str], *, looks: bool) -> bool:
    """Tell whether a command looked at, or removed, a thing that was not there."""
    absent = re.search(shell_commands.ABSENT, error.partition(" / ")[0])
    is_made = not others or any(re.search(shell_commands.CREATES, step) for step in others)
    if absent is None or not is_made:
        return False
    if re.search(shell_commands.REMOVES, command):
        return True
    is_named = absent["name"] is None or absent["name"] in command
    return looks and is_named


def _is_started_later(command: str, others: Sequence[str]) -> bool:
    """Tell whether a local server was asked that was being written, or not started yet."""
    return re.search(shell_commands.ASKS_LOCAL_SERVER, command) is not None and all(
        re.search(shell_commands.STARTS, step) for step in others
    )


def _changes_environment(step: str) -> bool:
    return re.search(shell_commands.REMEDIES, step) is not None


def _had_another_target(
    command: str, error: str, ran: Sequence[str], others: Sequence[str]
) -> bool:
    """Tell whether a command passed with other values in place of those that the error is about."""
    if not ran or ran[-1] in others or any(map(_changes_environment, others)):
        return False
    passed = without_prefixes(ran[-1])
    if re.search(shell_commands.NO_FILE, error) and any(
        "/" in operand and operand in error for operand in operands_left_out(command, passed)
    ):
        return True
    replaced = replaced_operands(command, passed)
    parts = error.split(" / ")
    stated = " / ".join(part for part in parts if not re.search(_OPTION, part))
    is_invalid = re.search(shell_commands.INVALID, error) is not None
    names = (
        name
        for operand in replaced
        if is_invalid or re.search(r"[/.\d]", operand)
        for name in re.split(r"[/\\:@]", operand)
        if name not in passed
    )
    return any(len(name) >= _MIN_NAME and name in stated for name in names)
