"""A failed command, what was done since, and what fixed it, if anything did."""

from __future__ import annotations

import os
import re

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_signature import (
    MAX_SIGNATURES,
    describe_error,
    error_lines,
    error_signatures,
)
from aforesaid.domain.digest.failed_calls import acting_steps, without_routine
from aforesaid.domain.digest.own_work import CHANGING, is_source
from aforesaid.domain.digest.retries import arguments_of, is_variant_of, tool_of, without_prefixes
from aforesaid.domain.digest.shell_line import is_remote
from aforesaid.domain.model.transcript import ToolUse, cut
from aforesaid.domain.value import Value
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.digest.shell_line import ShellStep

_COMMAND_CHARS, _ERROR_CHARS = 160, 480
_MAX_STEPS, _MAX_FILES = 4, 4  #: named in a fix
_OPTION = r"\s--?[\w-]+(?:=\S+|\s+\d+\w*(?!\S))?"
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
    corrects_code: bool = False  #: whether it told where that code is wrong
    rewrites: bool = False  #: whether only files were changed that were just written
    explanation: tuple[str, ...] = ()  #: what the assistant said about it
    is_log: bool = False  #: whether the command showed a log or state with the error
    calls: int = 1  #: until it was fixed or given up

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
            verb = "showed" if self.is_log else "failed:"
            lines = [f"`{self.command}` {verb} {quoted}. Fixed by {done}."]
        else:
            verb = "showed, and this" if self.is_log else "failed and"
            lines = [f"`{self.command}` {verb} was not fixed: {quoted}. Did not help: {done}."]
        return " ".join([*lines, *(f"{text.rstrip('.')}." for text in self.explanation)])


class Attempt:
    """A failed command, and what was done since."""

    def __init__(
        self,
        use: ToolUse,
        step: ShellStep,
        error: str,
        written: Iterable[str] = (),
        *,
        is_log: bool = False,
    ) -> None:
        self.use, self.step, self.written, self.error = use, step.text, step.original, error
        self.signatures = error_signatures(use.result)
        self.is_log = is_log
        self.files_before = frozenset(written)  # that the session had edited
        self.before: Attempt | None = None  # failed in another way, without what this one adds
        named = re.sub(_OPTION, "", step.text) if is_log else step.text
        self.forms = [step.replace(text=named)]  # commands that failed in the same way
        self.likely_fixed: list[Failure] = []  # what started again after a log had an error
        self.runs = 1
        self.calls = 0  # that followed
        self.until_ms = use.at_ms
        self.age = 0
        self.steps: list[str] = []
        self.changed: list[str] = []
        self.tried: list[str] = []
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

    def add_repetition(self, attempt: Attempt) -> None:
        """Record that it failed again in the same way: what was done since did not help."""
        self.tried += self.steps
        is_same = self.written.split() == attempt.written.split()
        if not is_same and is_variant_of(self.step, attempt.step):
            self.tried.append(attempt.written)
        self.tried += [f"{CHANGING}{name}" for name in dict.fromkeys(self.changed)]
        self.steps, self.changed, self.likely_fixed = [], [], []
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
        adds = arguments_of(self.step) < arguments_of(without_prefixes(written))
        if self.runs > 1 and takes_back and all(takes_back) and not (self.changed or adds):
            return self.given_up()
        if before is None:
            return [self.failure(is_fixed=True, at_ms=at_ms, fixed_by=written)]
        if set(self.written.split()) - set(before.written.split()) <= set(written.split()):
            own = self.failure(is_fixed=True, at_ms=at_ms, fixed_by=written)
            return [*before.fixed(self.use.at_ms, self.written), own]
        if self.steps or self.changed:
            before.add_causes(self.use.result)
        before.calls += self.calls
        before.steps += self.steps
        before.changed += self.changed
        return before.fixed(at_ms, written)

    def given_up(self) -> list[Failure]:
        """Return the failure if nothing helped, or what started again after a log had an error."""
        if self.likely_fixed:
            return self.likely_fixed
        if self.before is not None and not self.is_given_up:
            self.before.add_repetition(self)
            return self.before.given_up()
        return [self.failure(is_fixed=False, at_ms=self.until_ms)] if self.is_given_up else []

    def failure(self, *, is_fixed: bool, at_ms: int, fixed_by: str = "") -> Failure:
        steps = self.steps if is_fixed else self.tried
        steps = without_routine(steps) or ([] if self.changed else steps)
        tried = [step.removeprefix(CHANGING) for step in steps if step.startswith(CHANGING)]
        changed_code = any(map(is_source, [*self.changed, *tried]))
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
            changed_code=changed_code,
            rewrites=self._rewrites,
            corrects_code=changed_code and self._corrects_code,
            is_log=self.is_log,
            calls=self.calls,
        )

    @property
    def is_mistyped(self) -> bool:
        """Whether the form of the command was wrong."""
        return re.search(shell_commands.USAGE_ERRORS, self.error.partition(" / ")[0]) is not None

    @property
    def _rewrites(self) -> bool:
        """Whether only files were changed that the session had written before it failed."""
        return bool(self.changed) and self.files_before.issuperset(self.changed)

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
        itself, and not only the form of files.
        """
        if any(is_variant_of(form.text, step) for form in self.forms):
            return True
        return (
            tool_of(self.step) == tool_of(step)
            and commands.purpose_of(step)[0] != commands.CHECK
            and not re.search(shell_commands.REMEDIES, step)
            and any(
                re.search(shell_commands.REMEDIES, each) or tool_of(step) in each.split()[1:]
                for each in self.steps
            )
        )


def _language(name: str) -> str:
    """Return the extension that stands for the language of a file."""
    extension = os.path.splitext(name)[1]
    return shell_commands.FAMILIES.get(extension, extension)
