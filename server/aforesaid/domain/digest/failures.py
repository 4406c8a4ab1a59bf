"""Commands and edits that failed in a session: the error, what was tried, and what fixed it.

Work in progress is left out: a test that failed until the code was written, a lint error.
"""

from __future__ import annotations

import os
import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_signature import (
    MAX_SIGNATURES,
    describe_error,
    error_lines,
    error_signatures,
    likeness_of_errors,
)
from aforesaid.domain.digest.failed_calls import (
    acting_steps,
    deciding_steps,
    main_step,
    without_routine,
)
from aforesaid.domain.digest.own_work import CHANGING, is_reusable
from aforesaid.domain.digest.retries import is_variant_of, tool_of, without_prefixes
from aforesaid.domain.digest.run_log import relative
from aforesaid.domain.digest.shell_line import is_remote
from aforesaid.domain.model.transcript import EDIT, OK, RUN, ToolUse, cut
from aforesaid.domain.value import Value
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.digest.shell_line import ShellStep

MAX_FAILURES = 10  #: of one session, the last ones
_COMMAND_CHARS, _ERROR_CHARS = 160, 480
_MAX_STEPS, _MAX_FILES = 4, 4  #: named in a fix
_MAX_PENDING = 20  #: failed commands that a call is compared with
_COMPARED, _REPEATS = 3, 0.6  #: lines of a repetition's error, and their mean likeness to the first
_MAX_UNTIL_LOG = 5  #: calls between a failure and the reading of a log
_MAX_UNTIL_REMEDY = 2  #: likewise, and a command that failed to cure it
_MAX_BETWEEN = 40  #: calls after which a success no longer counts as the same attempt
_PLACE = r"([\w./\\-]+\.\w{1,5})(?:\"?, line |:|\()\d+"  #: a line of a file
#: A line of a file that a compiler reports, rather than a frame of a stack.
_REPORTED_PLACE = r"(?m)^[\s>|-]*([\w./\\-]+\.\w{1,5})[:(]\d+\b(?!:? ?in )"


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
    corrects_code: bool = False  #: whether the error told where that code is wrong
    explanation: tuple[str, ...] = ()  #: what the assistant said about it

    @property
    def will_repeat(self) -> bool:
        """Whether the command will fail again: nothing helped, or another command did."""
        return not self.is_fixed or any(
            is_variant_of(without_prefixes(self.command), without_prefixes(step))
            for step in self.steps[-1:]
        )

    @property
    def text(self) -> str:
        """The failure as the text of a memory."""
        quoted = self.error.replace("`", "'")
        parts = [f"`{step}`" if not step.startswith(CHANGING) else step for step in self.steps]
        if self.changed:
            parts.append(f"{CHANGING}{', '.join(self.changed)}")
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
        self.before: _Attempt | None = None  # failed in another way, without what this one adds
        self.forms = [step]  # commands that failed in the same way
        self.runs = 1
        self.until_ms = use.at_ms
        self.age = 0
        self.steps: list[str] = []
        self.changed: list[str] = []
        self.tried: list[str] = []
        self.changed_code = False
        self.own = {
            without_prefixes(text) for text in acting_steps(use)
        }  # commands of the failed call

    def add_steps(self, acting: Sequence[str]) -> None:
        """Add what was done after the failure, except its own call and further attempts."""
        self.steps += [
            text
            for text in acting
            if without_prefixes(text) not in self.own
            and not any(is_variant_of(form.text, without_prefixes(text)) for form in self.forms)
        ]

    def add_causes(self, output: str) -> None:
        """Add the lines of a log that state the cause, since they best describe the error."""
        causes = [line for line in error_lines(output) if re.search(shell_commands.CAUSES, line)]
        if causes:
            described = describe_error("\n".join(causes))
            self.error = described if not self.states_cause else f"{self.error} / {described}"
            self.signatures = [*error_signatures("\n".join(causes)), *self.signatures]

    def add_repetition(self, attempt: _Attempt) -> None:
        """Record that it failed again in the same way: what was done since did not help."""
        self.tried += self.steps
        is_same = self.written.split() == attempt.written.split()
        if not is_same and is_variant_of(self.step, attempt.step):
            self.tried.append(attempt.written)
        self.tried += [f"{CHANGING}{name}" for name in dict.fromkeys(self.changed)]
        self.steps, self.changed = [], []
        self.forms += attempt.forms
        self.signatures = list(dict.fromkeys([*self.signatures, *attempt.signatures]))
        self.runs += 1
        self.age = 0
        self.until_ms = attempt.use.at_ms

    @property
    def states_cause(self) -> bool:
        """Whether its own output states the cause of the failure."""
        return bool(re.search(shell_commands.CAUSES, self.error))

    @property
    def is_given_up(self) -> bool:
        """Whether it failed again after something was tried."""
        return self.runs > 1 and bool(self.tried)

    def fixed(self, at_ms: int, written: str) -> list[Failure]:
        """Return the failures that a command fixed: this one, and the one before it.

        That one was fixed by what this one adds to it, if the command has this, too. Otherwise,
        this one only was a detour. If nothing was done since but taking changes back, it was given
        up.
        """
        before = self.before
        takes_back = [
            re.match(shell_commands.TAKES_BACK, without_prefixes(step)) for step in self.steps
        ]
        if self.runs > 1 and takes_back and all(takes_back) and not self.changed:
            return self.given_up()
        if before is None:
            return [self.failure(is_fixed=True, at_ms=at_ms, fixed_by=written)]
        if set(self.written.split()) - set(before.written.split()) <= set(written.split()):
            own = self.failure(is_fixed=True, at_ms=at_ms, fixed_by=written)
            return [*before.fixed(self.use.at_ms, self.written), own]
        before.steps += self.steps
        before.changed += self.changed
        return before.fixed(at_ms, written)

    def given_up(self) -> list[Failure]:
        """Return the failure if nothing helped."""
        if self.before is not None and not self.is_given_up:
            self.before.add_repetition(self)
            return self.before.given_up()
        return [self.failure(is_fixed=False, at_ms=self.until_ms)] if self.is_given_up else []

    def failure(self, *, is_fixed: bool, at_ms: int, fixed_by: str = "") -> Failure:
        steps = self.steps if is_fixed else self.tried
        steps = without_routine(steps) or ([] if self.changed else steps)
        if fixed_by and all(fixed_by.split() != form.original.split() for form in self.forms):
            steps = [*steps, fixed_by]
        return Failure(
            command=cut(self.written if is_remote(self.written) else self.step, _COMMAND_CHARS),
            error=cut(" ".join(self.error.split()), _ERROR_CHARS),
            signature=self.signatures[0],
            signatures=tuple(self.signatures[1:MAX_SIGNATURES]),
            at_ms=self.use.at_ms,
            until_ms=at_ms,
            is_fixed=is_fixed,
            steps=tuple(cut(step, _COMMAND_CHARS) for step in dict.fromkeys(steps))[-_MAX_STEPS:],
            changed=tuple(dict.fromkeys(self.changed))[-_MAX_FILES:],
            changed_code=self.changed_code,
            corrects_code=self.changed_code and self._corrects_code,
        )

    @property
    def _corrects_code(self) -> bool:
        """Whether the output is that of tests, or tells where code is wrong that was changed."""
        output = self.use.result
        is_test = re.search(shell_commands.TEST_WORDS, output) is not None
        if re.search(shell_commands.ASSERTIONS, output) or (
            is_test and any(commands.counts_of(output))
        ):
            return True
        is_work = commands.purpose_of(self.step)[0] in {commands.TESTS, commands.BUILD}
        reported = re.findall(_PLACE, self.error) if is_work else []
        places = {os.path.basename(name) for name in re.findall(_PLACE, output)}
        if re.search(shell_commands.NAMED_TEST, self.step):
            reported += re.findall(shell_commands.FILE_NAME, self.step)
        kinds = {
            _language(name)
            for name in reported + re.findall(_REPORTED_PLACE, output)
            if not re.search(shell_commands.LIBRARIES, name)
        }
        return any(
            os.path.basename(name) in places or _language(name) in kinds for name in self.changed
        )

    def is_tried_again_by(self, step: str) -> bool:
        """Tell whether a command is a further attempt at the purpose of this one.

        After a change of the environment, any command of the same tool is that changes nothing
        itself.
        """
        if any(is_variant_of(form.text, step) for form in self.forms):
            return True
        is_same_tool = tool_of(self.step) == tool_of(step)
        return (
            is_same_tool
            and not re.search(shell_commands.REMEDIES, step)
            and any(re.search(shell_commands.REMEDIES, each) for each in self.steps)
        )


def _language(name: str) -> str:
    """Return the extension that stands for the language of a file."""
    extension = os.path.splitext(name)[1]
    return shell_commands.FAMILIES.get(extension, extension)


def find_failures(uses: Iterable[ToolUse], cwd: str) -> list[Failure]:
    """Return the failures of a session that are worth keeping, oldest first.

    Args:
        uses: the tool calls, oldest first.
        cwd: the session's folder.
    """
    tracker = _FailureTracker(cwd)
    for use in uses:
        if use.kind in {RUN, EDIT} and commands.has_finished(use):
            tracker.add(use)
    reusable = filter(is_reusable, tracker.failures())
    return sorted(reusable, key=lambda failure: failure.at_ms)[-MAX_FAILURES:]


class _FailureTracker:
    """Follows the failed commands of a session until they pass or are given up."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._pending: list[_Attempt] = []
        self._ended: list[Failure] = []

    def failures(self) -> list[Failure]:
        """Return the failures that were fixed in the end or given up."""
        given_up = [failure for attempt in self._pending for failure in attempt.given_up()]
        return [*self._ended, *given_up]

    def add(self, use: ToolUse) -> None:
        """Add the next call."""
        acting = acting_steps(use) if use.kind == RUN else []
        if use.kind == RUN and not acting and re.search(shell_commands.LOGS, use.command):
            if self._pending and self._pending[-1].age < _MAX_UNTIL_LOG:
                self._pending[-1].add_causes(use.result)
            return
        main = main_step(use, self._cwd)
        if main is None:
            if use.status == OK:
                self._add_passed(use, [], acting)
            return
        step, error = main
        if use.kind == EDIT and not error:
            self._note_edit(use, step.text)
            if all(attempt.step != step.text for attempt in self._pending):
                return
        self._drop_old()
        if not error:
            steps = [step] if use.kind == EDIT else deciding_steps(use)[::-1]
            self._add_passed(use, steps, acting)
        else:
            self._add_failed(use, step, error, acting)

    def _add_passed(self, use: ToolUse, steps: Sequence[ShellStep], acting: Sequence[str]) -> None:
        """Record a call that passed: it may have fixed an earlier one, or help to fix one.

        If it fixed several, the last one was the closest to the cause.
        """
        found = [(same, step) for step in steps if (same := self._find_earlier(step.text))]
        for same in {id(same): same for same, _ in found}.values():
            self._pending.remove(same)
        if found:
            same, step = max(found, key=lambda pair: pair[0].until_ms)
            is_same = any(form.original == step.original for form in same.forms)
            end = acting.index(step.original) if is_same and step.original in acting else None
            same.add_steps(acting[:end])  # what came after it in the call was no part of the cure
            self._ended += same.fixed(use.at_ms, step.original)
        for attempt in self._pending:
            attempt.add_steps(acting)

    def _find_earlier(self, step: str) -> _Attempt | None:
        """Return the last failed attempt at the purpose of a command."""
        return next(
            (each for each in reversed(self._pending) if each.is_tried_again_by(step)), None
        )

    def _note_edit(self, use: ToolUse, step: str) -> None:
        path = relative(use.path, self._cwd)
        is_document = re.search(shell_commands.DOCUMENTS, path) is not None
        is_configuration = re.search(shell_commands.CONFIGURATION_FILES, path) is not None
        for attempt in self._pending:
            if is_document and os.path.basename(path) not in attempt.written + attempt.use.result:
                continue  # a text for readers cures nothing
            attempt.changed += [] if attempt.step == step else [path]
            attempt.changed_code = attempt.changed_code or not is_configuration

    def _drop_old(self) -> None:
        """Keep the attempts that the next call may belong to; end those that were given up."""
        recent = []
        for number, attempt in enumerate(reversed(self._pending)):
            attempt.age += 1
            if attempt.age <= _MAX_BETWEEN and number < _MAX_PENDING:
                recent.append(attempt)
            else:
                self._ended += attempt.given_up()
        self._pending = recent[::-1]

    def _add_failed(self, use: ToolUse, step: ShellStep, error: str, acting: Sequence[str]) -> None:
        """Record a failed call: the same error again, or another after that was fixed."""
        attempt = _Attempt(use, step, error)
        same = self._find_earlier(step.text) or next(
            (each for each in reversed(self._pending) if _is_same_error(each, attempt)), None
        )
        if same is None:
            if self._pending and self._pending[-1].age <= _MAX_UNTIL_REMEDY:
                self._pending[-1].tried += acting
            self._pending.append(attempt)
            return
        same.steps += [text for text in acting if text != step.original]
        was_changed = bool(same.steps or same.changed)
        is_other_form = same.written.split() != attempt.written.split()
        if _is_same_error(same, attempt) or not (was_changed or is_other_form):
            same.add_repetition(attempt)
            return
        self._pending.remove(same)
        self._pending.append(attempt)
        if was_changed:
            self._ended += same.fixed(use.at_ms, step.original)
        else:
            attempt.before = same


def _is_same_error(first: _Attempt, second: _Attempt) -> bool:
    """Tell whether most of what identifies the second error was in the first one."""
    lines = second.signatures[:_COMPARED]
    alike = [likeness_of_errors(first.signatures, [line]) for line in lines]
    return sum(alike) >= _REPEATS * len(alike)
