"""What a tool call says about its commands: which one decided its status, and its error."""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_lines import ends_with_error, reports_error
from aforesaid.domain.digest.error_signature import describe_error, error_lines
from aforesaid.domain.digest.retries import without_prefixes
from aforesaid.domain.digest.run_log import relative
from aforesaid.domain.digest.shell_line import ShellStep, steps_of
from aforesaid.domain.model.transcript import EDIT, OK, RUN, ToolUse
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT = r"\"[^\"]*\"|'[^']*'"  #: as a command, PowerShell prints it


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
        direct = [step for step in deciding if not step.reads_pipe]
        if not direct and (hidden := _hidden_failure(use)):
            return hidden
        deciding = direct or deciding
    if not deciding:
        return None
    if use.status == OK:
        return deciding[-1], ""
    error = describe_error(_without_differences(use.result))
    is_outside = use.kind != EDIT or not re.search(shell_commands.EDIT_ERRORS, use.result)
    return (deciding[-1], error) if error and is_outside else None


def _hidden_failure(use: ToolUse) -> tuple[ShellStep, str] | None:
    """Return the command that failed in a call that passed, as its status was hidden; its error.

    A pipe into a command that only reads hides the status (``terraform apply | tail``).
    """
    steps = [
        step
        for step in steps_of(use.command, remote=True)
        if not (step.reads_pipe or _is_quiet(step) or re.match(shell_commands.LOOKS, step.text))
    ]
    error = describe_error(_without_differences(use.result))
    is_hidden = steps and use.status == OK and ends_with_error(use.result)
    return (steps[-1], error) if is_hidden and error else None


def log_step(use: ToolUse) -> ShellStep | None:
    """Return the command of a call that shows a log, or the state of something."""
    steps = steps_of(use.command, remote=True) if use.kind == RUN else []
    return next((step for step in steps if re.search(shell_commands.LOGS, step.text)), None)


def error_in_log(use: ToolUse) -> str:
    """Return the error that a log states; empty if it has none."""
    lines = error_lines(use.result, 0.0) if reports_error(use.result) else []
    causes = [line for line in lines if re.search(shell_commands.CAUSES, line)]
    return describe_error("\n".join(causes)) if causes else ""


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
    """Return the commands of a call that may change something, as they were written.

    A text that is piped into one belongs to it (``echo KEY=1 | tee -a FILE``).
    """
    steps = steps_of(use.command, remote=True)
    return [
        _with_input(steps, index)
        for index, step in enumerate(steps)
        if (not _is_quiet(step) or re.search(shell_commands.ACTS, step.text))
        and not re.match(shell_commands.LOOKS, step.text)
        and not any(
            after.reads_pipe and re.match(shell_commands.PAGERS, after.text)
            for after in steps[index + 1 : index + 2]
        )
    ]


def _with_input(steps: Sequence[ShellStep], index: int) -> str:
    """Return a command with the one before it if that prints a text for it."""
    printing = [
        before.original
        for before in steps[:index][-1:]
        if steps[index].reads_pipe and _is_quiet(before)
    ]
    return " | ".join([*printing, steps[index].original])


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
    if re.fullmatch(rf"{shell_commands.INTERPRETERS}|{_TEXT}", step.text):
        return True
    return commands.is_quiet(step.text) and not re.search(shell_commands.WRITES, step.text)
