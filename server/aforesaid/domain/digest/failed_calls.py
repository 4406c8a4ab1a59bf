"""What a tool call says about its commands: which one decided its status, and its error."""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_lines import reports_error
from aforesaid.domain.digest.error_signature import describe_error
from aforesaid.domain.digest.retries import without_prefixes
from aforesaid.domain.digest.run_log import relative
from aforesaid.domain.digest.shell_line import ShellStep, steps_of
from aforesaid.domain.model.transcript import EDIT, OK, ToolUse
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main_step(use: ToolUse, cwd: str) -> tuple[ShellStep, str] | None:
    """Return the command that decides a call's status, and its error if it failed.

    An edit counts as a command. None if the call says nothing, or if an edit failed because of its
    own text.
    """
    if use.kind == EDIT:
        text = f"edit {relative(use.path, cwd)}"
        deciding = [ShellStep(text=text, original=text, decides_status=True)] if use.path else []
    else:
        deciding = deciding_steps(use)
        deciding = [step for step in deciding if not step.reads_pipe] or deciding
    if not deciding:
        return None
    if use.status == OK:
        return deciding[-1], ""
    error = describe_error(_without_differences(use.result))
    is_outside = use.kind != EDIT or not re.search(shell_commands.EDIT_ERRORS, use.result)
    return (deciding[-1], error) if error and is_outside else None


def _without_differences(output: str) -> str:
    """Return an output without the lines of a diff: what differs is no error."""
    if not re.search(shell_commands.DIFF_HEADER, output):
        return output
    return re.sub(shell_commands.DIFF_LINE, "", output)


def deciding_steps(use: ToolUse) -> list[ShellStep]:
    """Return the commands that decide a call's status, except those that only read.

    If these only cut the output of another command, that command decides. Every command of a call
    that passed without reporting an error passed.
    """
    steps = [
        step
        for step in steps_of(use.command, remote=True)
        if not _is_quiet(step) or re.search(shell_commands.STRICT, step.text)
    ]
    deciding = [step for step in steps if step.decides_status]
    if reports_error(use.result) == (use.status == OK):
        return deciding
    return steps if use.status == OK else deciding or steps[-1:]


def acting_steps(use: ToolUse) -> list[str]:
    """Return the commands of a call that may change something, as they were written."""
    return [
        step.original
        for step in steps_of(use.command, remote=True)
        if (not _is_quiet(step) or re.search(shell_commands.ACTS, step.text))
        and not re.match(shell_commands.LOOKS, step.text)
    ]


def without_routine(steps: Sequence[str]) -> list[str]:
    """Return commands without tests, checks and commits, which hardly fix anything."""
    return [
        step
        for step in steps
        if commands.purpose_of(without_prefixes(step))[0] not in {commands.TESTS, commands.CHECK}
        and not re.match(shell_commands.ROUTINE, without_prefixes(step))
    ]


def _is_quiet(step: ShellStep) -> bool:
    """Tell whether a command only reads; a script on standard input is work in progress."""
    if re.fullmatch(shell_commands.INTERPRETERS, step.text):
        return True
    return commands.is_quiet(step.text) and not re.search(shell_commands.WRITES, step.text)
