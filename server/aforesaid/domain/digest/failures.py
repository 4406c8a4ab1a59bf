"""Commands and edits that failed in a session: the error, what was tried, and what fixed it.

Work in progress is left out: a test that failed until the code was written, a lint error.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_signature import (
    MAX_SIGNATURES,
    describe_error,
    error_lines,
    error_signatures,
    likeness_of_errors,
)
from aforesaid.domain.digest.retries import is_variant_of, tool_of, without_prefixes
from aforesaid.domain.digest.run_log import relative
from aforesaid.domain.digest.shell_line import ShellStep, steps_of
from aforesaid.domain.model.transcript import EDIT, FAILED, OK, RUN, ToolUse, cut
from aforesaid.domain.value import Value
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_FAILURES = 10  #: of one session, the last ones
_COMMAND_CHARS, _ERROR_CHARS = 160, 480
_MAX_STEPS, _MAX_FILES = 3, 4  #: named in a fix
_MAX_PENDING = 20  #: failed commands that a call is compared with
_MIN_SAME_ERROR = 0.7  #: likeness of the errors of an attempt and its repetition
_MAX_CALLS_UNTIL_LOG = 5  #: calls between a failure and the reading of a log
_MAX_CALLS_BETWEEN = 40  #: calls after which a success no longer counts as the same attempt
_CHANGING = "changing "  #: prefix of a changed file in a list of commands


class Failure(Value):
    """A command that failed, and what fixed it, if anything did."""

    command: str
    error: str  #: the lines that best describe it
    signature: str
    at_ms: int
    until_ms: int  #: when it was fixed, or last failed
    signatures: tuple[str, ...] = ()  #: of further lines of the error
    is_fixed: bool
    steps: tuple[str, ...] = ()  #: commands that fixed it, or that did not help
    changed: tuple[str, ...] = ()  #: files, likewise
    changed_code: bool = False  #: whether code was changed in between
    explanation: tuple[str, ...] = ()  #: what the assistant said about it

    @property
    def will_repeat(self) -> bool:
        """Whether the command will fail again: nothing helped, or another command did."""
        return not self.is_fixed or any(
            is_variant_of(self.command, without_prefixes(step)) for step in self.steps[-1:]
        )

    @property
    def text(self) -> str:
        """The failure as the text of a memory."""
        quoted = self.error.replace("`", "'")
        parts = [f"`{step}`" if not step.startswith(_CHANGING) else step for step in self.steps]
        if self.changed:
            parts.append(f"{_CHANGING}{', '.join(self.changed)}")
        done = "; ".join(parts)
        if self.is_fixed:
            lines = [f"`{self.command}` failed: {quoted}. Fixed by {done}."]
        else:
            lines = [f"`{self.command}` failed and was not fixed: {quoted}. Did not help: {done}."]
        return " ".join([*lines, *(f"{text.rstrip('.')}." for text in self.explanation)])


class _Attempt:
    """A failed command, and what was done since."""

    def __init__(self, use: ToolUse, step: ShellStep, error: str) -> None:
        self.use, self.step, self.written, self.error = use, step.text, step.original, error
        self.signatures = error_signatures(use.result)
        self.edited: frozenset[str] = frozenset()  # files that the session had changed before
        self.runs = 1
        self.until_ms = use.at_ms
        self.age = 0
        self.steps: list[str] = []
        self.changed: list[str] = []
        self.tried: list[str] = []
        self.changed_code = False
        self.own_commands = {without_prefixes(text) for text in _changing_commands(use)}

    def add_steps(self, changing_commands: Sequence[str]) -> None:
        """Add what was done after the failure, except its own call and further attempts."""
        self.steps += [
            text
            for text in changing_commands
            if without_prefixes(text) not in self.own_commands
            and not is_variant_of(self.step, without_prefixes(text))
        ]

    def add_causes(self, output: str) -> None:
        """Add the lines of a log that state the cause, since they best describe the error."""
        causes = [line for line in error_lines(output) if re.search(shell_commands.CAUSES, line)]
        if causes:
            described = describe_error("\n".join(causes))
            self.error = described if not self.states_cause else f"{self.error} / {described}"
            self.signatures = [*error_signatures("\n".join(causes)), *self.signatures]

    @property
    def states_cause(self) -> bool:
        """Whether its own output states the cause of the failure."""
        return bool(re.search(shell_commands.CAUSES, self.error))

    @property
    def is_given_up(self) -> bool:
        """Whether it failed again after something was tried."""
        return self.runs > 1 and bool(self.tried or self.steps)

    def failure(self, *, is_fixed: bool, at_ms: int, fixed_by: str = "") -> Failure:
        steps = self.steps if is_fixed else [*self.tried, *self.steps]
        if fixed_by and fixed_by.split() != self.written.split():
            steps = [*steps, fixed_by]
        return Failure(
            command=cut(self.step, _COMMAND_CHARS),
            error=cut(" ".join(self.error.split()), _ERROR_CHARS),
            signature=self.signatures[0],
            signatures=tuple(self.signatures[1:MAX_SIGNATURES]),
            at_ms=self.use.at_ms,
            until_ms=at_ms,
            is_fixed=is_fixed,
            steps=tuple(dict.fromkeys(steps))[-_MAX_STEPS:],
            changed=tuple(dict.fromkeys(self.changed))[-_MAX_FILES:],
            changed_code=self.changed_code,
        )

    def is_tried_again_by(self, step: str, changing_commands: Sequence[str]) -> bool:
        """Tell whether a command is a further attempt at the purpose of this one.

        After a change of the environment, any command of the same tool is.

        Args:
            step: the command.
            changing_commands: the commands of its call that may change something.
        """
        if is_variant_of(self.step, step):
            return True
        has_remedy = any(
            re.search(shell_commands.REMEDIES, each) for each in (*self.steps, *changing_commands)
        )
        return has_remedy and tool_of(self.step) == tool_of(step)


def find_failures(uses: Iterable[ToolUse], cwd: str) -> list[Failure]:
    """Return the failures of a session that are worth keeping, oldest first.

    Args:
        uses: the tool calls, oldest first.
        cwd: the session's folder.
    """
    tracker = _FailureTracker(cwd)
    for use in uses:
        if use.kind in {RUN, EDIT} and use.status in {OK, FAILED}:
            tracker.add(use)
    reusable = filter(_is_reusable, tracker.failures())
    return sorted(reusable, key=lambda failure: failure.at_ms)[-MAX_FAILURES:]


class _FailureTracker:
    """Follows the failed commands of a session until they pass or are given up."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._pending: list[_Attempt] = []
        self._ended: list[Failure] = []
        self._edited: set[str] = set()

    def failures(self) -> list[Failure]:
        """Return the failures that were fixed in the end or given up."""
        given_up = [attempt for attempt in self._pending if attempt.is_given_up]
        return [*self._ended, *(_failure_given_up(attempt) for attempt in given_up)]

    def add(self, use: ToolUse) -> None:
        """Add the next call."""
        if use.kind == RUN and re.search(shell_commands.LOGS, use.command):
            if self._pending and self._pending[-1].age < _MAX_CALLS_UNTIL_LOG:
                self._pending[-1].add_causes(use.result)
            return
        main = _main_step(use) if use.kind == RUN else _edit_step(use, self._cwd)
        if main is None:
            return
        step, error = main
        if use.kind == EDIT and not error:
            self._note_edit(use, step.text)
            if all(attempt.step != step.text for attempt in self._pending):
                return
        self._drop_old()
        if not error:
            self._add_passed(use, [step] if use.kind == EDIT else _deciding_steps(use)[::-1])
        elif not re.search(shell_commands.USAGE_ERRORS, error):  # a mistyped command
            self._add_failed(use, step, error)

    def _add_passed(self, use: ToolUse, steps: Sequence[ShellStep]) -> None:
        """Record a call that passed: it may have fixed an earlier one, or help to fix one."""
        changing_commands = _changing_commands(use)
        for step in steps:
            same = self._find_earlier(step.text, changing_commands)
            if same is not None:
                self._pending.remove(same)
                same.add_steps(changing_commands)
                self._ended.append(
                    same.failure(is_fixed=True, at_ms=use.at_ms, fixed_by=step.original)
                )
                break
        for attempt in self._pending:
            attempt.add_steps(changing_commands)

    def _find_earlier(self, step: str, changing_commands: Sequence[str]) -> _Attempt | None:
        """Return the last failed attempt at the purpose of a command."""
        return next(
            (
                each
                for each in reversed(self._pending)
                if each.is_tried_again_by(step, changing_commands)
            ),
            None,
        )

    def _note_edit(self, use: ToolUse, step: str) -> None:
        path = relative(use.path, self._cwd)
        self._edited.add(path)
        is_configuration = re.search(shell_commands.CONFIGURATION_FILES, path) is not None
        for attempt in self._pending:
            is_own = attempt.step == step or path in attempt.edited
            attempt.changed += [] if is_own else [path]
            attempt.changed_code = attempt.changed_code or not is_configuration

    def _drop_old(self) -> None:
        """Keep the attempts that the next call may belong to; end those that were given up."""
        recent = []
        for number, attempt in enumerate(reversed(self._pending)):
            attempt.age += 1
            if attempt.age <= _MAX_CALLS_BETWEEN and number < _MAX_PENDING:
                recent.append(attempt)
            elif attempt.is_given_up:
                self._ended.append(_failure_given_up(attempt))
        self._pending = recent[::-1]

    def _add_failed(self, use: ToolUse, step: ShellStep, error: str) -> None:
        """Record a failed call: the same error again, or another after that was fixed."""
        attempt = _Attempt(use, step, error)
        attempt.edited = frozenset(self._edited)
        changing_commands = _changing_commands(use)
        same = self._find_earlier(step.text, changing_commands)
        if same is None:
            self._pending.append(attempt)
            return
        same.steps += [text for text in changing_commands if text != step.original]
        is_same = likeness_of_errors(same.signatures, attempt.signatures[:1]) >= _MIN_SAME_ERROR
        is_other_command = same.written.split() != attempt.written.split()
        if is_same or (is_other_command and not same.steps and not same.changed):
            same.tried += [*same.steps, *([attempt.written] if is_other_command else ())]
            same.tried += [f"{_CHANGING}{name}" for name in dict.fromkeys(same.changed)]
            same.steps, same.changed = [], []
            same.runs += 1
            same.age = 0
            same.until_ms = attempt.use.at_ms
            return
        self._pending.remove(same)
        if same.steps or same.changed:
            self._ended.append(same.failure(is_fixed=True, at_ms=attempt.use.at_ms))
        self._pending.append(attempt)


def _failure_given_up(attempt: _Attempt) -> Failure:
    return attempt.failure(is_fixed=False, at_ms=attempt.until_ms)


def _main_step(use: ToolUse) -> tuple[ShellStep, str] | None:
    """Return the command that decides a call's status, and its error if it failed."""
    steps = _deciding_steps(use)
    if not steps:
        return None
    step = steps[-1]
    if use.status == OK:
        return step, ""
    lines = error_lines(use.result)
    is_commit = commands.purpose_of(step.text)[0] == commands.COMMIT
    return (step, describe_error(use.result)) if lines and not is_commit else None


def _deciding_steps(use: ToolUse) -> list[ShellStep]:
    """Return the commands that decide a call's status, except those that only read.

    If these only cut the output of another command, that command decides, if it has no error.
    """
    steps = [step for step in steps_of(use.command) if not _is_quiet(step)]
    deciding = [step for step in steps if step.decides_status]
    if deciding or use.status != OK or _reports_error(use.result):
        return deciding
    return steps[-1:]


def _reports_error(output: str) -> bool:
    return any(
        re.search(pattern, line)
        for line in output.split("\n")
        for pattern in (*shell_commands.ERROR_LINES, *shell_commands.FAILED_LINES)
    )


def _is_quiet(step: ShellStep) -> bool:
    return commands.is_quiet(step.text) and not re.search(shell_commands.WRITES, step.text)


def _edit_step(use: ToolUse, cwd: str) -> tuple[ShellStep, str] | None:
    """Return an edit as a command, and its error if it failed for a reason outside its text."""
    if not use.path:
        return None
    text = f"edit {relative(use.path, cwd)}"
    step = ShellStep(text=text, original=text, decides_status=True)
    if use.status == OK:
        return step, ""
    lines = error_lines(use.result)
    is_outside = lines and not re.search(shell_commands.EDIT_ERRORS, use.result)
    return (step, describe_error(use.result)) if is_outside else None


def _changing_commands(use: ToolUse) -> list[str]:
    """Return the commands of a call that may change something, as written, cut."""
    return [
        cut(step.original, _COMMAND_CHARS)
        for step in steps_of(use.command)
        if not _is_quiet(step) and not re.match(shell_commands.LOOKS, step.text)
    ]


def _is_reusable(failure: Failure) -> bool:
    """Tell whether what fixed an error, or did not help, may be useful another time."""
    kind, _ = commands.purpose_of(failure.command)
    is_work = kind in {commands.TESTS, commands.CHECK, commands.BUILD}
    if is_work and re.search(shell_commands.ASSERTIONS, failure.error.partition(" / ")[0]):
        return False
    ran = [step for step in failure.steps if not step.startswith(_CHANGING)]
    others = [
        step
        for step in ran
        if not is_variant_of(failure.command, without_prefixes(step))
        and commands.purpose_of(without_prefixes(step))[0] not in {commands.TESTS, commands.CHECK}
    ]
    if failure.changed_code:  # the code was at fault, unless its environment changed
        others = [
            step
            for step in others
            if re.search(shell_commands.REMEDIES, step) or re.match(shell_commands.ASSIGNMENT, step)
        ]
    if others:
        return True
    if failure.changed_code or kind == commands.CHECK:
        return False
    return bool(ran) or any(
        re.search(shell_commands.CONFIGURATION_FILES, name) for name in failure.changed
    )
