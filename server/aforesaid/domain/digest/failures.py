"""Commands and edits that failed in a session: the error, what was tried, and what fixed it.

Work in progress is left out: a test that failed until the code was written, a lint error.
"""

from __future__ import annotations

import re
from itertools import pairwise

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.error_signature import (
    MAX_SIGNATURES,
    describe_error,
    error_lines,
    error_signature,
    error_signatures,
)
from aforesaid.domain.digest.run_log import relative
from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.model.transcript import EDIT, FAILED, OK, RUN, ToolUse, cut
from aforesaid.domain.value import Value
from aforesaid.lexicon import shell_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FAILURES = 10  #: of one session, the last ones
_COMMAND_CHARS, _ERROR_CHARS = 160, 160
_MAX_STEPS, _MAX_FILES = 3, 4  #: named in a cure
_MAX_PENDING = 20  #: failed commands that a call is compared with
_MAX_BETWEEN = 40  #: calls after which a success no longer counts as the same attempt
_MIN_SHARED = 0.5  #: of the words of two commands after the first: variants of one command
_CHANGING = "changing "  #: before a file, among commands


class Failure(Value):
    """A command that failed, and what fixed it, if anything did."""

    command: str
    error: str  #: the line that describes it
    signature: str
    at_ms: int
    until_ms: int  #: when it was fixed, or last failed
    signatures: tuple[str, ...] = ()  #: further lines of it that say why it failed
    is_fixed: bool
    steps: tuple[str, ...] = ()  #: commands that fixed it, or that did not help
    changed: tuple[str, ...] = ()  #: files, likewise
    explanation: tuple[str, ...] = ()  #: what the assistant said about it

    @property
    def repeats(self) -> bool:
        """Whether the command will fail again: nothing helped, or another command did."""
        return not self.is_fixed or any(
            _is_variant_of(self.command, step) for step in self.steps[-1:]
        )

    @property
    def text(self) -> str:
        """It as the text of a memory."""
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

    def __init__(self, use: ToolUse, step: str, error: str) -> None:
        self.use, self.step, self.error = use, step, error
        self.signature = error_signature(error_lines(use.result)[0])
        causes = [
            line for line in error_lines(use.result) if re.search(shell_commands.CAUSES, line)
        ]
        self.signatures = [*map(error_signature, causes)][:MAX_SIGNATURES]
        self.edited: frozenset[str] = frozenset()  # files that the session had changed before
        self.runs = 1
        self.until_ms = use.at_ms
        self.age = 0
        self.steps: list[str] = []
        self.changed: list[str] = []
        self.tried: list[str] = []

    @property
    def is_given_up(self) -> bool:
        """Whether it failed again after something was tried."""
        return self.runs > 1 and bool(self.tried or self.steps)

    def failure(self, *, is_fixed: bool, at_ms: int, fixed_by: str = "") -> Failure:
        steps = self.steps if is_fixed else [*self.tried, *self.steps]
        if fixed_by and _words(fixed_by) != _words(self.step):
            steps = [*steps, fixed_by]
        return Failure(
            command=cut(self.step, _COMMAND_CHARS),
            error=cut(" ".join(self.error.split()), 2 * _ERROR_CHARS),
            signature=self.signature,
            signatures=tuple(sign for sign in self.signatures if sign != self.signature),
            at_ms=self.use.at_ms,
            until_ms=at_ms,
            is_fixed=is_fixed,
            steps=tuple(dict.fromkeys(steps))[-_MAX_STEPS:],
            changed=tuple(dict.fromkeys(self.changed))[-_MAX_FILES:],
        )


def find_failures(uses: Iterable[ToolUse], cwd: str) -> list[Failure]:
    """Return the failures of a session that are worth keeping, oldest first.

    Args:
        uses: the tool calls, oldest first.
        cwd: the session's folder.
    """
    pending: list[_Attempt] = []
    found: list[Failure] = []
    edited: set[str] = set()
    for use in uses:
        if use.kind not in {RUN, EDIT} or use.status not in {OK, FAILED}:
            continue
        main = _main_step(use) if use.kind == RUN else _edit_step(use, cwd)
        if main is None:
            continue
        step, error = main
        if use.kind == EDIT and not error:
            path = relative(use.path, cwd)
            edited.add(path)
            for attempt in pending:
                is_own = attempt.step == step or path in attempt.edited
                attempt.changed += [] if is_own else [path]
            if all(attempt.step != step for attempt in pending):
                continue
        pending = _recent(pending, found)
        same = next((each for each in reversed(pending) if _is_variant_of(each.step, step)), None)
        if error:
            attempt = _Attempt(use, step, error)
            attempt.edited = frozenset(edited)
            _add_failed(pending, found, same, attempt)
            continue
        if same is not None:
            pending.remove(same)
            same.steps += [
                text for text in _acting_steps(use) if not _is_variant_of(same.step, text)
            ]
            found.append(same.failure(is_fixed=True, at_ms=use.at_ms, fixed_by=step))
        for attempt in pending:
            attempt.steps += [text for text in _acting_steps(use) if text != attempt.step]
    given_up = [attempt for attempt in pending if attempt.is_given_up]
    found += [attempt.failure(is_fixed=False, at_ms=attempt.until_ms) for attempt in given_up]
    reusable = filter(_is_reusable, found)
    return sorted(reusable, key=lambda failure: failure.at_ms)[-MAX_FAILURES:]


def _recent(pending: list[_Attempt], found: list[Failure]) -> list[_Attempt]:
    """Return the attempts that the next call may still be for; add those given up to the found."""
    recent = []
    for number, attempt in enumerate(reversed(pending)):
        attempt.age += 1
        if attempt.age <= _MAX_BETWEEN and number < _MAX_PENDING:
            recent.append(attempt)
        elif attempt.is_given_up:
            found.append(attempt.failure(is_fixed=False, at_ms=attempt.until_ms))
    return recent[::-1]


def _add_failed(
    pending: list[_Attempt], found: list[Failure], same: _Attempt | None, attempt: _Attempt
) -> None:
    """Take note of a failed run: the same error again, or another one after the first was fixed."""
    if same is None:
        pending.append(attempt)
        return
    if same.signature in error_signatures(attempt.use.result):
        same.tried += same.steps
        same.tried += [f"{_CHANGING}{name}" for name in dict.fromkeys(same.changed)]
        same.steps, same.changed = [], []
        same.runs += 1
        same.age = 0
        same.until_ms = attempt.use.at_ms
        return
    pending.remove(same)
    if same.steps or same.changed or _words(same.step) != _words(attempt.step):
        changed_command = attempt.step if _words(same.step) != _words(attempt.step) else ""
        found.append(same.failure(is_fixed=True, at_ms=attempt.use.at_ms, fixed_by=changed_command))
    pending.append(attempt)


def _main_step(use: ToolUse) -> tuple[str, str] | None:
    """Return the command that decides a call's status, and its error if it failed."""
    steps = [step for step in steps_of(use.command) if step.decides]
    acting = [step.text for step in steps if not commands.is_quiet(step.text)]
    if not acting:
        return None
    step = acting[-1]
    if use.status == OK:
        return step, ""
    lines = error_lines(use.result)
    is_commit = commands.purpose_of(step)[0] == commands.COMMIT
    return (step, describe_error(use.result)) if lines and not is_commit else None


def _edit_step(use: ToolUse, cwd: str) -> tuple[str, str] | None:
    """Return an edit as a command, and its error if it failed for a reason outside its text."""
    if not use.path:
        return None
    step = f"edit {relative(use.path, cwd)}"
    if use.status == OK:
        return step, ""
    lines = error_lines(use.result)
    is_outside = lines and not re.search(shell_commands.EDIT_ERRORS, use.result)
    return (step, describe_error(use.result)) if is_outside else None


def _acting_steps(use: ToolUse) -> list[str]:
    """Return the commands of a call that may change something, cut."""
    texts = [step.text for step in steps_of(use.command)]
    return [
        cut(text, _COMMAND_CHARS)
        for text in texts
        if not commands.is_quiet(text) and not re.match(shell_commands.LOOKS, text)
    ]


def _is_variant_of(failed: str, step: str) -> bool:
    """Tell whether a command is a further attempt at what an earlier one was for."""
    first, second = _words(failed), _words(step)
    if first == second:
        return True
    kind, tool = commands.purpose_of(step)
    if kind not in {commands.OTHER, commands.COMMIT}:
        return (kind, tool) == commands.purpose_of(failed)
    tools = [words[0].rpartition("/")[2] for words in (first, second)]
    names, others = _names(first), _names(second)
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


def _words(step: str) -> list[str]:
    return step.split()


def _is_reusable(failure: Failure) -> bool:
    """Tell whether what fixed an error, or did not, may help another time."""
    kind, _ = commands.purpose_of(failure.command)
    is_work = kind in {commands.TESTS, commands.CHECK, commands.BUILD}
    if is_work and re.search(shell_commands.ASSERTIONS, failure.error):
        return False
    ran = [step for step in failure.steps if not step.startswith(_CHANGING)]
    if any(not _is_variant_of(failure.command, step) for step in ran):
        return True
    if kind == commands.CHECK or re.search(shell_commands.USAGE_ERRORS, failure.error):
        return False  # the code was changed, or the command was mistyped
    return bool(ran) or any(
        re.search(shell_commands.CONFIGURATION_FILES, name) for name in failure.changed
    )
